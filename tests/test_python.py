"""The Python API: its pages run, and what it tells is what the trace holds."""

import pickle
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from html import unescape
from inspect import signature
from pathlib import Path

import _otf2
import networkx as nx
import numpy as np
import pytest
from writer import write_trace

import topoview
from topoview import api
from topoview.errors import PatternError, TopoviewError, UsageError
from topoview.model import TimeState, Trace
from topoview.model.trace import COLLECTIVE_OPERATIONS

DOCS = Path(topoview.__file__).parents[2] / "docs" / "reference"
sys.path.insert(0, str(DOCS.parents[1] / "scripts"))

from examples import PAGES as EXAMPLES  # noqa: E402 - of scripts
from examples import outputs  # noqa: E402


@pytest.fixture
def trace(simulated: Callable[..., Trace]) -> Trace:
    return simulated("torus", (4, 3), numbering=1)


@pytest.fixture
def off_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    import pyvista  # loads for long, if a test needs it

    monkeypatch.setattr(pyvista, "OFF_SCREEN", True)
    yield
    pyvista.close_all()


@pytest.mark.usefixtures("off_screen", "few_moves")
def test_the_page_runs(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_trace(trace, tmp_path / "run")
    with tarfile.open(tmp_path / "run.tar.xz", "w:xz") as archive:
        archive.add(tmp_path / "run", "run")
    monkeypatch.chdir(tmp_path)
    blocks = examples(DOCS / "python.md")
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "python.md", "exec"), names)
    assert len(blocks) > 8
    assert Path("scene.png").stat().st_size > 1000
    assert nx.read_graphml("topology.graphml").number_of_edges() == 24


def examples(page: Path) -> list[str]:
    """Blocks of Python of a page."""
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.S)


PAGES = [
    pytest.param(
        page, id=page.stem, marks=[pytest.mark.slow] * (page.stem == "comparing")
    )
    for page in sorted(DOCS.parent.rglob("*.md"))
    # their own tests run those
    if page.name not in ("python.md", "digest.md") and examples(page)
    if page.parent.name != "examples"
]


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_other_pages_run(
    page: Path,
    simulated: Callable[..., Trace],
    real_trace: Callable[[str], Trace],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, width in (("run-8", 4), ("run-64", 5)) * (page.stem == "comparing"):
        write_trace(simulated("torus", (width, 3)), tmp_path / name)
    monkeypatch.chdir(tmp_path)
    trace = real_trace("sp-jacobi2d-8x4-periodic-idlewave")
    names: dict[str, object] = {"topoview": topoview, "trace": trace}
    for block in examples(page):
        exec(compile(block, page.name, "exec"), names)


@pytest.mark.usefixtures("off_screen", "few_moves")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=[pytest.mark.slow] * (k > 0))
        for k, page in enumerate(
            sorted(EXAMPLES, key=lambda page: page.stem != "waits")
        )
    ],
)
def test_examples_say_what_stands_below_them(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else run scripts/examples.py."""
    monkeypatch.chdir(tmp_path)
    shown = re.findall(
        r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", page.read_text(), re.S
    )
    said = [(block["code"], said) for block, said, _ in outputs(page.read_text())]
    assert said == shown


def test_names_and_seconds(trace: Trace) -> None:
    calls = trace.calls.to_pandas(rows=True, names=True, seconds=True)
    call = len(calls) // 2
    assert calls.region[call] == trace.regions.title(int(trace.calls.region[call]))
    ticks = int(trace.calls.enter[call])
    assert calls.enter[call] == pytest.approx(trace.clock.seconds(ticks))
    states = trace.timeline.to_arrow(names=True)["state"].to_pylist()
    assert states == [TimeState(code).label for code in trace.timeline.state]
    parts = trace.collectives.to_pandas(names=True)
    assert set(parts.communicator) <= {one.name for one in trace.communicators}


def test_what_was_not_recorded_is_missing(trace: Trace) -> None:
    columns = {**trace.messages.columns()}
    columns["receive_time"] = np.where(np.arange(len(trace.messages)) < 3, -1, 7)
    table = type(trace.messages)(**columns)
    with pytest.raises(ValueError, match="part of a trace"):
        table.to_pandas(seconds=True)
    frame = pickle.loads(pickle.dumps(trace)).messages.to_pandas(seconds=True)
    assert not frame.send_time.isna().any()
    frame = replace(trace, messages=table).messages.to_pandas(seconds=True)
    assert frame.receive_time.isna().sum() == 3
    region = trace.timeline.to_pandas(names=True).region
    assert (region.isna() == (trace.timeline.region < 0)).all()


def test_operations_have_the_names_of_otf2() -> None:
    for code, name in enumerate(COLLECTIVE_OPERATIONS):
        own = f"COLLECTIVE_OP_{name.upper().replace(' ', '_')}"
        assert getattr(_otf2, own).value == code


def test_topologies_are_graphs_and_back(trace: Trace, tmp_path: Path) -> None:
    best = topoview.identify(trace).best
    graph = best.topology.to_networkx()
    assert nx.is_isomorphic(graph, nx.grid_graph((3, 4), periodic=True))
    for vertex, place in graph.nodes.data():
        assert [place["x"], place["y"]] == best.topology.coordinates[vertex].tolist()
    nx.write_graphml(best.to_networkx(), tmp_path / "ranks.graphml")
    again = nx.read_graphml(tmp_path / "ranks.graphml", node_type=int)
    sent = {
        tuple(sorted(pair))
        for pair in zip(trace.messages.sender, trace.messages.receiver, strict=True)
    }
    assert {tuple(sorted(edge)) for edge in again.edges} == sent
    shuffled = nx.relabel_nodes(graph, {n: f"node {n * 7 % 12}" for n in graph})
    shuffled.name = "my torus"
    found = topoview.identify(trace, patterns=[shuffled]).best
    assert "my torus" in (found.topology.name, *found.also)
    with pytest.raises(PatternError, match="undirected"):
        topoview.identify(trace, patterns=[nx.DiGraph([(0, 1)])])


def test_tables_count_what_the_trace_holds(trace: Trace) -> None:
    profile = topoview.profile(trace, span="run").to_pandas().set_index("name")
    names = trace.calls.to_pandas(names=True).region
    assert profile.calls.to_dict() == dict(Counter(names))
    ranks = topoview.profile(trace, "rank-function", span="run").to_pandas()
    total = ranks.groupby("function", observed=True)["seconds"].sum()
    np.testing.assert_allclose(total[profile.index], profile.seconds)
    third = topoview.profile(trace, "rank-function", ranks=3, span="run").to_pandas()
    same = ranks[ranks["rank"] == 3].set_index("function").loc[third.function]
    np.testing.assert_array_equal(third.seconds, same.seconds)
    by_rank = topoview.profile(trace, "rank", ranks="2,5", span="run").to_pandas()
    assert by_rank["rank"].tolist() == [2, 5]
    length = trace.clock.seconds(trace.clock.length)
    spent = by_rank.drop(columns=["rank", "calls"]).sum(axis=1)
    np.testing.assert_allclose(spent, length)
    with pytest.raises(UsageError, match="profiles are by class, function"):
        topoview.profile(trace, "colour")
    pairs = topoview.matrix(trace).to_pandas()
    counted = Counter(zip(trace.messages.sender, trace.messages.receiver, strict=True))
    found = zip(pairs.sender, pairs.receiver, pairs.calls, strict=True)
    assert {(s, r): calls for s, r, calls in found} == counted
    assert pairs.bytes.sum() == trace.messages.size.sum()


def test_who_waits_waits_within_the_call(trace: Trace) -> None:
    waits = topoview.waits(trace).to_pandas()
    assert len(waits)
    calls = trace.calls.to_pandas(rows=True, names=True, seconds=True)
    own = calls.loc[waits.call]
    assert (own.row.to_numpy() == waits["rank"].to_numpy()).all()
    assert own.region.astype(str).tolist() == waits["function"].astype(str).tolist()
    assert (
        waits.seconds.to_numpy() <= (own.leave - own.enter).to_numpy() + 1e-12
    ).all()


def test_what_cannot_be_drawn_is_told(trace: Trace) -> None:
    with pytest.raises(UsageError, match="has no time 9 s"):
        topoview.plot(trace, 9)
    with pytest.raises(UsageError, match="has no time 9 s"):
        topoview.calls(trace, window=(9, None))
    with pytest.raises(UsageError, match="a window is a begin and an end"):
        topoview.calls(trace, window=0.3)
    with pytest.raises(UsageError, match="runs are compared by statement"):
        topoview.compare(trace, trace, by="nothing")
    with pytest.raises(UsageError, match="no colouring 'nothing': choose one of state"):
        topoview.plot(trace, colour="nothing")
    with pytest.raises(TopoviewError):
        topoview.identify("nowhere.otf2")


def test_the_function_and_the_package_of_one_name(trace: Trace) -> None:
    from topoview.logical import listing

    assert str(topoview.logical(trace)) == listing.listing(
        topoview.logical(trace).logical
    )
    assert topoview.logical(trace, functions=True).logical.maximal is not None
    # what help() shows is the function, also once the package was imported
    function = api.find_logical
    assert str(topoview.logical.__doc__).startswith("logical(trace:")
    assert str(function.__doc__)[:40] in str(topoview.logical.__doc__)
    assert signature(topoview.logical) == signature(function)


@pytest.mark.parametrize("name", [n for n in topoview.PUBLIC if n != "__version__"])
def test_a_mistyped_parameter_names_the_function_and_what_it_takes(name: str) -> None:
    with pytest.raises(TypeError, match=f"topoview.{name} has no parameter 'x_y'"):
        getattr(topoview, name)(x_y=1)


def test_importing_is_light() -> None:
    """Nothing is imported or set in the environment before it is needed."""
    program = (
        "import os, sys; before = dict(os.environ); import topoview\n"
        "assert dict(os.environ) == before\n"
        "assert not {'numpy', 'scipy', 'vtk', 'PySide6'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_is_kept_is_shown_without_compiled_code(
    trace: Trace, tmp_path: Path
) -> None:
    anchor = write_trace(trace, tmp_path / "run")
    program = (
        "import sys; from topoview.__main__ import main\n"
        "status = [main([c, sys.argv[1]]) for c in ('info', 'identify', 'logical')]\n"
        "heavy = {'scipy', 'vtk', 'PySide6', 'pyvista'} & set(sys.modules)\n"
        "print(status, heavy)"
    )
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", program, anchor],
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.splitlines()[-1] == "[0, 0, 0] set()"


def test_kept_answers_import_what_they_need(trace: Trace, tmp_path: Path) -> None:
    """Classes of other results cost more than the answer."""
    anchor = write_trace(trace, tmp_path / "run")
    topoview.profile(anchor, span="run")
    topoview.waits(anchor, "rank")
    program = (
        "import sys, topoview; trace = topoview.open(sys.argv[1])\n"
        "trace.profile(span='run'); trace.waits('rank')\n"
        "needless = {'scipy', 'subprocess', 'tarfile', 'topoview.model.logical',\n"
        "    'topoview.report.blocks', 'topoview.session', 'topoview.worker.process'}\n"
        "print(needless & set(sys.modules))"
    )
    command = [sys.executable, "-c", program, str(anchor)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


def test_objects_say_what_they_are_in_a_line(trace: Trace) -> None:
    """A shell shows the answer, not arrays; a notebook shows a table."""
    identification = topoview.identify(trace)
    matrix = topoview.matrix(trace)
    loads = topoview.network(trace, machine={"torus": "4x4x2"})
    program = topoview.logical(trace)
    best = identification.best
    objects = (identification, best, best.topology, matrix, loads, program, trace.calls)
    for each in objects:
        assert "\n" not in repr(each)
        assert len(repr(each)) < 400
        assert "array" not in repr(each)
    for each in (identification, best, best.topology):
        assert best.topology.name in repr(each)
    assert f"{len(trace.messages)} messages" in repr(matrix)
    assert f"<int64, {len(trace.calls)}>" in repr(trace.calls)
    profile = topoview.profile(trace)
    assert profile.__dataframe__().num_columns() == len(profile.names)
    with pytest.raises(KeyError, match="did you mean seconds"):
        profile.sort("secnds")
    factors = topoview.efficiency(trace)
    assert f"parallel {factors.parallel:.1%}".replace("%", " %") in repr(factors)
    for each in (identification, matrix, loads, factors):
        assert "<table>" in each._repr_html_()
    assert str(program).splitlines()[0] in unescape(program._repr_html_())


def test_functions_are_methods_of_traces_too(trace: Trace) -> None:
    """All that take a trace first, but those called as what a trace holds."""
    held = {field.name for field in fields(Trace)}
    functions = {
        name
        for name in topoview.PUBLIC
        if name not in ("demo", "open", "scaling") and not name.startswith("_")
    }
    methods = set(api.METHODS)
    assert methods == functions - held
    assert functions & held == {"calls", "messages", "communicators", "regions"}
    assert "open" not in topoview.__all__  # Python's own stays what it is
    for name in methods:
        assert getattr(Trace, name) is getattr(api, name)
    for name in ("calls", "messages", "communicators", "regions"):
        by_name = trace.table(name, ranks="0-3").to_arrow()  # type: ignore[attr-defined]
        assert by_name.equals(getattr(topoview, name)(trace, ranks="0-3").to_arrow())
    for columns in (trace.calls, trace.messages, trace.regions):
        with pytest.raises(TypeError, match=r"trace\.table\('"):
            columns("Waitall")
    with pytest.raises(UsageError, match="did you mean communicators"):
        topoview.table(trace, "comunicators")
    assert trace.identify().best.topology.name == "2D torus 4x3"  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(trace)).ranks == trace.ranks
