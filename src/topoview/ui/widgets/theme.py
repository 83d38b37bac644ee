"""The two themes as Qt wants them: bundled fonts, palette and style sheet."""

from functools import cache, lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QGuiApplication,
    QPainter,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QApplication

from topoview.base.resources import resource
from topoview.model import TimeState
from topoview.scene.palette import STATE_COLOURS, THEMES, Theme

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
"""Where words stand in a box."""


def load_fonts() -> None:
    """Register the bundled fonts with Qt; needs a QGuiApplication."""
    if "Inter" in QFontDatabase.families() and "JetBrains Mono" in (
        QFontDatabase.families()
    ):
        return
    for path in sorted(resource("fonts").glob("*.[ot]tf")):
        QFontDatabase.addApplicationFont(str(path))


def font(
    pixels: int = 13, weight: int = 400, *, mono: bool = False, plain: bool = False
) -> QFont:
    """Return the font of the interface, with tabular figures; or that of statements.

    Parameters
    ----------
    plain
        Whether letters look as they are, for names, paths and what is typed: else an
        ``x`` between digits becomes a multiplication sign.
    """
    result = QFont(_font(pixels, weight, mono=mono))  # its owner may change it
    if plain:
        result.setFeature(QFont.Tag("calt"), 0)
    return result


@cache
def _font(pixels: int, weight: int, *, mono: bool) -> QFont:
    result = QFont("JetBrains Mono" if mono else "Inter")
    result.setPixelSize(pixels)
    result.setWeight(QFont.Weight(weight))
    result.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if mono:
        result.setFeature(QFont.Tag("liga"), 0)
        result.setFeature(QFont.Tag("calt"), 0)
    else:
        result.setFeature(QFont.Tag("tnum"), 1)
    return result


@lru_cache(maxsize=4096)
def text_width(text: str, pixels: int = 13, weight: int = 400) -> float:
    """Pixels that a text takes; what is painted with each frame asks each time."""
    return QFontMetricsF(_font(pixels, weight, mono=False)).horizontalAdvance(text)


def letter(painter: QPainter, look: QFont, colour: str) -> None:
    """Set the font and the colour of what a painter writes next."""
    painter.setFont(look)
    painter.setPen(QColor(colour))


def set_shape(
    painter: QPainter, fill: str = "", edge: str = "", width: float = 1.0
) -> None:
    """Set the colours of shapes that are painted next; empty for none."""
    painter.setBrush(QColor(fill) if fill else Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(edge), width) if edge else Qt.PenStyle.NoPen)


def translucent(colour: QColor | str, opacity: float) -> QColor:
    """Return a colour through which the ground is seen; 0 is no colour at all."""
    result = QColor(colour)
    result.setAlphaF(opacity)
    return result


def system_theme() -> str:
    """Name of the theme that the desktop asks for; light if it does not say."""
    scheme = QGuiApplication.styleHints().colorScheme()
    return "dark" if scheme == Qt.ColorScheme.Dark else "light"


def wanted_theme(chosen: str) -> str:
    """Return the theme ``light`` or ``dark``; for ``system`` that of the desktop."""
    return system_theme() if chosen == "system" else chosen


def apply_theme(name: str) -> None:
    """Apply a theme to the whole application."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    theme = THEMES[name]
    if application.font() != font(13):
        application.setFont(font(13))
        for typed in ("QLineEdit", "QPlainTextEdit"):
            application.setFont(font(13, plain=True), typed)  # type: ignore[arg-type]
    application.setPalette(_qt_palette(theme))
    sheet = _style_sheet(theme)
    if application.styleSheet() != sheet:  # else Qt polishes all widgets again
        application.setStyleSheet(sheet)


def _qt_palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.window,
        role.Base: theme.panel,
        role.AlternateBase: theme.window,
        role.Button: theme.window,
        role.Text: theme.text,
        role.WindowText: theme.text,
        role.ButtonText: theme.text,
        role.ToolTipBase: theme.panel,
        role.ToolTipText: theme.text,
        role.BrightText: theme.text2,
        role.Highlight: theme.selected,
        role.HighlightedText: theme.text,
        role.PlaceholderText: theme.text3,
        role.Link: theme.accent,
        role.Accent: theme.accent,
        role.Light: theme.panel,
        role.Midlight: theme.hairline,
        role.Mid: theme.rule,
        role.Dark: theme.rule,
        role.Shadow: theme.rule,
    }
    palette = QPalette()
    for where, colour in colours.items():
        palette.setColor(where, QColor(colour))
    for where in (role.Text, role.WindowText, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, QColor(theme.text3))
    return palette


def _style_sheet(theme: Theme) -> str:
    chosen = theme.panel if theme.name == "light" else theme.rule
    chevron = resource("ui", f"chevron-{theme.name}.svg").as_posix()
    check = resource("ui", f"check-{theme.name}.svg").as_posix()
    return f"""
QMainWindow, QMenuBar, QToolBar, QStatusBar {{ background: {theme.window}; }}
QMainWindow::separator {{ background: {theme.rule}; width: 1px; height: 1px; }}
QMenuBar {{ padding: 2px 6px; border: 0; }}
QMenuBar::item {{ padding: 4px 9px; background: transparent; border-radius: 4px; }}
QMenuBar::item:selected {{ background: {theme.hairline}; }}
QMenu {{ background: {theme.panel}; border: 1px solid {theme.rule}; padding: 4px; }}
QMenu::item {{ padding: 5px 28px 5px 26px; border-radius: 4px; }}
QMenu::item:selected {{ background: {theme.selected}; }}
QMenu::item:disabled {{ color: {theme.text3}; }}
QMenu::separator {{ height: 1px; background: {theme.hairline}; margin: 4px 8px; }}
QMenu::indicator {{ width: 14px; height: 14px; left: 6px; }}
QMenu::indicator:checked {{ image: url("{check}"); }}
QMenu::icon {{ padding-left: 6px; }}
QToolTip {{ background: {theme.panel}; color: {theme.text};
    border: 1px solid {theme.rule}; padding: 3px 6px; }}
QToolBar {{ border: 0; border-bottom: 1px solid {theme.rule};
    padding: 3px 8px; spacing: 2px; }}
QToolBar QToolButton {{ border: 1px solid transparent; border-radius: 4px;
    padding: 3px; min-width: 22px; min-height: 22px; }}
QToolBar QToolButton:hover {{ background: {theme.hairline}; }}
QToolBar QToolButton:pressed {{ background: {theme.rule}; }}
QToolBar QToolButton:checked:enabled {{ background: {theme.selected};
    border-color: {theme.accent}; }}
QToolBar QToolButton:focus {{ border-color: {theme.accent}; }}
QToolBar QToolButton::menu-indicator {{ image: none; width: 0; }}
QToolBar#rail {{ border: 0; padding: 0; spacing: 0; background: {theme.window};
    border-left: 1px solid {theme.rule}; }}
QToolBar::separator {{ width: 1px; background: {theme.rule}; margin: 5px 7px; }}
QToolBar QLabel {{ color: {theme.text2}; padding: 0 4px 0 6px; }}
QComboBox, QLineEdit {{ background: {theme.panel}; border: 1px solid {theme.rule};
    border-radius: 4px; padding: 3px 8px; min-height: 20px;
    selection-background-color: {theme.selected}; selection-color: {theme.text}; }}
QComboBox:focus, QLineEdit:focus {{ border-color: {theme.accent}; }}
QLineEdit[wrong="true"] {{ border-color: {theme.text}; }}
QComboBox:disabled, QLineEdit:disabled {{ color: {theme.text3};
    background: {theme.window}; }}
QComboBox::drop-down {{ border: 0; width: 20px; }}
QComboBox::down-arrow {{ image: url("{chevron}"); width: 10px; height: 10px; }}
QComboBox QAbstractItemView {{ background: {theme.panel}; outline: 0;
    border: 1px solid {theme.rule}; padding: 2px; }}
QSpinBox, QDoubleSpinBox {{ background: {theme.panel}; border: 1px solid {theme.rule};
    border-radius: 4px; padding: 2px; min-height: 19px;
    selection-background-color: {theme.selected}; selection-color: {theme.text}; }}
QSpinBox:focus, QDoubleSpinBox:focus {{ border-color: {theme.accent}; }}
QSpinBox::up-button, QSpinBox::down-button,
QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {{ width: 0; border: 0; }}
QCheckBox::indicator {{ width: 13px; height: 13px; background: {theme.panel};
    border: 1px solid {theme.text3}; border-radius: 3px; }}
QCheckBox::indicator:checked {{ image: url("{check}"); border-color: {theme.accent}; }}
QCheckBox::indicator:disabled {{ border-color: {theme.rule}; }}
QSlider::groove:horizontal {{ height: 4px; border-radius: 2px;
    background: {theme.rule}; }}
QSlider::handle:horizontal {{ width: 12px; margin: -5px 0; border-radius: 6px;
    background: {theme.text2}; }}
QSlider::handle:horizontal:focus {{ background: {theme.accent}; }}
QPushButton {{ background: {theme.panel}; border: 1px solid {theme.rule};
    border-radius: 4px; padding: 5px 14px; min-height: 20px; }}
QPushButton:hover {{ background: {theme.hairline}; }}
QPushButton:pressed {{ background: {theme.rule}; }}
QPushButton:focus {{ border-color: {theme.accent}; }}
QPushButton:default {{ border-color: {theme.accent}; }}
QPushButton#search {{ color: {theme.text3}; text-align: left; padding: 3px 8px; }}
QLabel#detail {{ border-top: 1px solid {theme.rule}; padding: 4px 12px 5px 12px; }}
QStatusBar {{ border-top: 1px solid {theme.rule}; }}
QStatusBar::item {{ border: 0; }}
QStatusBar QLabel {{ color: {theme.text2}; padding: 0 10px; }}
QStatusBar QToolButton {{ border: 0; border-radius: 4px; padding: 1px 6px;
    color: {theme.text2}; }}
QStatusBar QToolButton:hover {{ background: {theme.hairline}; }}
QAbstractScrollArea {{ background: {theme.panel}; border: 0; }}
QHeaderView {{ background: {theme.panel}; border: 0; }}
QHeaderView::section {{ background: {theme.panel}; color: {theme.text2}; border: 0;
    border-bottom: 1px solid {theme.hairline}; padding: 2px 6px; }}
QTableView::item {{ padding: 0 3px; }}
QHeaderView::up-arrow, QHeaderView::down-arrow {{ width: 9px; height: 9px;
    subcontrol-position: center left; subcontrol-origin: padding; }}
QHeaderView::down-arrow {{ image: url("{chevron}"); }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {theme.rule}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:hover {{ background: {theme.text3}; }}
QScrollBar::handle:vertical {{ min-height: 28px; }}
QScrollBar::handle:horizontal {{ min-width: 28px; }}
QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; width: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QTabBar {{ background: {theme.window}; qproperty-drawBase: 0; }}
QTabBar::tab {{ background: transparent; color: {theme.text2}; padding: 6px 5px;
    border: 0; border-bottom: 2px solid transparent; }}
QTabBar::tab:selected {{ color: {theme.text};
    border-bottom: 2px solid {theme.accent}; }}
QProgressBar {{ background: {theme.hairline}; border: 0; border-radius: 3px;
    max-height: 6px; min-height: 6px; qproperty-textVisible: false; }}
QProgressBar::chunk {{ background: {theme.accent}; border-radius: 3px; }}
QLabel[dim="true"] {{ color: {theme.text2}; }}
QWidget#page, QWidget#plain {{ background: {theme.panel}; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QWidget#dockbar {{ background: {theme.window};
    border-bottom: 1px solid {theme.rule}; }}
QWidget#dockbar QToolButton {{ border: 1px solid transparent; border-radius: 4px;
    padding: 2px; }}
QWidget#dockbar QToolButton:hover {{ background: {theme.hairline}; }}
QWidget#dockbar QToolButton:focus {{ border-color: {theme.accent}; }}
QWidget#reason {{ background: {theme.shell}; border-bottom: 1px solid {theme.rule};
    border-left: 3px solid {STATE_COLOURS[TimeState.WAIT]}; }}
QWidget#reason QPushButton {{ padding: 2px 9px; min-height: 16px; }}
QWidget#dockbar QToolButton#pin {{ border: 1px solid {theme.rule};
    background: {theme.panel}; padding: 2px 8px; margin-right: 6px; }}
QWidget#segmented {{ background: {theme.window}; border: 1px solid {theme.rule};
    border-radius: 5px; }}
QWidget#segmented QToolButton {{ border: 0; border-radius: 4px; padding: 2px 0;
    color: {theme.text2}; }}
QToolBar QWidget#segmented QToolButton {{ padding: 1px 7px; min-width: 0;
    min-height: 0; }}
QToolBar QWidget#segmented QToolButton:checked:enabled {{ background: {chosen};
    border: 0; color: {theme.text}; }}
QWidget#segmented QToolButton:hover {{ color: {theme.text}; }}
QWidget#segmented QToolButton:checked {{ background: {chosen}; color: {theme.text}; }}
QFrame#finding {{ border: none; border-bottom: 1px solid {theme.hairline}; }}
QFrame#finding:hover, QFrame#finding:focus {{ background: {theme.window}; }}
QWidget#card {{ background: {theme.panel}; border: 1px solid {theme.rule};
    border-radius: 6px; }}
QWidget#card QListView {{ background: transparent; }}
QWidget#card QListWidget::item {{ padding: 2px 8px 2px 18px; border-radius: 4px; }}
QWidget#card QListWidget::item:selected {{ background: {theme.selected};
    color: {theme.text}; }}
QWidget#card QListWidget::item:disabled {{ color: {theme.text2};
    padding-left: 6px; }}
QWidget[compact="true"] QComboBox, QWidget[compact="true"] QSpinBox {{
    min-height: 16px; padding: 1px 6px; }}
QWidget[compact="true"] QPushButton {{ min-height: 16px; padding: 2px 8px; }}
QToolButton#fold, QToolButton#link {{ border: 0; padding: 1px 2px;
    background: transparent; color: {theme.text}; }}
QToolButton#link {{ color: {theme.accent}; }}
QToolButton#fold:focus, QToolButton#link:focus, QToolButton#link:hover {{
    text-decoration: underline; }}
QPushButton#recent {{ background: transparent; border: 0; padding: 4px 0;
    color: {theme.accent}; text-align: left; }}
QPushButton#recent:hover, QPushButton#recent:focus {{ text-decoration: underline; }}
"""
