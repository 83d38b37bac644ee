"""Where each rank's directions lead."""

from typing import Final

import numpy as np

from topoview.logical.numbering import kinds_of
from topoview.logical.records import Records
from topoview.model import Partners
from topoview.progress import Report, portions, silent

COLLECTING: Final = "collecting the ranks' partners"


def partners_of(rows: Records, report: Report = silent) -> Partners:
    """Collect where each rank's directions lead."""
    names, ranks = len(rows.names), len(rows.offsets) - 1
    codes = [np.zeros(0, np.int64)]
    for direction, partner in (
        (rows.symbols.to, rows.receiver),
        (rows.symbols.source, rows.sender),
    ):
        for some in portions(len(partner), report, COLLECTING):
            has = some.start + np.flatnonzero(partner[some] >= 0)
            own = direction[rows.symbol[has]]
            rank = np.searchsorted(rows.offsets[1:], has, side="right")
            codes.append(kinds_of((rank * names + own) * ranks + partner[has]))
    triples = kinds_of(np.concatenate(codes), report, COLLECTING)
    report(COLLECTING, 1.0)
    cell, partner = triples // ranks, triples % ranks
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    many = np.diff(np.append(first, len(cell)))
    offsets = np.searchsorted(cell[first] // max(names, 1), np.arange(ranks + 1))
    return Partners(
        tuple(rows.names),
        offsets.astype(np.int64),
        (cell[first] % max(names, 1)).astype(np.int32),
        np.where(many > 1, -1, partner[first]).astype(np.int32),
    )
