"""What the program knows: frozen dataclasses over read-only NumPy arrays.

No Qt, no VTK, no file handles; everything pickles. Times are int64 ticks of the
trace's clock, counted from the trace's beginning.

`X as X` is what tells checkers that a name is meant to be imported from here.
"""

# ruff: noqa: I001 - several names a statement
from topoview.model.analysis import (
    MESSAGES_PER_BLOCK as MESSAGES_PER_BLOCK,
    Analysis as Analysis,
    MessageIndex as MessageIndex,
    Overview as Overview,
    StateSums as StateSums,
    Transfers as Transfers,
)
from topoview.model.arrays import (
    Bools as Bools,
    Bytes as Bytes,
    Column as Column,
    Floats as Floats,
    Frozen as Frozen,
    Indices as Indices,
    Ints as Ints,
    Shorts as Shorts,
    Table as Table,
    count_before as count_before,
    distinct as distinct,
    freeze as freeze,
    named as named,
    occurring as occurring,
    readonly as readonly,
)
from topoview.model.definitions import (
    WAITING_STATES as WAITING_STATES,
    CartesianTopology as CartesianTopology,
    Clock as Clock,
    ClockAlignment as ClockAlignment,
    Communicator as Communicator,
    DefinitionTable as DefinitionTable,
    IdentifierNames as IdentifierNames,
    Location as Location,
    Marker as Marker,
    MetricCounter as MetricCounter,
    MPIState as MPIState,
    Regions as Regions,
    SourceLines as SourceLines,
    SystemNode as SystemNode,
    to_ticks as to_ticks,
)
from topoview.model.health import (
    FileLoss as FileLoss,
    Health as Health,
    HealthFinding as HealthFinding,
    HealthVerdict as HealthVerdict,
    LeftOutRecords as LeftOutRecords,
)
from topoview.model.layout import (
    AXES as AXES,
    BLOCK_VIEW as BLOCK_VIEW,
    OUTSIDE_STYLES as OUTSIDE_STYLES,
    RANK_ORDERS as RANK_ORDERS,
    SHRINK_RANGE as SHRINK_RANGE,
    SPACING_RANGE as SPACING_RANGE,
    WRAP_STYLES as WRAP_STYLES,
    Geometry as Geometry,
    Grid as Grid,
    Layout as Layout,
    Machine as Machine,
    Pose as Pose,
    nearest_distances as nearest_distances,
    read_geometry as read_geometry,
)
from topoview.model.logical import (
    Block as Block,
    BlockCall as BlockCall,
    Call as Call,
    Each as Each,
    Guard as Guard,
    Line as Line,
    LogicalTrace as LogicalTrace,
    Loop as Loop,
    MaximalProcess as MaximalProcess,
    Partners as Partners,
    Scripts as Scripts,
    SideTable as SideTable,
    Sometimes as Sometimes,
    Statement as Statement,
    Token as Token,
    When as When,
    joined_text as joined_text,
    statements_of_lines as statements_of_lines,
    with_colon as with_colon,
)
from topoview.model.measured import (
    NO_METRICS as NO_METRICS,
    NOWHERE as NOWHERE,
    CallPositions as CallPositions,
    LoopFigures as LoopFigures,
    LoopStep as LoopStep,
    MeasuredLines as MeasuredLines,
    MetricFigures as MetricFigures,
    Profile as Profile,
    RankValues as RankValues,
    StatementFigures as StatementFigures,
    TimeSpread as TimeSpread,
)
from topoview.model.network import (
    NOWHERE_PLACED as NOWHERE_PLACED,
    LinkLoads as LinkLoads,
    MachineChoice as MachineChoice,
    MachineFacts as MachineFacts,
    Mapping as Mapping,
    Network as Network,
    Placement as Placement,
    coordinates_of as coordinates_of,
)
from topoview.model.subset import Subset as Subset, TraceExtent as TraceExtent
from topoview.model.topology import (
    MASTER as MASTER,
    NO_MESSAGES as NO_MESSAGES,
    WORKER as WORKER,
    CandidateStep as CandidateStep,
    CommunicationMatrix as CommunicationMatrix,
    DeclaredTopology as DeclaredTopology,
    Directions as Directions,
    GraphStructure as GraphStructure,
    Identification as Identification,
    IdentifiedPart as IdentifiedPart,
    LevelSteps as LevelSteps,
    Match as Match,
    Topology as Topology,
)
from topoview.model.trace import (
    CallPaths as CallPaths,
    Calls as Calls,
    Collectives as Collectives,
    EventRecords as EventRecords,
    Messages as Messages,
    Timeline as Timeline,
    Trace as Trace,
    UnrecordedCalls as UnrecordedCalls,
)
from topoview.model.waits import (
    FRONT_ENDS as FRONT_ENDS,
    MAX_DELAYS as MAX_DELAYS,
    NO_WAIT as NO_WAIT,
    WAIT_KINDS as WAIT_KINDS,
    WAIT_SUMS as WAIT_SUMS,
    CriticalPath as CriticalPath,
    Delays as Delays,
    Efficiencies as Efficiencies,
    Efficiency as Efficiency,
    EfficiencySeries as EfficiencySeries,
    UsefulWork as UsefulWork,
    WaitStates as WaitStates,
    WaitSums as WaitSums,
)
