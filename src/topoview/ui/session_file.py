"""Sessions as files: the user's view of a trace as JSON, kept for her, given to others.

A file holds what differs from a fresh view, with its trace's identity: time, window,
selection, layout, colours, camera, bookmarks, notes, names. What is read is checked
before anything is made of it: types, lengths, names, and that it is of the trace.
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from platformdirs import user_data_path

from topoview.base.text import json_text
from topoview.errors import SessionError, begin_anew
from topoview.model import Analysis, TimeState, Trace
from topoview.model.frozen.options import texts_in
from topoview.model.frozen.written_down import (
    UnsoundError,
    decode,
    default_of,
    expect,
    hints_of,
)
from topoview.session import (
    VIEW_PARTS,
    Bookmark,
    Picked,
    Selection,
    State,
    TimelineOptions,
    view_of,
)
from topoview.ui.panels import options

FORMAT: Final = "topoview session"
VERSION: Final = 1
SUFFIX: Final = ".session.json"

MAX_FILE_BYTES: Final = 16 << 20
"""What a file may hold at most."""

MAX_SESSIONS: Final = 500
"""Sessions that are kept; of more those that were not used for longest go."""

SAMPLED_CALLS: Final = 4096
"""Calls at both ends of a trace's calls that are part of its identity."""

PANEL_OPTIONS: Final = {
    name: kind
    for name, kind in vars(options).items()
    if is_dataclass(kind) and kind.__module__ == options.__name__
}
"""Panels' options that are part of a session, by the names of their classes."""


def trace_identity(trace: Trace) -> str:
    """Digest by which a trace is known again, wherever its files lie."""
    calls = trace.calls
    facts = (
        trace.ranks,
        trace.events,
        trace.clock.resolution,
        trace.clock.length,
        len(calls),
        len(trace.messages),
        len(trace.collectives),
        len(trace.locations),
    )
    digest = hashlib.sha256(repr(facts).encode())
    for column in (calls.enter, calls.leave, calls.region):
        for part in (column[:SAMPLED_CALLS], column[-SAMPLED_CALLS:]):
            digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:32]


# Writing.


def session_text(state: State) -> str:
    """Write the view of a state's trace as JSON."""
    assert state.analysis is not None
    trace = state.analysis.trace
    view = view_of(state)
    panels = {
        kind.__name__: _encode(chosen)
        for kind, chosen in state.panels.items()
        if PANEL_OPTIONS.get(kind.__name__) is kind and chosen != kind()
    }
    fresh = State()
    hints = hints_of(State)
    changed = {
        name: _encode(value)
        for name, value in view.items()
        if name != "panels"
        and value != getattr(fresh, name)
        and _is_kept(hints[name], value)
    }
    session = {
        "format": FORMAT,
        "version": VERSION,
        "trace": {
            "name": trace.name,
            "identity": trace_identity(trace),
            "ranks": trace.ranks,
            "ticks_per_second": trace.clock.resolution,
        },
        "view": changed | ({"panels": panels} if panels else {}),
    }
    return json_text(session, indent=1, ensure_ascii=False) + "\n"


def _encode(value: Any) -> Any:  # noqa: ANN401
    if is_dataclass(value):
        hints = hints_of(value.__class__)
        return {
            each.name: _encode(content)
            for each in fields(value)
            if (content := getattr(value, each.name)) != default_of(each)
            and _is_kept(hints[each.name], content)
        }
    if isinstance(value, (tuple, frozenset)):
        ordered = sorted(value) if isinstance(value, frozenset) else value
        return [_encode(item) for item in ordered]
    return value.item() if isinstance(value, np.generic) else value


def _is_kept(kind: Any, value: object) -> bool:  # noqa: ANN401 - a field's type
    """Return whether a field's texts are of a list, or may be any: what a file says.

    Else they could end up in tables of layouts, colourings and the like.
    """
    return not _has_text(value) or str not in texts_in(kind)


def _has_text(value: object) -> bool:
    if isinstance(value, (tuple, frozenset)):
        return any(map(_has_text, value))
    return isinstance(value, str)


# Reading.


def read_session(text: str, analysis: Analysis, source: str) -> dict[str, Any]:
    """Read a session of a trace.

    Parameters
    ----------
    text
        JSON, as `session_text` writes it.
    analysis
        The trace that is shown.
    source
        What to call the session in a complaint: the path of its file.

    Returns
    -------
    dict
        All `VIEW_PARTS` of the state.

    Raises
    ------
    SessionError
        It is no session, of another version, of another trace, or says what there is
        not.
    """
    try:
        payload = json.loads(text)
        expect(
            isinstance(payload, dict) and payload.get("format") == FORMAT, "its format"
        )
        version, trace = payload.get("version"), payload.get("trace")
        if version != VERSION:
            raise SessionError(
                f"{source} is a session of version {version!r}, this topoview reads "
                f"version {VERSION}: use the topoview that saved it, or a newer one"
            )
        expect(isinstance(trace, dict), "its trace")
        if trace.get("identity") != trace_identity(analysis.trace):
            raise SessionError(
                f"{source} is a session of another trace, "
                f"{str(trace.get('name'))[:80]!r}: open that trace first"
            )
        view = _decode_view(payload.get("view"))
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        why = str(error) if type(error) is UnsoundError else "it is no JSON of one"
        raise SessionError(
            f"{source} is no session that topoview can read ({why}): save it again"
        ) from error
    return fitted_view(view, analysis)


def _decode_view(payload: Any) -> dict[str, Any]:  # noqa: ANN401 - what JSON gives
    expect(isinstance(payload, dict), "view")
    payload = dict(payload)
    panels = payload.pop("panels", {})
    expect(isinstance(panels, dict) and set(panels) <= set(PANEL_OPTIONS), "panels")
    unknown = set(payload) - set(VIEW_PARTS)
    expect(not unknown, f"view.{min(unknown, default='')[:40]}")
    hints, fresh = hints_of(State), State()
    result = view_of(fresh) | {
        name: decode(hints[name], value, f"view.{name}")
        for name, value in payload.items()
    }
    result["panels"] = {
        PANEL_OPTIONS[name]: decode(PANEL_OPTIONS[name], value, name)
        for name, value in panels.items()
    }
    return result


# What a view says, held against the trace.


def fitted_view(view: dict[str, Any], analysis: Analysis) -> dict[str, Any]:
    """Leave out of a view what the trace does not have; times go into the run."""
    trace = analysis.trace
    length = max(trace.clock.length, 1)

    def inside(window: tuple[int, int]) -> tuple[int, int]:
        begin = min(max(min(window), 0), length - 1)
        return begin, min(max(max(window), begin + 1), length)

    def point(ticks: int) -> int:
        return min(max(ticks, 0), length)

    result = dict(view)
    result["time"], result["window"] = point(view["time"]), inside(view["window"])
    result["bounds"] = None if view["bounds"] is None else inside(view["bounds"])
    zero = view["time_zero"]
    result["time_zero"] = None if zero is None else point(zero)
    result["selection"] = _fitted_selection(view["selection"], analysis, inside)
    result["picked"] = _fitted_pick(view["picked"], analysis)
    codes = {int(state) for state in TimeState}
    result["focus"] = frozenset(view["focus"]) & codes
    result["match"], result["speed"] = max(view["match"], 0), max(view["speed"], 0.0)
    result["bookmarks"] = tuple(
        Bookmark(
            mark.name,
            point(mark.time),
            inside(mark.window),
            _fitted_selection(mark.selection, analysis, inside),
            _fitted_pick(mark.picked, analysis),
        )
        for mark in view["bookmarks"]
    )
    notes = (n for n in view["notes"] if 0 <= n.rank < trace.ranks)
    result["notes"] = tuple(replace(note, time=point(note.time)) for note in notes)
    result["names"] = tuple(
        (name, tuple(rank for rank in ranks if 0 <= rank < trace.ranks))
        for name, ranks in view["names"]
    )
    result["timeline"] = _fitted_timeline(view["timeline"], trace.ranks)
    for part in ("scene", "second"):
        result[part] = _fitted_options(view[part])
    for part in ("camera", "second_camera"):
        pose = view[part].pose
        if pose is not None and not pose.distance > 0:
            result[part] = replace(view[part], pose=None)
    return result


def _fitted_options(chosen: Any) -> Any:  # noqa: ANN401 - of either view
    """Drop a placement file that is not there: it may be a colleague's."""
    geometry = chosen.geometry
    if geometry.placement and not Path(geometry.placement).is_file():
        geometry = replace(geometry, placement="")
    ranges = tuple(r for r in geometry.ranges if r[0] >= 0 and 0 <= r[1] <= r[2])
    explode = max(geometry.explode, -1)
    geometry = replace(geometry, ranges=ranges, explode=explode)
    return replace(chosen, geometry=geometry)


def _fitted_timeline(chosen: TimelineOptions, ranks: int) -> TimelineOptions:
    """Keep ranks that there are, and a part of the rows that can be seen."""
    begin, end = chosen.view
    here, ruler = range(ranks), chosen.ruler
    return replace(
        chosen,
        origin=tuple(rank for rank in chosen.origin if rank in here),
        apart=tuple(rank for rank in chosen.apart if rank in here),
        only=tuple(rank for rank in chosen.only if rank in here),
        threads=frozenset(rank for rank in chosen.threads if rank in here),
        view=chosen.view if 0 <= begin < end <= 1 else (0.0, 1.0),
        ruler=ruler if ruler and ruler[1] in here and ruler[3] in here else None,
    )


def _fitted_selection(
    chosen: Selection,
    analysis: Analysis,
    inside: Callable[[tuple[int, int]], tuple[int, int]],
) -> Selection:
    trace = analysis.trace
    edge, call, lines = chosen.edge, chosen.call, chosen.lines
    if edge is not None and not 0 <= edge[0] < edge[1] < trace.ranks:
        edge = None
    if call is not None and not 0 <= call < len(trace.calls):
        call = None
    if lines is not None and not 0 <= lines[0] < lines[1]:
        lines = None
    statement = chosen.statement
    ranks = sorted({rank for rank in chosen.ranks if 0 <= rank < trace.ranks})
    return replace(
        chosen,
        ranks=tuple(ranks),
        edge=edge,
        call=call,
        lines=lines,
        statement=None if statement is None or statement < 0 else statement,
        window=None if chosen.window is None else inside(chosen.window),
        isolated=tuple(r for r in chosen.isolated if 0 <= r < trace.ranks),
    )


def _fitted_pick(picked: Picked, analysis: Analysis) -> Picked:
    """Keep what the trace has; statements are found later than the trace."""
    from topoview.live.picking.picked import is_there

    if picked.kind == "statement" and picked.number >= 0 and analysis.logical is None:
        return picked
    return picked if is_there(analysis, picked) else Picked()


# Files.


def session_folder() -> Path:
    """Folder in which the user's sessions are kept."""
    return user_data_path("topoview", appauthor=False) / "sessions"


def kept_path(trace: Trace) -> Path:
    """Where the session of a trace is kept."""
    return session_folder() / f"{trace_identity(trace)}.json"


def save_session(state: State, path: Path) -> None:
    """Write a session; an older file stays whole until the new one is.

    Raises
    ------
    SessionError
        It cannot be written.
    """
    beside = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        begin_anew(beside)
        beside.write_text(session_text(state), "utf-8")
        beside.replace(path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise SessionError(
            f"{path} cannot be written ({error.strerror}): choose another folder"
        ) from error


def load_session(path: Path, analysis: Analysis) -> dict[str, Any]:
    """Read the file of a session; as `read_session`.

    Raises
    ------
    SessionError
        It cannot be read, or is no session of this trace.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe would let its reader wait
            raise SessionError(f"{path} is no file: check the name")
        with path.open("rb") as file:
            head = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SessionError(
            f"{path} cannot be read ({error.strerror}): check the name and whether "
            "you may read it"
        ) from error
    if len(head) > MAX_FILE_BYTES:
        raise SessionError(
            f"{path} is larger than any session of topoview "
            f"({MAX_FILE_BYTES >> 20} MiB): check the name"
        )
    return read_session(head.decode("utf-8", "replace"), analysis, str(path))


def forget_old_sessions() -> None:
    """Delete kept sessions beyond `MAX_SESSIONS`, the oldest ones."""
    with suppress(OSError):
        kept = sorted(
            session_folder().glob("*.json"), key=lambda path: -path.stat().st_mtime
        )
        for path in kept[MAX_SESSIONS:]:
            path.unlink()
