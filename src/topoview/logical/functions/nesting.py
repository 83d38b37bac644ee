"""Put the statements of a logical trace into the functions that they are called in.

Neighbours that are in one and the same visit of a function stand together in it; a
loop whose every iteration enters it anew has it inside.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from topoview.model import (
    BlockCall,
    Call,
    LogicalTrace,
    Loop,
    Sometimes,
    Statement,
    When,
)

FunctionPath = tuple[str, ...]

FUNCTION_ARROW: Final = " > "
WITH_PARAMETER: Final = "with "
"""Begins what stands for a parameter among functions."""

OTHER_FUNCTIONS: Final = "…"
"""Stands for functions that differ from call to call."""


@dataclass(frozen=True, slots=True)
class FunctionVisit:
    """Statements in one visit of a function."""

    path: FunctionPath
    """All functions around the statements, the outermost first."""
    names: FunctionPath
    """Those that are entered here."""
    body: tuple["Statement | FunctionVisit", ...]
    """What is called in the last of them."""

    @property
    def text(self) -> str:
        """The functions in words: ``ssor > rhs``."""
        return functions_text(self.names).removeprefix(OTHER_FUNCTIONS + FUNCTION_ARROW)


def functions_text(names: FunctionPath) -> str:
    """Write functions, and parameters in them: ``ssor > solve with level = 3``."""
    parts: list[str] = []
    for before, name in zip(("", *names), names, strict=False):
        if not name.startswith(WITH_PARAMETER):
            parts += [FUNCTION_ARROW] * bool(parts) + [name]
        elif before.startswith(WITH_PARAMETER):
            parts.append(f", {name.removeprefix(WITH_PARAMETER)}")
        else:
            parts += [" "] * bool(parts) + [name]
    return "".join(parts)


def calls_in(body: tuple[Statement, ...]) -> Iterator[Call]:
    """Iterate over the calls of a body, each once, those of its blocks not."""
    stack = [iter(body)]
    while stack:
        statement = next(stack[-1], None)
        if statement is None:
            stack.pop()
        elif isinstance(statement, Call):
            yield statement
        elif not isinstance(statement, BlockCall):
            stack.append(iter(statement.body))


def _common_prefix(one: FunctionPath, other: FunctionPath) -> FunctionPath:
    level = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        level += 1
    return one[:level]


class Nesting:
    """Puts the statements of a logical trace into the functions they are called in."""

    def __init__(self, logical: LogicalTrace) -> None:
        self.logical = logical
        """The logical trace."""
        bodies = (logical.body, *(block.body for block in logical.blocks))
        paths = {call.path for body in bodies for call in calls_in(body)}
        self.tells = len(paths) > 1
        """Whether any is in more than these."""
        self._called: dict[int, tuple[FunctionPath, Call]] = {}
        self._made: list[Statement] = []  # kept, as they are known by their ids
        self.program: FunctionPath = ()
        """Functions that all calls are in, in one visit."""
        if logical.body:
            self.program, _ = self._whole(logical.body)
        if OTHER_FUNCTIONS in self.program:
            self.program = self.program[: self.program.index(OTHER_FUNCTIONS)]

    def nest(
        self, body: tuple[Statement, ...], within: FunctionPath
    ) -> tuple[Statement | FunctionVisit, ...]:
        """Put statements into functions.

        Parameters
        ----------
        body
            Of the logical trace, of one of its blocks or statements.
        within
            Functions that are told already: a begin of all its calls' paths.

        Returns
        -------
        tuple
            The same statements in the same order. What they hold is as it was, to be
            put into functions by itself.
        """
        body = self._parted(body, within)
        statements: list[Statement | FunctionVisit] = []
        for at, end, reach in self._runs(body, within):
            run = body[at:end]
            names = reach[len(within) :]
            if names == (OTHER_FUNCTIONS,):
                statements += self.nest(run, reach)
            elif names and not all(map(_is_use, run)) and not _is_part(run):
                statements.append(FunctionVisit(reach, names, self.nest(run, reach)))
            else:
                statements += run
        return tuple(statements)

    def _runs(
        self, body: tuple[Statement, ...], within: FunctionPath
    ) -> list[tuple[int, int, FunctionPath]]:
        """Find neighbours that are in one visit: begin, end, functions around them."""
        result: list[tuple[int, int, FunctionPath]] = []
        at = 0
        while at < len(body):
            reach, _ = self._reach(body[at])
            end = at + 1
            while end < len(body) and len(reach) > len(within):
                after = self._after_uses(body, end, within)
                more = self._on(reach, body, at, after)
                if len(more) <= len(within):
                    break
                reach, end = more, after + 1
            result.append((at, end, reach))
            at = end
        return result

    def _parted(
        self, body: tuple[Statement, ...], within: FunctionPath
    ) -> tuple[Statement, ...]:
        """Part conditions whose first or last calls are in a neighbour's visit."""
        statements: list[Statement] = []
        for place, statement in enumerate(body):
            rest = [statement]
            if isinstance(statement, When) and len(statement.body) > 1:
                runs = self._runs(statement.body, within)
                if len(runs) > 1 and statements:
                    parts = self._cut(statement, runs[0][1])
                    rest = (
                        parts if self._joins(statements[-1], parts[0], within) else rest
                    )
                if len(runs) > 1 and place + 1 < len(body):
                    begin = runs[-1][0] - (runs[0][1] if len(rest) > 1 else 0)
                    last = rest[-1]
                    assert isinstance(last, When)
                    parts = self._cut(last, begin) if begin else []
                    if parts and self._joins(parts[1], body[place + 1], within):
                        rest[-1:] = parts
            statements += rest
        return tuple(statements)

    def _cut(self, whole: When, at: int) -> list[Statement]:
        parts: list[Statement] = [
            When(whole.guard, whole.body[:at]),
            When(whole.guard, whole.body[at:]),
        ]
        self._made += parts
        return parts

    def _joins(self, one: Statement, other: Statement, within: FunctionPath) -> bool:
        """Whether two statements are in one visit of a function."""
        reach, _ = self._reach(one)
        return len(self._on(reach, (one, other), 0, 1)) > len(within)

    def _after_uses(
        self, body: tuple[Statement, ...], at: int, within: FunctionPath
    ) -> int:
        """Pass over uses of blocks whose calls are in other functions elsewhere.

        What comes after them tells whether a function was open all the time.
        """
        end = at
        while end + 1 < len(body) and _is_use(body[end]):
            path, first = self._reach(body[end])
            is_known = (*path, OTHER_FUNCTIONS)[len(within)] != OTHER_FUNCTIONS
            if is_known or first.kept <= len(within):
                return at
            end += 1
        return end if not _is_use(body[end]) else at

    def _reach(self, statement: Statement) -> tuple[FunctionPath, Call]:
        """Functions that stay open in all of a statement; its first call."""
        if isinstance(statement, Call):
            return statement.path, statement
        key = id(statement)
        if key not in self._called:
            inner = (
                self.logical.blocks[statement.block].body
                if isinstance(statement, BlockCall)
                else statement.body
            )
            path, first = self._whole(inner)
            if isinstance(statement, Loop):
                path = path[: first.kept if statement.kept < 0 else statement.kept]
            self._called[key] = path, first
        return self._called[key]

    def _whole(self, body: tuple[Statement, ...]) -> tuple[FunctionPath, Call]:
        """Functions that stay open in all of a body; its first call."""
        path, first = self._reach(body[0])
        for end in range(1, len(body)):
            path = self._on(path, body, 0, end)
        return path, first

    def _on(
        self, path: FunctionPath, body: tuple[Statement, ...], begin: int, at: int
    ) -> FunctionPath:
        """Functions that stay open from statements of a body to the next one.

        Of ranks that run none of the former, the next one is the first in a visit.
        """
        other, first = self._reach(body[at])
        other = _common_prefix(path, other)
        return other if self._is_apart(body, begin, at) else other[: first.kept]

    def _is_apart(self, body: tuple[Statement, ...], begin: int, at: int) -> bool:
        """Return whether no rank runs both a statement and one of those before it."""
        statement, guards = body[at], self.logical.guards
        if not isinstance(statement, When):
            return False
        own = guards[statement.guard].ranks
        return all(
            isinstance(before, When)
            and not np.isin(own, guards[before.guard].ranks).any()
            for before in islice(body, begin, at)
        )


def _is_part(run: tuple[Statement, ...]) -> bool:
    """Whether some turns alone make calls here: others do not enter their functions."""
    return len(run) == 1 and isinstance(run[0], Sometimes)


def _is_use(statement: Statement) -> bool:
    """Whether only blocks are used, which tell their functions themselves."""
    if isinstance(statement, Call):
        return False
    return isinstance(statement, BlockCall) or all(map(_is_use, statement.body))
