"""What the matrix tells about the cell under the mouse."""

from collections.abc import Sequence
from html import escape

import numpy as np

from topoview.analysis.message_blocks import message_blocks
from topoview.model import Indices, Ints, Match
from topoview.topology import directions
from topoview.ui.formats import plural, size_text
from topoview.ui.matrix.content import MatrixPicture

Some = Indices | Ints

MOST_NAMED = 3
"""Directions of a bin that are named."""


def cell_words(
    picture: MatrixPicture, columns: tuple[int, int], rows: tuple[int, int]
) -> str:
    """Describe the cells of some columns and rows in a few lines of HTML.

    Empty where nothing is sent.

    Parameters
    ----------
    columns, rows
        First place and the one after the last.
    """
    ranks = picture.arrangement.ranks
    senders, receivers = ranks[slice(*rows)], ranks[slice(*columns)]
    if not len(senders) or not len(receivers):
        return ""
    calls, volume, pairs = traffic(picture, senders, receivers)
    if not calls:
        return ""
    match = picture.asked.match
    if len(senders) == len(receivers) == 1:
        lines = _pair_words(picture, int(senders[0]), int(receivers[0]), match)
    else:
        ends = [_ranks_text(some) for some in (senders, receivers)]
        lines = [f"<b>{ends[0]} \u2192 {ends[1]}</b>", plural(pairs, "pair")]
    count = plural(calls, picture.matrix.noun)
    lines.append(f"{count}, {size_text(volume)}")
    if picture.matrix.one_sided:
        return "<br>".join(f"<nobr>{line}</nobr>" for line in lines)
    if len(senders) == len(receivers) == 1:
        lines += _size_words(picture, int(senders[0]), int(receivers[0]))
    return "<br>".join(f"<nobr>{line}</nobr>" for line in lines)


def traffic(
    picture: MatrixPicture, senders: Some, receivers: Some
) -> tuple[int, int, int]:
    """Messages, bytes, and pairs of ranks between senders and receivers."""
    matrix = picture.matrix
    inside = np.zeros(matrix.ranks, bool)
    inside[receivers] = True
    calls, volume = matrix.calls[senders], matrix.volume[senders]  # one structure
    there = inside[calls.indices]
    sums = (calls.data[there].sum(), volume.data[there].sum())
    return int(sums[0]), int(sums[1]), int(there.sum())


def _pair_words(
    picture: MatrixPicture, sender: int, receiver: int, match: Match | None
) -> list[str]:
    lines = [f"<b>rank {sender} \u2192 rank {receiver}</b>"]
    if match is None or match.topology.kind == "none":
        return lines
    places = [_place(match, rank) for rank in (sender, receiver)]
    if all(places):
        lines.append(f"{places[0]} \u2192 {places[1]}")
    way = direction(picture, sender, receiver)
    if way:
        lines.append(escape(way))
    if is_extra(match, sender, receiver):
        lines.append("not in the topology")
    return lines


def direction(picture: MatrixPicture, sender: int, receiver: int) -> str:
    """Name the way from one rank to another: as the logical trace does."""
    logical = picture.asked.known.logical
    if logical is not None:
        known = logical.partners
        own = slice(*known.offsets[sender : sender + 2].tolist())
        here = known.direction[own][known.partner[own] == receiver]
        return ", ".join(known.names[d] for d in here[:MOST_NAMED].tolist())
    match = picture.asked.match
    if match is None:
        return ""
    ends = (np.array([rank], np.int32) for rank in (sender, receiver))
    found, names = directions(match).names(*ends)
    return names[int(found[0])] if found[0] >= 0 else ""


def is_extra(match: Match, sender: int, receiver: int) -> bool:
    """Tell whether a pair communicates that is no edge of the topology."""
    edges = match.extra_edges
    low, high = min(sender, receiver), max(sender, receiver)
    return bool(((edges.min(axis=1) == low) & (edges.max(axis=1) == high)).any())


def _size_words(picture: MatrixPicture, sender: int, receiver: int) -> list[str]:
    messages = picture.asked.known.trace.messages
    found = message_blocks(messages).between(sender, receiver)
    own = found[messages.sender[found] == sender]
    if not len(own):
        return []
    sizes = messages.size[own]
    low, high = int(sizes.min()), int(sizes.max())
    if low == high:
        return [f"{size_text(low)} each"]
    return [f"{size_text(low)} to {size_text(high)} each, in the whole run"]


def _place(match: Match, rank: int) -> str:
    vertex = int(match.vertex[rank])
    if vertex < 0 or match.topology.kind in ("unknown", "complete"):
        return ""
    place: Sequence[int] = match.topology.coordinates[vertex].tolist()
    return f"({', '.join(map(str, place))})"


def _ranks_text(ranks: Some) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    ordered = bool((np.diff(ranks) == 1).all())
    if ordered:
        return f"ranks {ranks[0]}\u2013{ranks[-1]}"
    return f"{plural(len(ranks), 'rank')} from {ranks[0]} to {ranks[-1]}"
