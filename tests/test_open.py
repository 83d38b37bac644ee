"""topoview.open, and its tables without copies."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import traces

import topoview
from topoview.__main__ import main
from topoview.errors import TraceError, UsageError
from topoview.model import EventRecords, Subset, Trace


def shares(one: np.ndarray, other: np.ndarray) -> bool:
    return one.__array_interface__["data"] == other.__array_interface__["data"]


@pytest.mark.parametrize("name", ["timeline", "calls", "messages", "collectives"])
def test_pandas_shares_memory(simulated: Callable[..., Trace], name: str) -> None:
    pytest.importorskip("pandas")
    table = getattr(simulated("torus", (4, 3)), name)
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.columns())
    for column, array in table.columns().items():
        assert shares(frame[column].to_numpy(), array)


@pytest.mark.parametrize("name", ["timeline", "calls", "messages", "collectives"])
def test_arrow_shares_memory(simulated: Callable[..., Trace], name: str) -> None:
    pytest.importorskip("pyarrow")
    table = getattr(simulated("torus", (4, 3)), name)
    made = table.to_arrow()
    for column, array in table.columns().items():
        found = made[column].chunk(0).to_numpy() if len(array) else array
        assert shares(found, array)


def test_rows_name_the_location_of_each_element(
    simulated: Callable[..., Trace],
) -> None:
    calls = simulated("torus", (4, 3)).calls
    row = calls.columns(rows=True)["row"]
    for r in range(len(calls.offsets) - 1):
        assert np.all(row[calls.offsets[r] : calls.offsets[r + 1]] == r)


def test_opening(
    archive: Callable[[Trace], Path], simulated: Callable[..., Trace]
) -> None:
    anchor = archive(simulated("torus", (4, 3)))
    assert topoview.open(anchor).ranks == 12
    with pytest.raises(TraceError, match="in part"):
        topoview.open(anchor, ranks="a-b")


def test_ranks_are_one_or_some_but_not_none_of_them(
    archive: Callable[[Trace], Path], simulated: Callable[..., Trace]
) -> None:
    anchor = archive(simulated("torus", (4, 3)))
    one = topoview.open(anchor, ranks=5)
    assert np.flatnonzero(np.diff(one.calls.offsets)).tolist() == [5]
    some = topoview.open(anchor, ranks=range(0, 12, 4))
    assert np.flatnonzero(np.diff(some.calls.offsets)).tolist() == [0, 4, 8]
    for nothing in ("", (), []):
        with pytest.raises(TraceError, match="no ranks are named"):
            topoview.open(anchor, ranks=nothing)


@pytest.mark.parametrize(
    ("text", "stretches"),
    [("", ()), ("3", ((3, 3),)), ("0-3,8, 9", ((0, 3), (8, 9))), ("5,4", ((4, 5),))],
)
def test_ranks_as_they_are_written(
    text: str, stretches: tuple[tuple[int, int], ...]
) -> None:
    assert Subset.parse(ranks=text).ranks == stretches


@pytest.mark.parametrize(
    ("begin", "end", "ranks"),
    [(2.0, 1.0, ""), (-1.0, None, ""), (None, None, "3-1"), (None, None, "x")],
)
def test_no_part(begin: float | None, end: float | None, ranks: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Subset.parse(begin, end, ranks)


def test_a_trace_is_told_in_a_line(simulated: Callable[..., Trace]) -> None:
    told = repr(simulated("torus", (4, 3)))
    assert told.startswith("<Trace ")
    assert "12 ranks" in told
    assert len(told) < 200


def test_further_records_are_tables_too() -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    bits = np.array([2.5, -1.0]).view(np.int64)
    values = np.column_stack(([7, 8], [0, 0], [10, 10], bits)).astype(np.int64)
    fields = ("metric", "place", "type", "value")
    offsets, time = np.array([0, 1, 1, 2]), np.array([30, 40])
    records = EventRecords("Metric", fields, offsets, time, values)
    frame = records.to_pandas(rows=True)
    assert list(frame.columns) == ["row", "time", *fields, "number"]
    assert frame["row"].tolist() == [0, 2]
    assert frame["number"].tolist() == [2.5, -1.0]
    assert np.shares_memory(frame["metric"].to_numpy(), records.values)
    pandas.testing.assert_frame_equal(records.to_arrow(rows=True).to_pandas(), frame)


def test_pages_and_files_are_those_of_the_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = traces.real_path("ez-cg-8")
    trace = topoview.open(path)
    assert main(["info", str(path)]) == 0
    assert repr(trace.info()) == capsys.readouterr().out.rstrip("\n")
    assert main(["waits", str(path)]) == 0
    assert repr(trace.advice()).strip() in capsys.readouterr().out
    assert trace.advice()._repr_markdown_().startswith("#")
    assert trace.export(tmp_path / "one.csv", table="delays").is_file()
    other = str(tmp_path / "other.csv")
    assert main(["export", str(path), "-o", other, "--table", "delays"]) == 0
    written = [file.read_text() for file in tmp_path.glob("*.csv")]
    assert written[0] == written[1]
    with pytest.raises(UsageError, match="did you mean delays"):
        trace.export(tmp_path / "x.csv", table="dealys")
    digest = topoview.write_digest(path, tmp_path / "run.topoview")
    assert repr(topoview.identify(digest)) == repr(trace.identify())
