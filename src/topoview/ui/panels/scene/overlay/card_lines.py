"""Lines of the cards over a scene: what they say of ranks, edges and messages."""

import numpy as np

from topoview import model
from topoview.base.text import duration_text, grouped, plural, size_text, tr
from topoview.live.call_facts import path_text, ranks_text, tags_text
from topoview.live.moments.moment import call_at
from topoview.live.moments.wait_chains import awaited_by
from topoview.report.identification.answer import title_of
from topoview.report.info import clock_remarks
from topoview.scene.annotations import Footer
from topoview.session import State
from topoview.ui.panels.picked.words import place_text
from topoview.ui.panels.scene.content import SceneContent
from topoview.ui.panels.scene.moment import SceneMoment
from topoview.ui.panels.scene.overlay import legend
from topoview.ui.widgets.formats import name_text, relative_time_text, time_text
from topoview.version import __version__

MAX_NAME_LENGTH = 48
"""Characters of a name or a place in a source that are written."""


def rank_lines(
    state: State, content: SceneContent, shown: SceneMoment, rank: int
) -> tuple[str, ...]:
    """Describe a rank: who and where it is, its state, its call, its numbers."""
    trace, now = content.analysis.trace, shown.now
    interval = now.interval_of(rank)
    lines = [
        tr(
            "rank {rank}  {place}", rank=rank, place=place_text(content.match, rank)
        ).strip()
    ]
    place = trace.locations[rank]
    if place.node and _has_several_nodes(trace):
        lines.append(tr("node {node}", node=place.node))
    label = model.TimeState(now.state[rank]).label
    if now.state[rank] == model.TimeState.OUTSIDE:
        lines.append(tr("outside of the recorded time"))
    else:
        since = int(now.timeline.time[interval])
        so_far = duration_text(trace.clock.seconds(now.ticks - since))
        span, clock = state.window[1] - state.window[0], trace.clock
        at = relative_time_text(since, state.time_zero, clock, span, state.unit)
        text = tr(
            "{label}, {so_far} so far, since {at}", so_far=so_far, label=label, at=at
        )
        if now.ticks == since:
            text = tr("{label}, just entered", label=label)
        lines.append(text)
    region = int(now.timeline.region[interval])
    if region >= 0:
        name = trace.regions.title(region)
        lines.append(
            name if len(name) <= MAX_NAME_LENGTH else f"{name[: MAX_NAME_LENGTH - 1]}…"
        )
        source = trace.regions.source(region)
        if source:
            end = source[1 - MAX_NAME_LENGTH :]
            lines.append(source if len(source) <= MAX_NAME_LENGTH else f"…{end}")
    lines += _call_lines(content.analysis, shown, rank)
    view = state.scene
    for of, values, colouring in (
        ("", shown.channels.fill, "" if state.highlighted >= 0 else view.colouring),
        ("outline, ", shown.channels.outline, view.outline),
        ("size, ", shown.channels.size, view.size),
    ):
        if values is not None:
            lines.append(of + _number_line(state, values, colouring, rank))
    return tuple(lines)


@model.kept_with_source()
def _has_several_nodes(trace: model.Trace) -> bool:
    return len(set(trace.hosts)) > 1


def _number_line(state: State, values: model.RankValues, name: str, rank: int) -> str:
    number = legend.number_text(values, float(values.values[rank]))
    return f"{legend.colouring_text(state, name)}: {number}"


def _tag_words(tags: tuple[int, ...]) -> str:
    text = tags_text(tags)
    if len(tags) == 1:
        return tr("tag {tag}", tag=text)
    return tr("tags {tags}", tags=text) if "," in text else text


def _call_lines(analysis: model.Analysis, shown: SceneMoment, rank: int) -> list[str]:
    """Describe the present call's partners and bytes, and whom it waits for."""
    trace, ticks, look = analysis.trace, shown.now.ticks, shown.look
    call = call_at(trace, rank, ticks)
    if call is None:
        return []
    path = path_text(trace, call)
    facts = look.facts(analysis, rank, call)
    words = []
    if facts.to:
        words.append(tr("to {ranks}", ranks=ranks_text(facts.to)))
    if facts.source:
        words.append(tr("from {ranks}", ranks=ranks_text(facts.source)))
    if facts.root >= 0:
        words.append(tr("root {root}", root=facts.root))
    if facts.size is not None and (facts.size or facts.to or facts.source):
        words.append(size_text(facts.size))
    if facts.tags:
        words.append(_tag_words(facts.tags))
    if facts.communicator > 0:
        name = trace.communicators[facts.communicator].name
        words.append(tr("in {name}", name=name or facts.communicator))
    inner = path if len(path) <= MAX_NAME_LENGTH else f"…{path[1 - MAX_NAME_LENGTH :]}"
    lines = [tr("in {inner}", inner=inner)] if path else []
    lines += [", ".join(words)] if words else []
    if analysis.waits is not None:
        whom = awaited_by(trace, analysis.waits, rank, ticks)
        if whom >= 0:
            lines.append(tr("waits for rank {whom}", whom=grouped(whom)))
    return lines


def edge_lines(content: SceneContent, edge: tuple[int, int]) -> tuple[str, ...]:
    """Describe an edge: messages, one-sided transfers and bytes, both ways."""
    lines = [tr("edge {first} – {second}", first=edge[0], second=edge[1])]
    analysis = content.analysis
    for sender, receiver in (edge, edge[::-1]):
        way = f"{sender} \u2192 {receiver}"
        phrases = [_traffic_text(content.matrix, sender, receiver)]
        if analysis.one_sided is not None and analysis.one_sided is not content.matrix:
            phrases.append(_traffic_text(analysis.one_sided, sender, receiver))
        lines.append(f"{way}: {'; '.join(filter(None, phrases)) or 'nothing'}")
    return tuple(lines)


def flow_lines(
    content: SceneContent, shown: SceneMoment, flow: tuple[int, int]
) -> tuple[str, ...]:
    """Describe messages that are under way from one rank to another."""
    flying, messages = shown.flying, content.analysis.trace.messages
    own = np.flatnonzero((flying.sender == flow[0]) & (flying.receiver == flow[1]))
    size = size_text(int(messages.size[flying.message[own]].sum()))
    lines = [
        tr("rank {first} → rank {second}", first=flow[0], second=flow[1]),
        tr(
            "{messages} under way, {size}",
            messages=plural(len(own), "message"),
            size=size,
        ),
    ]
    for some, text in (
        (flying.awaited, tr("late: the receiver waits")),
        (flying.early, tr("unexpected: no receive posted")),
    ):
        count = int(some[own].sum())
        if count:
            lines.append(f"{grouped(count)} {text}")
    return tuple(lines)


def _traffic_text(matrix: model.CommunicationMatrix, sender: int, receiver: int) -> str:
    calls = int(matrix.calls[sender, receiver])
    volume = int(matrix.volume[sender, receiver])
    return f"{plural(calls, matrix.noun)}, {size_text(volume)}" if calls else ""


def footer_of(state: State, content: SceneContent) -> Footer:
    """Return what a line below a picture says of it."""
    trace = content.analysis.trace
    span = state.window[1] - state.window[0]
    return Footer(
        trace.name,
        (
            name_text(title_of(content.analysis.identification, content.match)),
            plural(trace.ranks, "rank"),
            f"t = {time_text(state.time, trace.clock, span, state.unit)}",
            *clock_remarks(trace.clock, trace.ranks),
        ),
        tr(
            "{producer}, drawn by topoview {version}",
            producer=trace.producer,
            version=__version__,
        ),
    )
