"""From a communication matrix to the topology that explains it."""

from typing import TYPE_CHECKING

from topoview.base.lazy import on_first_use

if TYPE_CHECKING:
    from topoview.topology.identification.identify import identify
    from topoview.topology.kinds.cg import cg
    from topoview.topology.kinds.complete import complete, none, unknown
    from topoview.topology.kinds.star import star
    from topoview.topology.kinds.tree import binomial_tree, complete_tree
    from topoview.topology.lattices.lattice import lattice
    from topoview.topology.layout.lay_out import further_layouts, lay_out, layout_names
    from topoview.topology.library import directions
    from topoview.topology.matrix import communication_matrix
    from topoview.topology.patterns.patterns import (
        load_pattern,
        save_pattern,
        saved_patterns,
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
