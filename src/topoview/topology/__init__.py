"""From a communication matrix to the topology that explains it."""

# ruff: noqa: I001 - several names a statement
from typing import TYPE_CHECKING

from topoview.lazy import on_first_use

if TYPE_CHECKING:
    from topoview.topology.identification.identify import identify as identify
    from topoview.topology.kinds.cg import cg as cg
    from topoview.topology.kinds.complete import (
        complete as complete,
        none as none,
        unknown as unknown,
    )
    from topoview.topology.kinds.star import star as star
    from topoview.topology.kinds.tree import (
        binomial_tree as binomial_tree,
        complete_tree as complete_tree,
    )
    from topoview.topology.lattices.lattice import lattice as lattice
    from topoview.topology.layout.lay_out import (
        further_layouts as further_layouts,
        lay_out as lay_out,
        layout_names as layout_names,
    )
    from topoview.topology.library import directions as directions
    from topoview.topology.matrix import communication_matrix as communication_matrix
    from topoview.topology.patterns.patterns import (
        load_pattern as load_pattern,
        save_pattern as save_pattern,
        saved_patterns as saved_patterns,
    )

__getattr__ = on_first_use(
    __name__,
    {
        "binomial_tree": "topology.kinds.tree",
        "cg": "topology.kinds.cg",
        "communication_matrix": "topology.matrix",
        "complete": "topology.kinds.complete",
        "complete_tree": "topology.kinds.tree",
        "directions": "topology.library",
        "further_layouts": "topology.layout.lay_out",
        "identify": "topology.identification.identify",
        "lattice": "topology.lattices.lattice",
        "lay_out": "topology.layout.lay_out",
        "layout_names": "topology.layout.lay_out",
        "load_pattern": "topology.patterns.patterns",
        "none": "topology.kinds.complete",
        "save_pattern": "topology.patterns.patterns",
        "saved_patterns": "topology.patterns.patterns",
        "star": "topology.kinds.star",
        "unknown": "topology.kinds.complete",
    },
)
