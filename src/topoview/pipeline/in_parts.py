"""The results as they are made on a cluster: `topoview.pipeline.RESULTS`, in parts.

A logical trace is one result where one process makes it. Here it is several: each part
tells what must be known of all calls, its ranks are compared and their classes joined
in a tree, a program is sought for one rank of each class, and each part tells of its
ranks what that says. The functions are the same.

What stands between them is kept as tuples and arrays, which name the type of each
tuple. Only types are made again that the fields of `CallSums`, `CallFacts`,
`RanksCompared` and `Program` may hold: a file that somebody else put there can be
wrong, but it cannot run anything.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final, get_args, get_type_hints

from topoview import model
from topoview.base.progress import Report
from topoview.logical.calls.facts import CallFacts, CallSums, PartCalls, find_facts
from topoview.logical.calls.wildcards import WILDCARD_RULES
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


_STEPS: Final = (CallSums, CallFacts, RanksCompared, Program)
_DICT: Final = "dict"
_RULE: Final = "rule"


@cache
def _step_types() -> dict[str, Any]:
    """Name the types that steps hold, but for the model's, which the store knows."""
    found: dict[str, Any] = {}

    def add(hint: Any) -> None:  # noqa: ANN401 - a type, or several
        for inner in get_args(hint):
            add(inner)
        is_own = isinstance(hint, type) and hint not in vars(model).values()
        if is_own and _is_record(hint) and hint.__name__ not in found:
            found[hint.__name__] = hint
            for inner in get_type_hints(hint).values():
                add(inner)

    for step in _STEPS:
        add(step)
    return found


def _is_record(kind: Any) -> bool:  # noqa: ANN401 - a type
    return is_dataclass(kind) or hasattr(kind, "_fields")


def _values_of(record: Any) -> Iterator[Any]:  # noqa: ANN401 - a dataclass or a named tuple
    if isinstance(record, tuple):
        return iter(record)
    return (getattr(record, field.name) for field in fields(record))


def _as_tuples(value: Any) -> Any:  # noqa: ANN401 - what steps hold
    """Turn what a step holds into tuples that name their types, for the store."""
    kind = type(value)
    if _step_types().get(kind.__name__) is kind:
        return {kind.__name__: tuple(map(_as_tuples, _values_of(value)))}
    if callable(value):
        return {_RULE: WILDCARD_RULES.index(value)}
    if isinstance(value, dict):
        return {_DICT: tuple((key, _as_tuples(item)) for key, item in value.items())}
    return tuple(map(_as_tuples, value)) if isinstance(value, tuple) else value


def _step_of_tuples(packed: Any, _get: object) -> Any:  # noqa: ANN401 - a step's
    """Make again what a step made; raises one of `DAMAGE_ERRORS` if it did not."""
    step = _of_tuples(packed)
    if not isinstance(step, _STEPS):
        raise TypeError(f"{type(step).__name__} is not what a step makes")
    return step


def _of_tuples(packed: Any) -> Any:  # noqa: ANN401 - what steps hold
    if isinstance(packed, tuple):
        return tuple(map(_of_tuples, packed))
    if not isinstance(packed, dict):
        return packed
    ((name, held),) = packed.items()
    if name == _RULE:
        return WILDCARD_RULES[held]
    if name == _DICT:
        return {key: _of_tuples(item) for key, item in held}
    return _step_types()[name](*map(_of_tuples, held))


_KEPT: Final[dict[str, Any]] = {"pack": _as_tuples, "unpack": _step_of_tuples}

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
