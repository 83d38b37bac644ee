"""Advice: what costs most, in sentences, each with the numbers that it rests on.

`RULES` is the table: each rule is a function from the results to findings. None judges:
a finding is told where it makes up `LEAST_SHARE` of what it is a part of, and they are
ordered by how much of the ranks' time they are about.
"""

import math
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np

from topoview.base.text import duration_text, in_sentence, plural, share_text, tr
from topoview.logical.listing import lines
from topoview.model import (
    WAIT_KINDS,
    Analysis,
    CriticalPath,
    Delays,
    Floats,
    Ints,
    LogicalTrace,
    MPIState,
    WaitSums,
)
from topoview.report.delays import (
    cause_bounds_text,
    caused_between,
    ending_text,
    instead_text,
    speed_text,
    when_text,
)
from topoview.report.logical_lines import folded_lines
from topoview.report.waits import KIND_TEXTS, statement_texts

LEAST_SHARE: Final = 0.05
"""Share of all waiting, or of the run, that is told of at least."""

LEAST_TIMES_MEAN: Final = 2.0
"""How many times the mean of all ranks, directions or iterations one stands out."""

MAX_DELAYS_TOLD: Final = 3
"""Delays that have a finding of their own."""

Evidence = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """A finding."""

    rule: str
    """Name in `RULES`."""
    text: str
    """A sentence."""
    evidence: Evidence
    """The numbers in it, by their names: seconds, fractions, counts."""
    command: str
    """A command line that shows them."""
    section: str
    """Section of the page on waits in the documentation that defines them."""
    ticks: float
    """Time of all ranks that it is about."""
    ranks: tuple[int, ...] = ()
    pair: tuple[int, int] | None = None
    """`ranks` and `pair`: ranks that it is about; and who waited, and for whom; empty:
    no special ones."""
    delay: int = -1
    """Index of the delay that it is about; -1 for none."""
    statement: int = -1
    """Statement of the logical trace; -1 for none."""
    iteration: int = 0
    """Iteration of the program, from 1; 0 for none."""


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What rules look at."""

    analysis: Analysis
    """The trace and all results."""
    sums: WaitSums
    delays: Delays
    path: CriticalPath
    """`sums`, `delays` and `path`: waiting, its causes, and the critical path."""
    run: int
    """Ticks from the first begin of a rank to the last end."""

    def time(self, ticks: float) -> str:
        """Write a time."""
        return duration_text(float(ticks) / self.analysis.trace.clock.resolution)

    def seconds(self, ticks: float) -> float:
        """Give a time in seconds."""
        return float(ticks) / self.analysis.trace.clock.resolution

    def command(self, words: str, *options: str, events: bool = False) -> str:
        """Write a command line about this trace, or with events about a digest's."""
        trace = self.analysis.trace
        path = trace.digest.trace if events and trace.digest else trace.path
        quoted_path = shlex.quote(path or trace.name)
        return " ".join(("topoview", words, quoted_path, *options))

    def share(self, ticks: float) -> float:
        """Tell the share of all waiting."""
        return float(ticks) / max(self.sums.total, 1)


def advice_of(analysis: Analysis) -> tuple[Advice, ...]:
    """Find all advice on a run; what is about most time comes first.

    None where clocks are not aligned, or nobody waited.
    """
    sums, delays, path = analysis.wait_sums, analysis.delays, analysis.critical_path
    if sums is None or delays is None or path is None or not sums.total:
        return ()
    findings = Findings(analysis, sums, delays, path, int(path.of_rank.sum()))
    advice = [one for rule in RULES.values() for one in rule(findings)]
    return tuple(sorted(advice, key=lambda one: -one.ticks))


def advice_record(analysis: Analysis) -> list[dict[str, Any]]:
    """Describe advice as JSON-able values."""
    return [
        {
            "rule": one.rule,
            "text": one.text,
            "evidence": dict(one.evidence),
            "command": one.command,
            "link": f"methods/waits.md#{one.section}",
            "seconds": analysis.trace.clock.seconds(round(one.ticks)),
            "ranks": list(one.ranks),
            "pair": None if one.pair is None else list(one.pair),
            "delay": one.delay if one.delay >= 0 else None,
            "statement": one.statement if one.statement >= 0 else None,
            "iteration": one.iteration or None,
        }
        for one in advice_of(analysis)
    ]


def advice_text(analysis: Analysis) -> str:
    """Write advice as numbered sentences, each with its command."""
    advice = advice_of(analysis)
    if not advice:
        return ""
    lines = ["\n", "Advice"]
    for number, one in enumerate(advice, 1):
        lines += [f"{number:>2}. {one.text}", f"    {one.command}"]
    return "\n".join(lines)


# The rules.


WHOLE_SHARE: Final = 0.9995
"""Share that is written as 100 %: nothing is said of the rest."""


def _efficiency(findings: Findings) -> Iterator[Advice]:
    """Tell which of the factors of POP costs most."""
    every = findings.analysis.efficiencies
    if every is None or math.isnan(every.exchange[0].parallel):
        return
    one, (begin, end) = every.exchange[0], every.exchange_window
    factors = {
        "load_balance": tr("Load balance"),
        "serialisation": tr("Serialisation"),
        "transfer": tr("Transfer"),
        "threads": tr("The share of threads and I/O"),
        "offload": tr("Offload"),
    }
    factors = {
        name: text
        for name, text in factors.items()
        if name not in ("threads", "offload") or getattr(one, name) < WHOLE_SHARE
    }
    worst = min(factors, key=lambda name: getattr(one, name))
    product = ", ".join(
        f"{in_sentence(text)} {share_text(getattr(one, name))}"
        for name, text in factors.items()
    )
    whole, profile = (
        (end - begin) * findings.analysis.trace.ranks,
        findings.analysis.profile,
    )
    ranks: tuple[int, ...] = ()
    most = ""
    if profile is not None and worst == "load_balance":
        ranks = (int(profile.state_ticks[:, MPIState.COMPUTE].argmax()),)
        most = tr("; rank {rank} computes most", rank=ranks[0])
    yield Advice(
        rule="efficiency",
        text=tr(
            "Parallel efficiency is {parallel} in the exchange: the product of "
            "{told}. {worst} costs most{most}.",
            parallel=share_text(one.parallel),
            told=product,
            worst=factors[worst],
            most=most,
        ),
        evidence=tuple((field.name, getattr(one, field.name)) for field in fields(one)),
        command=findings.command("efficiency"),
        section="efficiencies",
        ticks=(1 - one.parallel) * whole,
        ranks=ranks,
    )


def _delays(findings: Findings) -> Iterator[Advice]:
    """Tell of the costliest delays, each with its wave."""
    analysis, delays = findings.analysis, findings.delays
    for i in range(min(len(delays), MAX_DELAYS_TOLD)):
        caused, rank = int(delays.caused[i]), int(delays.rank[i])
        if findings.share(caused) < LEAST_SHARE:
            return
        speed = speed_text(float(delays.hops_per_iteration[i]))
        wave = tr(
            "its wave reached {ranks}", ranks=plural(int(delays.reached[i]), "rank")
        )
        wave += tr(" at {speed}", speed=speed) if speed else ""
        bounds = cause_bounds_text(analysis.trace, delays, "delay", i)
        least, most = map(findings.seconds, caused_between(delays, i).tolist())
        yield Advice(
            rule="delay",
            text=tr(
                "Rank {rank} {instead} {when}: that caused "
                "{caused} of waiting{bounds}, "
                "{share} of all; {wave} and "
                "{ending}.",
                rank=rank,
                instead=instead_text(analysis, i),
                when=when_text(analysis, i),
                caused=findings.time(caused),
                bounds=f" ({bounds})" * bool(bounds),
                share=share_text(findings.share(caused)),
                wave=wave,
                ending=ending_text(analysis, i),
            ),
            evidence=(
                ("seconds", findings.seconds(int(delays.excess[i]))),
                ("caused_seconds", findings.seconds(caused)),
                ("least_seconds", least),
                ("most_seconds", most),
                ("share", findings.share(caused)),
                ("ranks_reached", int(delays.reached[i])),
            ),
            command=findings.command("idle-waves"),
            section="delays",
            ticks=caused,
            ranks=(rank,),
            delay=i,
            iteration=int(delays.iteration[i]),
        )


def _costly_rank(findings: Findings) -> Iterator[Advice]:
    """Tell of the rank whose own time causes most, and what it computes."""
    of_rank, delays = findings.delays.of_rank, findings.delays
    rank = int(of_rank.argmax())
    caused, mean = int(of_rank[rank]), of_rank.mean()
    share = findings.share(caused)
    if share < LEAST_SHARE or caused < LEAST_TIMES_MEAN * mean:
        return
    evidence = [("caused_seconds", findings.seconds(caused)), ("share", share)]
    text = tr(
        "{share} of the waiting is caused by rank {rank}",
        share=share_text(share),
        rank=rank,
    )
    computed, usual, whom = _computation(findings.analysis, rank)
    if usual > 0:
        text += tr(
            ", whose computation ({computed}) is {ratio:.2f} times {whom}",
            computed=findings.time(computed),
            ratio=computed / usual,
            whom=whom,
        )
        evidence += [
            ("computation_seconds", findings.seconds(computed)),
            ("ratio", computed / usual),
        ]
    own = (delays.rank == rank) & (delays.region >= 0)
    inside = int(delays.caused[own].sum())
    if inside >= LEAST_SHARE * caused:
        text += tr(
            "; {ratio} of it is time inside MPI calls",
            ratio=share_text(inside / caused),
        )
        evidence.append(("inside_calls", inside / caused))
    yield Advice(
        rule="rank",
        text=f"{text}.",
        evidence=tuple(evidence),
        command=findings.command("waits"),
        section="causes",
        ticks=caused,
        ranks=(rank,),
    )


def _computation(analysis: Analysis, rank: int) -> tuple[int, float, str]:
    """Compare what a rank computes with its neighbours, or without any with all."""
    if analysis.profile is None:
        return 0, 0.0, ""
    computed = analysis.profile.state_ticks[:, MPIState.COMPUTE]
    others, whom = (
        np.delete(np.arange(len(computed)), rank),
        tr("the mean of the others"),
    )
    if analysis.identification is not None:
        edges = analysis.identification.best.rank_edges
        near = edges[(edges == rank).any(axis=1)]
        if len(near):
            others = np.setdiff1d(near, [rank, -1])
            whom = tr("its neighbours'")
    usual = float(computed[others].mean()) if len(others) else 0.0
    return int(computed[rank]), usual, whom


def _statement(findings: Findings) -> Iterator[Advice]:
    """Tell where the program waits most, and whose messages come last."""
    sums, logical = findings.sums, findings.analysis.logical
    if logical is None or not len(sums.by_statement):
        return
    statement = int(sums.by_statement.argmax())
    ticks = int(sums.by_statement[statement])
    if findings.share(ticks) < LEAST_SHARE:
        return
    share = findings.share(ticks)
    text = tr(
        "{share} of the waiting ({ticks}) is in “{statement}”{where}",
        share=share_text(share),
        ticks=findings.time(ticks),
        statement=statement_texts(logical)[statement],
        where=_which_line(logical, statement),
    )
    evidence = [("seconds", findings.seconds(ticks)), ("share", share)]
    some: Ints = sums.by_direction
    many = int(some.sum())
    if many and some.max() >= LEAST_TIMES_MEAN * many / max(int((some > 0).sum()), 2):
        most = int(some.argmax())
        text += tr(
            "; where one rank waits for another it is {direction} in {ratio}",
            direction=sums.directions[most],
            ratio=share_text(int(some[most]) / many),
        )
        evidence.append(("direction_share", int(some[most]) / many))
    yield Advice(
        rule="statement",
        text=f"{text}.",
        evidence=tuple(evidence),
        command=findings.command("waits", "--by", "statement"),
        section="wait-states",
        ticks=ticks,
        statement=statement,
    )


def _which_line(logical: LogicalTrace, statement: int) -> str:
    """Tell the line of a statement from others that read alike.

    Lines that are read as one are told from each other only.
    """
    read = lines(logical)
    within = folded_lines(read)
    calls = {one.first: k for k, one in enumerate(read) if one.kind == "call"}
    own = calls[statement]
    alike = [
        first
        for first, k in calls.items()
        if read[k].text == read[own].text and within[k] == within[own]
    ]
    if len(alike) == 1:
        return ""
    return tr(
        ", number {number} of {count} such lines in the logical trace",
        number=alike.index(statement) + 1,
        count=len(alike),
    )


def _kinds(findings: Findings) -> Iterator[Advice]:
    """Tell of each kind of wait states but late senders, and who comes last there."""
    sums = findings.sums
    for kind, name in enumerate(WAIT_KINDS):
        ticks = int(sums.suffered[kind].sum())
        if name == "late_sender" or findings.share(ticks) < LEAST_SHARE:
            continue
        last = int(sums.held_up[kind].argmax())
        part = int(sums.held_up[kind, last]) / ticks
        yield Advice(
            rule="kind",
            text=tr(
                "{share} of the waiting ({ticks}) is "
                "“{kind_texts}”; {part} of it is for rank {last}.",
                share=share_text(findings.share(ticks)),
                ticks=findings.time(ticks),
                kind_texts=KIND_TEXTS[name],
                part=share_text(part),
                last=last,
            ),
            evidence=(
                ("seconds", findings.seconds(ticks)),
                ("share", findings.share(ticks)),
                ("last_rank", last),
                ("last_share", part),
            ),
            command=findings.command("waits", "--by", "kind"),
            section="wait-states",
            ticks=ticks,
            ranks=(last,),
        )


def _wrong_order(findings: Findings) -> Iterator[Advice]:
    """Tell of messages that are received in another order than they come."""
    of_rank = findings.sums.wrong_order.sum(axis=0)
    ticks, rank = int(of_rank.sum()), int(of_rank.argmax())
    if findings.share(ticks) < LEAST_SHARE:
        return
    text = tr(
        "{share} of the waiting ({ticks}) is ",
        share=share_text(findings.share(ticks)),
        ticks=findings.time(ticks),
    )
    text += tr(
        "for messages while others that are received later had been sent already"
    )
    evidence = [("seconds", findings.seconds(ticks)), ("share", findings.share(ticks))]
    stands_out = of_rank[rank] >= LEAST_TIMES_MEAN * of_rank.mean()
    if stands_out:
        part = float(of_rank[rank] / ticks)
        text += tr("; {part} of it on rank {rank}", part=share_text(part), rank=rank)
        evidence.append(("rank_share", part))
    yield Advice(
        rule="wrong_order",
        text=f"{text}.",
        evidence=tuple(evidence),
        command=findings.command("waits"),
        section="wait-states",
        ticks=ticks,
        ranks=(rank,) if stands_out else (),
    )


def _pair(findings: Findings) -> Iterator[Advice]:
    """Tell of the pair of ranks of which one waits most for the other."""
    sums = findings.sums
    if not len(sums.pair_ticks):
        return
    most = int(sums.pair_ticks.argmax())
    ticks = int(sums.pair_ticks[most])
    share = findings.share(ticks)
    if share < LEAST_SHARE or ticks < LEAST_TIMES_MEAN * sums.pair_ticks.mean():
        return
    rank, whom = int(sums.pair_rank[most]), int(sums.pair_whom[most])
    calls = int(sums.pair_calls[most])
    yield Advice(
        rule="pair",
        text=tr(
            "{share} of the waiting is rank {rank}'s for rank {whom}: "
            "{ticks} in {calls}.",
            share=share_text(share),
            rank=rank,
            whom=whom,
            ticks=findings.time(ticks),
            calls=plural(calls, "call"),
        ),
        evidence=(
            ("seconds", findings.seconds(ticks)),
            ("share", share),
            ("calls", calls),
        ),
        command=findings.command("waits", "--by", "pair", "--sort", "seconds"),
        section="wait-states",
        ticks=ticks,
        ranks=tuple(sorted((rank, whom))),
        pair=(rank, whom),
    )


def _imbalance(findings: Findings) -> Iterator[Advice]:
    """Tell where the critical path computes longer than ranks do on average."""
    path, logical = findings.path, findings.analysis.logical
    if logical is None or not len(path.imbalance):
        return
    statement = int(path.imbalance.argmax())
    ticks = int(path.imbalance[statement])
    if ticks < LEAST_SHARE * findings.run:
        return
    before = int(path.before_statement[statement])
    rank = int(path.of_rank.argmax())
    yield Advice(
        rule="imbalance",
        text=tr(
            "What is computed before “{statement_text}” takes "
            "{before} of the critical path, {ticks} more than "
            "ranks compute there on average: balanced, the run of {run} "
            "would be up to {ratio} shorter. Rank {rank} is on "
            "the path for longest.",
            statement_text=statement_texts(logical)[statement],
            before=findings.time(before),
            ticks=findings.time(ticks),
            run=findings.time(findings.run),
            ratio=share_text(ticks / findings.run),
            rank=rank,
        ),
        evidence=(
            ("path_seconds", findings.seconds(before)),
            ("imbalance_seconds", findings.seconds(ticks)),
            ("share", ticks / findings.run),
        ),
        command=findings.command("waits"),
        section="the-critical-path",
        ticks=ticks * findings.analysis.trace.ranks,
        statement=statement,
        ranks=(rank,),
    )


def _plane(findings: Findings) -> Iterator[Advice]:
    """Tell of the plane of a lattice half of whose ranks compute longest."""
    profile, identification = (
        findings.analysis.profile,
        findings.analysis.identification,
    )
    if profile is None or identification is None:
        return
    computed = profile.state_ticks[:, MPIState.COMPUTE]
    best, plane, whole = 0.0, None, float(computed.sum())
    for name, ranks in identification.best.planes():
        own, others = computed[ranks], len(computed) - len(ranks)
        if len(ranks) < 2 or not others:
            continue
        half = int(np.sort(own)[(len(own) - 1) // 2])
        usual = (whole - float(own.sum())) / others
        if half - usual > best:
            best, plane = half - usual, (name, ranks, half, usual)
    if plane is None or best < LEAST_SHARE * findings.run:
        return
    name, ranks, computation, usual = plane
    ratio = computation / max(usual, 1.0)
    yield Advice(
        rule="plane",
        text=tr(
            "The {ranks} ranks with {name} compute {ratio:.2f} times as long as the "
            "others: at least half of them {computation} or more, the others "
            "{usual} on average. The difference is "
            "{share} of the run.",
            ranks=len(ranks),
            name=name,
            ratio=ratio,
            computation=findings.time(computation),
            usual=findings.time(usual),
            share=share_text(best / findings.run),
        ),
        evidence=(
            ("ranks", len(ranks)),
            ("computation_seconds", findings.seconds(computation)),
            ("others_seconds", findings.seconds(usual)),
            ("ratio", ratio),
            ("share", best / findings.run),
        ),
        command=findings.command("efficiency", "--by", "plane"),
        section="efficiencies",
        ticks=best * findings.analysis.trace.ranks,
        ranks=tuple(ranks.tolist()),
    )


def _inside_calls(findings: Findings) -> Iterator[Advice]:
    """Tell of delays inside MPI calls: of ranks that had what they needed."""
    delays, regions = findings.delays, findings.analysis.trace.regions
    inside = np.flatnonzero(delays.region >= 0)
    ticks = int(delays.caused[inside].sum())
    if findings.share(ticks) < LEAST_SHARE:
        return
    by_rank = np.bincount(delays.rank[inside], delays.caused[inside])
    by_call = np.bincount(delays.region[inside], delays.caused[inside])
    rank, call = int(by_rank.argmax()), int(by_call.argmax())
    yield Advice(
        rule="inside_calls",
        text=tr(
            "{share} of the waiting ({ticks}) is due "
            "to {delays} inside MPI calls, "
            "{call} of it in {title}, most on "
            "rank {rank} ({one}): all that the call needs "
            "was there, and it returned late. Ranks that share a core do that.",
            share=share_text(findings.share(ticks)),
            ticks=findings.time(ticks),
            delays=plural(len(inside), "delay"),
            call=share_text(by_call[call] / ticks),
            title=regions.title(call),
            rank=rank,
            one=share_text(by_rank[rank] / ticks),
        ),
        evidence=(
            ("seconds", findings.seconds(ticks)),
            ("share", findings.share(ticks)),
            ("delays", len(inside)),
            ("rank_share", by_rank[rank] / ticks),
        ),
        command=findings.command("idle-waves"),
        section="delays",
        ticks=ticks,
        ranks=(rank,),
    )


def _iteration(findings: Findings) -> Iterator[Advice]:
    """Tell of the iteration in which most is waited."""
    own: Ints | Floats = findings.sums.by_iteration[1:]
    if len(own) < 2:
        return
    most = int(own.argmax())
    share, times = findings.share(own[most]), float(own[most] / max(own.mean(), 1))
    if share < LEAST_SHARE or times < LEAST_TIMES_MEAN:
        return
    yield Advice(
        rule="iteration",
        text=tr(
            "Iteration {most} has {share} of the waiting "
            "({wait}), {times:.1f} times the mean of the "
            "{count} iterations.",
            most=most + 1,
            share=share_text(share),
            wait=findings.time(own[most]),
            times=times,
            count=len(own),
        ),
        evidence=(
            ("seconds", findings.seconds(own[most])),
            ("share", share),
            ("times_mean", times),
        ),
        command=findings.command("waits", "--by", "iteration", "--sort", "seconds"),
        section="wait-states",
        ticks=int(own[most]),
        iteration=most + 1,
    )


def _clocks(findings: Findings) -> Iterator[Advice]:
    """Tell how far clocks leave the sums open."""
    sums, alignment = findings.sums, findings.analysis.trace.clock.alignment
    if alignment is None or sums.error < LEAST_SHARE * sums.total:
        return
    rank = int(alignment.half_width.argmax())
    yield Advice(
        rule="clocks",
        text=tr(
            "Clocks are known well enough to say that all waiting is between "
            "{least} and {most}: shares below "
            "{ratio} of it are uncertain. Least is known of "
            "rank {rank}: to within {half_width}.",
            least=findings.time(sums.least),
            most=findings.time(sums.most),
            ratio=share_text(sums.error / sums.total),
            rank=rank,
            half_width=findings.time(alignment.half_width[rank]),
        ),
        evidence=(
            ("least_seconds", findings.seconds(sums.least)),
            ("most_seconds", findings.seconds(sums.most)),
            ("rank_seconds", findings.seconds(alignment.half_width[rank])),
        ),
        command=findings.command("waits"),
        section="wait-states",
        ticks=sums.error,
        ranks=(rank,),
    )


RULES: Final[dict[str, Callable[[Findings], Iterator[Advice]]]] = {
    "efficiency": _efficiency,
    "delay": _delays,
    "rank": _costly_rank,
    "statement": _statement,
    "kind": _kinds,
    "wrong_order": _wrong_order,
    "pair": _pair,
    "imbalance": _imbalance,
    "plane": _plane,
    "inside_calls": _inside_calls,
    "iteration": _iteration,
    "clocks": _clocks,
}
"""What advice there may be: each rule yields findings, or none."""
