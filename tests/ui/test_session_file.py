"""Sessions as files: what is written is read again, and nothing else is."""

import json
from collections.abc import Iterator
from dataclasses import is_dataclass, make_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st

from topoview.errors import SessionError
from topoview.model import Analysis, Geometry, Pose, Trace
from topoview.model.frozen.options import is_word, words_of
from topoview.session import (
    VIEW_PARTS,
    Bookmark,
    Camera,
    Note,
    Picked,
    SceneOptions,
    SecondViewOptions,
    Selection,
    State,
    TimelineOptions,
    view_of,
)
from topoview.ui import session_file
from topoview.ui.panels.options import LogicalOptions, MatrixOptions, TopologyOptions
from topoview.ui.session_file import (
    PANEL_OPTIONS,
    forget_old_sessions,
    kept_path,
    load_session,
    read_session,
    save_session,
    session_text,
    trace_identity,
)

TORUS = traces.simulated("torus", (4, 3), numbering=1)


def known_torus() -> Analysis:
    return traces.analysed(TORUS)


RANKS = 12
LENGTH = TORUS.clock.length
CALLS = len(TORUS.calls)


def names_of(kind: type, field: str) -> st.SearchStrategy[str]:
    words = words_of(get_type_hints(kind, include_extras=True)[field])
    assert words is not None
    return st.sampled_from(sorted(words))


ticks = st.integers(0, LENGTH)
windows = st.tuples(st.integers(0, LENGTH // 2), st.integers(LENGTH // 2 + 1, LENGTH))
words = st.text(
    st.characters(blacklist_categories=("Cs", "Cc", "Cf", "Zl", "Zp")), max_size=30
)
numbers = st.floats(-1e6, 1e6)
some_ranks = st.sets(st.integers(0, RANKS - 1)).map(lambda r: tuple(sorted(r)))
poses = st.builds(
    Pose,
    *(numbers, numbers, st.floats(0.1, 1e5)),
    st.tuples(numbers, numbers, numbers),
    st.tuples(numbers, numbers),
    st.booleans(),
)
cameras = st.builds(
    Camera,
    names_of(Camera, "preset"),
    st.none() | poses,
    *(st.booleans(), st.booleans(), st.booleans()),
)
geometries = st.builds(
    Geometry,
    width=st.integers(0, 9),
    spacing=st.floats(0.6, 4.0),
    wrap=st.sampled_from(["stubs", "arcs", "none"]),
    copies=st.booleans(),
    ranges=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(1, 3)), max_size=2
    ).map(tuple),
    fold=st.sampled_from([(), (1, 0), (2, 1, 0)]),
    explode=st.integers(-1, 2),
)
selections = st.builds(
    Selection,
    ranks=some_ranks,
    edge=st.none() | st.just((2, 7)),
    statement=st.none() | st.integers(0, 5),
    window=st.none() | windows,
    lines=st.none() | st.just((1, 4)),
    operation=st.sampled_from(["", "Isend", "Übung"]),
    call=st.none() | st.integers(0, CALLS - 1),
)
picks = st.one_of(
    st.just(Picked()),
    st.builds(Picked, st.just("call"), st.integers(0, CALLS - 1)),
    st.builds(Picked, st.just("rank"), st.integers(0, RANKS - 1)),
    st.just(Picked("pair", 2, 7)),
)
scenes = st.builds(
    SceneOptions,
    layout=names_of(SceneOptions, "layout"),
    geometry=geometries,
    labels=names_of(SceneOptions, "labels"),
    colouring=names_of(SceneOptions, "colouring") | st.just("counter-3-0"),
    span=names_of(SceneOptions, "span"),
    low=numbers,
    high=numbers,
    edges=st.booleans(),
    size=names_of(SceneOptions, "size"),
)
views = st.fixed_dictionaries(
    {},
    optional={
        "time": ticks,
        "window": windows,
        "speed": st.floats(0, 100),
        "repeat": st.booleans(),
        "bounds": st.none() | windows,
        "time_zero": st.none() | ticks,
        "unit": names_of(State, "unit"),
        "selection": selections,
        "picked": picks,
        "match": st.integers(0, 4),
        "focus": st.frozensets(st.integers(1, 5)),
        "scope": names_of(State, "scope"),
        "scene": scenes,
        "second": st.builds(SecondViewOptions, layout=st.just("flat")),
        "timeline": st.builds(
            TimelineOptions,
            names_of(TimelineOptions, "order"),
            only=some_ranks,
            folded=st.booleans(),
            turned=st.frozensets(st.integers(0, 9)),
            group=names_of(TimelineOptions, "group"),
            view=st.sampled_from([(0.0, 1.0), (0.25, 0.5)]),
        ),
        "camera": cameras,
        "second_camera": cameras,
        "film_path": st.lists(st.tuples(ticks, poses), max_size=3).map(tuple),
        "bookmarks": st.lists(
            st.builds(Bookmark, words, ticks, windows, selections, picks), max_size=3
        ).map(tuple),
        "notes": st.lists(
            st.builds(Note, st.integers(0, RANKS - 1), ticks, words), max_size=3
        ).map(tuple),
        "names": st.lists(st.tuples(words, some_ranks), max_size=3).map(tuple),
        "panels": st.fixed_dictionaries(
            {},
            optional={
                MatrixOptions: st.builds(
                    MatrixOptions, names_of(MatrixOptions, "amount")
                ),
                TopologyOptions: st.builds(
                    TopologyOptions, names_of(TopologyOptions, "page")
                ),
                LogicalOptions: st.builds(
                    LogicalOptions, turned=st.frozensets(st.integers(0, 9))
                ),
            },
        ),
    },
)


def stated(view: dict[str, Any]) -> State:
    return replace(State(), analysis=known_torus(), **{"window": (0, LENGTH), **view})


@given(views)
def test_what_is_saved_is_read_again(view: dict[str, Any]) -> None:
    state = stated(view)
    found = read_session(session_text(state), known_torus(), "it")
    wanted = view_of(state)
    plain = {kind: each for kind, each in wanted["panels"].items() if each != kind()}
    assert found == wanted | {"panels": plain}
    assert set(found) == set(VIEW_PARTS)


def test_a_fresh_view_takes_few_lines() -> None:
    told = json.loads(session_text(stated({})))
    assert told["view"] == {"window": [0, LENGTH]}
    assert told["trace"]["ranks"] == RANKS


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["rank", "flat", "__class__", "../../etc/passwd", "\u202e"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*VIEW_PARTS, "layout", "geometry", "ranks", "x"]), inner
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*VIEW_PARTS, "evil"]), json_values))
def test_nonsense_is_refused_in_one_sentence_or_sound(view: dict[str, Any]) -> None:
    session = json.loads(session_text(stated({})))
    session["view"] = view
    said, found = "", {}
    try:
        found = read_session(json.dumps(session), known_torus(), "it")
    except SessionError as error:
        said = str(error)
    if said:
        assert "\n" not in said
        assert said.startswith("it is ")
    else:
        again = replace(State(), analysis=known_torus(), **found)
        assert read_session(session_text(again), known_torus(), "it") == found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "format"),
        ('{"format": "something else"}', "format"),
        ('{"format": "topoview session", "version": 2}', "version 2"),
        ('{"format": "topoview session", "version": 1, "trace": 3}', "trace"),
        (
            '{"format": "topoview session", "version": 1, "trace": {"name": "cg"}}',
            "another trace, 'cg'",
        ),
    ],
)
def test_other_files_are_refused(text: str, why: str) -> None:
    with pytest.raises(SessionError, match=why):
        read_session(text, known_torus(), "it")


@pytest.mark.parametrize(
    ("view", "where"),
    [
        ({"time": 1.5}, "view.time"),
        ({"time": True}, "view.time"),
        ({"time": 1 << 80}, "view.time"),
        ({"window": [1, 2, 3]}, "view.window"),
        ({"scene": {"layout": "moebius"}}, "view.scene.layout"),
        ({"scene": {"colouring": "counter-x"}}, "view.scene.colouring"),
        ({"scene": {"geometry": {"spacing": 1000.0}}}, "view.scene.geometry"),
        ({"scene": {"depth": 3}}, "view.scene"),
        ({"notes": [{"rank": 1, "time": 2}]}, "view.notes"),
        ({"notes": [{"rank": 1, "time": 2, "text": "a\x1b[2J"}]}, "view.notes.text"),
        ({"notes": [{"rank": 1, "time": 2, "text": "a" * 3000}]}, "view.notes.text"),
        ({"analysis": {}}, "view.analysis"),
        ({"panels": {"Popen": {}}}, "panels"),
        ({"camera": {"pose": {"azimuth": "east"}}}, "view.camera.pose"),
    ],
)
def test_unsound_views_are_refused_with_the_place(
    view: dict[str, Any], where: str
) -> None:
    session = json.loads(session_text(stated({})))
    session["view"] = view
    with pytest.raises(SessionError, match=where):
        read_session(json.dumps(session), known_torus(), "it")


def test_what_the_trace_does_not_have_is_left_out() -> None:
    far = 10 * LENGTH
    view = {
        "time": far,
        "window": (-5, far),
        "selection": Selection(ranks=(3, 99), edge=(1, 99), call=CALLS),
        "picked": Picked("message", 10**9),
        "notes": (Note(99, 1, "nobody"), Note(1, far, "late")),
        "names": (("all", (1, 99)),),
        "camera": Camera("", Pose(0.0, 0.0, -3.0, (0.0, 0.0, 0.0))),
        "scene": SceneOptions(geometry=Geometry(placement="/there/is/none.csv")),
    }
    found = read_session(session_text(stated(view)), known_torus(), "it")
    assert (found["time"], found["window"]) == (LENGTH, (0, LENGTH))
    assert found["selection"] == Selection(ranks=(3,))
    assert not found["picked"]
    assert found["notes"] == (Note(1, LENGTH, "late"),)
    assert found["names"] == (("all", (1,)),)
    assert found["camera"].pose is None
    assert found["scene"].geometry.placement == ""


def test_a_trace_is_known_again_by_what_it_holds() -> None:
    trace = known_torus().trace
    moved = replace(
        trace, path="/elsewhere", name="renamed", calls=replace(trace.calls)
    )
    assert trace_identity(moved) == trace_identity(trace)
    others: list[Trace] = [
        traces.simulated("torus", (4, 3), numbering=2),
        traces.simulated("torus", (4, 3), numbering=1, iterations=6),
        replace(
            trace, calls=replace(trace.calls, enter=trace.calls.enter + (CALLS > 0))
        ),
    ]
    for other in others:
        assert trace_identity(other) != trace_identity(trace)


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = stated({"notes": (Note(1, 5, "here"),)})
    path = tmp_path / "new" / "mine.session.json"
    path.parent.mkdir()
    path.with_name(f"{path.name}.part").symlink_to(tmp_path / "another")
    save_session(state, path)
    assert not (tmp_path / "another").exists()
    assert load_session(path, known_torus()) == view_of(state)
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    with pytest.raises(SessionError, match="check the name"):
        load_session(tmp_path / "none", known_torus())
    with pytest.raises(SessionError, match="choose another folder"):
        save_session(state, path / "below" / "a.json")
    monkeypatch.setattr(session_file, "MAX_FILE_BYTES", len(path.read_bytes()) - 1)
    with pytest.raises(SessionError, match="larger"):
        load_session(path, known_torus())
    monkeypatch.setattr(session_file, "MAX_FILE_BYTES", len(path.read_bytes()))
    load_session(path, known_torus())


def test_old_sessions_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_file, "MAX_SESSIONS", 1)
    save_session(stated({}), kept_path(known_torus().trace))
    forget_old_sessions()
    (kept,) = session_file.session_folder().iterdir()
    save_session(stated({}), kept.with_name("newer.json"))
    forget_old_sessions()
    assert len(list(session_file.session_folder().iterdir())) == 1


def bare_texts(kind: type, where: str) -> Iterator[str]:
    """Find texts that may be anything, in a dataclass and those within."""
    for name, hint in get_type_hints(kind, include_extras=True).items():
        inner = [hint]
        for each in inner:
            if each is str:
                yield f"{where}.{name}"
            elif is_dataclass(each) and each is not kind:
                yield from bare_texts(each, f"{where}.{name}")
            elif get_origin(each) is not Annotated:
                inner += get_args(each)


def test_every_text_of_a_view_says_which_words_it_may_be() -> None:
    """Else it would not be kept: make it a `Literal`, `OneOf` or `FreeText`."""
    hints = get_type_hints(State, include_extras=True)
    bare = [
        *bare_texts(make_dataclass("View", [(n, hints[n]) for n in VIEW_PARTS]), ""),
        *(each for kind in PANEL_OPTIONS.values() for each in bare_texts(kind, "")),
    ]
    assert not bare


def test_what_options_are_at_first_is_one_of_their_words() -> None:
    kinds = (Camera, Geometry, SceneOptions, SecondViewOptions, TimelineOptions)
    for kind in (*kinds, *PANEL_OPTIONS.values()):
        for name, hint in get_type_hints(kind, include_extras=True).items():
            value = getattr(kind(), name)
            if isinstance(value, str):
                assert is_word(hint, value), (kind, name)
                assert is_word(hint, "no such word") == (words_of(hint) is None)
