"""What the program knows: frozen dataclasses over read-only NumPy arrays.

No Qt, no VTK, no file handles; everything pickles. Times are int64 ticks of the
trace's clock, counted from the trace's beginning.
"""

from topoview.model.alignment import Alignment
from topoview.model.arrays import (
    Bools,
    Bytes,
    Floats,
    Indices,
    Ints,
    Shorts,
    count_before,
    distinct,
    freeze,
)
from topoview.model.colouring import RankValues
from topoview.model.communication import CommunicationMatrix
from topoview.model.definition_tables import DefinitionTable
from topoview.model.definitions import (
    CartesianTopology,
    Clock,
    Communicator,
    Location,
    Regions,
    to_ticks,
)
from topoview.model.directions import Directions
from topoview.model.extent import Extent
from topoview.model.geometry import (
    ORDERS,
    OUTSIDE,
    SPACING,
    WRAPS,
    Geometry,
    Grid,
    Machine,
    read_geometry,
)
from topoview.model.health import Finding, Health, LeftOut, Loss, Verdict
from topoview.model.layout import Layout
from topoview.model.logical import (
    Guard,
    LogicalTrace,
    MaximalProcess,
    Partners,
    SideTable,
)
from topoview.model.meanings import Counter, Marker, Named, SystemNode
from topoview.model.paths import Paths
from topoview.model.profile import Profile
from topoview.model.records import Records
from topoview.model.sources import Sources
from topoview.model.statements import (
    Block,
    BlockCall,
    Call,
    Loop,
    Sometimes,
    Statement,
    When,
)
from topoview.model.states import MPIState
from topoview.model.subset import Subset
from topoview.model.timeline import Timeline
from topoview.model.topology import (
    Declared,
    Identification,
    Match,
    Part,
    Structure,
    Topology,
)
from topoview.model.trace import Calls, Collectives, Messages, Trace

__all__ = [
    "ORDERS",
    "OUTSIDE",
    "SPACING",
    "WRAPS",
    "Alignment",
    "Block",
    "BlockCall",
    "Bools",
    "Bytes",
    "Call",
    "Calls",
    "CartesianTopology",
    "Clock",
    "Collectives",
    "CommunicationMatrix",
    "Communicator",
    "Counter",
    "Declared",
    "DefinitionTable",
    "Directions",
    "Extent",
    "Finding",
    "Floats",
    "Geometry",
    "Grid",
    "Guard",
    "Health",
    "Identification",
    "Indices",
    "Ints",
    "Layout",
    "LeftOut",
    "Location",
    "LogicalTrace",
    "Loop",
    "Loss",
    "MPIState",
    "Machine",
    "Marker",
    "Match",
    "MaximalProcess",
    "Messages",
    "Named",
    "Part",
    "Partners",
    "Paths",
    "Profile",
    "RankValues",
    "Records",
    "Regions",
    "Shorts",
    "SideTable",
    "Sometimes",
    "Sources",
    "Statement",
    "Structure",
    "Subset",
    "SystemNode",
    "Timeline",
    "Topology",
    "Trace",
    "Verdict",
    "When",
    "count_before",
    "distinct",
    "freeze",
    "read_geometry",
    "to_ticks",
]
