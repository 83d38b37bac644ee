"""The results as they are made on a cluster: `topoview.pipeline.RESULTS`, in parts.

A logical trace is one result where one process makes it. Here it is several: each part
tells what must be known of all calls, its ranks are compared and their classes joined
in a tree, a program is sought for one rank of each class, and each part tells of its
ranks what that says. The functions are the same. What stands between them is kept as
Python pickles it: it is read by this program alone, from a folder of the user's own.
"""

import pickle
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.progress import Report
from topoview.logical.calls.facts import CallFacts, CallSums, PartCalls, find_facts
from topoview.logical.merge.classes import RanksCompared
from topoview.logical.program import (
    Program,
    compare_part,
    finish_program,
    tell_part,
    write_program,
)
from topoview.model import Identification, LogicalTrace, Part, RanksTold, Trace
from topoview.pipeline import RESULTS, Options, Result, naming_of, with_unseen


def _sums(part: Part, _options: Options, report: Report) -> CallSums:
    return PartCalls(part, report).sums()


def _facts(
    trace: Trace,
    identification: Identification,
    sums: CallSums,
    _options: Options,
    report: Report,
) -> CallFacts:
    return find_facts(trace, sums, naming_of(identification), report)


def _compared(
    part: Part,
    identification: Identification,
    facts: CallFacts,
    _options: Options,
    report: Report,
) -> RanksCompared:
    return compare_part(PartCalls(part), facts, identification.best, report)


def _program(  # noqa: PLR0913
    trace: Trace,
    identification: Identification,
    facts: CallFacts,
    compared: RanksCompared,
    options: Options,
    report: Report,
) -> Program:
    naming, longer = naming_of(identification), options.functions
    return write_program(trace, naming, (facts, compared), report, longer=longer)


def _told(part: Part, program: Program, _options: Options, report: Report) -> RanksTold:
    return tell_part(PartCalls(part), program, report)


def _finished(
    trace: Trace, program: Program, told: RanksTold, _options: Options, _report: Report
) -> LogicalTrace:
    return with_unseen(trace, finish_program(trace, program, told))


def _pickled(value: object) -> NDArray[np.uint8]:
    return np.frombuffer(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), np.uint8)


def _unpickled(packed: NDArray[np.uint8], _get: object) -> Any:  # noqa: ANN401 - as it was
    return pickle.loads(packed.data)


_KEPT: Final[dict[str, Any]] = {"pack": _pickled, "unpack": _unpickled}

_LOGICAL: Final = {
    "call_sums": Result(
        _sums, ("part",), **_KEPT, combine="logical.calls.facts.joined_sums"
    ),
    "call_facts": Result(_facts, ("trace", "identification", "call_sums"), **_KEPT),
    "ranks_compared": Result(
        _compared,
        ("part", "identification", "call_facts"),
        **_KEPT,
        combine="logical.merge.classes.joined_ranks",
    ),
    "program": Result(
        _program,
        ("trace", "identification", "call_facts", "ranks_compared"),
        ("functions",),
        **_KEPT,
    ),
    "ranks_told": Result(
        _told,
        ("part", "program"),
        combine="logical.every_rank.join_told",
        columns=("of_call",),
    ),
    "logical": Result(_finished, ("trace", "program", "ranks_told")),
}

IN_PARTS: Final = {
    name: one
    for known in RESULTS
    for name, one in (
        _LOGICAL.items() if known == "logical" else [(known, RESULTS[known])]
    )
}
"""All results, each behind those that it is made of."""
