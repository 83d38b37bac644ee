"""The switch in the scene's corner: the topology's own layouts."""

from topoview.session import Choice
from topoview.ui.overlay.paint import heading_width
from topoview.ui.scene.content import SceneContent
from topoview.ui.scene.notes import heading
from topoview.ui.shape.commands import LAYOUT_TEXTS
from topoview.ui.widgets import Segmented

MARGIN = 12


class LayoutSwitch(Segmented):
    """Offers the layouts that a match has of its own, and the one that is shown."""

    def offer_layouts(self, content: SceneContent) -> None:
        """Show what can be chosen, and what is."""
        names = dict.fromkeys((*content.layouts, content.layout.name))
        choices = [(name, LAYOUT_TEXTS[name]) for name in names]
        self.offer(choices, content.layout.name)

    def place(self, content: SceneContent, shown: Choice | None) -> None:
        """Stand at the right unless the title is there: the tool bar has it too."""
        self.adjustSize()
        scene = self.parentWidget()
        left = (0 if scene is None else scene.width()) - self.width() - MARGIN
        self.move(left, MARGIN)
        beside = left > heading_width(*heading(content, shown))
        self.setVisible(beside and len(content.layouts) > 1)
