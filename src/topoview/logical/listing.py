"""The logical trace as text."""

from topoview.logical.words import plural, share, size_text
from topoview.model import Call, LogicalTrace, Statement

INDENT = "    "


def listing(logical: LogicalTrace) -> str:
    """Write a logical trace for a reader: a statement a line, loops indented.

    Lines with ``#`` tell which rank stands for all and what is left out.
    """
    return "\n".join([*_head(logical), *_lines(logical.body, "")])


def statement_text(statement: Statement) -> str:
    """Write one statement: ``Irecv from EAST 12 KiB``, ``repeat 200:``."""
    if not isinstance(statement, Call):
        return f"repeat {statement.count}:"
    words = [statement.operation]
    if statement.to is not None:
        words.append(f"to {statement.to}")
    sent = _size(statement.size, statement.sizes)
    received = _size(statement.source_size, statement.source_sizes)
    if sent and not (statement.source is not None and sent == received):
        words.append(sent)
    if statement.source is not None:
        words.append(
            f"{',' if statement.to is not None else ''}from {statement.source}"
        )
    if received:
        words.append(received)
    return " ".join(words).replace(" ,", ", ") + _aside(statement)


def _aside(call: Call) -> str:
    names = [("to", call.awaits_to), ("from", call.awaits_source)]
    awaited = " ".join(f"{word} {name}" for word, name in names if name is not None)
    aside = " ".join(word for word in (call.detail, awaited) if word)
    return f" ({aside})" if aside else ""


def _size(size: int | None, sizes: tuple[int, int] | None) -> str:
    if sizes is not None:
        return f"{sizes[0]}..{sizes[1]} B"
    return "" if size is None else size_text(size)


def _lines(body: tuple[Statement, ...], indent: str) -> list[str]:
    lines = []
    for statement in body:
        lines.append(indent + statement_text(statement))
        if not isinstance(statement, Call):
            lines += _lines(statement.body, indent + INDENT)
    return lines


def _head(logical: LogicalTrace) -> list[str]:
    exact = logical.ranks_verified
    lines = [
        f"# rank {logical.maximal_rank} stands for {plural(logical.ranks, 'rank')}; "
        f"{'all' if exact == logical.ranks else exact} "
        f"{'expands' if exact == 1 else 'expand'} exactly"
    ]
    lines.append(
        f"# {plural(logical.statements, 'statement')} for up to "
        f"{plural(logical.records, 'MPI call')} of a rank"
    )
    if logical.calls_excluded or logical.bytes_excluded:
        lines.append(
            f"# left out: {share(logical.calls_excluded)} of calls, "
            f"{share(logical.bytes_excluded)} of point-to-point bytes"
        )
    return lines + [f"# {note}" for note in logical.notes]
