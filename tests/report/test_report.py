"""Reports: findings that are known, one file, hostile names, pages."""

import base64
import hashlib
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
from PySide6.QtGui import QImage
from traces import Delay, real_path, simulated

from topoview.live.moments.moment import moment
from topoview.model import Analysis, SystemNode, Trace
from topoview.pipeline import analyse
from topoview.report.document.blocks import Document, Picture
from topoview.report.document.facts import Facts
from topoview.report.document.page import page, printed_page
from topoview.report.document.sections import document
from topoview.scene.palette import THEMES
from topoview.session import Bookmark, Note
from topoview.ui.export.report import pictures
from topoview.ui.export.report.pdf import page_image, save_pdf
from topoview.ui.export.report.pictures import scene_model, state_of_report
from topoview.ui.export.report.save import make_document
from topoview.ui.panels.scene.content import prepare_scene

pytestmark = pytest.mark.usefixtures("qapp")  # pictures and words are drawn by Qt

HOSTILE = (
    '<script>alert(1)</script><img src=x onerror="a">"\'&amp;{{ 7*7 }}'
    "\x1b[31m\n\u202eevil\u2069../../etc/passwd javascript:a() \u05e9\u05dc\u05d5\u05dd"
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


def known_of(trace: Trace) -> Analysis:
    *_, known = analyse(trace)
    return known


@pytest.fixture(scope="module")
def made() -> Document:
    known = known_of(wave())
    kept = Bookmark("before the wave", known.trace.clock.length // 3, (0, 1000))
    return make_document(known, (kept,), (Note(3, 1000, "look here"),))


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
    plain = known_of(wave())
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


def test_a_page_of_pdf_is_numbered(made: Document, tmp_path: Path) -> None:
    pages = save_pdf(made, tmp_path / "f.pdf")
    data = (tmp_path / "f.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b(?!s)", data)) == pages
    assert 3 <= pages <= 9
    first, beyond = (page_image(made, number, 200) for number in (0, pages + 3))
    assert colours(first) > colours(beyond)


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
    file = tmp_path / f"f{suffix}"
    trace = real_path("sp-jacobi2d-8x4-periodic-idlewave")
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    done = subprocess.run(
        [sys.executable, "-m", "topoview", "report", trace, "-o", file, "--json"],
        env={key: value for key, value in os.environ.items() if key not in hidden},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert "Rank 5 was late" in told["findings"][0]["text"]
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
    known = known_of(wave())
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
    known = known_of(wave())
    state = state_of_report(known)
    model = scene_model(state, prepare_scene(state))
    assert model is not None
    now = moment(known.trace, state.time).state
    table = THEMES["light"].state_table
    assert model.colours.tolist() == table[now].tolist()
    assert len(set(now.tolist())) > 1


def test_too_many_ranks_are_a_picture_only(monkeypatch: pytest.MonkeyPatch) -> None:
    state = state_of_report(known_of(wave()))
    content = prepare_scene(state)
    monkeypatch.setattr(pictures, "MAX_MODEL_RANKS", 11)
    assert scene_model(state, content) is None
    monkeypatch.setattr(pictures, "MAX_MODEL_RANKS", 12)
    assert scene_model(state, content) is not None
