"""The communication matrix in words, as JSON, and as a square of numbers."""

from pathlib import Path
from typing import Any, Final

import numpy as np

from topoview.base.text import grouped, plural, plural_noun, size_text, tr
from topoview.errors import UsageError, writing
from topoview.model import (
    Column,
    CommunicationMatrix,
    Floats,
    Indices,
    Ints,
    Schema,
    Table,
)
from topoview.report.formats.graphml import Attributes, write_graphml
from topoview.topology.identification.traffic import VolumeLevel, levels, pair_traffic

MATRIX: Final = Schema(
    Column("sender", "#", "", link="rank"),
    Column("receiver", "#", "", link="rank"),
    Column("calls", "", tr("calls"), "Messages"),
    Column("bytes", "B", tr("bytes")),
    Column("mean_bytes", "B", tr("mean")),
    Column("calls_per_second", "/s", "messages a second"),
    Column("bytes_per_second", "B/s", "bytes a second"),
    Column(
        "wait_seconds", "s", tr("wait"), "How long the receiver waited for the sender"
    ),
)


def matrix_table(matrix: CommunicationMatrix) -> Table:
    """Return the pairs of ranks that exchange anything."""
    return Table(MATRIX, matrix.columns())


MAX_SQUARE_RANKS: Final = 1024
"""Ranks up to which the whole matrix is printed."""

NOTHING: Final = "."
"""What stands for a pair that exchanges nothing."""


def matrix_record(
    whole: CommunicationMatrix, table: Table, cut: VolumeLevel | None
) -> dict[str, Any]:
    """Return a matrix as JSON has it.

    Parameters
    ----------
    whole
        All that was counted.
    table
        Its columns, or those of the pairs above a cut, in the order asked for.
    cut
        Of the pairs that are told.

    Returns
    -------
    dict
        ``ranks``; ``pairs``, each sender, receiver, calls and bytes; ``levels`` of
        volume, each ``level, least_bytes, pairs`` (both ways together) and ``gap``;
        ``cut``, that of the pairs; ``seconds``, how long what was counted took, for
        rates; with waits ``waits``, each rank waited for,
        rank that waited, seconds; ``modelled`` if collective operations count.
    """
    columns = {name: table[name].tolist() for name in table.names}
    ends = columns["sender"], columns["receiver"]
    seconds = columns.get("wait_seconds")
    rows = zip(*ends, columns["calls"], columns["bytes"], strict=True)
    record: dict[str, Any] = {
        "ranks": whole.ranks,
        "pairs": [list(row) for row in rows if row[2]],
        "levels": [level_record(each) for each in levels(pair_traffic(whole))],
        "cut": None if cut is None else level_record(cut),
        "seconds": whole.seconds,
    }
    if seconds is not None:
        waited = zip(*ends, seconds, strict=True)
        record["waits"] = [list(row) for row in waited if row[2]]
    if whole.modelled:
        record["modelled"] = list(whole.modelled)
    return record


def level_record(cut: VolumeLevel) -> dict[str, Any]:
    """Return a level of volume as JSON has it."""
    return {
        "level": cut.number,
        "least_bytes": cut.least,
        "pairs": int(cut.seen.sum()),
        "gap": cut.gap,
    }


def level_words(matrix: CommunicationMatrix) -> list[str]:
    """Describe the pairs of each level of volume: ``32 pairs of 95.7 KiB or more``.

    Those of all levels, from all pairs on.
    """
    return [
        tr(
            "{pairs} of {least} or more",
            pairs=plural(int(each.seen.sum()), "pair"),
            least=size_text(each.least),
        )
        if each.number
        else tr("all {pairs}", pairs=plural(int(each.seen.sum()), "pair"))
        for each in levels(pair_traffic(matrix))
    ]


def cut_words(whole: CommunicationMatrix, cut: VolumeLevel | None) -> str:
    """Describe which pairs are above a cut, and how far the others are below."""
    if cut is None:
        return tr("no {nouns} between ranks", nouns=plural_noun(whole.noun))
    pairs, below = int(cut.seen.sum()), int((~cut.seen).sum())
    if not below:
        return tr("all {pairs}", pairs=plural(pairs, "pair"))
    least, most = size_text(cut.least), size_text(round(cut.least / cut.gap))
    above = tr("{pairs} of {least} or more", pairs=plural(pairs, "pair"), least=least)
    return tr(
        "{above}; {below} of {most} or less",
        above=above,
        below=grouped(below),
        most=most,
    )


def square_text(matrix: CommunicationMatrix, amount: str) -> str:
    """Print all rows and columns: row sends to column.

    Parameters
    ----------
    amount
        ``calls``, ``bytes``, ``calls/s``, ``bytes/s``, ``mean`` (bytes a message),
        ``wait`` (seconds), or ``binary``: 1 for each pair that communicates.

    Raises
    ------
    UsageError
        If there are too many ranks.
    """
    if matrix.ranks > MAX_SQUARE_RANKS:
        raise UsageError(
            f"{grouped(matrix.ranks)} ranks are too many to print all rows and "
            f"columns (at most {grouped(MAX_SQUARE_RANKS)}): write --csv or --npz"
        )
    cells = np.full((matrix.ranks, matrix.ranks), NOTHING, dtype=object)
    values = (column.tolist() for column in _amounts(matrix, amount))
    fraction = amount == "wait" or amount.endswith("/s")
    for row, column, value in zip(*values, strict=True):
        small = fraction and value < 1000
        cells[row, column] = f"{value:.3g}" if small else str(round(value))
    if amount == "binary":
        return "\n".join("".join(row) for row in cells.tolist())
    heads = [str(rank) for rank in range(matrix.ranks)]
    table = [["", *heads]]
    table += [[head, *row] for head, row in zip(heads, cells.tolist(), strict=True)]
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, wide, strict=True))
        for row in table
    )


def _amounts(
    matrix: CommunicationMatrix, amount: str
) -> tuple[Ints | Indices, Ints | Indices, Ints | Floats]:
    """Return senders, receivers, and the amount of each pair."""
    data: Ints | Floats
    match amount.removesuffix("/s"):
        case "wait":
            assert matrix.waits is not None
            waits = matrix.waits.tocoo()
            sender, receiver = waits.coords
            return sender, receiver, waits.data
        case "calls":
            data = matrix.counts
        case "bytes":
            data = matrix.sizes
        case "mean":
            data = matrix.sizes / np.maximum(matrix.counts, 1)
        case _:
            data = np.ones(len(matrix.counts), np.int64)
    if amount.endswith("/s"):
        data = data / (matrix.seconds or np.inf)
    return matrix.sender, matrix.receiver, data


def write_graph(matrix: CommunicationMatrix, path: Path) -> None:
    """Write a matrix as GraphML: ranks are nodes, edges have its other columns.

    Raises
    ------
    TopoviewError
        If it cannot be written.
    """
    columns = {name: column.tolist() for name, column in matrix.columns().items()}
    ends = columns.pop("sender"), columns.pop("receiver")
    rows = zip(*columns.values(), strict=True)
    edges = (
        (sender, receiver, dict(zip(columns, row, strict=True)))
        for sender, receiver, row in zip(*ends, rows, strict=True)
    )
    nodes: list[tuple[int, Attributes]] = [(rank, {}) for rank in range(matrix.ranks)]
    write_graphml(path, nodes, edges, {}, directed=True)


def write_sparse(matrix: CommunicationMatrix, path: Path) -> None:
    """Write a matrix as the parts of SciPy's CSR arrays: an ``.npz`` file.

    It holds ``indptr, indices, shape``, the data ``calls`` and ``bytes``, and
    ``seconds``, how long what was counted took; of waits
    ``waits_indptr, waits_indices, wait_seconds``.

    Raises
    ------
    TopoviewError
        If it cannot be written.
    """
    waits, begins = matrix.waits, matrix.begins
    more: dict[str, Any] = {}
    if waits is not None:
        more = {"waits_indptr": waits.indptr, "waits_indices": waits.indices}
        more |= {"wait_seconds": waits.data}
    with writing(path), path.open("wb") as file:
        np.savez_compressed(
            file,
            **more,
            indptr=begins.astype(np.int32) if begins[-1] < 1 << 31 else begins,
            indices=matrix.receiver,
            shape=np.array((matrix.ranks, matrix.ranks)),
            calls=matrix.counts,
            bytes=matrix.sizes,
            seconds=matrix.seconds,
        )
