"""Calls that are never left: which, since when, and whom they wait for."""

from typing import Any, Final

import numpy as np

from topoview.base.text import duration_text, plural, tr
from topoview.model import HUNG_EVIDENCE, Column, HungCalls, Schema, Table, Trace, words
from topoview.report.blocks import Block, Heading, Paragraph

HUNG: Final = Schema(
    Column("rank", "#", tr("rank"), link="rank"),
    Column("function", "", tr("function"), tr("MPI function")),
    Column("waited_for", "#", tr("waits for"), tr("Rank waited for"), link="rank"),
    Column("seconds", "s", tr("wait"), tr("From its begin to the trace's end")),
    Column("begin", "at", tr("begin")),
    Column(
        "evidence",
        "",
        tr("evidence"),
        tr("How it is known whom the call waits for"),
    ),
    Column("location", "", tr("location"), tr("Thread that makes the call")),
    Column("call", "#", tr("call"), link="call"),
)

EVIDENCE_TEXTS: Final = {
    "recorded": tr("the send is recorded"),
    "as before": tr("as in its earlier calls from there"),
    "missing": tr("is not in this operation"),
    "": tr("not known"),
}


def hung_table(trace: Trace, hung: HungCalls) -> Table:
    """Return the calls that are never left, a row for each rank that they wait for."""
    calls = trace.calls
    alone = np.setdiff1d(np.arange(len(hung.call)), hung.waiter)
    number = np.concatenate([hung.waiter, alone])
    whom = np.concatenate([hung.whom, np.full(len(alone), -1, np.int32)])
    evidence = np.concatenate(
        [hung.evidence, np.full(len(alone), len(HUNG_EVIDENCE), np.uint8)]
    )
    order = np.lexsort((whom, number))
    number, whom, evidence = number[order], whom[order], evidence[order]
    call, second = hung.call[number], trace.clock.resolution
    row = np.searchsorted(calls.offsets, call, side="right") - 1
    texts = [EVIDENCE_TEXTS[name] for name in (*HUNG_EVIDENCE, "")]
    return Table(
        HUNG,
        {
            "rank": hung.rank[number],
            "function": words(
                [trace.regions.title(r) for r in calls.region[call].tolist()]
            ),
            "waited_for": whom,
            "seconds": (calls.leave[call] - calls.enter[call]) / second,
            "begin": calls.enter[call] / second,
            "evidence": words([texts[code] for code in evidence.tolist()]),
            "location": words([trace.locations[r].name for r in row.tolist()]),
            "call": call,
        },
    )


def cycle_texts(hung: HungCalls) -> list[str]:
    """Describe which ranks wait for each other, a sentence a cycle."""
    return [
        tr(
            "Ranks {ranks} wait for each other.",
            ranks=" -> ".join(map(str, (*cycle, cycle[0]))),
        )
        for cycle in hung.cycles
    ]


def hung_record(trace: Trace, hung: HungCalls) -> dict[str, Any]:
    """Describe calls that are never left as JSON-able values."""
    calls, second = trace.calls, trace.clock.resolution
    return {
        "cycles": [list(cycle) for cycle in hung.cycles],
        "calls": [
            {
                "rank": int(hung.rank[number]),
                "function": trace.regions.title(int(calls.region[call])),
                "begin": float(calls.enter[call] / second),
                "seconds": float((calls.leave[call] - calls.enter[call]) / second),
                "waits_for": [
                    {"rank": int(whom), "evidence": HUNG_EVIDENCE[code]}
                    for whom, code in zip(
                        hung.whom[hung.waiter == number].tolist(),
                        hung.evidence[hung.waiter == number].tolist(),
                        strict=True,
                    )
                ],
            }
            for number, call in enumerate(hung.call.tolist())
        ],
    }


_MOST_LISTED: Final = 12
"""Calls that are told one by one in a text."""


def hung_blocks(trace: Trace, hung: HungCalls) -> tuple[Block, ...]:
    """Show calls that are never left; nothing if there are none."""
    record = hung_record(trace, hung)["calls"]
    if not record:
        return ()
    ranks = plural(len(np.unique(hung.rank)), "rank")
    lines = [
        f"{plural(len(record), 'call')} on {ranks} "
        f"{'is' if len(record) == 1 else 'are'} never left.",
        *cycle_texts(hung),
    ]
    for call in record[:_MOST_LISTED]:
        whom = ", ".join(str(each["rank"]) for each in call["waits_for"])
        lines.append(
            f"  rank {call['rank']} in {call['function']} from {call['begin']:.6g} s "
            f"on, for {duration_text(call['seconds'])}: "
            f"waits for {whom or 'nobody known'}"
        )
    if len(record) > _MOST_LISTED:
        lines.append(f"  and {len(record) - _MOST_LISTED} more")
    return (*map(Paragraph, lines), Heading(""))
