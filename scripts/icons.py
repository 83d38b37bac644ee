"""Draw the icons' fixed sizes anew from their SVG; run it when one changes."""

from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 24, 32, 48, 64, 128, 256)
ICONS = Path(__file__).parents[1] / "resources" / "share" / "icons" / "hicolor"


def draw(svg: Path, size: int) -> None:
    """Write one size of an icon beside the scalable one."""
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(svg)).render(painter, QRectF(0, 0, size, size))
    painter.end()
    path = ICONS / f"{size}x{size}" / svg.parent.name / f"{svg.stem}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(str(path))


for svg in sorted((ICONS / "scalable").rglob("*.svg")):
    for size in SIZES:
        draw(svg, size)
