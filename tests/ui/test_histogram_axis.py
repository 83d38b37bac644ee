"""Numbers on the axis of a histogram."""

import numpy as np
import pytest

from topoview.base.text import write
from topoview.live.tables.statistics.histogram import histogram
from topoview.ui.widgets.charts.histogram import axis_marks


@pytest.mark.parametrize("least", [8, 100, 3000])
@pytest.mark.parametrize("span", [3, 70, 10**3, 10**6])
def test_bytes_are_round_in_the_units_they_are_written_in(
    least: int, span: int
) -> None:
    sizes = np.array([least, least * span], np.float64)
    marks = axis_marks(histogram(sizes, whole=True), 320.0, "B")
    assert marks
    assert marks == sorted(set(marks))
    for mark in marks:
        assert least <= mark <= least * span + 1
        number = write(mark, "B").split()[0]
        assert float(number).is_integer()


def test_logarithmic_marks_are_powers_of_ten() -> None:
    times = np.array([2e-6, 3e-1])
    marks = axis_marks(histogram(times), 400.0, "s")
    assert marks == pytest.approx([1e-5, 1e-4, 1e-3, 1e-2, 1e-1])
