"""Where the rows of the timeline are: groups folded, threads shown, zoomed."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from topoview.live.timeline.orders import RowOrder
from topoview.model import Bools, Floats, Frozen, Indices, Ints, Trace
from topoview.session import TimelineOptions

MAX_ROW_HEIGHT: Final = 28
"""Logical pixels of the tallest row; of a folded one if there is room."""

MAX_HOST_HEIGHT: Final = 40
"""The same beside rows of GPUs, which are lower and have names on their bars."""

_MIN_HEIGHT_WITH_GAP: Final = 5
_GROUP_GAP: Final = 4
_THREAD_WEIGHT: Final = 0.5
"""Height of a further location's row beside that of its rank."""
_STREAM_WEIGHT: Final = 0.7
"""The same of a GPU's stream."""
_MIN_THREAD_HEIGHT: Final = 3
_FUNCTION_WEIGHT: Final = 0.5
"""The same of the strip below a rank that uses GPUs: the functions that it is in."""
_MIN_FUNCTION_HEIGHT: Final = 14
"""Logical pixels of that strip from which names fit into it; else there is none, as
where the rank's own row would be lower than that."""
_RANK_GAP: Final = 6
"""Logical pixels between ranks that have such strips."""
_NO_OPTIONS: Final = TimelineOptions()


@dataclass(frozen=True, slots=True, eq=False)
class RowBands(Frozen):
    """Rows of the timeline, placed on lines of pixels.

    All positions are in device pixels from the top of the rows. A band is what
    a line shows: a row, or several where a row is thinner than a pixel, or where a
    group is folded: its rows share their place.
    """

    rows: Indices
    """int32, shape (n,): rows of the timeline in the order drawn, top to bottom; those
    that are seen."""
    rank: Indices
    """int32, shape (n,): rank that each of them belongs to."""
    top: Floats
    bottom: Floats
    """`top` and `bottom`: float64, shape (n,): where each row begins and ends."""
    strip: Floats
    """float64, shape (n,): height of the strip below each row for the functions that a
    rank with GPUs is in; 0 where there is none."""
    bounds: Ints
    """int64, shape (bands + 1,): band ``b`` shows ``rows[bounds[b]:bounds[b + 1]]``."""
    folded: Bools
    """bool, shape (bands,): whether a band is a folded group: a stack of the states of
    its rows."""
    band_of_line: Indices
    """int32, shape (height,): band that each line shows, -1 for a gap."""
    core: Bools
    """bool, shape (height,): lines that a row keeps when it is shrunk to a thin
    stripe."""
    groups: Ints
    """int64, shape (groups,): index into `rows` at which each group begins."""
    group: Ints
    """int64, shape (groups,): number of each of them in the order of all groups."""
    labels: tuple[str, ...]
    """Its name; empty if there is but one."""
    whole: float
    """Height of all rows; more than `height` if not all are seen."""
    hidden: int
    """Further locations for which there is no room."""

    @property
    def height(self) -> int:
        """Lines of pixels."""
        return len(self.band_of_line)

    @property
    def row_height(self) -> float:
        """Device pixels of a rank's row."""
        folded = np.repeat(self.folded, np.diff(self.bounds))
        return float(np.max((self.bottom - self.top)[~folded], initial=0.0))

    def row_at(self, line: float) -> int | None:
        """Index into `rows` of the row at or next to a position."""
        if not len(self.rows):
            return None
        row = int(np.searchsorted(self.top, line, side="right")) - 1
        return max(row, 0) if line <= self.bottom[-1] else None

    def band_of(self, index: int) -> int:
        """Band of a row by its index into `rows`."""
        return int(np.searchsorted(self.bounds, index, side="right")) - 1

    def is_folded(self, index: int) -> bool:
        """Return whether a row, by its index into `rows`, is in a folded group."""
        return bool(self.folded[self.band_of(index)])

    def group_at(self, index: int) -> int:
        """Place in `groups` of a row's group, by its index into `rows`."""
        return int(np.searchsorted(self.groups, index, side="right")) - 1

    def index_of_rank(self, ranks: tuple[int, ...]) -> Ints:
        """Index into `rows` of the main rows of some ranks, ascending."""
        result: Ints = np.flatnonzero(np.isin(self.rows, ranks))
        return result

    def lines_of(self, band: int) -> slice:
        """Lines of pixels that a band has."""
        lines = np.flatnonzero(self.band_of_line == band)
        return slice(int(lines[0]), int(lines[-1]) + 1) if len(lines) else slice(0, 0)

    def part(self, folded: bool) -> tuple[Indices, Ints]:
        """Rows and bounds of the bands that are folded, or of those that are not."""
        chosen = self.folded == folded
        sizes = np.diff(self.bounds)
        bounds = np.concatenate(([0], np.cumsum(sizes[chosen]))).astype(np.int64)
        return self.rows[np.repeat(chosen, sizes)], bounds


@dataclass(frozen=True, slots=True, eq=False)
class _Slots:
    """What has a place of its own from top to bottom: a row, or a folded group.

    `bounds` are those of its rows, `starts` the first slot of each group.
    """

    rows: Indices
    rank: Indices
    bounds: Ints
    weight: Floats
    strip: Floats
    """`weight` and `strip`: height of a row, and of the strip below it."""
    folded: Bools
    starts: Ints
    most: int
    """Logical pixels of the tallest row."""


def place_rows(
    trace: Trace,
    order: RowOrder,
    height: int,
    scale: float,
    options: TimelineOptions = _NO_OPTIONS,
) -> RowBands:
    """Place the rows of a trace in an order.

    Parameters
    ----------
    trace
        The trace. Its further locations (threads, GPU streams) get thin rows
        below their rank's if there is room, unless `options` say otherwise of it.
    order
        Order of the ranks.
    height
        Device pixels that there are.
    scale
        Device pixels in a logical one.
    options
        Which groups are folded, which threads are turned, and what is seen.
    """
    begin, end = options.view
    virtual = height / (end - begin)
    zoom = virtual / height
    further = _further_rows(trace, order)
    owner = trace.rank_of_location[further].astype(np.int32)
    turned = np.isin(owner, list(options.threads))
    unit = 0.0
    if len(further):
        slots = _slots_of(trace, order, further[~turned], options)
        unit = _heights(slots, virtual, scale, zoom)[1]
    shown = turned != (unit * _THREAD_WEIGHT >= _MIN_THREAD_HEIGHT * scale)
    slots = _slots_of(trace, order, further[shown], options)
    unit = _heights(slots, virtual, scale, zoom)[1]
    slots = replace(slots, strip=_strips_with_names(slots, unit, scale))
    hidden = int(np.count_nonzero(~shown))
    return _place_bands(slots, order, (height, virtual, begin), scale, hidden)


def _strips_with_names(slots: _Slots, unit: float, scale: float) -> Floats:
    """Compute strips high enough for names, where rows stay as high as these.

    Parameters
    ----------
    unit
        Height of a rank's row beside strips of their own weight.

    Returns
    -------
    float64, shape (bands,)
        Heights of strips beside that of a rank's row; 0 where names have no room.
    """
    least = _MIN_FUNCTION_HEIGHT * scale
    strip, weight = slots.strip, float(slots.weight[~slots.folded].sum())
    if unit * _FUNCTION_WEIGHT >= least or not strip.any():
        return strip
    left = unit + (unit * strip.sum() - least * np.count_nonzero(strip)) / weight
    return strip * (least / left / _FUNCTION_WEIGHT if left >= least else 0.0)


def _further_rows(trace: Trace, order: RowOrder) -> Indices:
    """Rows of locations that have states and are no rank's main thread."""
    further = range(trace.ranks, trace.timeline.rows)
    locations = np.array(
        [row for row in further if trace.locations[row].kind != "metric"], np.int32
    )
    return locations[np.isin(trace.rank_of_location[locations], order.ranks)]


def _slots_of(
    trace: Trace, order: RowOrder, further: Indices, options: TimelineOptions
) -> _Slots:
    """Put further rows below the row of their rank, and fold groups."""
    rows = rank = order.ranks
    owner = trace.rank_of_location[further].astype(np.int32)
    sizes = np.diff(np.append(order.groups, len(rows)))
    folds = np.full(len(sizes), options.folded)
    folds[[g for g in options.turned if g < len(sizes)]] ^= True
    folds &= sizes > 1
    of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    if len(further):
        place = np.empty(int(rank.max(initial=0)) + 1, np.int64)
        place[rank] = np.arange(len(rank))
        open_ = ~folds[of[place[owner]]]
        rows = np.concatenate((rows, further[open_])).astype(np.int32)
        rank = np.concatenate((rank, owner[open_])).astype(np.int32)
        sorting = np.lexsort((np.arange(len(rows)), place[rank]))
        rows, rank = rows[sorting], rank[sorting]
        of = of[place[rank]]
    first = np.diff(of, prepend=np.int32(-1)) != 0
    begins = first | ~folds[of]
    bounds = np.append(np.flatnonzero(begins), len(rows))
    is_stream = np.isin(rows, trace.further_rows("accelerator"))
    weight = np.where(is_stream, _STREAM_WEIGHT, _THREAD_WEIGHT)
    weight = np.where(rows == rank, 1.0, weight)
    is_host = (rows == rank) & np.isin(rank, rank[is_stream])
    strip = np.where(is_host & ~folds[of], _FUNCTION_WEIGHT, 0.0)
    starts = np.flatnonzero(first[begins])
    most = MAX_HOST_HEIGHT if is_stream.any() else MAX_ROW_HEIGHT
    return _Slots(
        rows=rows,
        rank=rank,
        bounds=bounds,
        weight=weight[begins],
        strip=strip[begins],
        folded=folds[of][begins],
        starts=starts,
        most=most,
    )


def _heights(
    slots: _Slots, height: float, scale: float, zoom: float
) -> tuple[int, float, float]:
    """Share the height: the gap of groups, height of an open and of a folded row.

    A folded row is as high as the tallest row; beside open rows folded ones take half
    the height at most, unless all are alike then. Open rows share the rest evenly.
    """
    folded = int(np.count_nonzero(slots.folded))
    weight = float((slots.weight + slots.strip)[~slots.folded].sum())
    gaps = len(slots.starts) - 1
    gap = _group_gap(height, weight + folded, gaps, scale)
    hosts = int(np.count_nonzero(slots.strip[1:]))
    room = height - gap * gaps - _RANK_GAP * scale * hosts
    most = slots.most * scale * zoom
    fold = 0.0
    if folded:
        share = room / folded / (2 if weight else 1)
        fold = min(most, max(share, room / (folded + weight)))
    unit = min(most, (room - fold * folded) / weight) if weight else 0.0
    return gap, unit, fold


def _place_bands(
    slots: _Slots,
    order: RowOrder,
    seen: tuple[int, float, float],
    scale: float,
    hidden: int,
) -> RowBands:
    height, virtual, begin = seen
    gap, unit, fold = _heights(slots, virtual, scale, virtual / height)
    strip = slots.strip * unit
    tall = slots.weight * unit + strip
    tall[slots.folded] = fold
    bottom = tall.copy()
    bottom[slots.starts[1:]] += gap
    bottom[1:][slots.strip[1:] > 0] += _RANK_GAP * scale
    np.cumsum(bottom, out=bottom)
    top, whole = bottom - tall, float(bottom[-1]) if len(bottom) else 0.0
    offset = min(begin * virtual, max(0.0, whole - height))
    top -= offset
    bottom -= offset + strip
    low, high = int(bottom.searchsorted(0, "right")), int(top.searchsorted(height))
    top, bottom, folded = top[low:high], bottom[low:high], slots.folded[low:high]
    members = np.diff(np.append(slots.starts, len(tall)))
    group = np.repeat(np.arange(len(members), dtype=np.int32), members)[low:high]
    thin = (unit < 1) & ~folded
    slit = round(scale) if (unit or fold) >= _MIN_HEIGHT_WITH_GAP * scale else 0
    line = ((top + bottom) / 2).astype(np.int64)
    np.clip(line, 0, height - 1, out=line)
    starts = ~thin
    starts[1:] |= ~thin[:-1] | (np.diff(line) > 0)
    starts[:1] = True
    band = np.cumsum(starts) - 1
    first_line = line.astype(
        np.float64
    )  # those of thin rows are those of their middles
    end_line = first_line + 1
    thick = np.flatnonzero(~thin)
    up, down = (np.ceil, np.floor) if len(thick) < len(thin) else (np.round, np.round)
    top[thick] = first_line[thick] = up(top[thick])
    bottom[thick] = end_line[thick] = down(bottom[thick]) - slit
    of_line, core = _lines(first_line, end_line, (band, thin), height)
    inner = slots.bounds[low : high + 1] - slots.bounds[low]
    sizes = np.diff(inner)
    rows = slice(int(slots.bounds[low]), int(slots.bounds[high]))
    first = np.flatnonzero(np.diff(group, prepend=np.int32(-1)))
    return RowBands(
        rows=slots.rows[rows],
        rank=slots.rank[rows],
        top=np.repeat(top, sizes),
        bottom=np.repeat(bottom, sizes),
        strip=np.repeat(strip[low:high], sizes),
        bounds=np.append(inner[:-1][starts], inner[-1:]).astype(np.int64),
        folded=folded[starts],
        band_of_line=of_line,
        core=core,
        groups=inner[first],
        group=group[first].astype(np.int64),
        labels=tuple(order.labels[g] for g in group[first].tolist())
        if order.labels
        else (),
        whole=whole,
        hidden=hidden,
    )


def _group_gap(height: float, weight: float, gaps: int, scale: float) -> int:
    for gap, least in ((_GROUP_GAP, 4.0), (2, 1.2)):
        if height - gaps * gap * scale >= least * weight * scale:
            return round(gap * scale)
    return 0


def _lines(
    top: Floats, bottom: Floats, of: tuple[Ints, Bools], height: int
) -> tuple[Indices, Bools]:
    """Return the band of each line, and which lines are the core of a thick one."""
    band, thin = of
    line = np.arange(height)
    if not len(top):
        return np.full(height, -1, np.int32), np.zeros(height, np.bool_)
    slot = np.maximum(np.searchsorted(top, line, side="right") - 1, 0)
    inside = (top[slot] <= line) & (line < bottom[slot])
    tall = bottom[slot] - top[slot]
    stripe = np.maximum(1, np.round(tall * 0.2))
    start = top[slot] + np.floor((tall - stripe) / 2)
    core = inside & (tall >= 3) & (line >= start) & (line < start + stripe)
    shown = np.where(inside, band[slot], -1).astype(np.int32)
    return shown, core & ~thin[slot]


MAX_ROWS_ZOOM: Final = 100_000
"""How many times the rows can be magnified: one of so many fills the height then."""

RowsView = tuple[float, float]
"""From where to where rows are seen, in shares of their height."""


def fitted_rows(view: RowsView) -> RowsView:
    """Put what is seen of the rows between 0 and 1, and magnify it not too much."""
    begin, end = view
    length = min(max(end - begin, 1.0 / MAX_ROWS_ZOOM), 1.0)
    begin = min(max(begin, 0.0), 1.0 - length)
    return begin, begin + length


def zoomed_rows(view: RowsView, factor: float, share: float = 0.5) -> RowsView:
    """Magnify the rows around a place, given as a share of what is seen."""
    begin, end = view
    length = min((end - begin) / factor, 1.0)
    begin += share * (end - begin - length)
    return fitted_rows((begin, begin + length))


def scrolled_rows(view: RowsView, share: float) -> RowsView:
    """Move what is seen of the rows down by a share of it."""
    by = share * (view[1] - view[0])
    return fitted_rows((view[0] + by, view[1] + by))
