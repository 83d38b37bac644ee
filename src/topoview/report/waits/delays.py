"""What is said of a delay: a sentence, facts; and the table of all delays."""

from collections.abc import Callable
from typing import Final

import numpy as np

from topoview import model
from topoview.base.text import duration_text, plural, tr
from topoview.report.claims import (
    decay,
    front,
    late,
    noise,
    pace,
    predicted_pace,
    saving,
    speed,
    stall,
)

DELAYS: Final = model.Schema(
    model.Column("rank", "#", tr("rank"), tr("Rank that was late"), link="rank"),
    model.Column("begin", "at", tr("begin")),
    model.Column("end", "at", tr("end")),
    model.Column(
        "iteration",
        "#",
        tr("iter."),
        tr("Iteration of the program's main loop, from 1"),
        codes={0: ""},
        sparse=True,
    ),
    model.Column(
        "seconds",
        "s",
        tr("late by"),
        tr(
            "How much longer it took than the median over ranks and iterations at "
            "that place of the program"
        ),
    ),
    model.Column("own_seconds", "s", tr("time")),
    model.Column("call", "", tr("call"), missing="computation"),
    model.Column("instead", "", tr("function")),
    model.Column(
        "ranks_reached",
        "",
        tr("reached"),
        tr("Ranks that waited mainly for it, directly or through others"),
    ),
    model.Column(
        "hops_per_iteration",
        "",
        tr("hops/it."),
        tr("How fast the waiting travels: hops in the topology per iteration"),
        sparse=True,
    ),
    model.Column(
        "hops_per_second",
        "/s",
        tr("hops/s"),
        tr("How fast the waiting travels: hops in the topology per second"),
        sparse=True,
    ),
    model.Column(
        "predicted_hops_per_second",
        "/s",
        tr("predicted"),
        tr(
            "How fast it should: by what calls need of each other, and how long ranks "
            "compute and communicate"
        ),
        sparse=True,
    ),
    model.Column("predicted_error_per_second", "/s", tr("error"), sparse=True),
    model.Column(
        "decay_seconds_per_hop",
        "s",
        tr("decay"),
        tr("By how much waits get shorter with each hop"),
        sparse=True,
    ),
    model.Column(
        "noise_seconds_per_hop",
        "s",
        tr("noise"),
        tr(
            "What a rank waits by noise while a wave travels one hop: about what it "
            "makes waits shorter by"
        ),
        sparse=True,
    ),
    model.Column(
        "caused_seconds",
        "s",
        tr("caused"),
        tr("Waiting of all ranks that is attributed to it"),
    ),
    model.Column("least_caused_seconds", "s", tr("least")),
    model.Column("most_caused_seconds", "s", tr("most")),
    model.Column(
        "saved_seconds",
        "s",
        tr("saves"),
        tr(
            "By how much the exchange would be shorter without it: all calls gone "
            "through again, with the computation as it was"
        ),
        sparse=True,
    ),
    model.Column("ended", "", tr("end")),
    model.Column("met", "#"),
)
"""Of ``topoview idle-waves``, the Delays panel and reports."""

SHOWN: Final = (
    "rank",
    "iteration",
    "seconds",
    "ranks_reached",
    "hops_per_iteration",
    "hops_per_second",
    "predicted_hops_per_second",
    "decay_seconds_per_hop",
    "noise_seconds_per_hop",
    "caused_seconds",
    "saved_seconds",
)
"""Columns that the window and reports show."""

DELAY_GROUPS: Final = model.Schema(
    model.Column("rank", "#", tr("rank"), DELAYS["rank"].tip, codes={-1: tr("others")}),
    DELAYS["iteration"],
    model.Column("delays", "", tr("delays"), tr("Delays of the rank in the iteration")),
    model.Column(
        "seconds", "s", tr("late by"), tr("How late the costliest of them was")
    ),
    DELAYS["caused_seconds"],
    model.Column("share", "share", tr("share"), tr("Share of all waiting")),
    model.Column("delay", "#", tr("delay"), tr("The costliest of them, from 0")),
)

SMALL_GROUP: Final = 0.01
"""Share of all waiting below which groups of delays are told together."""

AS_CLOCKS_ARE: Final = tr("within clock error")

MAX_WAYS: Final = 6
"""Directions of a wave that are told, those with most ranks."""


def delay_headline(analysis: model.Analysis, delay: int) -> str:
    """Describe who was late, by how much, and when.

    ``Rank 5 was late by 59.8 ms in iteration 8.``; where others took as long at that
    place of the program: ``Rank 5 kept others waiting in ...``.
    """
    delays, region = _of(analysis), int(_of(analysis).region[delay])
    what, claim = tr("kept others waiting"), late(analysis.trace, delays, delay)
    if claim.holds:
        what = tr("was late by {excess}", excess=duration_text(claim.number))
    inside = (
        tr(" in {title}", title=analysis.trace.regions.title(region))
        if region >= 0
        else ""
    )
    when = f"{',' * bool(inside)} {when_text(analysis, delay)}."
    return tr(
        "Rank {rank} {what}{inside}{when}",
        rank=delays.rank[delay],
        what=what,
        inside=inside,
        when=when,
    )


def cause_text(analysis: model.Analysis, delay: int) -> str:
    """Explain that a delay is not the program's doing, and what to do; or nothing."""
    trace, delays = analysis.trace, _of(analysis)
    if delays.is_measurement[delay]:
        took = duration_text(trace.clock.seconds(int(delays.measuring[delay])))
        return tr(
            "Its tracer kept it for {took}, as tracers do to write their buffers: "
            "give it more memory (Score-P: SCOREP_TOTAL_MEMORY), or record less.",
            took=took,
        )
    if not stall(trace, delays, delay).holds:
        return ""
    ranks = plural(int(delays.beside[delay]), "other rank")
    return tr(
        "At the same time {ranks} stood still in calls that had all they need: that "
        "is the machine's doing, or the tracer's. Run it on cores that nothing else "
        "uses, and give the tracer more memory.",
        ranks=ranks,
    )


def when_text(analysis: model.Analysis, delay: int) -> str:
    """Describe when it was: ``in iteration 8``; outside of loops ``at 1.24 s``."""
    delays = _of(analysis)
    if delays.iteration[delay]:
        return tr("in iteration {iteration}", iteration=delays.iteration[delay])
    return tr(
        "at {begin}",
        begin=duration_text(analysis.trace.clock.seconds(int(delays.begin[delay]))),
    )


def instead_text(analysis: model.Analysis, delay: int) -> str:
    """Describe what the rank did: ``computed 63.1 ms (median 3.14 ms)``.

    In a function of the program ``computed 63.1 ms (median 3.14 ms) in work``; in a
    call ``spent 9.81 ms (median 0.68 ms) of its own in Waitall``.
    """
    delays, clock, regions = _of(analysis), analysis.trace.clock, analysis.trace.regions
    long = int(delays.end[delay] - delays.begin[delay])
    usual = duration_text(clock.seconds(long - int(delays.excess[delay])))
    took = duration_text(clock.seconds(long))
    region, doing = int(delays.region[delay]), int(delays.doing[delay])
    if delays.is_measurement[delay]:
        return tr("took {took} (median {usual})", took=took, usual=usual)
    if region >= 0:
        return tr(
            "spent {took} (median {usual}) of its own in “{title}”",
            took=took,
            usual=usual,
            title=regions.title(region),
        )
    where = tr(" in region “{title}”", title=regions.title(doing)) if doing >= 0 else ""
    return tr(
        "computed {took} (median {usual}){where}", took=took, usual=usual, where=where
    )


def ending_text(analysis: model.Analysis, delay: int) -> str:
    """Describe how its wave ended, as the end of a sentence about the wave."""
    delays = _of(analysis)
    end, met = model.FRONT_ENDS[delays.ending[delay]], int(delays.met[delay])
    if end == "annihilated":
        return tr("was annihilated by that of rank {rank}", rank=delays.rank[met])
    return {
        "nobody waited": tr("kept no rank waiting for long"),
        "boundary": tr("reached the boundary"),
        "absorbed": tr("was absorbed"),
    }[end]


def directions_travelled(
    delays: model.Delays, logical: model.LogicalTrace, first: int, last: int
) -> list[dict[str, int]]:
    """Count the ranks that waves reached, by the direction in which they came.

    ``EAST``: the rank that waited lies to the east of the one that it waited for.

    Parameters
    ----------
    first, last
        The delays that are meant: from the first to before the last.
    """
    from topoview.analysis.waits.sums import directions_of  # compiled code

    own = slice(int(delays.offsets[first]), int(delays.offsets[last]))
    ranks, names = len(delays.of_rank), logical.partners.names
    delay = np.repeat(
        np.arange(last - first), np.diff(delays.offsets[first : last + 1])
    )
    _, at = np.unique(delay * ranks + delays.wait_rank[own], return_index=True)
    rank, whom, delay = delays.wait_rank[own][at], delays.wait_whom[own][at], delay[at]
    toward = directions_of(logical, whom.astype(np.int64), rank)
    there = (toward >= 0) & (rank != delays.rank[first:last][delay])
    result: list[dict[str, int]] = [{} for _ in range(last - first)]
    ways, counts = np.unique(
        np.stack([delay[there], toward[there]]), axis=1, return_counts=True
    )
    for one, way, count in zip(*ways.tolist(), counts.tolist(), strict=True):
        result[one][names[way]] = count
    return result


def course_text(analysis: model.Analysis, delay: int) -> str:
    """Describe what it did instead, where its wave went and how that ended.

    ``computed 63.1 ms (median 3.14 ms); wave to EAST 9, WEST 8; it reached the
    boundary``; and between what the waiting lies that it caused, where clocks leave
    that open.
    """
    assert analysis.logical is not None
    travels = front(analysis.trace, _of(analysis), delay).holds
    ways = directions_travelled(_of(analysis), analysis.logical, delay, delay + 1)[0]
    phrases = [instead_text(analysis, delay)]
    if ways:
        most = sorted(ways.items(), key=lambda way: -way[1])[:MAX_WAYS]
        words = [f"{name} {count}" for name, count in most]
        other = int(_of(analysis).reached[delay]) - sum(count for _, count in most)
        if other:
            words.append(tr("{count} by other ways", count=other))
        phrases.append((tr("wave to ") if travels else tr("waits ")) + ", ".join(words))
    if travels:
        phrases.append(tr("it {ending}", ending=ending_text(analysis, delay)))
        phrases += predicted_phrases(analysis, delay)
    if bounds := cause_bounds_text(analysis.trace, _of(analysis), "delay", delay):
        phrases.append(
            tr(
                "it caused {bounds}, {as_clocks_are}",
                bounds=bounds,
                as_clocks_are=AS_CLOCKS_ARE,
            )
        )
    return "; ".join(phrases)


def delay_facts(analysis: model.Analysis, delay: int) -> str:
    """Describe what it did: ``31 ranks waited, 1.85 s in all; 1 hop per iteration.``.

    Before it, where it is not the program's doing, that, and what to do.
    """
    delays, clock = _of(analysis), analysis.trace.clock
    caused = duration_text(clock.seconds(int(delays.caused[delay])))
    sentence = tr(
        "{ranks} waited, {caused} in all",
        ranks=plural(int(delays.reached[delay]), "rank"),
        caused=caused,
    )
    hops = speed_text(speed(analysis.trace, delays, delay))
    sentence = f"{sentence}; {hops}." if hops else f"{sentence}."
    texts = cause_text(analysis, delay), sentence, saving_text(analysis, delay)
    return " ".join(filter(None, texts))


def saving_text(analysis: model.Analysis, delay: int) -> str:
    """Write what is gained: ``Without it the exchange would be 58 ms shorter.``."""
    saved = saving(analysis.trace, _of(analysis), delay)
    if not saved.holds:
        return ""
    return tr(
        "Without it the exchange would be {saved} shorter.",
        saved=duration_text(saved.number),
    )


def front_words(analysis: model.Analysis, delay: int) -> str:
    """Label a front: ``front: 1 hop per iteration, 4.2 ms per hop``; or nothing."""
    delays = _of(analysis)
    phrases = [speed_text(speed(analysis.trace, delays, delay))]
    hops = pace(analysis.trace, delays, delay)
    if hops.holds:
        phrases.append(tr("{ratio} per hop", ratio=duration_text(1 / hops.number)))
    words = ", ".join(filter(None, phrases))
    return tr("front: {words}", words=words) if words else ""


def predicted_phrases(analysis: model.Analysis, delay: int) -> list[str]:
    """Compare a front with what it should be, where that is claimed.

    ``314 hops/s, 316 ± 6 predicted``, ``noise shortens it by 0.23 ms per hop``.
    """
    trace, delays = analysis.trace, _of(analysis)
    phrases, speed = [], predicted_pace(trace, delays, delay)
    if speed.holds:
        phrases.append(
            tr(
                "{measured:.0f} hops/s, {predicted:.0f} ± {error:.0f} predicted",
                measured=float(delays.hops_per_second[delay]),
                predicted=speed.number,
                error=speed.error,
            )
        )
    if (by_noise := noise(trace, delays, delay)).holds:
        seconds = duration_text(by_noise.number)
        phrases.append(tr("noise shortens it by {seconds} per hop", seconds=seconds))
    return phrases


def speed_text(hops: model.Claim) -> str:
    """Write hops per iteration, ``1 hop per iteration``, where that holds."""
    if not hops.holds:
        return ""
    number = f"{hops.number:.2g}" if hops.number < 10 else f"{hops.number:.0f}"
    if number == "1":
        return tr("1 hop per iteration")
    return tr("{number} hops per iteration", number=number)


def cause_bounds_text(
    trace: model.Trace, delays: model.Delays, by: str, group: int
) -> str:
    """Write the bounds of the waiting that a delay, rank or statement caused.

    As `bounds_text`; `by` is a name in `Delays.between`.
    """
    if by not in delays.between:
        return ""
    return between_text(trace, *delays.between[by][:, group].tolist())


def between_text(trace: model.Trace, least: int, most: int) -> str:
    """Write ticks between which something lies; nothing where they read as one."""
    one, other = (duration_text(trace.clock.seconds(t)) for t in (least, most))
    return tr("between {one} and {other}", one=one, other=other) if one != other else ""


def caused_between(delays: model.Delays, delay: int) -> model.Ints:
    """Return the bounds of waiting that a delay caused: int64, shape (2,), ticks."""
    if not delays.between:
        return delays.caused[[delay, delay]]
    return delays.between["delay"][:, delay]


def delays_table(trace: model.Trace, delays: model.Delays | None) -> model.Table:
    """Return the delays, costliest first."""
    if delays is None:
        return model.Table(DELAYS, {})
    second = trace.clock.resolution
    titles = [trace.regions.title(n) for n in range(len(trace.regions.names))]
    measured = model.TimeState.MEASUREMENT.label
    call = np.where(delays.is_measurement, len(titles), delays.region)
    between: dict[str, model.ColumnData] = {}
    if delays.between:
        least, most = delays.between["delay"] / second
        between = {"least_caused_seconds": least, "most_caused_seconds": most}
    return model.Table(
        DELAYS,
        {
            "rank": delays.rank,
            "begin": delays.begin / second,
            "end": delays.end / second,
            "iteration": delays.iteration,
            "seconds": delays.excess / second,
            "own_seconds": (delays.end - delays.begin) / second,
            "call": model.named(call.astype(np.int32), [*titles, measured]),
            "instead": model.named(delays.doing, titles),
            "ranks_reached": delays.reached,
            "hops_per_iteration": _claimed(trace, delays, speed),
            "hops_per_second": _claimed(trace, delays, pace),
            "predicted_hops_per_second": (
                predicted := _claimed(trace, delays, predicted_pace)
            ),
            "predicted_error_per_second": np.where(
                np.isnan(predicted), np.nan, delays.predicted[1, 1]
            ),
            "decay_seconds_per_hop": _claimed(trace, delays, decay),
            "noise_seconds_per_hop": _claimed(trace, delays, noise),
            "caused_seconds": delays.caused / second,
            **between,
            "saved_seconds": np.where(delays.saved >= 0, delays.saved / second, np.nan),
            "ended": (delays.ending.astype(np.int32), model.FRONT_ENDS),
            "met": delays.met,
        },
    )


def delay_groups_table(
    trace: model.Trace, delays: model.Delays, some: model.Ints | None = None
) -> model.Table:
    """Return delays by rank and iteration, costliest first; small groups as one row.

    Parameters
    ----------
    some : int64, optional
        Numbers of the delays that count; None: all.
    """
    some = np.arange(len(delays)) if some is None else some
    keys = np.stack([delays.rank[some], delays.iteration[some]], axis=1)
    places, group = np.unique(keys, axis=0, return_inverse=True)
    group = group.reshape(-1)
    count = np.bincount(group, minlength=len(places))
    caused = np.bincount(group, delays.caused[some], minlength=len(places))
    order = np.argsort(-delays.caused[some], kind="stable")
    costliest = np.full(len(places), -1)
    costliest[group[order[::-1]]] = some[order[::-1]]
    share = caused / max(delays.waiting, 1)
    rows = np.argsort(-caused, kind="stable")
    small = rows[share[rows] < SMALL_GROUP]
    if len(small) < 2:
        small = small[:0]
    rows = rows[: len(rows) - len(small)]
    late = delays.excess[costliest] / trace.clock.resolution
    columns = {
        "rank": (places[:, 0], -1),
        "iteration": (places[:, 1], 0),
        "delays": (count, count[small].sum()),
        "seconds": (late, np.nan),
        "caused_seconds": (
            caused / trace.clock.resolution,
            caused[small].sum() / trace.clock.resolution,
        ),
        "share": (share, share[small].sum()),
        "delay": (costliest, -1),
    }
    rest = 1 if len(small) else 0
    return model.Table(
        DELAY_GROUPS,
        {
            name: np.append(values[rows], [others][:rest]).astype(values.dtype)
            for name, (values, others) in columns.items()
        },
    )


def _claimed(
    trace: model.Trace,
    delays: model.Delays,
    claim: Callable[[model.Trace, model.Delays, int], model.Claim],
) -> model.Floats:
    """List what is claimed of each delay's front; NaN where it has none."""
    numbers = np.full(len(delays), np.nan)
    for delay in np.flatnonzero(~np.isnan(delays.correlation)).tolist():
        said = claim(trace, delays, delay)
        if said.holds or (said.number == 0 and all(each.holds for each in said.needs)):
            numbers[delay] = said.number
    return numbers


def _of(analysis: model.Analysis) -> model.Delays:
    assert analysis.delays is not None
    return analysis.delays
