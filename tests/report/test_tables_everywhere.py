"""Every result that has a table says the same in all forms, cell by cell.

Text, JSON, CSV, Parquet, Markdown, HTML, Python's frames and the window's model are
compared with the values that the table holds, each read by a rule of this test.
"""

import csv
import io
import json
import pkgutil
import re
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import pytest
import traces
from all_tables import TABLES
from jsonschema import Draft202012Validator

import topoview.live.tables
import topoview.model
import topoview.report
from topoview.base.text import THIN_SPACE
from topoview.live.tables.registry import PUBLISHED
from topoview.model import Analysis, LazyTable, Schema, Table
from topoview.report import write

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def known() -> Analysis:
    return traces.analysed(traces.simulated("torus", (4, 3), numbering=1))


@pytest.fixture(scope="module")
def tables(known: Analysis) -> dict[str, Table]:
    return {name: make(known) for name, make in TABLES.items()}


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest, tables: dict[str, Table]) -> Table:
    return tables[request.param]


UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
SIZES = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def amount_of(text: str, unit: str) -> float:
    """Read what a cell says, by the rule of its unit."""
    number, _, word = text.partition(" ")
    digits = number.replace(THIN_SPACE, "").replace("\u2212", "-")
    if unit == "share":
        assert word == "%"
        return float(digits.strip("<>")) / 100
    word = word.removesuffix("/s") if unit.endswith("/s") else word
    factor = {"s": UNITS, "at": UNITS, "B": SIZES, "B/s": SIZES}.get(unit, {})
    return float(digits.removesuffix("/s")) * factor.get(word, 1)


def check(table: Table, name: str, value: object, text: str) -> None:
    """Compare a cell as it is written with its value, to three digits."""
    column = table.schema[name]
    if value is None:
        assert text == column.missing
    elif value in column.codes:
        assert text == column.codes[value]
    elif isinstance(value, str):
        assert text == value
    elif column.unit == "#" and value < 0:
        assert text == {-1: "", -2: "several"}[value]
    else:
        least = {"share": 6e-4, "at": 1e-6}.get(column.unit, 0)
        read = amount_of(text, column.unit)
        if text.startswith("<"):  # a share that is not nothing
            assert isinstance(value, float)
            assert 0 < value < read
            return
        assert read == pytest.approx(value, rel=6e-3, abs=max(least, 1e-12))


ROWS = json.loads((ROOT / "docs/reference/tables.schema.json").read_text())["$defs"]


def validators(table: Table) -> list[Draft202012Validator]:
    """Make those of the published schema that are of a table's columns."""
    columns = set(map(id, table.columns))
    return [
        Draft202012Validator(ROWS[title])
        for title in PUBLISHED
        if columns <= set(map(id, PUBLISHED[title]))
    ]


def test_most_tables_have_a_published_schema(tables: dict[str, Table]) -> None:
    """Those without are the window's: events, what was found, lists to choose from."""
    published = [name for name, table in tables.items() if validators(table)]
    assert len(published) > 30


def same(one: object, other: object) -> bool:
    """Whether two values are the same, or both not known."""
    if one is None or (isinstance(one, float) and one != one):
        return other is None or other == "" or other != other
    return one == other


def test_there_are_rows(tables: dict[str, Table]) -> None:
    rows = {name: len(table) for name, table in tables.items()}
    assert {name for name, count in rows.items() if not count} <= {
        *("phases", "regions", "parameters", "delays", "efficiency by phase"),
        *("waits by phase", "waits by axis", "efficiency by plane"),
        "statistics by node",
    }


def test_every_schema_has_a_table_here(tables: dict[str, Table]) -> None:
    """Whoever declares the table of a result enters it in `all_tables`."""
    declared = {
        f"{module.name}.{name}": value
        for package in (topoview.report, topoview.live.tables, topoview.model)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        for name, value in vars(import_module(module.name)).items()
        if isinstance(value, Schema) and name.isupper()
    }
    columns = [set(map(id, table.columns)) for table in tables.values()]
    missing = {
        name
        for name, schema in declared.items()
        if not any(some <= set(map(id, schema)) for some in columns)
    }
    assert missing == {"topoview.report.logical.lines.LINES"}  # copied from a tree


def test_text_has_each_cell(table: Table) -> None:
    for row, texts in zip(table, table.texts(), strict=True):
        for (name, value), text in zip(row.items(), texts, strict=True):
            check(table, name, value, text)
    lines = write.text(table, len(table)).splitlines()
    assert re.split("  +", lines[0].strip()) == list(table.names)
    for line, texts in zip(lines[1:], table.texts(), strict=True):
        shown = re.sub(" +", " ", line).strip()
        assert shown == re.sub(" +", " ", " ".join(filter(None, texts))).strip()


def test_json_has_each_value(table: Table) -> None:
    rows = json.loads(json.dumps(write.record(table), allow_nan=False))
    assert len(rows) == len(table)
    for validator in validators(table):
        for row in rows:
            validator.validate(row)
    for name in table.names:
        for row, value in zip(rows, table[name].tolist(), strict=True):
            assert same(value, row[name])


def test_csv_has_each_value(table: Table) -> None:
    rows = list(csv.DictReader(io.StringIO(write.csv(table))))
    assert len(rows) == len(table)
    for row, told in zip(table, rows, strict=True):
        assert told == {k: "" if v is None else str(v) for k, v in row.items()}


def test_markdown_and_html_have_each_cell(table: Table) -> None:
    lines = write.markdown(table).splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines[2:]]
    titles = [column.heading for column in table.columns]
    written = [c.strip().replace("\\", "") for c in lines[0][2:-2].split(" | ")]
    assert written == titles
    assert len(rows) == len(table)
    parser = Cells()
    parser.feed(write.html(table))
    assert parser.cells == [*titles, *(t for row in table.texts() for t in row)]


class Cells(HTMLParser):
    """Reads the cells of a table."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        self.cells += [""] if tag in ("td", "th") else []

    def handle_data(self, data: str) -> None:
        self.cells[-1] += data


def test_frames_and_files_have_each_value(table: Table, tmp_path: Path) -> None:
    pandas, parquet = (pytest.importorskip(n) for n in ("pandas", "pyarrow.parquet"))
    write.write_parquet(table, tmp_path / "t.parquet")
    file = parquet.read_table(tmp_path / "t.parquet")
    frame = table.to_pandas()
    assert list(frame.columns) == file.column_names == list(table.names)
    for name in table.names:
        unit = table.schema[name].unit
        assert file.schema.field(name).metadata[b"unit"].decode() == unit
        values = table[name].tolist()
        in_frame = [None if pandas.isna(v) else v for v in frame[name].tolist()]
        assert all(map(same, values, file[name].to_pylist()))
        assert all(map(same, values, in_frame))


def test_pages_are_the_whole(table: Table) -> None:
    parts = [table.take(slice(k, k + 7)) for k in range(0, len(table), 7)]
    rows = [row for part in parts for row in part.rows()]
    assert rows == list(table.rows())
    if isinstance(table, LazyTable):
        assert rows == [row for page in table.pages() for row in page.rows()]


def test_sorting_keeps_rows_whole(table: Table) -> None:
    whole = sorted(map(repr, table.rows()))
    for name in table.names:
        for down in (False, True):
            ordered = table.sort(name, descending=down)
            assert sorted(map(repr, ordered.rows())) == whole
            if table.is_words(name):
                continue
            values = [v for v in ordered[name].tolist() if v == v]
            assert values == sorted(values, reverse=down)
