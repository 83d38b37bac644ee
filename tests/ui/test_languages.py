"""All that the window says can be translated; German is."""

import json
import os
import re
import string
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
import traces
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QDoubleSpinBox, QWidget
from pytestqt.qtbot import QtBot

from topoview.analysis.message_index import message_index
from topoview.base import text
from topoview.base.resources import languages, resource
from topoview.base.text import in_sentence, plural, plural_noun, tr
from topoview.pipeline import first_look
from topoview.session import Selection, Session
from topoview.ui import language
from topoview.ui.actions.table import MENUS
from topoview.ui.panels.scene.overlay.message_card import MessageCard, flow_page
from topoview.ui.settings import MemoryStore, Settings
from topoview.ui.widgets.formats import crossed_text, name_text

TREE = Path(__file__).resolve().parents[2]

ENGLISH = re.compile(
    r"\b(the|and|with|ranks?|show|open|select|messages?|calls?|edges?|what|time|is|are"
    r"|not|from|to|by|run|file|colou?r|next|previous|copy|save|waits?|mean|share)\b"
)
"""Words that tell English from German."""

AS_TYPED = re.compile(
    r"„.*?“|“.*?”|(?<=\n)topoview .*|Waitall > .*|rank 0-3|rank 0-7 .*"
    r"|to 5 > .*|10 ms/s.*|.* der Machine.*|simulation does not describe .*|.*\bcalls/s"
)
"""What stands in no language: statements, queries, commands, what a worker wrote."""


@pytest.fixture(scope="module")
def catalogues() -> ModuleType:
    """Load the script that writes catalogues."""
    spec = spec_from_file_location("translations", TREE / "scripts" / "translations.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def german() -> Iterator[None]:
    """Speak German for a test, in texts made by it."""
    language.speak_language("de")
    yield
    text.speak(None)
    language._CATALOGUE.load("")


@pytest.fixture(params=[name for name in languages() if name != "en"])
def catalogue(request: pytest.FixtureRequest) -> Path:
    """Give each catalogue."""
    return resource("translations", f"topoview_{request.param}.ts")


def test_catalogues_hold_the_texts_of_the_source(
    catalogue: Path, catalogues: ModuleType
) -> None:
    known = catalogues.read_catalogue(catalogue)
    written = catalogues.catalogue_text(catalogue.stem.partition("_")[2], known)
    assert written == catalogue.read_text("utf-8"), "run scripts/translations.py"


def test_every_text_is_translated_with_the_same_values(
    catalogue: Path, catalogues: ModuleType
) -> None:
    def values(form: str) -> Counter[tuple[str | None, ...]]:
        return Counter(part[1:] for part in string.Formatter().parse(form) if part[1])

    for source, forms in catalogues.read_catalogue(catalogue).items():
        for form in forms:
            assert form, source
            if source.startswith("%n "):
                assert form.startswith("%n "), source
            elif "{" in source:
                assert values(form) == values(source), source
            assert re.findall(r"</?\w+", form) == re.findall(r"</?\w+", source)


def test_catalogues_are_compiled(
    catalogue: Path, catalogues: ModuleType, tmp_path: Path
) -> None:
    compiled = tmp_path / "compiled.qm"
    catalogues.compile_catalogue(catalogue, compiled)
    assert compiled.read_bytes() == catalogue.with_suffix(".qm").read_bytes()


@pytest.mark.usefixtures("german")
def test_texts_are_said_in_german() -> None:
    assert tr("rank {rank}, {name}", rank=3, name="x{y}") == "Rang 3, x{y}"
    assert [plural(n, "rank") for n in (0, 1, 12)] == ["0 Ränge", "1 Rang", "12 Ränge"]
    assert plural_noun("message") == "Nachrichten"
    assert in_sentence(tr("Load balance")) == "Lastverteilung"
    assert tr("no such text {x}", x=1) == "no such text 1"


@pytest.mark.usefixtures("german")
def test_links_of_messages_lead_on_in_german(qtbot: QtBot) -> None:
    trace = traces.simulated("grid", (3, 2))
    index = message_index(trace.messages)
    session, scene = Session(), QWidget()
    qtbot.addWidget(scene)
    session.update(analysis=replace(first_look(trace), message_index=index))
    card = MessageCard(session, scene, scene)
    assert session.state.analysis is not None
    flow = int(trace.messages.sender[0]), int(trace.messages.receiver[0])
    links = flow_page(session.state.analysis, session.state, flow).links[:4]
    names = [link.text for link in links]
    assert names == ["Sender", "Empfänger", "Sendeaufruf", "Empfangsaufruf"]
    card._follow(session.state, replace(session.state, selection=Selection(flow=flow)))
    for number, rank in zip(range(4), 2 * flow, strict=True):
        card.follow_link(str(number))
        assert session.state.selection.ranks == (rank,)


NAMES_OF_SESSIONS = """
import sys
from topoview.ui.language import speak_language
speak_language(sys.argv[1])
from topoview.report.run_comparison import BY
from dataclasses import fields
from typing import get_type_hints
from topoview import session
from topoview.model.frozen.options import words_of
from topoview.ui.session_file import PANEL_OPTIONS
for kind in (session.State, session.SceneOptions, *PANEL_OPTIONS.values()):
    hints = get_type_hints(kind, include_extras=True)
    print([(n, sorted(words_of(hint) or ())) for n, hint in hints.items()])
print(BY)
"""


def test_names_that_are_kept_are_the_same_in_all_languages() -> None:
    told = [
        subprocess.run(
            [sys.executable, "-c", NAMES_OF_SESSIONS, name],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in languages()
    ]
    assert len(told) > 1
    assert len(set(told)) == 1


def test_texts_are_said_in_english_where_no_language_is_set() -> None:
    assert tr("rank {rank}, {name}", rank=3, name="x") == "rank 3, x"
    assert (plural(1, "rank"), plural(2, "rank")) == ("1 rank", "2 ranks")
    assert in_sentence("Load balance") == "load balance"


@pytest.mark.parametrize(
    ("asked", "spoken"),
    [
        (["de-DE", "en-US"], "de"),
        (["fr", "de"], "de"),
        (["en", "de"], "en"),
        ([], "en"),
    ],
)
def test_system_means_the_first_language_that_there_is(
    asked: list[str], spoken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QLocale, "uiLanguages", lambda _: asked)
    assert language._language_of_system() == spoken


def test_a_language_is_remembered() -> None:
    settings = Settings(MemoryStore())
    assert settings.language == "system"
    settings.language = "de"
    assert settings.language == "de"
    settings.language = "tlh"
    assert settings.language == "system"


def test_numbers_are_written_as_commands_write_them(qtbot: QtBot) -> None:
    box = QDoubleSpinBox()
    qtbot.addWidget(box)
    box.setValue(8.5)
    assert box.text() == "8.50"


@pytest.mark.slow  # a program of its own opens all panels and three dialogs
def test_the_window_speaks_german(tmp_path: Path, catalogues: ModuleType) -> None:
    program = Path(__file__).with_name("german_window.py")
    paths = os.pathsep.join([str(TREE / "tests"), *sys.path])
    told = subprocess.run(
        [sys.executable, program, tmp_path],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(told.stdout)
    said = {said.replace("&", "") for _, said in found["said"]}
    assert {"Datei", "Warten auf verspätete Partner, % des Fensters"} <= said
    known = catalogues.read_catalogue(resource("translations", "topoview_de.ts"))
    german = {form for forms in known.values() for form in forms}
    english = known.keys() - german
    assert not said & english
    assert [t for t in sorted(said) if ENGLISH.search(AS_TYPED.sub("", t))] == []
    assert found["cut"] == []
    assert found["menus"] == len(MENUS)  # no two have one name


NAMES_OF_TOPOLOGIES = """
import sys
from topoview.ui.language import speak_language
speak_language(sys.argv[1])
from topoview.ui.widgets.formats import name_text
for name in sys.argv[2:]:
    print(name_text(name))
"""


def test_topologies_have_german_names() -> None:
    names = {
        "2D torus 6x6": "2D-Torus 6×6",
        "2D grid 8x4, periodic in x": "2D-Gitter 8×4, periodisch in x",
        "3D grid 3x3x4, 27-point stencil": "3D-Gitter 3×3×4, 27-Punkt-Stencil",
        "4 x ring 6": "4 × Ring 6",
        "rows and columns 6x4": "Zeilen und Spalten 6×4",
        "binomial tree 32": "Binomialbaum 32",
        "Handstand 7": "Handstand 7",
    }
    told = subprocess.run(
        [sys.executable, "-c", NAMES_OF_TOPOLOGIES, "de", *names],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    ).stdout.splitlines()
    assert told == list(names.values())
    assert [*map(name_text, names)] == [*map(crossed_text, names)]  # English here
