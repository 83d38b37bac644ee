"""Parts by what holds ranks or messages together: components, tags, sizes, call sites.

Components of all pairs are always told. Where the answer leaves pairs, so are those of
a level, what is left without a manager, and the messages of each tag, size or call
site: if what each of them is makes a shorter description than the answer does.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.base.progress import Report, silent
from topoview.model import (
    Bools,
    CommunicationMatrix,
    Identification,
    IdentifiedPart,
    Indices,
    Ints,
    Trace,
    distinct,
)
from topoview.topology import communication_matrix, identify
from topoview.topology.graph.graph import graph_of
from topoview.topology.identification.description import bits_of_pairs, description_bits
from topoview.topology.identification.traffic import (
    PairTraffic,
    levels,
    pair_traffic,
    part_of,
)
from topoview.topology.matrix import matrix_of
from topoview.topology.members import Recogniser

MAX_COMPONENTS = 24
"""Components that are told one by one; more of them are told by size."""

MAX_COMPONENT_SIZES = 32
"""Sizes of components that are told."""

MAX_HUBS = 4
"""Ranks that most others communicate with up to which the rest is looked at alone."""

MAX_KINDS_OF_MESSAGES = 8
"""Tags, sizes or call sites up to which the messages of each are looked at."""

MAX_MESSAGES_SPLIT = 50_000_000
"""Messages up to which they are told apart: each way takes a column of memory."""

Patterns = Sequence[Recogniser]
"""What recognises the user's own patterns."""


def component_parts(
    trace: Trace,
    matrix: CommunicationMatrix,
    report: Report = silent,
    patterns: Patterns = (),
) -> tuple[IdentifiedPart, ...]:
    """Identify each connected component; none if there is but one.

    Beyond `MAX_COMPONENTS` those of one size are told together.
    """
    report("looking at components", 0.0)
    label = graph_of(matrix.ranks, pair_traffic(matrix).pairs).component_of
    sizes = np.bincount(label, minlength=1)
    several = np.flatnonzero(sizes > 1)
    if len(several) < 2:
        return ()
    if len(several) <= MAX_COMPONENTS:
        group = np.full(len(sizes), -1)
        group[several] = np.arange(len(several))
        names = [f"{i + 1}" for i in range(len(several))]
    else:
        values, group = np.unique(sizes, return_inverse=True)
        names = [f"{np.sum(sizes == v)} of {v} ranks" for v in values.tolist()]
    of_rank = group[label]
    of_rank[sizes[label] < 2] = -1
    length = trace.clock.length
    parts = []
    shown = np.unique(of_rank[of_rank >= 0])[-MAX_COMPONENT_SIZES:]
    for i, number in enumerate(shown.tolist()):
        report("looking at components", i / len(shown))
        inside = _among(matrix, of_rank == number)
        matches = identify(inside, patterns=patterns).matches[:1]
        ranks = np.flatnonzero(of_rank == number).astype(np.int32)
        parts.append(
            IdentifiedPart(
                by="component",
                name=names[number],
                begin=0,
                end=length,
                ranks=ranks,
                matches=matches,
            )
        )
    return tuple(parts)


def _among(
    matrix: CommunicationMatrix, inside: Bools, least: int = 0
) -> CommunicationMatrix:
    """Keep the traffic among some ranks, of pairs that exchange so many bytes."""
    sender, receiver = matrix.sender, matrix.receiver
    kept = inside[sender] & inside[receiver]
    if least:
        volume = matrix.volume
        both = (volume + volume.T).tocsr()
        kept &= np.asarray(both[sender, receiver]).ravel() >= least
    return matrix_of(
        matrix.ranks,
        sender[kept],
        receiver[kept],
        matrix.counts[kept],
        matrix.sizes[kept],
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Messages that may be a part: their name, their traffic, and which they are."""

    name: str
    matrix: CommunicationMatrix
    messages: Bools | None = None


def split_parts(
    trace: Trace,
    matrix: CommunicationMatrix,
    identification: Identification,
    report: Report = silent,
    patterns: Patterns = (),
) -> tuple[IdentifiedPart, ...]:
    """Identify components of a level, and the messages of each tag, size or call site.

    Parameters
    ----------
    trace, matrix
        The run, and its traffic.
    identification
        Its identification. Where it explains all pairs nothing is split.
    report
        May raise `Cancelled`.
    patterns
        What recognises the user's own patterns.

    Returns
    -------
    tuple of IdentifiedPart
        Only of splits whose pieces make a shorter description than the answer, and the
        components of a union; pieces that are nothing but a list of pairs are left out.
    """
    traffic = pair_traffic(matrix)
    ranks = len(traffic.members)
    if not identification.remainder and not identification.best.topology.is_unknown:
        return ()
    whole = description_bits(traffic, identification.best, ranks)
    parts: list[IdentifiedPart] = []
    for by, pieces in _splits(trace, matrix, traffic):
        report("looking at parts", 0.0)
        candidates: list[IdentifiedPart] = []
        bits = 0.0
        for piece in pieces:
            own = pair_traffic(piece.matrix)
            if not len(own.pairs):
                continue
            best = identify(piece.matrix, patterns=patterns).best
            nothing = np.zeros(len(own.pairs), bool)
            listed = bits_of_pairs(own, nothing, 0, ranks)
            named = description_bits(own, best, ranks)
            bits += min(named, listed)
            if named < listed:
                begin, end = 0, trace.clock.length
                if piece.messages is not None:
                    begin, end = message_window(trace, piece.messages)
                candidates.append(
                    IdentifiedPart(
                        by=by,
                        name=piece.name,
                        begin=begin,
                        end=end,
                        ranks=own.members,
                        matches=(best,),
                    )
                )
        # what the answer puts side by side is told apart, too
        if bits < whole or (by, identification.best.topology.kind) == (
            "component",
            "union",
        ):
            parts += candidates
    return tuple(parts)


def _splits(
    trace: Trace, matrix: CommunicationMatrix, traffic: PairTraffic
) -> Iterator[tuple[str, list[_Piece]]]:
    """Ways to split the messages, and the pieces of each."""
    pieces = _around_hubs(matrix, traffic)
    if pieces:
        yield "component", pieces
    for level in levels(traffic)[1:]:
        pieces = _components(matrix, traffic, level.seen, level.number, level.least)
        if pieces:
            yield "component", pieces
            break
    if matrix.one_sided or len(trace.messages) > MAX_MESSAGES_SPLIT:
        return
    for by, key in KEYS.items():
        values, names = key(trace)
        kinds = distinct(values)
        if 1 < len(kinds) <= MAX_KINDS_OF_MESSAGES:
            chosen = [values == kind for kind in kinds.tolist()]
            yield (
                by,
                [
                    _Piece(names(int(kind)), communication_matrix(trace, some), some)
                    for kind, some in zip(kinds, chosen, strict=True)
                ],
            )


def _around_hubs(matrix: CommunicationMatrix, traffic: PairTraffic) -> list[_Piece]:
    """Pairs without the ranks that most others communicate with, and those of each."""
    degree = np.bincount(traffic.pairs.ravel(), minlength=matrix.ranks)
    hubs = np.flatnonzero(2 * degree > len(traffic.members))
    if not 0 < len(hubs) <= MAX_HUBS:
        return []
    others = np.ones(matrix.ranks, bool)
    others[hubs] = False
    pieces = [_Piece(f"without {_ranks_text(hubs)}", _among(matrix, others))]
    for hub in hubs.tolist():
        some = part_of(traffic, (traffic.pairs == hub).any(axis=1))
        pieces.append(_Piece(f"around rank {hub}", _traffic_matrix(some)))
    return pieces


def _ranks_text(ranks: Ints) -> str:
    noun = "rank" if len(ranks) == 1 else "ranks"
    return f"{noun} {', '.join(map(str, ranks.tolist()))}"


def _traffic_matrix(traffic: PairTraffic) -> CommunicationMatrix:
    """Build a matrix of pairs again; the smaller rank of each sends all messages."""
    one, other = traffic.pairs.T
    return matrix_of(traffic.ranks, one, other, traffic.calls, traffic.volume)


def _components(
    matrix: CommunicationMatrix,
    traffic: PairTraffic,
    seen: Bools,
    number: int,
    least: int,
) -> list[_Piece]:
    """Components of a level, and the pairs below it; empty if there is but one."""
    label = graph_of(matrix.ranks, traffic.pairs[seen]).component_of
    sizes = np.bincount(label)
    several = np.flatnonzero(sizes > 1)
    if not 1 < len(several) <= MAX_COMPONENTS:
        return []
    pieces = [
        _Piece(f"{i + 1} at level {number}", _among(matrix, label == one, least))
        for i, one in enumerate(several.tolist())
    ]
    below = _traffic_matrix(part_of(traffic, ~seen))
    return [*pieces, _Piece(f"below level {number}", below)]


Key = Callable[[Trace], tuple[Ints | Indices, Callable[[int], str]]]
"""Gives each message a number, and each number a name."""


def _tags(trace: Trace) -> tuple[Indices, Callable[[int], str]]:
    return trace.messages.tag, str


def _sizes(trace: Trace) -> tuple[Ints, Callable[[int], str]]:
    return trace.messages.size, lambda size: f"{size:,} bytes"


def _sites(trace: Trace) -> tuple[Indices, Callable[[int], str]]:
    """Call paths that messages were sent in, named by their innermost region."""

    def named(path: int) -> str:
        region = int(trace.paths.region[path]) if path >= 0 else -1
        return trace.regions.names[region] if region >= 0 else "not recorded"

    sent = trace.messages.send_call
    if not len(trace.calls):
        return np.full(len(sent), -1, np.int32), named
    return np.where(sent >= 0, trace.calls.path[sent], np.int32(-1)), named


KEYS: Final[dict[str, Key]] = {"tag": _tags, "size": _sizes, "call site": _sites}
"""What messages may be told apart by."""


def message_window(trace: Trace, chosen: Bools) -> tuple[int, int]:
    """First and last time at which some messages were sent or received, in ticks."""
    messages = trace.messages
    times = list(_known_ends(messages.send_time[chosen]))
    times += list(_known_ends(messages.receive_time[chosen]))
    return (min(times), max(times)) if times else (0, 0)


def _known_ends(times: Ints) -> Iterator[int]:
    valid = times[times >= 0]
    if len(valid):
        yield int(valid.min())
        yield int(valid.max())
