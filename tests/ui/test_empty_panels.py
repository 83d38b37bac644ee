"""What panels say about an analysis that goes on, or does not any more."""

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from simulation import silent_program, simulate
from traces import analysed, simulated, without_records

from topoview.model import Analysis
from topoview.session import Opening, SceneOptions, Session, State
from topoview.topology.layout.natural import spectral_places
from topoview.ui.panels.empty import why_no_logical, why_no_topology
from topoview.ui.panels.matrix.panel import MatrixPanel
from topoview.ui.panels.profile.panel import ProfilePanel
from topoview.ui.panels.profile.statistics import StatisticsPanel
from topoview.ui.panels.scene.content import prepare_scene
from topoview.ui.panels.scene.overlay.card_lines import footer_of
from topoview.ui.panels.scene.overlay.symbols import heading_of
from topoview.ui.panels.topology.rows import match_rows

PATIENCE = 300_000


def test_a_stopped_analysis_is_told_from_one_that_goes_on(torus: Analysis) -> None:
    begun = Analysis(torus.trace)
    for why in (why_no_topology, why_no_logical):
        assert why(begun, going_on=True)[0].endswith("…")
        assert "stopped" in why(begun, going_on=False)[1]
        assert why(torus, going_on=False) == ("", "")


def test_a_profile_that_is_being_made_says_so(session: Session, qtbot: QtBot) -> None:
    """So does that of another trace: no number of the one before stays."""
    panel = ProfilePanel(session)
    qtbot.addWidget(panel)
    panel.show()
    other = analysed(simulated("star", (5,)))
    for known in (session.state.analysis, other):
        session.update(analysis=known)
        assert panel._stack.currentWidget() is panel.empty
        assert panel.empty.title.text() == "Profiling…"
        assert not panel.model.rowCount()
        qtbot.waitUntil(lambda: panel.settled, timeout=PATIENCE)
        assert panel._stack.currentWidget() is panel.content
        assert panel.model.rowCount()


def test_statistics_that_are_being_made_say_so(session: Session, qtbot: QtBot) -> None:
    panel = StatisticsPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    assert panel._stack.currentWidget() is panel.empty
    assert panel.empty.title.text() == "Profiling…"
    qtbot.waitUntil(lambda: panel.result is not None, timeout=PATIENCE)
    assert panel._stack.currentWidget() is panel._page
    other = analysed(simulated("star", (5,)))
    session.update(analysis=other)
    assert panel.result is None
    assert panel._stack.currentWidget() is panel.empty
    qtbot.waitUntil(lambda: panel.result is not None, timeout=PATIENCE)


def test_a_matrix_that_is_being_made_says_so(
    session: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = MatrixPanel(session)
    qtbot.addWidget(panel)
    monkeypatch.setattr(panel._worker, "ask", lambda _: None)
    panel.show()
    image = panel.view.grab().toImage()
    wide, middle = image.width(), image.height() // 2
    lines = range(middle - 10, middle + 10)
    assert len({image.pixel(x, y) for x in range(wide) for y in lines}) > 1
    session.update(analysis=None)
    assert panel.empty.isVisible()


def test_places_that_a_worker_makes_are_waited_for() -> None:
    """The spectral layout is not found in the window; others do not wait."""
    known = analysed(simulated("random", (10,)))
    early = replace(known, spectral=None)
    going_on = State(analysis=early, opening=Opening("run.otf2", read=True))
    assert prepare_scene(going_on) is None
    on_circle = SceneOptions(layout="circle")
    assert prepare_scene(replace(going_on, scene=on_circle)) is not None
    content = prepare_scene(replace(going_on, analysis=known))
    assert content is not None
    assert content.layout.name == "spectral"
    stopped = prepare_scene(State(analysis=early))
    assert stopped is not None
    np.testing.assert_array_equal(stopped.layout.positions, content.layout.positions)


def test_no_worker_makes_places_of_what_has_a_shape_of_its_own() -> None:
    """They are found where somebody chooses that layout, also meanwhile."""
    block = analysed(simulated("grid", (3, 2, 2)))
    assert block.spectral is None
    chosen = SceneOptions(layout="spectral")
    going_on = State(analysis=block, opening=Opening("run.otf2", read=True))
    content = prepare_scene(replace(going_on, scene=chosen))
    assert content is not None
    assert content.layout.name == "spectral"
    assert block.matrix is not None
    assert spectral_places(block.matrix) is spectral_places(block.matrix)


@pytest.fixture(scope="module")
def unrecorded() -> Analysis:
    """Analyse a torus whose messages left no record."""
    return analysed(without_records(simulated("torus", (4, 3)), "Sendrecv"))


def titles(known: Analysis) -> tuple[str, str]:
    """Name what the scene's heading and a picture's footer do."""
    content = prepare_scene(State(analysis=known))
    assert content is not None
    return heading_of(content)[0], footer_of(State(analysis=known), content).facts[0]


def test_what_is_not_recorded_is_not_absent(unrecorded: Analysis) -> None:
    line = "partners not recorded: 240 calls of MPI_Sendrecv"
    assert titles(unrecorded) == (line, line)
    assert why_no_topology(unrecorded, going_on=False) == ("", "")
    answer, heading, declared, section, guess = match_rows(unrecorded)
    assert heading.section == "Declared"
    assert declared.remark.startswith("unrecorded: whether its pairs communicate")
    assert answer.name == "partners not recorded"
    assert "240 calls of MPI_Sendrecv" in answer.remark
    assert section.section == "Inferences"
    assert guess.name == "perhaps 2D torus 4\u00d73"
    assert guess.match == 1  # it can be drawn
    assert guess.remark.startswith("not recorded, only an inference")


def test_without_an_inference_the_page_tells(unrecorded: Analysis) -> None:
    assert unrecorded.identification is not None
    found = replace(unrecorded.identification, parts=())
    known = replace(unrecorded, identification=found)
    title, text = why_no_topology(known, going_on=False)
    assert title == "Partners not recorded"
    assert text.startswith("240 calls of MPI_Sendrecv left no record")


def test_collectives_are_named_where_nothing_else_is() -> None:
    known = analysed(simulate(silent_program(6, allreduce_every=1)))
    title, footer = titles(known)
    assert title == footer
    assert title.startswith("no point-to-point messages; Allreduce")
    assert title.endswith(" over all 6 ranks")
    text = why_no_topology(known, going_on=False)[1]
    assert "collective operations only: Allreduce" in text
