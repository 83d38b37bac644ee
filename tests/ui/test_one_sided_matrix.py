"""One-sided transfers in the window: a choice of the matrix, or all there is."""

from collections.abc import Callable
from pathlib import Path

import pytest
import traces
from one_sided import with_puts
from pytestqt.qtbot import QtBot

from topoview.pipeline import analyse
from topoview.topology import communication_matrix
from topoview.ui.panels.matrix.panel import MatrixPanel
from topoview.ui.panels.matrix.view import cell_words
from topoview.ui.panels.options import MatrixOptions
from topoview.ui.shell.window import MainWindow

PATIENCE = 60_000
Load = Callable[[Path], MainWindow]


@pytest.mark.parametrize("messages", [True, False])
def test_the_matrix_offers_what_there_is(
    load: Load,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    messages: bool,
) -> None:
    sent = traces.simulated("torus", (4, 3), numbering=1)
    trace = with_puts(sent, messages=messages)
    monkeypatch.setattr("topoview.worker.analyse_in_process", lambda *_: analyse(trace))
    window = load(tmp_path / "puts.otf2")
    assert window.workspace is not None
    window.workspace.open_panel("matrix", shown=True)
    panel: MatrixPanel = window.workspace.panel("matrix")
    qtbot.waitUntil(lambda: panel.amounts.count() > 0, timeout=PATIENCE)
    offered = [panel.amounts.itemData(k) for k in range(panel.amounts.count())]
    more = ["wait", "moved"] if messages else []
    assert offered == ["calls", "bytes", "calls/s", "bytes/s", "mean", *more]
    window.session.change(MatrixOptions, amount="moved" if messages else "bytes")

    def shown() -> bool:
        picture = panel.view.picture
        return picture is not None and picture.matrix.one_sided and panel.settled

    qtbot.waitUntil(shown, timeout=PATIENCE)
    picture = panel.view.picture
    assert picture is not None
    expected = communication_matrix(sent)
    assert (picture.matrix.volume != expected.volume).nnz == 0
    sender, receiver = (int(end[0]) for end in expected.calls.nonzero())
    words = cell_words(picture, (receiver, receiver + 1), (sender, sender + 1))
    assert f"{expected.calls[sender, receiver]} one-sided transfers" in words
    window.session.update(scope="selected")
    window.session.select(ranks=(sender,))
    own = expected.volume[[sender]].sum() + expected.volume[:, [sender]].sum()
    qtbot.waitUntil(
        lambda: panel.view.picture.matrix.volume.sum() == own, timeout=PATIENCE
    )
    scene = window.workspace.scene
    qtbot.waitUntil(lambda: scene.content is not None, timeout=PATIENCE)
    if not messages:
        window.session.choose(operation="Isend")
        qtbot.waitUntil(lambda: not scene._links.busy, timeout=PATIENCE)
        assert scene._links._edges is not None
        assert len(scene._links._edges) == expected.calls.nnz // 2
