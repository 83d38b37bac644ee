"""The traffic of the window, found beside the window's thread where that matters."""

from collections.abc import Callable

from topoview.analysis.one_sided_traffic import transfer_traffic
from topoview.analysis.traffic import traffic
from topoview.model import Geometry
from topoview.scene.slices import inside_of, pairs_inside
from topoview.scene.traffic_lines import Traffic, edges_of, most_used
from topoview.ui.latest_only import LatestOnly
from topoview.ui.scene.content import SceneContent

Ranges = tuple[tuple[int, int, int], ...]
Asked = tuple[SceneContent, tuple[int, int], Ranges]


def window_traffic(
    content: SceneContent, window: tuple[int, int], ranges: Ranges = ()
) -> Traffic:
    """Sum up what was sent along the shown topology's edges in a window.

    Only edges between ranks that are in the ranges count.
    """
    edges, match = edges_of(content.match), content.match
    inside = inside_of(content.layout, match, Geometry(ranges=ranges))
    if inside is not None:
        edges = pairs_inside(edges, inside)
    sums = transfer_traffic if content.matrix.one_sided else traffic
    return most_used(edges, sums(content.known.trace, window, edges))


class TrafficNow:
    """Gives the traffic at once: summed up meanwhile for any window it is asked for."""

    def __init__(self) -> None:
        self._kept: tuple[Asked, Traffic] | None = None

    def __call__(
        self, content: SceneContent, window: tuple[int, int], ranges: Ranges = ()
    ) -> Traffic:
        """Give the traffic of a window."""
        kept, asked = self._kept, (content, window, ranges)
        if kept is None or kept[0] != asked:
            self._kept = kept = asked, window_traffic(content, window)
        return kept[1]


class TrafficLater:
    """Gives the traffic as soon as it is summed up; until then that before it.

    Parameters
    ----------
    found
        Called when there is another one.
    """

    def __init__(self, found: Callable[[], None]) -> None:
        self._found = found
        self._kept: tuple[Asked, Traffic] | None = None
        self._worker: LatestOnly[Asked, Traffic] = LatestOnly(
            lambda asked, _: window_traffic(*asked), self._take
        )

    def __call__(
        self, content: SceneContent, window: tuple[int, int], ranges: Ranges = ()
    ) -> Traffic | None:
        """Give the traffic that is known of the shown topology."""
        kept, asked = self._kept, (content, window, ranges)
        same = kept is not None and kept[0][0] is content
        if kept is None or kept[0] != asked:
            self._worker.ask(asked)
        return kept[1] if same and kept is not None else None

    def _take(self, asked: Asked, found: Traffic) -> None:
        self._kept = asked, found
        self._found()

    def stop(self) -> None:
        """End the thread."""
        self._worker.stop()
