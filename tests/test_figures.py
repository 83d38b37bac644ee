"""Figures on axes of matplotlib, and pictures that need no window to be saved."""

from pathlib import Path

import numpy as np
import pytest

import topoview
from topoview.errors import UsageError
from topoview.model import TimeState, Trace
from topoview.scene.flat.figures import FIGURES, THEME
from topoview.ui.panels.scene.plotter import make_view
from topoview.worker.results import shown_of

pytestmark = pytest.mark.usefixtures("one_store")


@pytest.fixture(autouse=True)
def closed() -> object:
    from matplotlib import pyplot  # loads for long, if tests of this file run

    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def demo() -> Trace:
    return topoview.demo("transpose")


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_drawn_where_they_are_wanted(name: str, demo: Trace) -> None:
    from matplotlib import pyplot

    axes = pyplot.subplots()[1]
    assert topoview.figure(demo, name, axes) is axes
    assert axes.get_xlabel()
    assert axes.has_data()


def test_the_timeline_shows_the_states_at_their_times(demo: Trace) -> None:
    axes = topoview.figure(demo, "timeline", window=(2.0, 2.1), ranks="3-8")
    (image,) = axes.images
    begin, end, below, above = image.get_extent()
    assert (begin, end, below, above) == pytest.approx((2.0, 2.1, 8.5, 2.5))
    pixels = image.get_array()
    width = pixels.shape[1]
    timeline = shown_of(demo, wanted=["account"]).trace.timeline
    for column in range(0, width, 97):
        ticks = demo.clock.ticks(2.0 + 0.1 * (column + 0.5) / width)
        intervals = timeline.at(ticks)[3:9]
        ends = timeline.time[intervals + 1]
        whole = timeline.time[intervals] < ticks - 0.1 / width * 1e9
        whole &= ends > ticks + 0.1 / width * 1e9  # it fills the pixel
        states = timeline.state[intervals]
        for row in np.flatnonzero(whole).tolist():
            colour = THEME.state_table[TimeState(states[row])]
            np.testing.assert_array_equal(pixels[row, column], colour)


def test_the_matrix_shows_the_bytes(demo: Trace) -> None:
    axes = topoview.figure(demo, "matrix")
    shown = np.ma.filled(axes.images[0].get_array().astype(float), 0)
    np.testing.assert_array_equal(shown, topoview.matrix(demo).volume.toarray())


def test_iterations_are_where_their_numbers_are(demo: Trace) -> None:
    image = topoview.figure(demo, "iterations", ranks="0-2").images[0]
    grid = topoview.iterations(demo, ranks="0-2").to_pandas()
    truth = grid.pivot(index="rank", columns="iteration", values="seconds")
    np.testing.assert_array_equal(image.get_array(), truth)


def test_what_is_no_figure_is_refused(demo: Trace) -> None:
    with pytest.raises(UsageError, match="figures are of timeline, time, matrix"):
        topoview.figure(demo, "pie")


def test_a_plot_is_saved_before_it_is_shown(demo: Trace, tmp_path: Path) -> None:
    make_view((8, 8)).close()  # what is drawn off-screen leaves VTK as it was
    plotter = topoview.plot(demo)
    assert plotter.render_window.GetClassName() != "vtkEGLRenderWindow"  # never shown
    plotter.screenshot(tmp_path / "f.png")
    plotter.export_html(tmp_path / "f.html")
    plotter.close()
    assert (tmp_path / "f.png").stat().st_size > 5000
    page = (tmp_path / "f.html").read_text()
    assert "<canvas" in page
    assert "2D torus 6x6" in page
