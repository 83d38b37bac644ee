"""What the list of matches says about each of them."""

from dataclasses import replace

import numpy as np
import traces

from topoview.base.text import NOT_KNOWN
from topoview.model import Analysis, CommunicationMatrix
from topoview.topology import communication_matrix, identify
from topoview.ui.panels.topology.panel import match_table
from topoview.ui.panels.topology.rows import MatchRow, match_rows


def rows(known: Analysis) -> list[MatchRow]:
    return match_rows(known)


def with_one_more_pair(matrix: CommunicationMatrix) -> CommunicationMatrix:
    """Let two ranks communicate that no topology would connect."""
    calls, volume = matrix.calls.tolil(), matrix.volume.tolil()
    silent = np.flatnonzero(calls[[0]].toarray()[0] == 0)
    other = int(silent[silent > 0][0])
    like = int(matrix.calls.indices[0])
    for one in (calls, volume):
        one[0, other] = one[0, like]
        one[other, 0] = one[like, 0]
    return matrix.with_pairs_of(CommunicationMatrix.of_sparse(calls, volume))


def test_unknown_boasts_no_numbers(torus: Analysis) -> None:
    trace = traces.simulated("torus", (4, 3), numbering=1)
    found = identify(with_one_more_pair(communication_matrix(trace)))
    kinds = [match.topology.kind for match in found.matches]
    assert "unknown" in kinds
    at = kinds.index("unknown")
    listed = rows(replace(torus, identification=found))
    (row,) = (row for row in listed if row.match == at)
    assert match_table([row]).texts()[0][:4] == (
        "unknown",
        NOT_KNOWN,
        NOT_KNOWN,
        NOT_KNOWN,
    )
    assert row.edges is row.bytes is row.missing is None
    if found.best.topology.kind == "unknown":
        assert row.remark.startswith("no topology of the library fits")


def test_tooltip_has_all_names_one_a_line(torus: Analysis) -> None:
    assert torus.identification is not None
    best = replace(torus.identification.best, also=("one 2x2", "two 4"))
    found = replace(torus.identification, matches=(best,))
    row = rows(replace(torus, identification=found))[0]
    assert row.tip.splitlines() == [
        "2D torus 4\u00d73",
        "= one 2\u00d72",
        "= two 4",
        "24 of 24 communicating pairs are edges",
        "0 of its 24 edges carry no message",
        "0 pairs communicate without an edge",
    ]
    assert row.remark == "= one 2\u00d72, two 4"
