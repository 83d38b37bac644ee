"""The logical trace as text."""

from collections.abc import Iterable

from topoview.logical.nesting import Nesting, Path, Visit, functions_text
from topoview.logical.tokens import as_head, call_tokens, joined, statement_tokens
from topoview.logical.words import plural, share
from topoview.model import (
    BlockCall,
    Call,
    LogicalTrace,
    Loop,
    MaximalProcess,
    Sometimes,
    Statement,
    When,
)

INDENT = "    "


def listing(logical: LogicalTrace) -> str:
    """Write a logical trace for a reader: a statement a line, loops indented.

    Lines with ``#`` tell for how many ranks it is exact and what is left out.
    """
    nesting = Nesting(logical)
    within = nesting.program
    lines = [f"# {sentence}" for sentence in _about(nesting)]
    lines += _lines(nesting.nest(logical.body, within), nesting, "", within)
    for block in logical.blocks:
        lines += ["", f"block {block.name}:"]
        lines += _lines(nesting.nest(block.body, within), nesting, INDENT, within)
    return "\n".join(lines)


def about(logical: LogicalTrace) -> list[str]:
    """Say of how many ranks it is, whether it is exact, and what is left out."""
    return _about(Nesting(logical))


def statement_text(statement: Statement, logical: LogicalTrace) -> str:
    """Write one statement: ``Irecv from EAST 12 KiB``, ``repeat 200:``."""
    words = statement_tokens(statement, logical)
    return joined(words if isinstance(statement, Call | BlockCall) else as_head(words))


def call_text(call: Call) -> str:
    """Write a call: ``Irecv from EAST 12 KiB``."""
    return joined(call_tokens(call))


def _lines(
    body: Iterable[Statement | Visit], nesting: Nesting, indent: str, within: Path
) -> list[str]:
    """Write a body, nested already; `within` are the functions around it."""
    lines: list[str] = []
    deeper = indent + INDENT
    for statement in body:
        if isinstance(statement, Visit):
            lines.append(f"{indent}{statement.text}:")
            lines += _lines(statement.body, nesting, deeper, statement.path)
            continue
        lines.append(indent + statement_text(statement, nesting.logical))
        if isinstance(statement, Loop | When | Sometimes):
            inner = nesting.nest(statement.body, within)
            lines += _lines(inner, nesting, deeper, within)
    return lines


def _about(nesting: Nesting) -> list[str]:
    logical = nesting.logical
    exact, ranks = logical.ranks_verified, logical.ranks
    if logical.groups > 1:
        alike = f" in {logical.groups} groups, each of ranks that do the same"
    else:
        alike = " that all do the same" if ranks > 1 else ""
    if not logical.records:
        nothing = f"{plural(ranks, 'rank')}; no MPI calls are recorded"
        return [nothing, *logical.notes]
    said = [
        f"{plural(ranks, 'rank')}{alike}; exact for {exact} of {ranks}",
        f"{plural(logical.statements, 'statement')} for up to "
        f"{plural(logical.records, 'MPI call')} of a rank",
    ]
    if logical.calls_excluded or logical.bytes_excluded:
        said.append(
            f"left out: {share(logical.calls_excluded)} of calls, "
            f"{share(logical.bytes_excluded)} of point-to-point bytes"
        )
    if logical.maximal is not None:
        said.append(_maximal(logical.maximal, ranks))
    said += logical.notes
    if nesting.program and nesting.tells:
        said.append(f"all calls are in {functions_text(nesting.program)}")
    return said


def _maximal(found: MaximalProcess, ranks: int) -> str:
    said = f"rank {found.rank} alone, as the maximal process, would stand for"
    if not found.calls_excluded and found.ranks_exact == ranks:
        return f"{said} all"
    return (
        f"{said} {found.ranks_exact} of {ranks} and leave out "
        f"{share(found.calls_excluded)} of calls, "
        f"{share(found.bytes_excluded)} of point-to-point bytes"
    )
