"""Selecting in the matrix: a pair of ranks, or those that communicate in a box."""

import numpy as np

from topoview.session import Session
from topoview.ui.matrix.content import MatrixPicture


def select_cells(
    session: Session,
    picture: MatrixPicture,
    columns: tuple[int, int],
    rows: tuple[int, int],
    *,
    adds: bool,
) -> None:
    """Select what some columns and rows hold.

    A single cell selects its pair, a cell on the diagonal its rank; more select the
    ranks that send or receive there. What holds nothing clears the selection.

    Parameters
    ----------
    adds
        Whether ranks are added to those that are selected.
    """
    senders, receivers = ends(picture, columns, rows)
    one = columns[1] - columns[0] == rows[1] - rows[0] == 1
    if one and len(senders) and not adds:
        a, b = int(senders[0]), int(receivers[0])
        if a != b:
            session.select(edge=(min(a, b), max(a, b)))
        else:
            session.select(ranks=(a,))
        return
    chosen = set(senders.tolist()) | set(receivers.tolist())
    if adds:
        chosen |= set(session.state.selection.ranks)
    session.select(ranks=tuple(sorted(chosen)))


def ends(
    picture: MatrixPicture, columns: tuple[int, int], rows: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Ranks that send, and those that receive, in some columns and rows.

    Returns
    -------
    int64, each of its own length, ascending
    """
    ranks = picture.arrangement.ranks
    inside = np.zeros(len(ranks), bool)
    inside[ranks[slice(*columns)]] = True
    senders = np.sort(ranks[slice(*rows)])
    own = picture.matrix.calls[senders]
    there = inside[own.indices]
    receiving = np.zeros(len(ranks), bool)
    receiving[own.indices[there]] = True
    before = np.append(0, np.cumsum(there))[own.indptr]
    return senders[np.diff(before) > 0].astype(np.int64), np.flatnonzero(receiving)
