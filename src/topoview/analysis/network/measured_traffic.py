"""What counters of the machine measured: bytes that nodes sent, bytes on links.

A trace may hold metrics of nodes, of their network interfaces or of their links. Which
ones these are is known by their names; the user may say. A counter belongs to the node
that its metric was recorded for, else to that of the location that recorded it. A
direction in its name (``BGP_TORUS_XP``, ``x+``) or another node (``to nid00012``) makes
it a counter of a link; one without counts all that its node sent.
"""

import re
from collections import Counter
from typing import Final, NamedTuple

import numpy as np

from topoview.base.text import plural
from topoview.errors import UsageError
from topoview.model import (
    EventRecords,
    Floats,
    LinkLoads,
    MeasuredTraffic,
    MetricCounter,
    Network,
    Placement,
    Trace,
    places_among,
)
from topoview.model.topology import AXES

SENT: Final = re.compile(
    r"(?<![a-z])(tx|xmit|sent|send|transmit|inject|out)[a-z]*[^a-z]*"
    r"(bytes?|octets|data|words|flits|packets|pkts|chunks)"
    r"|(bytes|octets|data|words|flits|packets|pkts|chunks)[^a-z]*"
    r"(sent|out|injected|transmitted)"
    r"|(torus|link).*(bytes|words|flits|packets|pkts|chunks)",
    re.IGNORECASE,
)
"""Names of counters that are taken for traffic where the user names none."""

WAY: Final = re.compile(
    r"(?<![a-z])(?P<axis>[a-z])[ _]?(?P<sign>\+|-|plus|minus|[pm])(?![a-z])",
    re.IGNORECASE,
)
"""A direction in a counter's name: ``XP``, ``a_minus``, ``z+``."""

TO: Final = re.compile(r"(?:\bto |->|→) ?(?P<to>[\w.-]+)")
"""The node at a link's other end in a counter's name."""

BYTES: Final = ("", "b", "byte", "bytes", "octets")
"""Units in which sums are bytes; of others only shares are told."""


class _Sum(NamedTuple):
    """What one counter counted on one location."""

    counter: MetricCounter
    row: int
    amount: float
    falls: bool


def measured_traffic(
    trace: Trace,
    loads: LinkLoads,
    pattern: str = "",
    window: tuple[int, int] | None = None,
) -> MeasuredTraffic | None:
    """Sum up the counters of nodes and links.

    Parameters
    ----------
    loads
        What is modelled, of the same time.
    pattern
        Regular expression of the names of the counters; empty: those of nodes that are
        called as traffic usually is. Its groups ``way`` (``x+``) and ``to`` (a node)
        say which link one is of.
    window
        Begin and end in ticks; None: the run.

    Returns
    -------
    MeasuredTraffic or None
        None if no values of such counters are recorded.

    Raises
    ------
    UsageError
        No counter has such a name, or what is named is no expression.
    """
    chosen = traffic_counters(trace, pattern)
    records = next((one for one in trace.further if one.name == "Metric"), None)
    sums = _sums(records, chosen, window) if records is not None else []
    if not sums:
        return None
    units = Counter(_unit(one.counter) for one in sums)
    unit = units.most_common(1)[0][0]
    finder = _Places(trace, loads.network, loads.placement, pattern)
    node = np.full(loads.network.nodes, np.nan)
    link = np.full(len(loads.bytes), np.nan)
    lost: Counter[str] = Counter()
    for one in sums:
        if _unit(one.counter) != unit:
            lost[f"counted in {_unit(one.counter)}, others in {unit}"] += 1
        elif one.falls:
            lost["falls, so it is no sum"] += 1
        elif isinstance(place := finder.place(one), str):
            lost[place] += 1
        else:
            table, at = (link, place[1]) if place[0] else (node, place[1])
            table[at] = np.nan_to_num(table[at]) + one.amount
    names = tuple(dict.fromkeys(one.counter.name for one in sums))
    left_out = tuple(f"{plural(n, 'counter')}: {why}" for why, n in lost.items())
    if unit != "bytes":
        node = _as_modelled(node, loads.sent)
        link = _as_modelled(link, loads.bytes)
    return MeasuredTraffic(names, unit, node, link, left_out)


def traffic_counters(trace: Trace, pattern: str = "") -> list[MetricCounter]:
    """Choose the counters of a trace that are of traffic; raises as above."""
    if not pattern:
        named = (one for one in trace.counters if one.scope or one.recorder >= 0)
        return [one for one in named if SENT.search(one.name)]
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"{pattern!r} is no regular expression ({error})") from None
    result = [one for one in trace.counters if wanted.search(one.name)]
    if not result:
        names = list(dict.fromkeys(counter.name for counter in trace.counters))
        there = ", ".join(names[:8]) or "none"
        raise UsageError(f"{trace.name} has no counter {pattern!r}: it has {there}")
    return result


def _unit(counter: MetricCounter) -> str:
    return "bytes" if counter.unit.lower() in BYTES else counter.unit


def _as_modelled(measured: Floats, modelled: Floats) -> Floats:
    """Scale what is counted in other units so that it adds up to what is modelled."""
    valid = ~np.isnan(measured)
    total = measured[valid].sum()
    return measured * (modelled[valid].sum() / total) if total else measured


def _sums(
    records: EventRecords, counters: list[MetricCounter], window: tuple[int, int] | None
) -> list[_Sum]:
    """Add up each counter on each location; values of a location are in time order."""
    places = int(records.column("place").max(initial=0)) + 1
    key = records.column("metric") * places + records.column("place")
    own = np.array([one.metric * places + one.place for one in counters], np.int64)
    order = np.argsort(own)
    at = places_among(own[order], key)
    some = np.flatnonzero(at >= 0)
    if not len(some):
        return []
    number = order[at[some]]
    row = np.searchsorted(records.offsets, some, side="right") - 1
    turn = np.lexsort((some, row, number))
    some, number, row = some[turn], number[turn], row[turn]
    fresh = np.append(True, (np.diff(number) != 0) | (np.diff(row) != 0))
    value = records.numbers()[some]
    mode = np.array([_MODES.index(one.mode) for one in counters])[number]
    came = np.diff(value, prepend=0.0)
    came[fresh] = value[fresh]
    came[fresh & (mode == _MODES.index("value"))] = 0.0
    changes = mode == _MODES.index("change")
    came[changes] = value[changes]
    first = np.flatnonzero(fresh)
    falls = np.minimum.reduceat(came, first) < 0
    if window is not None:
        time = records.time[some]
        came = np.where((time >= window[0]) & (time < window[1]), came, 0.0)
    total = np.add.reduceat(came, first)
    return [
        _Sum(counters[n], r, float(t) * counters[n].scale, bool(f))
        for n, r, t, f in zip(
            number[first].tolist(), row[first].tolist(), total, falls, strict=True
        )
    ]


_MODES: Final = ("value", "grows", "change")


class _Places:
    """Finds the node or the link that a counter is of."""

    def __init__(
        self, trace: Trace, network: Network, placement: Placement, pattern: str
    ) -> None:
        self._trace, self._network, self._placement = trace, network, placement
        self._pattern = re.compile(pattern) if pattern else None
        self._host = {name: k for k, name in enumerate(placement.hosts) if name}
        self._scopes = {f"{one.kind} {one.name}": one.name for one in trace.nodes}
        ends = network.links.tolist()
        ways = network.direction.tolist()
        self._by_way = {
            (a, way): k for k, ((a, _), way) in enumerate(zip(ends, ways, strict=True))
        }
        self._by_end = {(a, b): k for k, (a, b) in enumerate(ends)}

    def place(self, one: _Sum) -> tuple[bool, int] | str:
        """Return whether it is a link, and its number; else why it is neither."""
        node = self._node(one)
        if node < 0:
            return "of no node that ranks ran on"
        match = self._pattern.search(one.counter.name) if self._pattern else None
        groups = match.groupdict() if match is not None else {}
        to = groups.get("to") or _group(TO.search(one.counter.name), "to")
        if to:
            link = self._by_end.get((node, self._host.get(to, -1)), -1)
            return (True, link) if link >= 0 else f"no link leads to {to}"
        way = WAY.search(groups.get("way") or one.counter.name)
        if way is None or not self._network.is_grid:
            return (False, node)
        name = _direction(way, len(self._network.dims))
        directions = self._network.directions
        if name not in directions:
            return f"the {self._network.name} has no direction {name}"
        link = self._by_way.get((node, directions.index(name)), -1)
        return (True, link) if link >= 0 else f"no link {name} there"

    def _node(self, one: _Sum) -> int:
        host = self._scopes.get(one.counter.scope, one.counter.scope)
        if host in self._host:
            return self._host[host]
        if one.counter.scope in self._scopes and any(self._host):
            return -1  # of a rack, or of a node without ranks
        rank = int(self._trace.rank_of_location[one.row])
        return int(self._placement.node[rank]) if rank >= 0 else -1


def _group(match: re.Match[str] | None, name: str) -> str:
    return match[name] if match is not None else ""


def _direction(way: re.Match[str], dims: int) -> str:
    letter = way["axis"].lower()
    axis = ord(letter) - ord("a") if letter in "abcdef" else AXES.index(letter)
    sign = "+" if way["sign"].lower() in ("+", "p", "plus") else "-"
    return f"{AXES[axis] if axis < dims else letter}{sign}"
