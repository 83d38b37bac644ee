"""Figures of lines and loops, filters, and the forms that they are written in."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
import traces

from topoview.errors import TopoviewError
from topoview.live.picking.line_filter import (
    LineFilter,
    parse_line_filter,
    parse_ranks,
    shown_lines,
)
from topoview.model import EventRecords, MeasuredLines, SourceLines, Trace
from topoview.pipeline import analyse
from topoview.report.logical.as_html import page, side_by_side
from topoview.report.logical.as_json import program_record
from topoview.report.logical.comparison import Change, compare, shorten
from topoview.report.logical.graph import STYLE, graphviz, svg
from topoview.report.logical.lines import (
    COLUMNS,
    cells,
    line_summary,
    places_text,
    slowest_rank,
    timed_listing,
)


@pytest.fixture(scope="module")
def known() -> MeasuredLines:
    found = traces.analysed(traces.simulated("grid", (4, 3), allreduce_every=2))
    assert found.measured is not None
    return found.measured


KEYS = {
    "call": {
        *("statement", "operation", "to", "from", "bytes", "bytes_received"),
        *("detail", "path", "calls", "ranks", "sent", "received", "time"),
        *("computation_before", "lateness", "metrics", "sources", "by_table"),
    },
    "each": {"neighbours"},
    "loop": {
        *("count", "over", "trips", "rank_trips", "iterations", "iteration"),
        *("growth", "slowest"),
    },
    "when": {"guard"},
    "sometimes": {"pattern", "fraction"},
    "use": {"block"},
    "block": set(),
    "function": {"names"},
}
"""The documented keys of each kind of line, besides those of all."""


def test_json_holds_the_documented_keys(known: MeasuredLines) -> None:
    record = json.loads(json.dumps(program_record(known)))
    assert record["schema"] == 2
    for number, line in enumerate(record["lines"], 1):
        common = {"line", "parent", "depth", "kind", "text", "share"}
        assert set(line) == common | KEYS[line["kind"]]
        assert line["line"] == number
        assert line["parent"] is None or line["parent"] < number
    for guard in record["guards"]:
        assert guard["ranks"] == sorted(set(guard["ranks"]))


def with_lines(trace: Trace) -> MeasuredLines:
    """Let each send be called in line 7, each Waitall in line 9; of others nothing."""
    regions, calls = trace.regions, trace.calls
    line = np.full(len(regions.operations), -1)
    line[regions.operations.index("Isend")] = 7
    line[regions.operations.index("Waitall")] = 9
    number = line[regions.operation[calls.region]]
    told = number >= 0
    before = np.concatenate(([0], np.cumsum(told)))
    values = np.zeros((int(told.sum()), 4), np.int64)
    values[:, 1:] = np.column_stack(
        (np.full(len(values), 20), number[told], [12] * len(values))
    )
    sources = SourceLines(("a.c:1", "s.c:7", "<s>.c:9"), np.array([1, 7, 9]))
    records = EventRecords(
        "Attribute",
        ("attribute", "type", "value", "record"),
        before[calls.offsets],
        calls.enter[told],
        values,
    )
    *_, found = analyse(replace(trace, further=(records,), sources=sources))
    assert found.measured is not None
    return found.measured


def test_all_forms_tell_the_lines_that_calls_were_made_from() -> None:
    known = with_lines(traces.simulated("grid", (3, 2)))
    expected = {"Isend": ["s.c:7"], "Waitall": ["<s>.c:9"]}
    rows = timed_listing(known).splitlines()[1:]
    for number, own in enumerate(program_record(known)["lines"]):
        if own["kind"] == "call":
            places = expected.get(own["operation"], [])
            assert own["sources"] == places
            ending = f"  at {places[0]}" if places else known.lines[number].text
            assert rows[number].endswith(ending)
            summary = line_summary(known, number)
            assert ("called in" in summary) == bool(places)
            sent = f"{8 * int(summary.split()[0])} KiB sent"  # 8 KiB by each call
            assert (sent in summary) == (own["operation"] == "Isend")
    text = page(known)
    assert '<th class="words">called in</th>' in text
    assert "&lt;s&gt;.c:9" in text
    assert "<s>" not in text


def test_many_source_lines_are_counted() -> None:
    assert places_text([]) == ""
    assert places_text(["a.c:1", "b.c:2"]) == "a.c:1, b.c:2"
    assert places_text(list("abcde")) == "a, b, c and 2 more"


def test_the_slowest_call_and_iteration_are_told(known: MeasuredLines) -> None:
    calls = known.trace.calls
    spent = calls.leave - calls.enter
    rank_of = np.repeat(np.arange(known.trace.ranks), np.diff(calls.offsets))
    for number, line in enumerate(known.lines):
        where = dict(zip(COLUMNS, cells(known, number), strict=False))["where"]
        if line.kind == "call":
            own = np.flatnonzero(known.logical.statement_of_call == line.first)
            rank = slowest_rank(known, line.first)
            assert rank in rank_of[own[spent[own] == spent[own].max()]]
            assert where == f"rank {rank}"
        elif line.kind == "loop":
            loops, k = known.loops, known.loop_of[number]
            begin = f"rank {loops.slowest_rank[k]}, {loops.slowest[k]}"
            assert where.startswith(begin)
        else:
            assert not where


def test_loops_are_followed_for_all_ranks(known: MeasuredLines) -> None:
    loops = known.loops
    assert loops.ranks == known.trace.ranks
    for number, k in known.loop_of.items():
        line = known.lines[number]
        assert line.statement is not None
        assert loops.iterations[k] > 0
        assert loops.most[k] >= loops.mean[k] > 0
        assert loops.end[k] - loops.begin[k] == loops.most[k]
        row = int(loops.slowest_rank[k])
        calls = known.trace.calls
        own = slice(calls.offsets[row], calls.offsets[row + 1])
        assert loops.end[k] in calls.leave[own]


def test_shares_of_the_top_lines_are_all_time_in_calls(known: MeasuredLines) -> None:
    top = [
        known.shares[n]
        for n, line in enumerate(known.lines)
        if line.parent < 0 and line.kind != "block"
    ]
    assert sum(top) == pytest.approx(known.statements.share().sum())


def test_a_filter_is_read_from_what_is_typed() -> None:
    assert parse_line_filter("") == LineFilter()
    assert not parse_line_filter("  ")
    assert parse_line_filter("Isend EAST") == LineFilter(words=("isend", "east"))
    assert parse_line_filter("> 2,5 %") == LineFilter(share=0.025)
    assert parse_line_filter("wait rank 0-2, 5") == LineFilter(
        ("wait",), ranks=(0, 1, 2, 5)
    )
    assert parse_line_filter('"x even" >1') == LineFilter(("x even",), share=0.01)
    with pytest.raises(TopoviewError):
        parse_ranks("a-b")


def test_filters_show_lines_and_those_above(known: MeasuredLines) -> None:
    def kept(wanted: LineFilter) -> list[int]:
        passes = shown_lines(
            known.lines, wanted, known.trace, known.logical, known.shares
        )
        return np.flatnonzero(passes).tolist()

    assert kept(LineFilter()) == list(range(len(known.lines)))
    for number in kept(LineFilter(words=("east",))):
        line = known.lines[number]
        below = known.lines[number : line.end]
        assert any("EAST" in some.text or "east" in some.text for some in below)
        assert line.parent < 0 or line.parent in kept(LineFilter(words=("east",)))
    corner = kept(LineFilter(ranks=(0,)))
    texts = [known.lines[n].text for n in corner]
    assert len(texts) < len(known.lines)
    loops = [n for n in kept(LineFilter(loops=1.1)) if known.lines[n].kind == "loop"]
    assert not loops


def test_listing_with_times_has_a_row_a_line(known: MeasuredLines) -> None:
    rows = timed_listing(known).splitlines()
    assert len(rows) == len(known.lines) + 1
    for row, line in zip(rows[1:], known.lines, strict=True):
        assert row.endswith(line.text)
    assert any("compute" in row for row in timed_listing(known, burst=1e-9).split("\n"))


def test_svg_and_html_are_well_formed(known: MeasuredLines) -> None:
    root = ElementTree.fromstring(svg(known))
    texts = root.findall("{http://www.w3.org/2000/svg}text")
    assert len(texts) >= len(known.lines)
    seen: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            del attrs
            seen.append(tag)

    Reader().feed(page(known))
    assert seen.count("tr") == len(known.lines) + 1
    assert "link" not in seen


def test_the_page_escapes_names(known: MeasuredLines) -> None:
    trace = replace(known.trace, name="<b>&\"'")
    assert "<h1>Logical trace of &lt;b&gt;&amp;&#34;&#39;</h1>" in page(
        replace(known, trace=trace)
    )


def test_a_comparison_is_a_page(known: MeasuredLines) -> None:
    other = traces.analysed(traces.simulated("grid", (4, 3), iterations=7))
    assert other.logical is not None
    found = compare(known.logical, other.logical)
    text = side_by_side(found, ("<one>", "other"))
    assert not found.equal
    assert "Logical traces of &lt;one&gt; and other" in text
    rows = shorten(found.changes)
    assert text.count("<tr class=") == len(rows)
    for change in rows:
        if isinstance(change, Change):
            for side in (change.text_a, change.text_b):
                assert f'<td class="words">{side}</td>' in text
    same = side_by_side(compare(known.logical, known.logical), ("a", "a"))
    assert "The logical traces are the same" in same


@pytest.mark.parametrize("kind", ["loop", "when", "sometimes", "block", "function"])
def test_no_frame_is_filled_with_black(kind: str) -> None:
    """Viewers fill what has no style; some know no colours with an alpha."""
    style = STYLE.partition(f".{kind}{{")[2].partition("}")[0]
    assert re.match(r"fill:(none|#[0-9a-f]{6});", style)


def test_graphviz_has_a_node_a_call(known: MeasuredLines) -> None:
    text = graphviz(known)
    calls = sum(line.kind in ("call", "use") for line in known.lines)
    assert text.count("[label=") == calls
    assert text.count("{") == text.count("}")
