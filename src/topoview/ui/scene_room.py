"""How much room the scales below a scene need."""

from topoview.session import State
from topoview.ui.overlay_scale import room_for_scales
from topoview.ui.scene_content import SceneContent
from topoview.ui.scene_keys import key_of, scales_of
from topoview.ui.scene_moment import SceneMoment


class SceneRoom:
    """Keeps room for scales: as much as they ever needed while they mean the same.

    The camera stands further away for it. It must not come and go with messages that
    are in flight now and then.

    Attributes
    ----------
    pixels
        At the lower end, for all rows of scales but the first.
    """

    def __init__(self) -> None:
        self.pixels = 0.0
        self._of: tuple[object, ...] = ()

    def changes(
        self, state: State, content: SceneContent, shown: SceneMoment, width: float
    ) -> bool:
        """Find the room that is needed now; tells whether it is another."""
        view = state.view
        asked = (view.colouring, view.rim, view.size, view.message_colour)
        of = (content, width, *asked, view.traffic, view.messages)
        before, least = self.pixels, self.pixels if of == self._of else 0.0
        scales = scales_of(state, shown)
        wanted = 0.0
        if len(scales) > 1:
            wanted = room_for_scales(scales, key_of(state, content, shown), width)
        self._of, self.pixels = of, max(least, wanted)
        return self.pixels != before
