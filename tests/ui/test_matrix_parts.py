"""The matrix of communicators, cuts, waits and collective operations in the window."""

import numpy as np
import pytest
from PySide6.QtWidgets import QCheckBox, QLabel
from pytestqt.qtbot import QtBot

from topoview.base.text import size_text
from topoview.live.tables.pairs import counted_matrix
from topoview.ui.actions.appearance import choose_theme
from topoview.ui.panels.matrix.content import MatrixPicture
from topoview.ui.panels.matrix.panel import MatrixPanel
from topoview.ui.panels.matrix.view import cell_words
from topoview.ui.panels.options import MatrixOptions, MatrixPart
from topoview.ui.shell.window import MainWindow


def test_the_matrix_shows_what_is_chosen(loaded: MainWindow, qtbot: QtBot) -> None:
    assert loaded.workspace is not None
    loaded.workspace.open_panel("matrix", shown=True)
    panel: MatrixPanel = loaded.workspace.panel("matrix")
    session, view = loaded.session, panel.view
    known = session.state.analysis
    assert known is not None

    def picture() -> MatrixPicture:
        qtbot.waitUntil(
            lambda: (
                panel.settled
                and view.picture is not None
                and view.picture.request == panel.requested
            ),
            timeout=20_000,
        )
        assert view.picture is not None
        return view.picture

    plain = picture().matrix
    session.change(MatrixOptions, amount="mean")
    shown = picture()
    calls, volume = plain.calls.toarray(), plain.volume.toarray()
    expected = np.where(calls > 0, volume / np.maximum(calls, 1), -1)
    np.testing.assert_allclose(shown.cells.values, expected)
    session.change(MatrixOptions, amount="bytes/s")
    seconds = known.trace.clock.seconds(known.trace.clock.length)
    assert any(
        label.text() == f"{size_text(volume.sum() / seconds)}/s over the run"
        for label in loaded.workspace.findChildren(QLabel)
    )
    expected = np.where(calls > 0, volume / seconds, -1)
    np.testing.assert_allclose(picture().cells.values, expected)
    session.change(MatrixOptions, amount="wait")
    shown = picture()
    waits = counted_matrix(known, waits=True).waits
    assert waits is not None
    np.testing.assert_allclose(np.maximum(shown.cells.values, 0), waits.toarray())
    row, column = np.unravel_index(waits.toarray().argmax(), waits.shape)
    words = cell_words(shown, (column, column + 1), (row, row + 1))
    assert "waited" in words
    session.change(MatrixPart, collectives=True)
    both = counted_matrix(known, waits=True, collectives=True).waits
    assert both is not None
    np.testing.assert_allclose(np.maximum(picture().cells.values, 0), both.toarray())
    session.change(MatrixOptions, amount="calls")
    session.change(MatrixPart, collectives=False, level=0)
    shown = picture()
    assert shown.cut == f"all {plain.calls.nnz // 2} pairs"
    assert ((shown.cells.values > 0) == (calls > 0)).all()
    session.change(MatrixPart, level=None, phase=0)
    picture()  # a phase that is not there changes nothing
    remark = loaded.workspace._docks["matrix"].titleBarWidget().remark
    counted = f"{int(calls.sum())} messages"
    assert remark.text() == f"part of {counted}"
    session.change(MatrixPart, phase=None)
    assert remark.text() == f"{counted} in all"
    table = panel.listing()
    assert table is not None
    assert table.names == (
        *("sender", "receiver", "calls"),
        *("bytes", "mean_bytes", "calls_per_second", "bytes_per_second"),
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_empty_check_box_can_be_seen(
    window: MainWindow, qtbot: QtBot, theme: str
) -> None:
    choose_theme(theme, window.context)
    box = QCheckBox()
    qtbot.addWidget(box)
    box.resize(30, 30)
    picture = box.grab().toImage()
    tones = {picture.pixelColor(x, 15).lightness() for x in range(20)}
    assert max(tones) - min(tones) > 30  # of 255
