"""How much room keys, scales and legends need below a scene."""

from dataclasses import replace

from topoview.scene.annotations import Legend
from topoview.scene.message_looks import MANY_RANKS, MOST_AMONG_MANY
from topoview.scene.topology_scene import TopologyScene
from topoview.session import State
from topoview.ui.formats import grouped
from topoview.ui.overlay.rows import room_below
from topoview.ui.scene.content import SceneContent
from topoview.ui.scene.keys import key_of, scales_of
from topoview.ui.scene.moment import SceneMoment
from topoview.ui.scene.notes import legends_of

APART = 10.0
"""Pixels between more rows than usual and the names of axes above them."""

FLYING = ("message", "awaited", "early")

MESSAGES = (
    Legend("message", "message in flight  000"),
    Legend("awaited", "its receiver waits  000"),
    Legend("early", "no receive posted yet  000"),
)
"""What is told of messages now and then; there is always room for it."""

MANY_MESSAGES = (
    Legend("message", f"message in flight  {grouped(MOST_AMONG_MANY)} of 00\u2009000"),
    *MESSAGES[1:],
)
"""The same where not all of them are drawn."""


class SceneRoom:
    """Keeps room below a scene: as much as was ever needed while it means the same.

    The camera stands further away for it. It must not come and go with messages that
    are in flight now and then.

    Attributes
    ----------
    pixels
        That are needed beyond those that are free anyway.
    """

    def __init__(self, scene: TopologyScene, *, keyed: bool = True) -> None:
        self._scene, self._keyed = scene, keyed
        self.pixels = 0.0
        self._of: tuple[object, ...] = ()

    def changes(
        self, state: State, content: SceneContent, shown: SceneMoment, width: float
    ) -> bool:
        """Find the room that is needed now; tells whether it is another."""
        if not self._keyed:
            return False
        view = state.view
        asked = (view.colouring, view.rim, view.size, view.message_colour, view.edges)
        of = (content, width, *asked, view.traffic, view.messages, view.chains)
        before, least = self.pixels, self.pixels if of == self._of else 0.0
        wanted = room_below(
            scales_of(state, shown),
            key_of(state, content, shown),
            self._legends(state, content, shown),
            width,
        )
        if wanted:
            wanted += APART
        self._of, self.pixels = of, max(least, wanted)
        return self.pixels != before

    def _legends(
        self, state: State, content: SceneContent, shown: SceneMoment
    ) -> tuple[Legend, ...]:
        if state.playing and state.view.brief and shown.now.begin is None:
            # the next frame tells of all since this one
            shown = replace(shown, now=replace(shown.now, begin=shown.now.ticks))
        found = legends_of(state, content, self._scene, shown)
        if not (state.view.messages and content.matrix.calls.nnz):
            return found
        named = [each for each in found if each.look in FLYING and each.colour]
        lasting = [each for each in found if each.look not in FLYING]
        many = content.known.trace.ranks > MANY_RANKS
        return (*lasting, *(MANY_MESSAGES if many else MESSAGES), *named)
