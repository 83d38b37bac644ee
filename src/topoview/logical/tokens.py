"""The words of statements, and what each word is: one truth for all forms."""

from collections.abc import Iterable

import numpy as np

from topoview.logical.words import numbers_text, ordinal, size_text, sizes_text
from topoview.model import (
    BlockCall,
    Bools,
    Call,
    Ints,
    LogicalTrace,
    Loop,
    Sometimes,
    Statement,
    When,
)

Token = tuple[str, str]
"""A word and what it is: a key of `WORDS`."""

WORDS = {
    "operation": "an MPI operation, or a word of the program",
    "dim": "a word before a direction",
    "direction": "a partner",
    "count": "a number of repetitions, or a share of them",
    "size": "bytes",
    "detail": "root, communicator, window or file",
    "condition": "which ranks",
    "name": "a block, or a function of the program",
}
"""What tokens can be."""

GROWTH = {1: "sizes grow", -1: "sizes shrink"}
"""What is said of the sizes of messages from turn to turn."""


def joined(words: Iterable[Token]) -> str:
    """Write tokens as text."""
    return " ".join(word for word, _ in words)


def as_head(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """Put a colon behind the words of what has a body."""
    word, kind = words[-1]
    return (*words[:-1], (f"{word}:", kind))


def statement_tokens(statement: Statement, logical: LogicalTrace) -> tuple[Token, ...]:
    """Words of a statement, without those of its body, and without a colon."""
    match statement:
        case Call():
            return call_tokens(statement)
        case Loop():
            return _loop_tokens(statement, logical)
        case When(guard):
            return (("if", "operation"), (logical.guards[guard].text, "condition"))
        case Sometimes(_, pattern):
            return ((pattern_text(logical.patterns[pattern]), "count"),)
        case BlockCall(block):
            return (("block", "operation"), (logical.blocks[block].name, "name"))


def call_tokens(call: Call) -> tuple[Token, ...]:
    """Words of a call: ``Isend to EAST 12 KiB``, ``Wait (Irecv from WEST)``."""
    words: list[Token] = [(call.operation, "operation")]
    sent = _size_words(call.size, call.sizes)
    received = _size_words(call.source_size, call.source_sizes)
    if call.to is not None:
        words += [("to", "dim"), (call.to, "direction")]
    if sent and not (call.source is not None and sent == received):
        words.append((sent, "size"))
    if call.source is not None:
        if call.to is not None:
            words[-1] = (f"{words[-1][0]},", words[-1][1])
        words += [("from", "dim"), (call.source, "direction")]
    if received:
        words.append((received, "size"))
    return (*words, *_aside(call))


def pattern_text(pattern: Bools) -> str:
    """Tell which iterations run: ``every 10th``, ``30 %``.

    A share is cut off, not rounded up: what is left out at times is never 100 %.
    """
    count, runs = len(pattern), np.flatnonzero(pattern)
    share_ = f"{1000 * len(runs) // count / 10:.1f}".removesuffix(".0") + " %"
    if len(runs) == count - 1 and not pattern[0]:
        return f"{share_}, all but the first"
    if len(runs) == count - 1 and not pattern[-1]:
        return f"{share_}, all but the last"
    if len(runs) == 1 and runs[0] == count - 1 and count > 1:
        return f"every {ordinal(count)}"
    if len(runs) == 1 and runs[0] == 0 and count > 1:
        return f"every {ordinal(count)} from the first"
    steps = np.unique(np.diff(runs))
    if len(steps) == 1 and steps[0] > 1 and runs[0] < steps[0]:
        start = "" if runs[0] == steps[0] - 1 else f" from number {runs[0] + 1}"
        if runs[-1] + steps[0] >= count:
            return f"every {ordinal(int(steps[0]))}{start}"
    return share_


def _loop_tokens(loop: Loop, logical: LogicalTrace) -> tuple[Token, ...]:
    if loop.over:
        numbers = numbers_text(loop.over)
        return (("for", "operation"), ("k in", "dim"), (numbers, "count"))
    said = str(loop.count)
    if loop.trips >= 0:
        trips = logical.trips[loop.trips]
        said = f"{trips.min()}..{trips.max()}"
    elif loop.rank_trips >= 0:
        said = _rank_trips_text(logical.rank_trips[loop.rank_trips])
    elif loop.growth:
        grows = (GROWTH[loop.growth], "dim")
        return (("repeat", "operation"), (f"{said},", "count"), grows)
    return (("repeat", "operation"), (said, "count"))


def _rank_trips_text(trips: Ints) -> str:
    """Tell how often ranks run a loop: ``22..30 by rank``."""
    return f"{trips[trips > 0].min()}..{trips.max()} by rank"


def _aside(call: Call) -> list[Token]:
    """Words in brackets: what a call completes, its root, its communicator."""
    partners = [("to", call.awaits_to), ("from", call.awaits_source)]
    words: list[Token] = []
    detail = call.detail
    for way, name in partners:
        if name is not None:
            words.append((f"{detail} {way}" if detail else way, "dim"))
            words.append((name, "direction"))
            detail = ""
    if detail:
        words.append((detail, "detail"))
    if words:
        words[0] = (f"({words[0][0]}", words[0][1])
        words[-1] = (f"{words[-1][0]})", words[-1][1])
    return words


def _size_words(size: int | None, sizes: tuple[int, int] | None) -> str:
    if sizes is not None:
        return sizes_text(*sizes)
    return "" if size is None else size_text(size)
