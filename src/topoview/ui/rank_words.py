"""What is told about a rank: where it is, its state, its call, its partners."""

from weakref import WeakKeyDictionary

from topoview.analysis.call_facts import CallFacts, facts_of, messages_of, ranks_text
from topoview.analysis.moment import calls_at
from topoview.analysis.path_words import path_text
from topoview.analysis.wait_chains import waiting_for
from topoview.model import Calls, Match, MPIState, RankValues, Trace
from topoview.session import State
from topoview.topology.lattice import AXES
from topoview.ui.formats import duration_text, grouped, marked_text, size_text
from topoview.ui.scene.content import SceneContent
from topoview.ui.scene.keys import colouring_text, number_text
from topoview.ui.scene.moment import SceneMoment

LONGEST = 48
"""Characters of a name or a place in a source that are written."""

ROLES = {
    "star": lambda place: "master" if place[0] == 0 else f"worker {place[1]}",
}
"""What a rank is, from its coordinates, where it has another name than those."""


def place_text(match: Match, rank: int) -> str:
    """Where a rank is in a topology: ``(x 5, y 1)``; empty if it is nowhere."""
    if match.topology.kind == "none":
        return ""
    if match.vertex[rank] < 0:
        return "(silent)"
    place = match.topology.coordinates[match.vertex[rank]]
    if match.topology.kind in ROLES:
        return f"({ROLES[match.topology.kind](place)})"
    if match.topology.kind != "lattice":
        return ""
    pairs = zip(AXES, place, strict=False)
    return f"({', '.join(f'{axis} {value}' for axis, value in pairs)})"


def rank_lines(
    state: State, content: SceneContent, shown: SceneMoment, rank: int
) -> tuple[str, ...]:
    """Tell about a rank: who and where it is, its state, its call, its numbers."""
    trace, now = content.known.trace, shown.now
    lines = [f"rank {rank}  {place_text(content.match, rank)}".strip()]
    place = trace.locations[rank]
    if place.node:
        lines.append(f"node {place.node}")
    label = MPIState(now.state[rank]).label
    if now.state[rank] == MPIState.OUTSIDE:
        lines.append("outside of the recorded time")
    else:
        since = int(now.since[rank])
        so_far = duration_text(trace.clock.seconds(now.ticks - since))
        at = marked_text(since, state.mark, trace.clock, state.unit)
        lines.append(f"{label}, {so_far} so far, since {at}")
    region = int(now.region[rank])
    if region >= 0:
        name = trace.regions.title(region)
        lines.append(name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…")
        source = trace.regions.source(region)
        if source:
            end = source[1 - LONGEST :]
            lines.append(source if len(source) <= LONGEST else f"…{end}")
    lines += _call_lines(state, trace, now.ticks, rank)
    view = state.view
    for of, values, colouring in (
        ("", shown.told.fill, "" if state.lit >= 0 else view.colouring),
        ("rim, ", shown.told.rim, view.rim),
        ("size, ", shown.told.size, view.size),
    ):
        if values is not None:
            lines.append(of + _number_line(state, values, colouring, rank))
    return tuple(lines)


def _number_line(state: State, values: RankValues, name: str, rank: int) -> str:
    number = number_text(values, float(values.values[rank]))
    return f"{colouring_text(state, name)}: {number}"


def _call_lines(state: State, trace: Trace, ticks: int, rank: int) -> list[str]:
    """Tell the present call's partners and bytes, and whom it waits for."""
    call, inside = calls_at(trace, ticks)
    if not inside[rank]:
        return []
    path = path_text(trace, int(call[rank]))
    facts = _facts(trace, rank, int(call[rank]))
    words = []
    if facts.to:
        words.append(f"to {ranks_text(facts.to)}")
    if facts.source:
        words.append(f"from {ranks_text(facts.source)}")
    if facts.root >= 0:
        words.append(f"root {facts.root}")
    if facts.size is not None and (facts.size or facts.to or facts.source):
        words.append(size_text(facts.size))
    if facts.tags:
        tags = ranks_text(facts.tags).replace("ranks", "tags")
        some = "tags" if "," in tags else "tag"
        words.append(tags if tags.endswith("tags") else f"{some} {tags}")
    if facts.communicator > 0:
        name = trace.communicators[facts.communicator].name
        words.append(f"in {name or facts.communicator}")
    inner = path if len(path) <= LONGEST else f"…{path[1 - LONGEST :]}"
    lines = [f"in {inner}"] if path else []
    lines += [", ".join(words)] if words else []
    waits = state.analysis.waits if state.analysis else None
    if waits is not None:
        whom = int(waiting_for(trace, waits, ticks)[rank])
        if whom >= 0:
            lines.append(f"waits for rank {grouped(whom)}")
    return lines


MOST_KEPT = 64

_KNOWN: WeakKeyDictionary[Calls, dict[int, CallFacts]] = WeakKeyDictionary()


def _facts(trace: Trace, rank: int, call: int) -> CallFacts:
    """Tell what a call did; kept, since it is asked for at each frame."""
    kept = _KNOWN.setdefault(trace.calls, {})
    if call not in kept:
        if len(kept) >= MOST_KEPT:
            del kept[next(iter(kept))]
        kept[call] = facts_of(trace, messages_of(trace, rank, call, call + 1), call)
    return kept[call]
