"""A frame around what has the keyboard, shown while the keyboard moves the focus."""

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QRegion
from PySide6.QtWidgets import QApplication, QWidget

RING_WIDTH = 2


class FocusRing(QWidget):
    """Frames the widget that `follow` names; goes when the focus moves elsewhere.

    One for the whole window: widgets that paint themselves have it like any other.
    It covers no more than its frame, so that nothing below is painted again.

    Parameters
    ----------
    window
        What it lies over.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.framed: QWidget | None = None
        """What is framed, None if nothing is."""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._forget)
        window.installEventFilter(self)
        self.hide()

    def follow(self, widget: QWidget | None) -> None:
        """Frame a widget; None frames nothing."""
        self.framed = widget if widget is not self.parentWidget() else None
        if self.framed is None:
            self.hide()
            return
        self._place()
        self.show()
        self.raise_()

    def _forget(self, _: QWidget | None, now: QWidget | None) -> None:
        if now is not self.framed:
            self.follow(None)

    def _place(self) -> None:
        widget, window = self.framed, self.parentWidget()
        if widget is None or window is None:
            return
        corner = widget.mapTo(window, widget.rect().topLeft())
        box = QRect(corner, widget.size())
        self.setGeometry(box)
        inside = self.rect().adjusted(RING_WIDTH, RING_WIDTH, -RING_WIDTH, -RING_WIDTH)
        self.setMask(QRegion(self.rect()).subtracted(QRegion(inside)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay at the widget when the window is laid out anew."""
        kinds = (QEvent.Type.Resize, QEvent.Type.LayoutRequest)
        if watched is self.parentWidget() and event.type() in kinds:
            self._place()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the frame."""
        accent = QApplication.palette().color(QPalette.ColorRole.Accent)
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), QColor(accent))
