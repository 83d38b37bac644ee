"""What the program knows: frozen dataclasses over read-only NumPy arrays.

No Qt, no VTK, no file handles; everything pickles. Times are int64 ticks of the
trace's clock, counted from the trace's beginning.
"""

from topoview.model.alignment import Alignment
from topoview.model.arrays import Bools, Bytes, Floats, Indices, Ints, freeze
from topoview.model.communication import CommunicationMatrix
from topoview.model.definitions import (
    CartesianTopology,
    Clock,
    Communicator,
    Location,
    Regions,
)
from topoview.model.directions import Directions
from topoview.model.extent import Extent
from topoview.model.health import Finding, Health, Verdict
from topoview.model.logical import (
    Call,
    LogicalTrace,
    Loop,
    Partners,
    SizeTable,
    Statement,
)
from topoview.model.meanings import MetricMember, Named, SystemNode
from topoview.model.profile import Profile
from topoview.model.records import Records
from topoview.model.states import MPIState
from topoview.model.subset import Subset
from topoview.model.timeline import Timeline
from topoview.model.topology import (
    Identification,
    Layout,
    Match,
    Part,
    Topology,
)
from topoview.model.trace import Calls, Collectives, Messages, Trace

__all__ = [
    "Alignment",
    "Bools",
    "Bytes",
    "Call",
    "Calls",
    "CartesianTopology",
    "Clock",
    "Collectives",
    "CommunicationMatrix",
    "Communicator",
    "Directions",
    "Extent",
    "Finding",
    "Floats",
    "Health",
    "Identification",
    "Indices",
    "Ints",
    "Layout",
    "Location",
    "LogicalTrace",
    "Loop",
    "MPIState",
    "Match",
    "Messages",
    "MetricMember",
    "Named",
    "Part",
    "Partners",
    "Profile",
    "Records",
    "Regions",
    "SizeTable",
    "Statement",
    "Subset",
    "SystemNode",
    "Timeline",
    "Topology",
    "Trace",
    "Verdict",
    "freeze",
]
