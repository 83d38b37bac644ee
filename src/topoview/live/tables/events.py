"""The MPI calls of a rank, with what each did: a lazy table."""

from typing import Final

import numpy as np

from topoview.base.text import tr
from topoview.live.call_facts import (
    CallFacts,
    facts_of,
    messages_of,
    path_text,
    ranks_text,
    tags_text,
)
from topoview.model import (
    Analysis,
    Column,
    Ints,
    LazyTable,
    Schema,
    Table,
    Trace,
    words,
)

LETTERS: Final = 8
"""Letters of lists of ranks that are seen at first: durations are seen, too."""

EVENTS: Final = Schema(
    Column("rank", "#", tr("rank"), link="rank"),
    Column(
        "begin",
        "at",
        tr("time"),
        tr("When the call was entered, from the mark if there is one"),
    ),
    Column("function", "", tr("call"), tr("MPI function")),
    Column(
        "to",
        "",
        tr("to"),
        tr("Ranks that it sends to, or the root of a collective operation"),
        letters=LETTERS,
    ),
    Column("from", "", tr("from"), tr("Ranks that it receives from"), letters=LETTERS),
    Column(
        "bytes",
        "B",
        tr("bytes"),
        tr("Bytes of its messages, or of its part in the operation"),
        codes={-1: ""},
    ),
    Column("seconds", "s", tr("duration"), tr("Time that the call took")),
    Column("tag", "", tr("tag"), tr("Tag of its messages")),
    Column("communicator", "", tr("communicator"), tr("Communicator")),
    Column(
        "path",
        "",
        tr("path"),
        tr("Functions of the program that the call was made in, the outermost first"),
    ),
)

SHOWN: Final = (
    "begin",
    "function",
    "seconds",
    "to",
    "from",
    "bytes",
    "tag",
    "communicator",
    "path",
)
"""Columns that the window shows, those first that are seen in a narrow panel."""


def events_table(analysis: Analysis, rank: int, calls: Ints) -> Table:
    """Return calls of a rank, ascending; what they did is found as rows are seen."""

    def page(rows: slice) -> Table:
        return _page(analysis, rank, calls[rows])

    names = ("function", "to", "from", "tag", "communicator", "path")
    return LazyTable(EVENTS, len(calls), page, names)


def _page(analysis: Analysis, rank: int, calls: Ints) -> Table:
    trace, numbers = analysis.trace, calls.tolist()
    facts: list[CallFacts] = []
    if numbers:
        near = messages_of(analysis, rank, numbers[0], numbers[-1] + 1)
        facts = [facts_of(trace, near, call) for call in numbers]
    enter, leave = trace.calls.enter[calls], trace.calls.leave[calls]
    sizes = [-1 if each.size is None else each.size for each in facts]
    regions = trace.calls.region[calls].tolist()
    second = trace.clock.resolution
    return Table(
        EVENTS,
        {
            "rank": np.full(len(calls), rank, np.int32),
            "begin": enter / second,
            "function": words([trace.regions.title(region) for region in regions]),
            "to": words([_target_text(each) for each in facts]),
            "from": words([ranks_text(each.source) for each in facts]),
            "bytes": np.array(
                [
                    size if size or each.to or each.source else -1
                    for size, each in zip(sizes, facts, strict=True)
                ],
                np.int64,
            ),
            "seconds": (leave - enter) / second,
            "tag": words([tags_text(each.tags) for each in facts]),
            "communicator": words([_communicator_text(trace, each) for each in facts]),
            "path": words([path_text(trace, call) for call in numbers]),
        },
    )


def _target_text(facts: CallFacts) -> str:
    root = tr("root {root}", root=facts.root) if facts.root >= 0 else ""
    return ranks_text(facts.to) or root


def _communicator_text(trace: Trace, facts: CallFacts) -> str:
    if facts.communicator < 0:
        return ""
    return trace.communicators[facts.communicator].name or "world"
