"""What the commands and Python tell of waits, delays and efficiencies."""

import csv
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from traces import real_path, simulated

import topoview
from topoview.__main__ import main
from topoview.errors import TopoviewError, UsageError
from topoview.model import WAIT_KINDS, Trace

WAVE = "sp-jacobi2d-8x4-periodic-idlewave"
WAITS = "public-casita-4_mpi_ls_barr"

pytestmark = pytest.mark.usefixtures("one_store")


def told(capsys: pytest.CaptureFixture[str], *command: str) -> dict[str, Any]:
    name, trace, *options = command
    assert main([name, str(real_path(trace)), "--json", *options]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_waits_by_all_that_they_are_told_by(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "waits", WAITS)
    total = found["total_seconds"]
    assert tuple(found["by_kind"]) == WAIT_KINDS
    assert found["by_kind"]["late_sender"] == pytest.approx(30, abs=0.1)
    assert found["by_kind"]["wait_at_barrier"] == pytest.approx(21.4, abs=0.1)
    assert sum(found["by_kind"].values()) == pytest.approx(total)
    assert sum(found["suffered"]) == pytest.approx(total)
    assert sum(found["held_up"]) == pytest.approx(total)
    assert sum(found["caused"]) + found["unexplained_seconds"] == pytest.approx(total)
    assert max(found["caused"]) == found["caused"][0]
    assert sum(one["seconds"] for one in found["by_statement"]) == pytest.approx(total)
    assert found["by_direction"] == {"WEST": pytest.approx(30, abs=0.1)}
    assert found["error_seconds"] == 0
    assert sum(one[3] for one in found["by_pair"]) == pytest.approx(total)


def test_bounds_of_clocks_that_were_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "waits", "ez-threads-halo")
    least, most = found["between_seconds"]
    assert least < found["total_seconds"] < most
    assert found["error_seconds"] > 0


def test_bounds_of_every_sum(capsys: pytest.CaptureFixture[str]) -> None:
    for by in ("kind", "rank", "pair"):
        rows = told(capsys, "waits", "ez-threads-halo", "--by", by)["waits"]
        total = told(capsys, "waits", "ez-threads-halo")
        least, most = total["between_seconds"]
        assert sum(row["least_seconds"] for row in rows) == pytest.approx(least)
        assert sum(row["most_seconds"] for row in rows) == pytest.approx(most)
        for row in rows:
            assert row["least_seconds"] <= row["seconds"] <= row["most_seconds"]


def test_bounds_of_every_delay(capsys: pytest.CaptureFixture[str]) -> None:
    for one in told(capsys, "idle-waves", "ez-cg-8")["delays"]:
        least, most = one["caused_between_seconds"]
        # sums of halves of ticks, each rounded to a tick of 1 ns
        assert least - one["caused_seconds"] < 1.5e-9
        assert one["caused_seconds"] - most < 1.5e-9
    assert main(["idle-waves", str(real_path("ez-cg-8"))]) == 0
    assert "within clock error" in capsys.readouterr().out
    exact = told(capsys, "idle-waves", WAVE)["delays"][0]
    assert exact["caused_between_seconds"] == 2 * [exact["caused_seconds"]]


def test_waits_of_the_lines_of_the_logical_trace(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Loops have the sum of what their calls have, which is that by statement."""
    whole = told(capsys, "waits", WAVE)
    lines = told(capsys, "logical", WAVE, "--waits")["program"]["lines"]
    by_statement = {one["statement"]: one for one in whole["by_statement"]}
    for key, name in (("wait_seconds", "seconds"), ("caused_seconds",) * 2):
        for line in lines:
            if line["kind"] == "call":
                expected = by_statement.get(line["statement"], {}).get(name, 0)
                assert line[key] == pytest.approx(expected)
        below = [0.0] * (len(lines) + 1)
        for line in reversed(lines):
            if line["kind"] != "call":
                assert line[key] == pytest.approx(below[line["line"]])
            below[line["parent"] or 0] += line[key]
        assert below[0] == pytest.approx(
            sum(one[name] for one in whole["by_statement"])
        )
    assert main(["logical", str(real_path(WAVE)), "--waits"]) == 0
    (head,) = (x for x in capsys.readouterr().out.splitlines() if "caused" in x)
    assert head.split()[-3:] == ["wait", "caused", "statement"]


def test_tables_and_advice(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "waits", WAVE)
    path = found["critical_path"]
    assert sum(path["by_function"].values()) == pytest.approx(path["seconds"])
    assert {"efficiency", "delay", "rank"} <= {one["rule"] for one in found["advice"]}
    rows = told(capsys, "waits", WAVE, "--by", "iteration")["waits"]
    assert [row["seconds"] for row in rows] == pytest.approx(found["by_iteration"])
    assert "least_seconds" not in rows[0]
    parts = told(capsys, "efficiency", WAVE, "--by", "iteration")["efficiency"]
    assert len(parts) == 60
    assert min(parts, key=lambda row: row["load_balance"])["iteration"] == 9
    assert (
        main(["efficiency", str(real_path(WAVE)), "--by", "time", "--from", "1"]) == 2
    )


def test_the_efficiency_in_the_advice_is_that_of_its_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    advice = told(capsys, "waits", WAVE)["advice"]
    one = next(one for one in advice if one["rule"] == "efficiency")
    assert main([*shlex.split(one["command"])[1:], "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for name, value in one["evidence"].items():
        assert found[name] == pytest.approx(value, abs=1e-6)


def test_idle_waves_worst_first(capsys: pytest.CaptureFixture[str]) -> None:
    delays = told(capsys, "idle-waves", WAVE)["delays"]
    first = delays[0]
    assert (first["rank"], first["iteration"], first["ranks_reached"]) == (5, 9, 31)
    assert first["seconds"] == pytest.approx(60e-3, rel=0.1)
    assert first["begin"] == pytest.approx(1.7423, abs=1e-3)
    assert first["hops_per_iteration"] == pytest.approx(1, abs=0.1)
    assert first["call"] is None
    caused = [delay["caused_seconds"] for delay in delays]
    assert caused == sorted(caused, reverse=True)
    assert any(delay["hops_per_second"] is None for delay in delays)


def test_efficiencies(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "efficiency", WAVE)
    product = found["load_balance"] * found["serialisation"] * found["transfer"]
    assert found["parallel"] == pytest.approx(product)
    assert found["communication"] == pytest.approx(
        found["serialisation"] * found["transfer"]
    )
    phases = told(capsys, "efficiency", "sp-twophase-6x6-user-metrics", "--phase", "1")
    assert 0 < phases["parallel"] < 1


def test_a_phase_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["efficiency", str(real_path(WAVE)), "--phase", "x"]) == 2
    assert "no phase 'x'" in capsys.readouterr().err


@pytest.mark.usefixtures("few_moves")
@pytest.mark.parametrize(
    "line",
    [
        *("identify", "profile", "waits", "idle-waves", "idle-waves --by cause"),
        *("network --torus 2x2x2", "network --torus 2x2x2 --extents"),
        *("map --torus 6x6", "scaling TRACE", "compare TRACE"),
    ],
)
def test_options_of_tables_print_a_table_in_place_of_a_page(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of each command: its rows are those of JSON, sorted and cut."""
    path = str(real_path(WAVE))
    command, *options = line.replace("TRACE", path).split()
    arguments = [command, path, *options]
    assert main([*arguments, "--csv", "-"]) == 0
    head, *rows = csv.reader(capsys.readouterr().out.splitlines())
    assert main([*arguments, "--json", "--limit", "1", "--sort", f"-{head[-1]}"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["count"] == len(rows) > 0
    (row,) = record[command]
    assert list(row) == head


def test_efficiencies_of_the_whole_are_a_row(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "efficiency.csv"
    assert main(["efficiency", str(real_path(WAVE)), "--csv", str(file)]) == 0
    capsys.readouterr()
    head, row = csv.reader(file.read_text().splitlines())
    assert main(["efficiency", str(real_path(WAVE)), "--json"]) == 0
    expected = json.loads(capsys.readouterr().out)
    shares = dict(zip(head, row, strict=True))
    assert float(shares["parallel"]) == pytest.approx(expected["parallel"])


@pytest.mark.parametrize("command", ["waits", "idle-waves", "efficiency"])
def test_texts(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, str(real_path(WAVE))]) == 0
    text = capsys.readouterr().out
    expected = {
        "waits": "late sender",
        "idle-waves": "computation",
        "efficiency": "load balance",
    }
    assert expected[command] in text


def test_python_tells_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    trace = topoview.open(real_path(WAVE))
    total = topoview.waits(trace).to_pandas().seconds.sum()
    for by in ("kind", "rank", "waited_for", "pair", "communicator", "iteration"):
        sums = topoview.waits(trace, by).to_pandas()
        assert sums.seconds.sum() == pytest.approx(total)
    kinds = topoview.waits(trace, "kind").to_pandas()
    assert kinds.kind.tolist() == list(WAIT_KINDS)
    directions = topoview.waits(trace, "direction").to_pandas().set_index("direction")
    assert set(directions.index) == {"EAST", "WEST", "NORTH", "SOUTH"}
    delays = topoview.delays(trace).to_pandas()
    assert (delays["rank"][0], delays["iteration"][0]) == (5, 9)
    found = told(capsys, "efficiency", WAVE)
    assert topoview.efficiency(trace).parallel == pytest.approx(found["parallel"])
    half = topoview.efficiency(trace, window=(1.7, 1.9), ranks=range(16))
    assert 0 < half.parallel < 1
    with pytest.raises(UsageError, match="not colour"):
        topoview.waits(trace, "colour")


def test_unaligned_clocks_are_an_error() -> None:
    with pytest.raises(TopoviewError, match="cannot be aligned"):
        topoview.delays(_unaligned())


def _unaligned() -> Trace:
    trace = simulated("torus", (4, 3))
    return replace(trace, clock=replace(trace.clock, aligned=False))
