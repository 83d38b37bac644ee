"""The logical trace, step by step: of all ranks at once, or of parts of them.

Each part tells what must be known of all calls, its ranks are compared and their
classes joined in a tree, a program is sought for one rank of each class, and each part
tells of its ranks what that says. Where one process makes it there is one part, and
nothing is kept of what stands between the steps.

Else that is kept as tuples and arrays, which name the type of each tuple. Only types
are made again that the fields of `CallSums`, `CallFacts`, `RanksCompared` and `Program`
may hold: a file that somebody else put there can be wrong, but it cannot run anything.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, Final, get_args, get_type_hints

from topoview import model
from topoview.base.progress import Report
from topoview.logical.calls.facts import CallFacts, CallSums, PartCalls, find_facts
from topoview.logical.calls.partners import Naming
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
from topoview.topology import directions
from topoview.topology.library import alternatives


def naming_of(identification: Identification) -> Naming:
    """Name the partners of a trace: by a plan's axes, if all partners are along one."""
    best, plan = identification.best, identification.plan
    if plan is not None and plan.places_partners(best):
        names, others = directions(plan.match), alternatives(best)
        return Naming(names, best, others, plan, plan.match)
    return Naming(directions(best), best, alternatives(best), plan)


def call_sums(part: Part, report: Report) -> CallSums:
    """Find what must be known of the calls of a part's ranks for those of all."""
    return PartCalls(part, report).sums()


def call_facts(
    trace: Trace, identification: Identification, sums: CallSums, report: Report
) -> CallFacts:
    """Find what is to be known of all calls, by the names of partners."""
    return find_facts(trace, sums, naming_of(identification), report)


def ranks_compared(
    part: Part, identification: Identification, facts: CallFacts, report: Report
) -> RanksCompared:
    """Compare what the ranks of a part do."""
    return compare_part(PartCalls(part), facts, identification.best, report)


def program(  # noqa: PLR0913 - what it is made of
    trace: Trace,
    identification: Identification,
    facts: CallFacts,
    compared: RanksCompared,
    report: Report,
    *,
    functions: bool,
) -> Program:
    """Write a program for a rank of each class; `functions` is of `Options`."""
    naming, of_examples = naming_of(identification), (facts, compared)
    return write_program(trace, naming, of_examples, report, longer=functions)


def ranks_told(part: Part, of: Program, report: Report) -> RanksTold:
    """Expand the logical trace for the ranks of a part."""
    return tell_part(PartCalls(part), of, report)


def finished(
    trace: Trace, of: Program, ranks_told: RanksTold, _report: Report
) -> LogicalTrace:
    """Fill in the per-rank values of a program."""
    return with_unseen(trace, finish_program(trace, of, ranks_told))


def with_unseen(trace: Trace, logical: LogicalTrace) -> LogicalTrace:
    """Note of which calls the trace does not record the partners."""
    unseen = (f"{one.words}: partners not recorded" for one in trace.unrecorded)
    return replace(logical, notes=(*unseen, *logical.notes))


_STEPS: Final = (CallSums, CallFacts, RanksCompared, Program)
_DICT: Final = "dict"
_RULE: Final = "rule"


@cache
def _step_types() -> dict[str, Any]:
    """Name the types that steps hold, but for the model's, which the store knows."""
    result: dict[str, Any] = {}

    def add(hint: Any) -> None:  # noqa: ANN401 - a type, or several
        for inner in get_args(hint):
            add(inner)
        name = getattr(hint, "__name__", "")
        # steps have types of their own that are called as one of the model
        is_own = isinstance(hint, type) and getattr(model, name, None) is not hint
        if is_own and _is_record(hint) and hint.__name__ not in result:
            result[hint.__name__] = hint
            for inner in get_type_hints(hint).values():
                add(inner)

    for step in _STEPS:
        add(step)
    return result


def _is_record(kind: Any) -> bool:  # noqa: ANN401 - a type
    return is_dataclass(kind) or hasattr(kind, "_fields")


def _values_of(record: Any) -> Iterator[Any]:  # noqa: ANN401 - a dataclass or a named tuple
    if isinstance(record, tuple):
        return iter(record)
    return (getattr(record, field.name) for field in fields(record))


def as_tuples(value: Any) -> Any:  # noqa: ANN401 - what steps hold
    """Turn what a step holds into tuples that name their types, for the store."""
    kind = type(value)
    if _step_types().get(kind.__name__) is kind:
        return {kind.__name__: tuple(map(as_tuples, _values_of(value)))}
    if callable(value):
        return {_RULE: WILDCARD_RULES.index(value)}
    if isinstance(value, dict):
        return {_DICT: tuple((key, as_tuples(item)) for key, item in value.items())}
    return tuple(map(as_tuples, value)) if isinstance(value, tuple) else value


def of_tuples(packed: Any, _get: object) -> Any:  # noqa: ANN401 - a step's
    """Decode what a step made; raises one of `DAMAGE_ERRORS` if it did not."""
    step = _made_of(packed)
    if not isinstance(step, _STEPS):
        raise TypeError(f"{type(step).__name__} is not what a step makes")
    return step


def _made_of(packed: Any) -> Any:  # noqa: ANN401 - what steps hold
    if isinstance(packed, tuple):
        return tuple(map(_made_of, packed))
    if not isinstance(packed, dict):
        return packed
    ((name, held),) = packed.items()
    if name == _RULE:
        return WILDCARD_RULES[held]
    if name == _DICT:
        return {key: _made_of(item) for key, item in held}
    return _step_types()[name](*map(_made_of, held))
