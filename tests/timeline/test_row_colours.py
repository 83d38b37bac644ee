"""Colours of rows by function, user region and numbers: against loops and events."""

from collections import Counter
from pathlib import Path

import numpy as np
import otf2
import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from topoview.live.colourings.scales import ColouringRequest
from topoview.live.colourings.table import COLOURINGS, rows
from topoview.live.timeline.orders import row_order
from topoview.live.timeline.row_colours import (
    FUNCTION,
    OWN_REGION,
    REGION_CODES,
    RowColourRequest,
    RowColours,
    coded_regions,
    own_region,
    row_colourings,
    shown_colouring,
)
from topoview.live.timeline.rows import place_rows
from topoview.model import Analysis, TimeState, Trace
from topoview.scene.flat.timeline_pixels import row_pixels
from topoview.scene.palette import THEMES
from topoview.session import Session, State, TimelineOptions
from topoview.ui.panels.timeline.legend import row_colour_table
from topoview.ui.panels.timeline.view import TimelineView

TWO_PHASES = "sp-twophase-6x6-user-metrics"


@pytest.fixture(scope="module")
def known() -> Analysis:
    return traces.analysed(traces.simulated("torus", (4, 3), numbering=1))


@pytest.fixture(scope="module")
def regions() -> Trace:
    return traces.read_real(TWO_PHASES)


def innermost_own(trace: Trace, rank: int) -> list[int]:
    """Region of the program that each interval of a rank is in: a plain loop."""
    line, calls, found = trace.timeline, trace.calls, []
    low, high = calls.offsets[rank : rank + 2].tolist()
    for k in range(*line.offsets[rank : rank + 2].tolist()):
        region, call = int(line.region[k]), low
        state = trace.regions.state[region]
        plain = state in (TimeState.OUTSIDE, TimeState.COMPUTE)
        if region >= 0 and plain and trace.regions.operation[region] < 0:
            found.append(region)
            continue
        time = line.time[k]
        call = low + int(np.searchsorted(calls.enter[low:high], time, "right")) - 1
        if call < low or time >= calls.leave[call]:
            found.append(-1)
            continue
        around = trace.paths.regions_of(int(calls.path[call]))
        own = [
            each
            for each in around
            if each >= 0
            and trace.regions.operation[each] < 0
            and trace.regions.state[each] in (TimeState.OUTSIDE, TimeState.COMPUTE)
        ]
        found.append(own[-1] if own else -1)
    return found


def test_user_regions_equal_a_loop_over_the_calls(regions: Trace) -> None:
    found = own_region(regions)
    for rank in (0, 7, 35):
        first, stop = regions.timeline.offsets[rank : rank + 2].tolist()
        assert found[first:stop].tolist() == innermost_own(regions, rank)


@pytest.mark.slow
def test_user_regions_equal_a_loop_over_the_events(
    regions: Trace, tmp_path: Path
) -> None:
    """Time of each rank in each region of the program, as the otf2 package reads it."""
    names = {n for n, r in zip(regions.regions.names, own_flags(regions)) if r}  # noqa: B905
    spent: Counter[tuple[int, str]] = Counter()
    stacks: dict[int, list[str]] = {}
    since: dict[int, int] = {}
    with otf2.reader.open(str(traces.unpacked(TWO_PHASES, tmp_path))) as archive:
        rank = {loc: n for n, loc in enumerate(archive.definitions.locations)}
        for location, event in archive.events:
            number = rank.get(location, -1)
            if not isinstance(event, (otf2.events.Enter, otf2.events.Leave)):
                continue
            stack = stacks.setdefault(number, [])
            own = [name for name in stack if name in names]
            if own:
                spent[number, own[-1]] += event.time - since[number]
            since[number] = event.time
            if isinstance(event, otf2.events.Enter):
                stack.append(event.region.name)
            else:
                stack.pop()
    line, found = regions.timeline, own_region(regions)
    ends = np.append(line.time[1:], 0)
    ends[line.offsets[1:] - 1] = regions.clock.length
    ours: Counter[tuple[int, str]] = Counter()
    for number in range(regions.ranks):
        for k in range(*line.offsets[number : number + 2].tolist()):
            if found[k] >= 0:
                name = regions.regions.names[int(found[k])]
                ours[number, name] += int(ends[k] - line.time[k])
    assert {key for key, ticks in spent.items() if ticks} <= set(ours)
    for key, ticks in spent.items():
        assert ours[key] == pytest.approx(ticks, abs=regions.clock.resolution / 1e4)


def own_flags(trace: Trace) -> list[bool]:
    from topoview.live.timeline.row_colours import own_regions

    return own_regions(trace).tolist()


@given(
    name=st.sampled_from([FUNCTION, OWN_REGION]),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    width=st.integers(1, 40),
    folded=st.booleans(),
    turned=st.frozensets(st.integers(0, 5)),
    group=st.sampled_from(["none", "selection"]),
)
def test_what_rows_show_sums_to_the_true_times_in_every_colouring(
    regions: Trace,
    name: str,
    ends: tuple[float, float],
    width: int,
    folded: bool,
    turned: frozenset[int],
    group: str,
) -> None:
    low, high = sorted(round(share * regions.clock.length) for share in ends)
    window = low, max(high, low + 1)
    options = TimelineOptions(
        order="rank", group=group, apart=(1, 5, 9), folded=folded, turned=turned
    )
    known = Analysis(regions)
    order = row_order(State(analysis=known, timeline=options))
    bands = place_rows(regions, order, 400, 1.0, options)
    asked = RowColourRequest(known, name)
    made = RowColours().pixels(asked, bands, window, width)
    coded, legend = coded_regions(regions, name)
    assert made.exact
    assert legend.scale.names == made.legend.scale.names
    assert len(made.codes) == (~bands.folded).sum()
    truth = true_times(regions, coded.state, window)
    span = window[1] - window[0]
    for band, share in zip(np.flatnonzero(bands.folded), made.stacks, strict=True):
        own = bands.rows[bands.bounds[band] : bands.bounds[band + 1]]
        shown = share.sum(axis=1)[: REGION_CODES + 1] * span / width * len(own)
        np.testing.assert_allclose(shown, truth[own].sum(axis=0), atol=1e-3)
        np.testing.assert_allclose(share.sum(axis=0), 1)
    theme = THEMES["light"]
    table = row_colour_table(made.legend, theme)
    painted = row_pixels(
        made.codes, bands, window, theme, stacks=made.stacks, colours=table
    )
    for band, share in zip(np.flatnonzero(bands.folded), made.stacks, strict=True):
        lines = bands.lines_of(int(band))
        for x in {0, width // 2, width - 1}:
            seen = set(painted[lines, x].tolist())
            assert seen <= set(table[np.flatnonzero(share[:, x])].tolist())
    shown_rows = bands.part(folded=False)[0][: len(made.codes)]
    for row, codes in zip(shown_rows.tolist()[:3], made.codes, strict=False):
        for x in {0, width // 2, width - 1}:
            pixel = window[0] + x * span / width, window[0] + (x + 1) * span / width
            spent = true_times(regions, coded.state, pixel, row)[row]
            assert spent[codes[x]] == pytest.approx(spent.max())


def true_times(
    trace: Trace, codes: np.ndarray, window: tuple[float, float], row: int | None = None
) -> np.ndarray:
    """Ticks of each rank in each code within a window, by overlaps of intervals."""
    line = trace.timeline
    found = np.zeros((trace.ranks, REGION_CODES + 1))
    for rank in range(trace.ranks) if row is None else [row]:
        own = slice(*line.offsets[rank : rank + 2].tolist())
        begin = line.time[own]
        end = np.append(begin[1:], max(trace.clock.length + 1, int(begin[-1]) + 1))
        overlap = np.minimum(end, window[1]) - np.maximum(begin, window[0])
        np.add.at(found[rank], codes[own], np.maximum(overlap, 0))
    return found


def test_regions_with_most_time_have_colours_of_their_own(regions: Trace) -> None:
    coded, legend = coded_regions(regions, FUNCTION)
    assert legend.others
    assert len(legend.scale.names) == REGION_CODES
    assert legend.scale.names[-1].endswith("others")
    line = regions.timeline
    ends = np.append(line.time[1:], 0)
    ends[line.offsets[1:] - 1] = regions.clock.length
    spent: Counter[str] = Counter()
    for k, ticks in enumerate((ends - line.time).tolist()):
        if line.region[k] >= 0:
            spent[regions.regions.title(int(line.region[k]))] += ticks
    best = [name for name, _ in spent.most_common(REGION_CODES - 1)]
    assert set(legend.scale.names[:-1]) == set(best)
    titles = np.array(
        [*map(regions.regions.title, range(len(regions.regions.names))), ""]
    )
    for code, name in enumerate(legend.scale.names[:-1], 1):
        assert set(titles[line.region[coded.state == code]]) == {name}


@pytest.mark.parametrize("name", ["wait", "done", "progress", "call"])
def test_numbers_are_those_of_the_scene_in_the_middle_of_columns(
    known: Analysis, name: str
) -> None:
    assert name in rows(known)
    window, width = (0, known.trace.clock.length), 37
    options = TimelineOptions(order="rank")
    state = State(analysis=known, timeline=options)
    bands = place_rows(known.trace, row_order(state), 600, 1.0, options)
    made = RowColours().pixels(RowColourRequest(known, name), bands, window, width)
    scale = made.legend.scale
    for x in range(width):
        time = int(window[1] * (x + 0.5) / width)
        found = COLOURINGS[name].values(ColouringRequest(known, time, window))
        shares = found.spanning(scale.low, scale.high).shares
        for rank in range(known.trace.ranks):
            code = int(made.codes[rank, x])
            assert (code == 0) == bool(np.isnan(found.values[rank]))
            if code and not scale.names:
                assert abs((code - 0.5) / 64 - shares[rank]) <= 0.5 / 64 + 1e-9
    rough = RowColours().pixels(
        RowColourRequest(known, name), bands, window, width, soon=True
    )
    assert not rough.exact
    assert rough.codes.shape == made.codes.shape


def test_what_a_trace_has_no_colours_for_is_shown_by_state(known: Analysis) -> None:
    assert shown_colouring(known, "gpu") == "state"
    assert shown_colouring(known, FUNCTION) == FUNCTION
    assert shown_colouring(known, "sent") == "state"  # it does not follow time
    assert "region" not in row_colourings(known)


def test_regions_that_nothing_enters_are_not_offered() -> None:
    """Score-P defines a region of the program that this trace never enters."""
    found = Analysis(traces.read_real("sp-rowcol-6x4"))
    assert any(own_flags(found.trace))
    assert (own_region(found.trace) == -1).all()
    assert OWN_REGION not in row_colourings(found)
    assert shown_colouring(found, OWN_REGION) == "state"
    entered = Analysis(traces.read_real(TWO_PHASES))
    assert OWN_REGION in row_colourings(entered)


def test_the_key_says_what_colours_mean(session: Session, qtbot: QtBot) -> None:
    view = TimelineView(session)
    qtbot.addWidget(view)
    view.resize(900, 300)
    view.show()
    session.change("timeline", colour=FUNCTION)
    qtbot.waitUntil(lambda: view.settled and view._legend is not None, timeout=20_000)
    legend = view._legend
    assert legend is not None
    theme = view.content.rows_request(session.state, view.frame).theme
    colours = set(row_colour_table(legend, theme).tolist())
    image, _ = view._rows
    assert image is not None
    seen = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(60)}
    assert len(seen & colours) > 1
    assert view.frame.legend_box.top() >= view.frame.rows.bottom()
    session.change("timeline", colour="state")
    qtbot.waitUntil(lambda: view.settled and view._legend is None, timeout=20_000)
    assert not view.frame.has_legend
