"""What all parts have to know of each other."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from topoview.io.decoder.decoding import join_path_tables
from topoview.io.decoder.window import origins
from topoview.io.reading.decoding import FACTS
from topoview.io.reading.work import Range, Work, columns_of, load_or_make, load_step
from topoview.io.repairs.gaps import shifted_gaps
from topoview.model import Indices, Ints


class Settled(NamedTuple):
    """The parts of a trace side by side."""

    beginning: Ints
    """int64, shape (rows,): time stamp that is time 0, of each location."""
    later: Ints
    """int64, shape (rows,): ticks to add to the times that its part has: those from
    `beginning` to the part's own."""
    last: Ints
    """int64, shape (rows,): ticks to the last event, -1 without events."""
    aligned: bool
    """Whether clocks of different ranks can be compared."""
    timeline: Ints
    """int64, shape (rows,): intervals of each location, as its part has them."""
    begins: Ints
    """int64, shape (rows,): when the first of them that is no lead begins, on the
    clock of its part: 0 where there is no lead, -1 where there is nothing else."""
    calls: Ints
    moved: Ints
    """int64, shape (rows,): what to add to the numbers that its part has of each
    location's calls."""
    sends: Ints
    parts: Ints
    """`calls`, `sends` and `parts`: int64, shape (rows + 1,): where each location's
    calls, sends and parts in collectives begin."""
    further: dict[str, Ints]
    """The same for further records, by their type."""
    path: tuple[Indices, ...]
    """tuple of int32: numbers of the call paths of each table of call paths."""
    path_of: Ints
    """int64, shape (rows,): which of them each location has."""
    paths: dict[str, Indices]
    path_cut: int
    """`paths` and `path_cut`: all call paths; how many times one was not kept."""
    groups: tuple[Range, ...]
    """tuple: parts whose receives are matched together: the first, and the one
    behind."""
    ordered: bool
    """Whether it matters when receives were posted: several locations of a rank sent or
    received messages, or recording was switched off."""
    gaps: Ints
    """As in `RecordedEvents`."""
    first: Ints
    """int64, shape (rows,): ticks to the first event, -1 without events."""
    words: Ints
    more: Ints
    """`words` and `more`: int64, shape (rows,): what rows are in at their end whose
    last call is never left, and how many intervals they need to last longer
    (`topoview.io.repairs.never_left`)."""


def settle(work: Work) -> Settled:
    """Lay parts that were decoded side by side."""
    made = load_or_make(work.folder / "settled.kept", lambda: _settle(work)._asdict())
    return Settled(**made)


def _settle(work: Work) -> Settled:
    defined = work.defined
    many, rank = len(defined.processes.locations), defined.rank_of_row
    payloads = [_few_of(work, part) for part in range(len(work.parts))]
    rows = work.all_rows()
    facts = np.zeros((len(FACTS), many), np.int64)
    beginning, last = np.zeros(many, np.int64), np.full(many, -1, np.int64)
    before = np.zeros(many, np.int64)
    counts: dict[str, Ints] = {}
    row_begins = np.zeros(many, np.int64)
    busy = np.zeros(many, np.bool_)
    words, more = np.full(many, -1, np.int64), np.zeros(many, np.int64)
    # Rows of the trace from rows of the parts: counts first, whose sums are offsets.
    for own, one in zip(rows, payloads, strict=True):
        facts[:, own], beginning[own], last[own] = (
            one["facts"], one["beginning"], one["last"]
        )  # fmt: skip
        before[own] = one["calls"][:-1]
        row_begins[own] = one["begins"]
        words[own], more[own] = one["words"], one["more"]
        for name in ("timeline", "calls", "sends", "parts", *one["further"]):
            table = counts.setdefault(name, np.zeros(many + 1, np.int64))
            table[own + 1] = np.diff(one["further"].get(name, one.get(name)))
        busy[own] = (np.diff(one["sends"]) > 0) | (np.diff(one["receives"]) > 0)
    # Several threads of a rank, or recording that was off, need receives in order of
    # time.
    ordered = len(np.unique(rank[busy])) < int(np.count_nonzero(busy))
    ordered |= any(one["switched"] for one in payloads)
    # EZTrace without offsets has not aligned its clocks: then each rank has an origin.
    first = facts[FACTS.index("first")]
    aligned = not defined.is_eztrace or bool(facts[FACTS.index("offsets")].any())
    everywhere = origins(first.copy(), rank, aligned)
    later = np.where(first >= 0, beginning - everywhere, 0)
    tables, of_row = _tables_of_paths(rows, payloads, many)
    paths, numbers, cut = join_path_tables(tables)
    # What EZTrace writes has to be judged by the receives of all ranks, at times.
    together = defined.is_eztrace and any(
        one["makes_groups"] or one["unset"] for one in payloads
    )
    groups = (
        [(0, len(payloads))] if together else [(p, p + 1) for p in range(len(payloads))]
    )
    begins = {name: np.cumsum(sizes) for name, sizes in counts.items()}
    return Settled(
        beginning=everywhere,
        later=later,
        last=np.where(last >= 0, last + later, -1),
        aligned=aligned,
        timeline=np.diff(begins.pop("timeline")),
        begins=row_begins,
        moved=begins["calls"][:-1] - before,
        **{name: begins.pop(name) for name in ("calls", "sends", "parts")},
        further=begins,
        path=tuple(numbers),
        path_of=of_row,
        paths=columns_of(paths),
        path_cut=cut,
        groups=tuple(groups),
        ordered=ordered,
        gaps=_gaps_of(payloads, later, rank) if aligned else np.zeros((0, 3), np.int64),
        first=np.where(first >= 0, first - everywhere, -1),
        words=words,
        more=more,
    )


def _gaps_of(payloads: Sequence[dict[str, Any]], later: Ints, rank: Indices) -> Ints:
    """Put the gaps of all parts on the clock of the trace."""
    of_rank = np.zeros(int(rank.max(initial=-1)) + 1, np.int64)
    there = (rank >= 0) & (later != 0)  # all rows of a rank with events have the same
    of_rank[rank[there]] = later[there]
    return shifted_gaps(np.concatenate([one["gaps"] for one in payloads]), of_rank)


def _few_of(work: Work, part: int) -> dict[str, Any]:
    """Copy what others have to know of a part: mapped it would take an open file."""
    payload = load_step(work.file("decoded", part))
    copied = (
        "facts",
        "beginning",
        "last",
        "timeline",
        "begins",
        "calls",
        "sends",
        "receives",
        "parts",
        "paths_of",
        "gaps",
        "words",
        "more",
    )
    return {
        **{name: np.array(payload[name]) for name in copied},
        **{name: payload[name] for name in ("makes_groups", "unset", "switched")},
        "further": {name: np.array(one) for name, one in payload["further"].items()},
        "paths": tuple(np.array(table) for table in payload["paths"]),
    }


def _tables_of_paths(
    rows: Sequence[Ints], payloads: Sequence[dict[str, Any]], many: int
) -> tuple[list[Indices], Ints]:
    """Put different tables of call paths in order of their first locations."""
    part_of, place = np.zeros(many, np.int64), np.zeros(many, np.int64)
    for part, (own, one) in enumerate(zip(rows, payloads, strict=True)):
        part_of[own], place[own] = part, one["paths_of"]
    size = int(place.max(initial=0)) + 1
    key = part_of * size + place
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    numbers: dict[bytes, int] = {}
    number = np.zeros(len(first), np.int64)
    tables: list[Indices] = []
    for group in np.argsort(first).tolist():
        row = first[group]
        table = payloads[part_of[row]]["paths"][place[row]]
        number[group] = numbers.setdefault(table.tobytes(), len(numbers))
        if len(numbers) > len(tables):
            tables.append(table)
    return tables, number[inverse]
