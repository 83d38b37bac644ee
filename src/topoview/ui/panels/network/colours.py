"""What cables and nodes of the network are coloured by."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from topoview.base.text import duration_text, plural, size_text, tr
from topoview.live.network import NetworkTraffic
from topoview.live.tables.parts.extents import apart, timed
from topoview.model import Floats, Ints, Table, Trace, distinct, ratio_of
from topoview.scene.network_shape import NetworkShape

MAX_RATIO: Final = 4.0
"""Ratio of modelled and measured from which on colours do not change any more."""

IN_PLACE: Final = 3
"""Fastest and slowest communicators that are shown in place."""


def _no_tones() -> Floats:
    return np.zeros(0)


def _no_nodes() -> Ints:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class NetworkColours:
    """Places of cables and nodes on a map of colours."""

    map: str
    """``cividis``, ``vik`` or ``categories``."""
    amount: Floats
    """float64, shape (cables,): bytes that make a cable a tube, and thick."""
    tone: Floats
    """float64, shape (cables,): place on the map, from 0 to 1; NaN: none."""
    title: str
    ends: str
    """`title` and `ends`: of the key: what is coloured, and what its ends are."""
    node: Ints = field(default_factory=_no_nodes)
    """int64, shape (n,): nodes that are seen as balls."""
    node_tone: Floats = field(default_factory=_no_tones)
    """float64, shape (n,): their place on the map, or the number of their category."""


class Shown(NamedTuple):
    """What colours are made of; `extents` gives the table of communicators."""

    trace: Trace
    traffic: NetworkTraffic
    shape: NetworkShape
    extents: Callable[[], Table]

    def busier(self, links: Floats) -> Floats:
        """Return the larger value of the two ways of each cable; 0 for none."""
        cables = self.shape.cables
        ways = np.where(cables >= 0, np.nan_to_num(links)[cables], 0.0)
        result: Floats = ways.max(1)
        return result

    def nodes_of(self, row: int) -> Ints:
        """Nodes of the communicator in a row of the table."""
        number = int(self.extents()["communicator"][row])
        ranks = self.trace.communicators[number].ranks
        return distinct(self.traffic.loads.placement.node[ranks]).astype(np.int64)


def _by_load(shown: Shown) -> NetworkColours:
    return _by_bytes(shown, shown.traffic.loads.bytes, tr("link load"))


def _by_measured(shown: Shown) -> NetworkColours:
    measured = shown.traffic.loads.measured
    links = shown.traffic.loads.bytes * 0 if measured is None else measured.links
    return _by_bytes(shown, links, "measured")


def _by_bytes(shown: Shown, links: Floats, title: str) -> NetworkColours:
    amount = shown.busier(links)
    most = float(amount.max(initial=0.0))
    tone = amount / max(most, 1e-12)
    return NetworkColours(
        "cividis", amount, tone, title, tr("0 to {most}", most=size_text(most))
    )


def _by_ratio(shown: Shown) -> NetworkColours:
    """Colour by modelled divided by measured, of cables the way that is farther off."""
    loads, cables = shown.traffic.loads, shown.shape.cables
    measured = loads.measured
    amount = shown.busier(loads.bytes)
    tones = np.full(len(loads.bytes) + 1, np.nan)
    node, at = np.zeros(0, np.int64), np.zeros(0)
    if measured is not None:
        tones[:-1] = _ratio_tone(loads.bytes, measured.links)
        every = _ratio_tone(loads.sent, measured.sent)
        node = np.flatnonzero(~np.isnan(every))
        at = every[node]
    ways = tones[cables]  # of no link the last one, which is none
    off = np.where(np.isnan(ways), -1.0, np.abs(ways - 0.5))
    tone = np.take_along_axis(ways, off.argmax(1)[:, None], 1)[:, 0]
    ends = tr(
        "1/{max_ratio:g} to {max_ratio:g}; above 1: less was measured",
        max_ratio=MAX_RATIO,
    )
    return NetworkColours(
        map="vik",
        amount=amount,
        tone=tone,
        title=tr("modelled / measured"),
        ends=ends,
        node=node,
        node_tone=at,
    )


def _ratio_tone(modelled: Floats, measured: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        steps = np.log2(ratio_of(modelled, measured)) / np.log2(MAX_RATIO)
    result: Floats = np.clip(0.5 + steps / 2, 0.0, 1.0)
    return result


def _by_communicator(shown: Shown) -> NetworkColours:
    """Colour the nodes of communicators that share no rank, each in its own."""
    return _in_place(shown, apart(shown.trace, shown.extents()))


def _in_place(shown: Shown, rows: list[int]) -> NetworkColours:
    parts = [shown.nodes_of(row) for row in rows]
    tones = [np.full(len(part), float(k)) for k, part in enumerate(parts)]
    count = len(rows)
    remark = tr("no communicator with only some of the ranks is used")
    if count:
        remark = tr(
            "{communicators}, which share no rank",
            communicators=plural(count, "communicator"),
        )
    nothing = np.zeros(len(shown.shape.cables))
    return NetworkColours(
        map="categories",
        amount=nothing,
        tone=nothing,
        title="",
        ends=remark,
        node=np.concatenate([np.zeros(0, np.int64), *parts]),
        node_tone=np.concatenate([np.zeros(0), *tones]),
    )


def _by_time(shown: Shown) -> NetworkColours:
    """Show the fastest and the slowest communicators, by their slowest operation."""
    seconds = shown.extents()["slowest"]
    timed_rows = set(timed(shown.extents()).tolist())
    rows = [row for row in apart(shown.trace, shown.extents()) if row in timed_rows]
    rows = rows if len(rows) <= 2 * IN_PLACE else [*rows[:IN_PLACE], *rows[-IN_PLACE:]]
    result = _in_place(shown, rows)
    if not rows:
        return result
    least, most = float(seconds[rows].min()), float(seconds[rows].max())
    tone = (seconds[rows] - least) / max(most - least, 1e-30)
    return NetworkColours(
        map="cividis",
        amount=result.amount,
        tone=result.tone,
        title=tr("slowest operation"),
        ends=tr(
            "{least} to {most}, the fastest and the slowest",
            least=duration_text(least),
            most=duration_text(most),
        ),
        node=result.node,
        node_tone=tone[result.node_tone.astype(np.int64)],
    )


COLOURS: Final[dict[str, tuple[str, Callable[[Shown], NetworkColours]]]] = {
    "load": (tr("Load"), _by_load),
    "measured": (tr("Measured"), _by_measured),
    "ratio": (tr("Modelled / measured"), _by_ratio),
    "communicators": (tr("Communicators"), _by_communicator),
    "times": (tr("Fastest, slowest"), _by_time),
}
"""What can be coloured: the word for it, and its function."""

OF_COUNTERS: Final = ("measured", "ratio")
"""Those for which the trace must have counters of links or nodes."""
