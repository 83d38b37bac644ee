"""Definitions of metrics, parameters, call paths, RMA and I/O; the machine."""

from collections.abc import Callable
from pathlib import Path

import otf2
import pytest
from otf2.enums import Base, MetricMode, MetricScope, MetricType, Type

from topoview.model import MetricCounter, SystemNode, Trace
from topoview.worker import open_trace


@pytest.fixture
def generated(tmp_path: Path) -> Trace:
    """Read what the otf2 package's own writer wrote."""
    path = tmp_path / "run"
    with otf2.writer.open(str(path), timer_resolution=1000) as archive:
        define = archive.definitions
        machine = define.system_tree_node("cluster", class_name="machine")
        node = define.system_tree_node("kn1", class_name="node", parent=machine)
        process = define.location_group("rank 0", system_tree_parent=node)
        main = define.location("main", group=process)
        solve = define.region("solve", source_file="s.c", begin_line_number=7)
        inner = define.region("inner", source_file="s.c", begin_line_number=9)
        members = [
            define.metric_member(
                "power",
                description="watts drawn",
                metric_type=MetricType.USER,
                metric_mode=MetricMode.ABSOLUTE_LAST,
                value_type=Type.DOUBLE,
                base=Base.DECIMAL,
                exponent=-3,
                unit="W",
            ),
            define.metric_member(
                "bytes",
                metric_mode=MetricMode.ACCUMULATED_START,
                value_type=Type.UINT64,
                base=Base.BINARY,
                exponent=10,
                unit="B",
            ),
        ]
        several = define.metric_class(members)
        of_node = define.metric_instance(
            several,
            recorder=main,
            scope=node,
            metric_scope=MetricScope.SYSTEM_TREE_NODE,
        )
        define.parameter("cycle")
        define.source_code_location("s.c", 12)
        outer = define.callpath(None, solve)
        define.callpath(outer, inner)
        writer = archive.event_writer_from_location(main)
        writer.enter(10, solve)
        writer.metric(12, of_node, [1.5, 3])
        writer.leave(20, solve)
    return open_trace(path)


def test_metrics(generated: Trace) -> None:
    assert generated.metrics == ("power", "bytes")
    records = next(r for r in generated.further if r.name == "Metric")
    used = records.column("metric").tolist()
    assert len(set(used)) == 1
    found = [m for m in generated.counters if m.metric == used[0]]
    assert [m.place for m in found] == records.column("place").tolist() == [0, 1]
    assert records.numbers().tolist() == [1.5, 3.0]
    power, size = found
    assert power == MetricCounter(
        metric=used[0],
        place=0,
        name="power",
        unit="W",
        mode="value",
        base=10,
        power=-3,
        description="watts drawn",
        kind="user",
        timing="last",
        recorder=generated.locations[0].id,
        scope="node kn1",
    )
    assert (power.words, power.scale) == ("10^-3 W", 1e-3)
    assert (size.words, size.scale, size.mode) == ("2^10 B", 1024, "grows")
    assert size.timing == "start"
    plain = [m for m in generated.counters if m.metric != used[0]]
    assert [m.recorder for m in plain] == [-1, -1]


def test_the_machine(generated: Trace) -> None:
    assert generated.nodes == (
        SystemNode("cluster", "machine"),
        SystemNode("kn1", "node", 0),
    )
    assert generated.locations[0].node == "kn1"
    assert generated.locations[0].group == "rank 0"


def test_names(generated: Trace) -> None:
    names = {named.kind: named for named in generated.names}
    assert names["parameter"].names == ("cycle",)
    assert names["source line"].names == ("s.c:12",)
    assert names["call path"].names == ("solve", "solve > inner")
    assert names["call path"].identifiers.tolist() == [0, 1]


def test_those_of_score_p(real_trace: Callable[[str], Trace]) -> None:
    trace = real_trace("sp-twophase-6x6-user-metrics")
    assert [(m.name, m.words, m.mode, m.kind) for m in trace.counters] == [
        ("ru_utime", "10^-6 s", "grows", "rusage"),
        ("ru_maxrss", "2^10 Bytes", "value", "rusage"),
    ]
    (parameter,) = (named for named in trace.names if named.kind == "parameter")
    assert parameter.names == ("cycle",)
    assert trace.locations[3].group == "MPI Rank 3"
    assert [node.kind for node in trace.nodes] == ["machine", "node"]
