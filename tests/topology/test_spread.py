"""Places of graphs that fall apart."""

import numpy as np

from topoview.topology.graph.graph import graph_of
from topoview.topology.layout.spectral import MAX_COMPONENTS_PLACED, spread


def test_very_many_components_stand_in_rows_side_by_side() -> None:
    n = 2 * (MAX_COMPONENTS_PLACED + 1)
    places = spread(graph_of(n, np.arange(n, dtype=np.int32).reshape(-1, 2)))
    assert len(np.unique(places, axis=0)) == n
    apart = np.abs(places[0::2] - places[1::2]).sum(axis=1)
    assert np.median(apart) == 1
