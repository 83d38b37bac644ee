"""What the program knows: frozen dataclasses over read-only NumPy arrays.

No Qt, no VTK, no file handles; everything pickles. Times are int64 ticks of the
trace's clock, counted from the trace's beginning. A module is imported when a name of
it is first used: to make a hundred dataclasses takes longer than to show what is kept.
"""

from typing import TYPE_CHECKING

from topoview.base.lazy import names_of_types, on_first_use

if TYPE_CHECKING:
    from topoview.model.analysis import (
        MESSAGES_PER_BLOCK,
        Analysis,
        MessageIndex,
        Overview,
        StateSums,
        TimelineFacts,
        Transfers,
    )
    from topoview.model.claims import (
        MIN_SAMPLES,
        NOISE_RATIO,
        Claim,
        middle_and_tail,
        noise_limit,
    )
    from topoview.model.definitions import (
        OUTSIDE_MPI,
        WAITED_IN,
        WAITING_STATES,
        CartesianTopology,
        Clock,
        ClockAlignment,
        Communicator,
        DefinitionTable,
        IdentifierNames,
        Location,
        Locations,
        Marker,
        MetricCounter,
        Regions,
        SourceLines,
        SystemNode,
        TimeState,
        in_states,
        to_ticks,
    )
    from topoview.model.frozen.arrays import (
        Bools,
        Bytes,
        Floats,
        Frozen,
        Indices,
        Ints,
        Shorts,
        bounds_of,
        count_before,
        distinct,
        evenly,
        freeze,
        named,
        occurring,
        places_among,
        readonly,
        writable,
    )
    from topoview.model.frozen.derived import kept_with_source
    from topoview.model.health import (
        FileLoss,
        Health,
        HealthFinding,
        HealthVerdict,
        LeftOutRecords,
    )
    from topoview.model.identification import (
        CandidateStep,
        DeclaredTopology,
        Directions,
        GraphNumbers,
        GraphStructure,
        Identification,
        IdentifiedPart,
        LevelSteps,
        Plan,
        PlanAxis,
    )
    from topoview.model.layout import (
        BLOCK_VIEW,
        OUTSIDE_STYLES,
        RANK_ORDERS,
        SHRINK_RANGE,
        SPACING_RANGE,
        WRAP_STYLES,
        Geometry,
        Grid,
        Layout,
        Machine,
        Pose,
        nearest_distances,
    )
    from topoview.model.logical import (
        ROOT_OF_LOOP,
        Block,
        BlockCall,
        Call,
        Each,
        Guard,
        Line,
        LineKind,
        LogicalTrace,
        Loop,
        MaximalProcess,
        Partners,
        RanksTold,
        ScriptedCalls,
        Scripts,
        SideTable,
        Sometimes,
        Statement,
        Token,
        When,
        joined_text,
        statements_of_lines,
        with_colon,
    )
    from topoview.model.network import (
        NOWHERE_PLACED,
        LinkLoads,
        MachineChoice,
        MachineFacts,
        Mapping,
        Mappings,
        MeasuredTraffic,
        Network,
        Placement,
        coordinates_of,
        ratio_of,
    )
    from topoview.model.part import (
        Part,
        Rows,
        elements,
        parts_of,
        row_numbers,
        rows_at,
        rows_in_batches,
        taken,
        whole_part,
    )
    from topoview.model.subset import DIGEST_SUFFIX, Subset, TraceExtent
    from topoview.model.table import (
        PAGE_ROWS,
        Column,
        ColumnData,
        LazyTable,
        Schema,
        Table,
        words,
    )
    from topoview.model.times.account import (
        AS_SHOWN,
        CLASS_NAMES,
        CLASSES,
        FIRST_WAIT,
        GROUP_TEXTS,
        PROFILES,
        SPAN_TEXTS,
        STATE_OF_CLASS,
        WAITED_STATES,
        Account,
        Group,
        Span,
        SpanName,
        class_name,
        group_of_class,
        joined_states,
        recorded_run,
    )
    from topoview.model.times.devices import (
        COPY_ONLY,
        FROM_HOST,
        STREAM_NAME,
        TO_HOST,
        BlamedTime,
        DeviceActivity,
        DeviceEfficiency,
        DeviceOperations,
        DeviceWaits,
        device_name,
    )
    from topoview.model.times.measured import (
        NO_METRICS,
        NOWHERE,
        CallPositions,
        Iterations,
        IterationSums,
        LineSums,
        LoopFigures,
        LoopStep,
        MeasuredLines,
        MetricFigures,
        Profile,
        RankValues,
        StatementFigures,
        TickSums,
        TimeSpread,
    )
    from topoview.model.times.waits import (
        FRONT_ENDS,
        HUNG_EVIDENCE,
        MAX_DELAYS,
        MIN_CORRELATION,
        MIN_EXPLAINED,
        MIN_SHARE_LISTED,
        MIN_SHARE_OF_NOISE,
        NO_WAIT,
        WAIT_KINDS,
        WAIT_SUMS,
        WAITS_FOR_ONE,
        CollectiveTimes,
        CriticalPath,
        DeducedEnds,
        Delays,
        Efficiencies,
        Efficiency,
        EfficiencySeries,
        HungCalls,
        TimeSpent,
        UsefulWork,
        WaitStates,
        WaitSums,
        WindowWaits,
    )
    from topoview.model.topology import (
        AXES,
        GLOBES,
        LINES,
        MASTER,
        NO_MESSAGES,
        WORKER,
        CommunicationMatrix,
        Match,
        PhaseFacts,
        Topology,
    )
    from topoview.model.trace import (
        COMMUNICATOR_PARENT,
        MESSAGE_CALLS,
        PARTS_BEFORE,
        PARTS_MISSED,
        CallPaths,
        Calls,
        Collectives,
        Digest,
        EarlierRecords,
        EventRecords,
        Messages,
        Slowest,
        Timeline,
        Trace,
        UnrecordedCalls,
    )

NAMES = names_of_types(__file__)
"""The module within ``topoview`` that each name is from."""

__getattr__ = on_first_use(__name__, NAMES)


def __dir__() -> list[str]:
    return list(NAMES)
