"""The conditions that statements still have after they were joined."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from topoview.model import Block, Call, Guard, Loop, Sometimes, Statement, When

Body = tuple[Statement, ...]


def with_used(
    body: Body, blocks: Sequence[Block], guards: Sequence[Guard]
) -> tuple[Body, tuple[Block, ...], tuple[Guard, ...]]:
    """Leave out conditions that no statement has, and number the others anew."""
    bodies = (body, *(block.body for block in blocks))
    used = sorted({g for some in bodies for g in _used(some) if g >= 0})
    number = {old: new for new, old in enumerate(used)} | {-1: -1}
    told = [replace(block, body=_numbered(block.body, number)) for block in blocks]
    return _numbered(body, number), tuple(told), tuple(guards[g] for g in used)


def _used(body: Body) -> Iterator[int]:
    for statement in body:
        match statement:
            case Call():
                yield from (statement.to_guard, statement.source_guard)
            case When():
                yield statement.guard
                yield from _used(statement.body)
            case Loop() | Sometimes():
                yield from _used(statement.body)


def _numbered(body: Body, number: Mapping[int, int]) -> Body:
    found: list[Statement] = []
    for one in body:
        match one:
            case Call():
                to, source = number[one.to_guard], number[one.source_guard]
                found.append(replace(one, to_guard=to, source_guard=source))
            case When():
                inside = _numbered(one.body, number)
                found.append(replace(one, guard=number[one.guard], body=inside))
            case Loop() | Sometimes():
                found.append(replace(one, body=_numbered(one.body, number)))
            case _:
                found.append(one)
    return tuple(found)
