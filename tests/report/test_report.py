"""Reports: findings that are known, one file, hostile names, pages."""

import base64
import hashlib
import html
import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage, QPainter, QTextDocument
from PySide6.QtSvg import QSvgGenerator
from traces import Delay, analysed, analysis_of_real, real_path, simulated

from topoview.analysis.comparing.lines import align_listings
from topoview.analysis.comparing.runs import compare_runs
from topoview.errors import UsageError
from topoview.live.moments.moment import moment
from topoview.model import Analysis, MachineChoice, SystemNode, Trace
from topoview.report.blocks import Document, Picture, costliest
from topoview.report.document.facts import Facts, stands_for_run
from topoview.report.document.findings import findings
from topoview.report.document.page import page, printed_page
from topoview.report.document.sections import document
from topoview.report.network import machine_options
from topoview.report.write import document_page, page_markdown
from topoview.scene.flat.charts import place_map
from topoview.scene.flat.plain_report import (
    Further,
    loads_of,
    state_of_report,
    svg_size,
)
from topoview.scene.palette import THEMES
from topoview.session import Bookmark, Note
from topoview.ui.export.report import pictures
from topoview.ui.export.report.pdf import (
    ROOM,
    _laid_out,
    _paint_page,
    page_image,
    save_pdf,
)
from topoview.ui.export.report.pictures import scene_model
from topoview.ui.export.report.save import make_document
from topoview.ui.panels.scene.content import prepare_scene
from topoview.ui.widgets.theme import load_fonts

pytestmark = pytest.mark.usefixtures("qapp")  # pictures and words are drawn by Qt

HOSTILE = (
    '<script>alert(1)</script><img src=x onerror="a">"\'&amp;{{ 7*7 }}'
    "\x1b[31m\n\u202eevil\u2069../../etc/passwd javascript:a() \u05e9\u05dc\u05d5\u05dd"
    "[x](javascript:a()) ![](y.png) *b* _i_ ~~d~~ `c` \\|"
)
"""Markup, quotes, a template, control characters, turned text, paths, links."""


class Seen(HTMLParser):
    """Elements, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.attributes: Counter[str] = Counter()
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            self.attributes[f"{tag}.{name}"] += 1
            if name in ("src", "href"):
                self.addresses.append(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def wave() -> Trace:
    late = (Delay(5, 9, 30e-3),)
    return simulated("grid", (4, 3), iterations=20, allreduce_every=0, delays=late)


@pytest.fixture(scope="module")
def made() -> Document:
    known = analysed(wave())
    kept = Bookmark("before the wave", known.trace.clock.length // 3, (0, 1000))
    return make_document(known, Further((kept,), (Note(3, 1000, "look here"),)))


def test_the_known_delay_is_the_first_finding(made: Document) -> None:
    first = made.findings[0]
    assert "delay" in first.title
    assert "Rank 5" in first.text
    assert "iteration 10" in first.text
    assert first.command.startswith("topoview idle-waves")
    titles = " ".join(finding.title for finding in made.findings)
    assert "2D grid 4x3" in titles
    assert "Parallel efficiency" in titles


def test_each_finding_has_what_shows_it_and_a_command(made: Document) -> None:
    text = page(made)
    for finding in made.findings:
        assert finding.command in Seen(text).text
        assert any(f'id="{name}"' in text for name in finding.about), finding.title


def test_it_is_one_file_without_anything_remote(made: Document) -> None:
    text = page(made)
    seen = Seen(text)
    assert all(one.startswith(("data:image/", "#")) for one in seen.addresses)
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    assert seen.tags["script"] == 1  # ours, without an address: see below
    assert "url(" not in text
    assert {"look here", "before the wave"} <= set(
        re.findall("look here|before the wave", seen.text)
    )
    pictures = [one for one in seen.addresses if "svg+xml" in one]
    for one in pictures:
        svg = base64.b64decode(one.split(",", 1)[1]).decode()
        assert svg.startswith("<svg ")
        assert "<script" not in svg


def test_numbers_of_figures_are_in_order(made: Document) -> None:
    text = Seen(page(made)).text
    for kind in ("Figure", "Table"):
        after = text[text.index("iteration") :]
        numbers = [int(n) for n in re.findall(rf"{kind} (\d+)\s", after)]
        first = list(dict.fromkeys(numbers))
        assert set(first) == set(range(1, len(first) + 1))


def hostile(trace: Trace) -> Trace:
    """Give everything that has a name in a trace a hostile one."""
    regions = trace.regions
    locations = tuple(replace(one, name=HOSTILE) for one in trace.locations)
    names = tuple(HOSTILE + name for name in regions.operations)
    return replace(
        trace,
        name=HOSTILE,
        producer=HOSTILE,
        path=f"/tmp/{HOSTILE.replace('/', '_')}",
        warnings=(HOSTILE,),
        locations=locations,
        metrics=(HOSTILE,),
        nodes=(SystemNode(HOSTILE, "node"),),
        regions=replace(regions, operations=names),
    )


def test_hostile_names_change_nothing_but_their_own_text() -> None:
    plain = analysed(wave())
    trace = replace(
        plain.trace, warnings=("w",), metrics=("m",), nodes=(SystemNode("n", "node"),)
    )
    harmless = {"scene": Picture(b"png", (660, 450))}
    kept, notes = [("scene", "kept")], [("3", "1 s", "note")]
    told = document(Facts(replace(plain, trace=trace)), harmless, kept, notes)
    evil = document(
        Facts(replace(plain, trace=hostile(plain.trace))),
        harmless,
        [("scene", HOSTILE)],
        [("3", "1 s", HOSTILE)],
    )
    for write in (page, printed_page):
        one, other = Seen(write(told)), Seen(write(evil))
        assert one.tags == other.tags
        assert one.attributes == other.attributes
        assert one.addresses == other.addresses
        assert "<script>alert(1)</script>" in other.text
        assert "49" not in other.text.split("{{ ", 1)[1][:8]
        assert not re.search(
            "[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", other.text
        )
        assert "\\x1b[31m" in other.text
    one, other = (
        Seen(shown_as_markdown(page_markdown(document_page(made))))
        for made in (told, evil)
    )
    assert one.tags == other.tags
    assert one.addresses == other.addresses
    assert HOSTILE.partition("\x1b")[0] in other.text
    assert HOSTILE.partition("passwd ")[2].partition("\u05e9")[0] in other.text
    assert r"[x](javascript:a()) ![](y.png) *b* _i_ ~~d~~ `c` \|" in other.text


def shown_as_markdown(text: str) -> str:
    """Show Markdown as another program does; as HTML."""
    shown = QTextDocument()
    shown.setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
    return shown.toHtml()


def test_a_page_of_pdf_is_numbered(made: Document, tmp_path: Path) -> None:
    pages = save_pdf(made, tmp_path / "f.pdf")
    data = (tmp_path / "f.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b(?!s)", data)) == pages
    assert 3 <= pages <= 9
    first, beyond = (page_image(made, number, 200) for number in (0, pages + 3))
    assert colours(first) > colours(beyond)


@pytest.fixture(scope="module")
def changing() -> Document:
    """Report on a program with phases: five findings, a long listing, large figures."""
    return make_document(analysis_of_real("sp-twophase-6x6-user-metrics"))


def test_two_pages_are_for_who_has_a_minute(changing: Document) -> None:
    """Figures shrink until findings, listing and figures fit on these."""
    load_fonts()
    body = _laid_out(changing)
    block = body.begin()
    while block.text() != "The run":
        block = block.next()
    top = body.documentLayout().blockBoundingRect(block).top()
    assert top // ROOM.height() == 2


def test_nothing_is_said_twice(changing: Document) -> None:
    """No heading over nothing, as the second page has all of the listing."""
    titles = [b.text for b in changing.blocks if b.kind == "heading"]
    assert "Logical trace" not in titles
    assert "communicator communicator" not in page(changing)


def test_what_reading_found_is_said_once() -> None:
    """EZTrace's clocks are a row of the table, and a warning that begins like it.

    Its machine is a node named after the program, of a kind of that name.
    """
    known = analysis_of_real("ez-cg-8")
    report = make_document(known)
    text = Seen(page(report)).text
    assert text.count("The clocks of the ranks were not aligned") == 1
    (node,) = {node.name for node in known.trace.nodes}
    assert f"{node} {node}" not in text
    assert node in text


@pytest.mark.parametrize("dims", [(4, 8), (3, 20), (16, 2)])
def test_a_map_of_places_is_no_higher_than_asked(dims: tuple[int, int]) -> None:
    known = analysed(simulated("torus", dims))
    assert known.identification is not None
    match = known.identification.best
    svg = place_map(match, np.arange(float(np.prod(dims))), width=330, height=210)
    assert svg is not None
    wide, high = svg_size(svg)
    assert wide == 330
    assert high <= 212


def test_all_that_is_laid_out_is_painted(made: Document) -> None:
    """Qt left paragraphs out that it had moved to another page."""
    load_fonts()
    body = _laid_out(made)
    painted = "".join(painted_text(body, made, k) for k in range(body.pageCount()))
    block, broken = body.begin(), 0
    while block.isValid():
        words = re.sub(r"\s|\ufffc", "", block.text())
        assert words in painted
        broken += block.blockFormat().pageBreakPolicy().value
        block = block.next()
    assert broken > 2  # more breaks than the page asks for


def painted_text(body: QTextDocument, made: Document, number: int) -> str:
    """Paint a page, and give its letters."""
    data = QBuffer()
    data.open(QIODevice.OpenModeFlag.WriteOnly)
    device = QSvgGenerator()
    device.setOutputDevice(data)
    with QPainter(device) as painter:
        _paint_page(painter, body, made, number, 794)
    svg = bytes(data.data().data()).decode()
    words = html.unescape("".join(re.findall(r"<text[^>]*>([^<]*)<", svg)))
    return re.sub(r"\s", "", words)


def test_what_goes_over_links_is_told_where_nodes_are_known() -> None:
    known = analysed(wave())
    assert loads_of(known, MachineChoice()) is None
    machine = MachineChoice(kind="torus", dims="4x3")
    loads = loads_of(known, machine)
    made = document(Facts(known, loads=loads, machine=machine_options(machine)), {})
    assert "topoview network TRACE --torus 4x3" in re.sub(
        r"network \S+", "network TRACE", Seen(page(made)).text
    )
    (told,) = (one for one in made.findings if one.about == ("network",))
    assert "100 % of the bytes" in told.title  # a rank on each node
    with pytest.raises(UsageError):
        loads_of(known, MachineChoice(dims="x", kind="torus"))


def test_another_run_is_told_with_the_known_cause() -> None:
    late = analysed(wave())
    plain = analysed(simulated("grid", (4, 3), iterations=20, allreduce_every=0))
    runs = [Facts(one).run for one in (plain, late)]
    assert runs[0] is not None
    assert runs[1] is not None
    aligned = align_listings(runs[0].logical, runs[1].logical)
    compared = compare_runs(runs[0], runs[1], aligned, ("plain", HOSTILE))
    made = document(Facts(plain, compared=compared, other="b.otf2"), {})
    first, text = made.findings[0], Seen(page(made)).text
    assert first.title.startswith("B is")
    assert "x 1, y 1, iteration 10" in first.text
    assert "<script>alert(1)</script>" in first.text
    assert re.search(r"topoview compare \S+ b.otf2 --by iteration", text)


@pytest.mark.parametrize(("share", "place"), [(0.09, 2), (0.11, 0)])
def test_a_delay_is_first_where_it_causes_much(share: float, place: int) -> None:
    known = analysed(wave())
    assert known.delays is not None
    waiting = int(known.delays.caused[0] / share)
    rare = replace(known, delays=replace(known.delays, waiting=waiting))
    told = [finding.title for finding in findings(Facts(rare, delay=0))]
    assert told[place].startswith("One delay causes")


@pytest.mark.parametrize(("share", "stands"), [(0.09, False), (0.11, True)])
def test_a_short_loop_does_not_stand_for_the_run(share: float, stands: bool) -> None:
    run = Facts(analysed(wave())).run
    assert run is not None
    calls = run.trace.calls
    spoken = run.logical.statement_of_call >= 0
    first, last = int(calls.enter[spoken].min()), int(calls.leave[spoken].max())
    cut = replace(run, window=(first, first + int(share * (last - first))))
    assert stands_for_run(cut) is stands


@pytest.mark.parametrize("rows", [0, 1, 12, 13, 40])
def test_costliest_lines_come_with_what_they_are_in(rows: int) -> None:
    random = np.random.default_rng(rows)
    costs = random.integers(0, 10, rows).astype(float).tolist()
    depths = random.integers(0, 3, rows).tolist()
    if rows:
        depths[0] = 0
    chosen = costliest(costs, depths, 12)
    assert chosen == sorted(set(chosen))
    assert len(chosen) <= 12
    for row in chosen:
        outer = [k for k in range(row) if depths[k] < depths[row]]
        assert not outer or outer[-1] in chosen
    assert (len(chosen) == rows) == (rows <= 12)
    assert rows == 0 or int(np.argmax(costs)) in chosen


def colours(image: QImage) -> int:
    """Count the colours of a picture."""
    every = {
        image.pixel(x, y) for x in range(image.width()) for y in range(image.height())
    }
    return len(every)


def test_a_run_of_which_little_is_known() -> None:
    trace = simulated("grid", (2, 2), iterations=1)
    known = Analysis(trace)
    text = page(document(Facts(known), {}))
    assert "Program, machine, trace." in Seen(text).text


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".html", ".pdf"])
def test_the_command_without_a_display(tmp_path: Path, suffix: str) -> None:
    more: list[str | Path] = []
    if suffix == ".html":
        other = real_path("sp-jacobi2d-6x6-idlewave")
        more = ["--torus", "4x8", "--compare", other]
    file = tmp_path / f"f{suffix}"
    trace = real_path("sp-jacobi2d-8x4-periodic-idlewave")
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "topoview",
            "report",
            trace,
            "-o",
            file,
            "--json",
            *more,
        ],
        env={key: value for key, value in os.environ.items() if key not in hidden},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    titles = [finding["title"] for finding in told["findings"]]
    late = next(one for one in told["findings"] if "Rank 5 was late" in one["text"])
    assert titles.index(late["title"]) == bool(more)
    assumed = "100 % of the bytes go from node to node of a machine that is assumed."
    assert (assumed in titles) == bool(more)
    assert titles[0].startswith("B is") == bool(more)
    assert 100_000 < file.stat().st_size < 5 << 20


def test_the_ranks_can_be_turned_by_our_own_script_alone(made: Document) -> None:
    text = page(made)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)"', text)
    assert f"script-src &#39;sha256-{digest}&#39;" in policy.replace("'", "&#39;")
    assert "unsafe-inline" not in policy.split("script-src")[1]
    (canvas,) = re.findall(r"<canvas (.*?)>", text)
    told = dict(re.findall(r'data-(\w+)="(.*?)"', canvas))
    assert all(re.fullmatch(r"[\w+/=. -]*", value) for value in told.values())
    places = np.frombuffer(base64.b64decode(told["positions"]), "<f4").reshape(-1, 3)
    pairs = np.frombuffer(base64.b64decode(told["edges"]), "<u4").reshape(-1, 2)
    known = analysed(wave())
    assert known.identification is not None
    best = known.identification.best
    assert len(places) == 12
    assert np.linalg.norm(places, axis=1).max() <= 1
    assert {tuple(pair) for pair in pairs.tolist()} == {
        tuple(pair) for pair in best.rank_edges.tolist()
    }
    # neighbours in the grid are neighbours in space
    far = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    assert far.max() < 2 * far.min()


def test_colours_of_the_model_are_states_at_the_time_of_the_picture() -> None:
    known = analysed(wave())
    state = state_of_report(known)
    model = scene_model(state, prepare_scene(state))
    assert model is not None
    now = moment(known.trace, state.time).state
    table = THEMES["light"].state_table
    assert model.colours.tolist() == table[now].tolist()
    assert len(set(now.tolist())) > 1


def test_too_many_ranks_are_a_picture_only(monkeypatch: pytest.MonkeyPatch) -> None:
    state = state_of_report(analysed(wave()))
    content = prepare_scene(state)
    monkeypatch.setattr(pictures, "MAX_MODEL_RANKS", 11)
    assert scene_model(state, content) is None
    monkeypatch.setattr(pictures, "MAX_MODEL_RANKS", 12)
    assert scene_model(state, content) is not None
