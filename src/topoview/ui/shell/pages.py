"""What the window shows while there is no trace: welcome, progress, failure."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import tr
from topoview.session import Opening
from topoview.ui.shell.opening import time_left_text
from topoview.ui.widgets.icons import application_icon
from topoview.ui.widgets.layouts import filled, new_label, styled
from topoview.ui.widgets.theme import font

PAGE_WIDTH = 520


class Page(QWidget):
    """A column of things in the middle of the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        styled(self, "page")
        outer = QVBoxLayout(self)
        inner = QWidget(self)
        inner.setFixedWidth(PAGE_WIDTH)
        self.column = filled(QVBoxLayout(inner), margins=(0, 0, 0, 0), spacing=8)
        outer.addStretch(2)
        across = QHBoxLayout()  # alignment would ignore the height of wrapped text
        across.addStretch()
        across.addWidget(inner)
        across.addStretch()
        outer.addLayout(across)
        outer.addStretch(3)

    def add_text(self, pixels: int, weight: int = 400, *, dim: bool = False) -> QLabel:
        """Add a line or paragraph of text."""
        label = QLabel(self)
        label.setFont(font(pixels, weight, plain=True))
        label.setTextFormat(Qt.TextFormat.PlainText)  # paths may look like HTML
        label.setWordWrap(True)
        label.setProperty("dim", dim)
        self.column.addWidget(label)
        return label

    def add_buttons(
        self, *buttons: tuple[str, Callable[[], None]]
    ) -> list[QPushButton]:
        """Add a row of buttons, the first one being the natural choice."""
        row = filled(QHBoxLayout(), spacing=8)
        made = []
        for text, act in buttons:
            button = QPushButton(text, self)
            button.clicked.connect(lambda _=False, act=act: act())
            row.addWidget(button)
            made.append(button)
        made[0].setDefault(True)
        row.addStretch()
        self.column.addLayout(row)
        return made


class WelcomePage(Page):
    """Says what the program is for; opens traces."""

    open_asked = Signal()
    demo_asked = Signal()
    """`open_asked` and `demo_asked`: the user wants to choose a trace, or to see the
    demo."""
    recent_asked = Signal(str)
    """Path of a recent trace that the user wants to see."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        picture = QLabel(self)
        picture.setPixmap(application_icon().pixmap(72, 72))
        picture.setFixedHeight(76)
        self.column.addWidget(picture)
        self.column.addSpacing(4)
        self.add_text(22, 600).setText(tr("See the topology of an MPI program"))
        self.add_text(13, dim=True).setText(
            tr(
                "Open an OTF2 trace: topoview identifies its communication topology, "
                "shows the ranks in that shape over time, and writes the program down "
                "once for all ranks."
            )
        )
        self.column.addSpacing(12)
        self.add_buttons(
            (tr("Open trace…"), self.open_asked.emit),
            (tr("Show the demo"), self.demo_asked.emit),
        )
        self.hint = self.add_text(12, dim=True)
        self.hint.setText(
            tr(
                "Or drop a trace here: its anchor file (.otf2), its folder, or an "
                "archive."
            )
        )
        self.column.addSpacing(16)
        self._title = self.add_text(13, 600)
        self._title.setText(tr("Recent"))
        self._recent = filled(QVBoxLayout(), spacing=0)
        self.column.addLayout(self._recent)

    def show_recent(self, paths: list[Path]) -> None:
        """List the traces opened lately."""
        while (item := self._recent.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._title.setVisible(bool(paths))
        for path in paths:
            self._recent.addWidget(self._entry(path))

    def _entry(self, path: Path) -> QWidget:
        entry = QWidget(self)
        row = filled(QHBoxLayout(entry), margins=(0, 0, 0, 0), spacing=8)
        button = QPushButton(entry)
        button.setObjectName("recent")
        button.setText(trace_name(path))
        button.setToolTip(str(path))
        button.clicked.connect(lambda: self.recent_asked.emit(str(path)))
        place = new_label(entry, look=font(12), dim=True)
        metrics = place.fontMetrics()
        room = PAGE_WIDTH - button.sizeHint().width() - 24
        place.setText(
            metrics.elidedText(str(path.parent), Qt.TextElideMode.ElideMiddle, room)
        )
        row.addWidget(button)
        row.addWidget(place, 1)
        return entry


class ProgressPage(Page):
    """Tells how far the opening of a trace is."""

    cancel_asked = Signal()
    """The user gives up."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = self.add_text(18, 600)
        self.place = self.add_text(12, dim=True)
        self.column.addSpacing(8)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.column.addWidget(self.bar)
        self.stage = self.add_text(13, dim=True)
        self.column.addSpacing(8)
        (self.button,) = self.add_buttons((tr("Cancel"), self.cancel_asked.emit))

    def tell(self, opening: Opening) -> None:
        """Show how far it is."""
        path = Path(opening.path)
        self.name.setText(tr("Opening {path}", path=trace_name(path)))
        self.place.setText(str(path.parent) if path.is_absolute() else "")
        self.bar.setValue(round(opening.fraction * 1000))
        stage = tr(opening.stage)
        stage = stage[:1].upper() + stage[1:]
        left = (
            tr(", about {left} left", left=time_left_text(opening.left))
            if opening.left > 0
            else ""
        )
        self.stage.setText(f"{stage}, {opening.fraction:.0%}{left}")


class FailurePage(Page):
    """Says in one line why a trace could not be opened."""

    open_asked = Signal()
    back_asked = Signal()
    """`open_asked` and `back_asked`: the user wants to open another trace, or to see
    the one before."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.add_text(18, 600).setText(tr("This trace could not be opened"))
        self.line = self.add_text(13)
        self.line.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.column.addSpacing(8)
        self._details = ""
        buttons = self.add_buttons(
            (tr("Open another…"), self.open_asked.emit),
            (tr("Copy details"), self._copy),
            (tr("Back"), self.back_asked.emit),
        )
        _, self.copy_button, self.back_button = buttons

    def tell(self, line: str, details: str) -> None:
        """Show a failure; `details` go with it to the clipboard."""
        self.line.setText(line)
        self._details = "\n".join(filter(None, (line, details)))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details)


def trace_name(path: Path) -> str:
    """Short name of a trace: anchor files are called alike, their folders not."""
    if path.suffix == ".otf2" and path.stem in ("traces", "trace", "eztrace_log"):
        return path.parent.name or path.name
    name = path.name
    for ending in (".tar.xz", ".tar.gz", ".tar.zst", ".tar.bz2", ".tgz", ".zip"):
        name = name.removesuffix(ending)
    return name.removesuffix(".otf2")
