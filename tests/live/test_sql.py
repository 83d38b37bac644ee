"""Answers to questions in SQL against pandas, and what questions cannot do."""

import json
import re
import resource
import signal
import threading
from pathlib import Path

import numpy as np
import pytest
import traces

import topoview
from topoview.__main__ import main
from topoview.base.memory import granted_memory
from topoview.errors import TopoviewError, UsageError
from topoview.live.tables.registry import OF_RUN
from topoview.live.tables.scope import Scope
from topoview.live.tables.search.sql import answer, tables_named
from topoview.model import Table, Trace

pytestmark = pytest.mark.usefixtures("one_store")

TORUS = "sp-jacobi2d-8x4-periodic-idlewave"
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "queries.md"


@pytest.fixture(scope="module")
def trace() -> Trace:
    """Simulate a torus whose ranks wait for each other."""
    return traces.simulated("torus", (4, 3), numbering=1)


def test_sums_are_those_of_pandas(trace: Trace) -> None:
    table = topoview.query(
        trace,
        "select sender, sum(bytes) as bytes, count(*) as n, max(seconds) as seconds "
        "from messages group by sender order by sender",
    )
    frame = topoview.messages(trace, span="exchange").to_pandas().groupby("sender")
    assert table["sender"].tolist() == sorted(frame.groups)
    assert table["bytes"].tolist() == frame["bytes"].sum().tolist()
    assert table["n"].tolist() == frame.size().tolist()
    assert table["seconds"].tolist() == frame["seconds"].max().tolist()
    assert [column.unit for column in table.columns] == ["#", "B", "", "s"]


def test_tables_are_those_that_commands_list(trace: Trace) -> None:
    same = {
        "calls": topoview.calls(trace, span="exchange"),
        "waits": topoview.waits(trace),
        "account": topoview.account(trace),
        "profile": topoview.profile(trace),
        "delays": topoview.delays(trace),
    }
    for name, table in same.items():
        assert _cells(topoview.query(trace, f"from {name}")) == _cells(table), name
    for name in OF_RUN.keys() - same.keys() - {"devices", "gpu_waits"}:
        assert topoview.query(trace, f"select count(*) as n from {name}")["n"] >= 0
    with pytest.raises(TopoviewError, match="records no devices"):
        topoview.query(trace, "from devices")


def test_tables_of_devices() -> None:
    trace = topoview.open(traces.real_path("public-casita-2_cuda_simple"))
    sql = "select sum(kernel_seconds) as kernel, count(*) as n from devices"
    assert topoview.query(trace, sql)["kernel"][0] > 0
    assert topoview.query(trace, "select count(*) as n from gpu_waits")["n"][0] > 0


def _cells(table: Table) -> list[tuple[object, ...]]:
    rows = zip(*(table[name].tolist() for name in table.names), strict=True)
    return [tuple(None if v != v else v for v in row) for row in rows]


def test_a_question_is_of_one_span(trace: Trace) -> None:
    sql = "select count(*) as n, min(rank) as least, max(rank) as most from calls"
    some = topoview.query(trace, sql, ranks="2-4", span="run")
    assert (some["least"][0], some["most"][0]) == (2, 4)
    assert some["n"][0] == len(topoview.calls(trace, ranks="2-4"))


def test_kinds_of_values(trace: Trace) -> None:
    table = topoview.query(
        trace,
        "select * from (values (1, 'x', true, null, 2.5, [1, 2]), "
        "(null, null, false, null, null, [])) as t(i, w, b, n, f, l), "
        "(select count(*) as c from calls)",
    )
    assert np.isnan(table["i"][1])
    assert table["w"].tolist() == ["x", None]
    assert table["b"].tolist() == ["true", "false"]
    assert table["n"].tolist() == [None, None]
    assert table["f"][0] == 2.5
    assert table["l"].tolist() == ["[1, 2]", "[]"]


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("select x from cals", "no table 'cals': did you mean calls"),
        ("select nam from calls", "Candidate bindings"),
        ("selec", "no question"),
        ("", "one SELECT"),
        ("drop table calls", "only SELECT"),
        ("copy calls to 'out.csv'", "only SELECT"),
        ("select 1; select 2", "one SELECT"),
        ("attach 'x.db'", "only SELECT|question"),
        ("set enable_external_access = true", "only SELECT|question"),
        ("select * from '{file}'", "no table"),
        ("select * from read_text('{file}')", "Permission"),
        ("select * from read_csv('{file}')", "Permission"),
        ("select * from glob('{file}')", "Permission"),
        ("select * from trace", "no table"),
        ("select * from sql", "no table"),
        ("select getenv('HOME')", "does not exist"),
    ],
)
def test_what_is_not_answered(
    trace: Trace, tmp_path: Path, sql: str, words: str
) -> None:
    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match=words) as error:
        topoview.query(trace, sql.replace("{file}", str(file)))
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == [file]


def test_names_of_a_question_itself_are_no_tables() -> None:
    sql = "with calls as (select 1 as x), t as (from calls) select * from t, waits w"
    assert tables_named(sql) == ("waits",)
    assert tables_named("select (select max(rank) from Messages)") == ("messages",)


def test_the_command_prints_what_python_returns(
    archive: object, trace: Trace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(archive)
    path = str(archive(trace))
    sql = "select rank, count(*) as n from calls group by rank order by rank"
    assert main(["query", path, sql, "--json", "-q"]) == 0
    printed = json.loads(capsys.readouterr().out)
    rows = list(topoview.query(path, sql))
    assert printed["query"] == rows
    assert printed["count"] == len(rows)
    assert printed["span"]["name"] == "exchange"
    assert main(["query", path, "select 1 from nothing"]) == 2


def test_questions_of_the_guide_have_answers() -> None:
    scope = traces_scope()
    for sql in re.findall(r"```sql\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        table = answer(sql, scope)
        assert len(table), sql
        assert all(column.name for column in table.columns)


def traces_scope() -> Scope:
    """Analyse the torus with all that tables are told of."""
    from topoview.api.scope import find_part

    wanted = tuple(table.needs for table in OF_RUN.values())
    return find_part(traces.real_path(TORUS), None, wanted)


def test_equal_names_are_columns_of_their_own(trace: Trace) -> None:
    table = topoview.query(trace, "select 1 as a, 'x' as a, true as a")
    assert [str(table[name][0]) for name in table.names] == ["1", "x", "true"]


def test_delays_are_those_of_the_ranks_that_last_into_the_span(trace: Trace) -> None:
    whole = topoview.delays(trace)
    some = sorted({*whole["rank"].tolist()})[::2]
    begin = float(np.median(whole["begin"]))
    for table in (
        topoview.delays(trace, ranks=some, window=(begin, None)),
        topoview.query(trace, "from delays", ranks=some, window=(begin, None)),
    ):
        keep = np.isin(whole["rank"], some) & (whole["end"] > begin)
        assert 0 < len(table) < len(whole)
        assert table["begin"].tolist() == whole["begin"][keep].tolist()


def test_what_is_of_all_calls_is_not_told_of_some(trace: Trace) -> None:
    """Nothing that is named is left out of account in silence."""
    communicator = trace.communicators[0].name
    for name in ("profile", "ranks", "waits", "delays", "iterations", "regions"):
        for find, scope in (("Waitall", {}), ("", {"communicator": communicator})):
            with pytest.raises(UsageError, match="are of all calls"):
                topoview.table(trace, name, find, **scope)
    listed = topoview.communicators(trace, communicator=communicator)
    assert {*listed["name"].tolist()} == {communicator}


def test_an_endless_question_can_be_ended(trace: Trace) -> None:
    endless = "with recursive t(n) as (select 1 union all select n + 1 from t) "
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    main_thread = threading.get_ident()
    interrupt = threading.Timer(1.0, signal.pthread_kill, [main_thread, signal.SIGINT])
    interrupt.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            topoview.query(trace, endless + "select max(n) from t")
    finally:
        signal.signal(signal.SIGINT, before)  # ignored, if a shell started all this


@pytest.mark.parametrize(
    "sql",
    [
        "select * from range(100000000000)",
        "select repeat('x', 1000000) from range(100000)",
        "select list(i) from range(10000000000) t(i)",
        "select * from unnest(range(1000000000))",
    ],
)
def test_no_answer_takes_all_memory(trace: Trace, sql: str) -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    with granted_memory(1 << 28), pytest.raises(UsageError, match="Memory Error"):
        topoview.query(trace, sql)
    assert resource.getrlimit(resource.RLIMIT_AS) == before
