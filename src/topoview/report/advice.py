"""Advice: what costs most, in sentences, each with the numbers that it rests on.

`RULES` is the table: each rule is a function from the results to findings. A finding is
told where its claim holds: where it makes up `LEAST_SHARE` of what it is a part of, and
is beyond noise. They are ordered by how much of the ranks' time they are about.
"""

import math
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Final, NamedTuple

import numpy as np

from topoview import model
from topoview.base.text import duration_text, in_sentence, plural, share_text, tr
from topoview.logical.listing import lines
from topoview.report import claims
from topoview.report.blocks import Block, Command, Heading, Paragraph
from topoview.report.logical.lines import folded_lines
from topoview.report.profile import KIND_TEXTS
from topoview.report.waits.delays import (
    cause_bounds_text,
    cause_text,
    caused_between,
    ending_text,
    instead_text,
    saving_text,
    speed_text,
    when_text,
)
from topoview.report.waits.pages import statement_texts

LEAST_SHARE: Final = 0.05
"""Share of all waiting, or of the run, that is told of at least."""

ROBUST_SIGMAS: Final = 4.5
"""Three standard deviations of normal noise, as a multiple of the median deviation from
the median: ranks that differ by less compute alike."""

MAX_DELAYS_TOLD: Final = 3
"""Delays that have a finding of their own."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A finding."""

    rule: str
    """Name in `RULES`."""
    text: str
    """A sentence."""
    claim: model.Claim
    """What it claims, and the numbers in it: seconds, fractions, counts."""
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

    analysis: model.Analysis
    """The trace and all results."""
    sums: model.WaitSums
    delays: model.Delays
    path: model.CriticalPath
    """`sums`, `delays` and `path`: waiting, its causes, and the critical path."""
    run: int
    """Ticks from the first begin of a rank to the last end."""

    def time(self, ticks: float) -> str:
        """Write a time."""
        return duration_text(float(ticks) / self.analysis.trace.clock.resolution)

    def seconds(self, ticks: float) -> float:
        """Return a time in seconds."""
        return float(ticks) / self.analysis.trace.clock.resolution

    def command(self, words: str, *options: str, events: bool = False) -> str:
        """Write a command line about this trace, or with events about a digest's."""
        trace = self.analysis.trace
        path = trace.digest.trace if events and trace.digest else trace.path
        quoted_path = shlex.quote(path or trace.name)
        return " ".join(("topoview", words, quoted_path, *options))

    def share(self, ticks: float) -> float:
        """Return the share of all waiting."""
        return float(ticks) / max(self.sums.total, 1)

    def claim(
        self,
        name: str,
        ticks: float,
        *evidence: tuple[str, float],
        needs: tuple[model.Claim, ...] = (),
    ) -> model.Claim:
        """Claim that some ticks are a part of all waiting that is worth a sentence."""
        share = self.share(ticks)
        every = (("seconds", self.seconds(ticks)), ("share", share), *evidence)
        needs = (claims.waiting(self.analysis), *needs)
        return model.Claim(name, share, least=LEAST_SHARE, evidence=every, needs=needs)


def advice_of(analysis: model.Analysis) -> tuple[Advice, ...]:
    """Find all advice on a run; what is about most time comes first.

    None where clocks are not aligned, or nobody waited.
    """
    sums, delays, path = analysis.wait_sums, analysis.delays, analysis.critical_path
    if sums is None or delays is None or path is None or not sums.total:
        return ()
    findings = Findings(analysis, sums, delays, path, int(path.of_rank.sum()))
    advice = [
        finding
        for rule in RULES.values()
        for finding in rule(findings)
        if finding.claim.holds
    ]
    return tuple(sorted(advice, key=lambda finding: -finding.ticks))


def advice_record(analysis: model.Analysis) -> list[dict[str, Any]]:
    """Describe advice as JSON-able values."""
    return [
        {
            "rule": one.rule,
            "text": one.text,
            "evidence": dict(one.claim.evidence),
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


def advice_blocks(analysis: model.Analysis) -> tuple[Block, ...]:
    """Return advice as numbered sentences, each with its command."""
    lines: list[Block] = []
    for number, advice in enumerate(advice_of(analysis), 1):
        lines += [
            Paragraph(f"{number}. {advice.text}"),
            Command(f"   {advice.command}"),
        ]
    return (Heading("Advice"), *lines) if lines else ()


# The rules.


WHOLE_SHARE: Final = 0.9995
"""Share that is written as 100 %: nothing is said of the rest."""


def _efficiency(findings: Findings) -> Iterator[Advice]:
    """Find which of the factors of POP costs most."""
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
        computed = profile.state_ticks[:, model.TimeState.COMPUTE]
        if claims.stands_out("computes_most", computed).holds:
            ranks = (int(computed.argmax()),)
            most = tr("; rank {rank} computes most", rank=ranks[0])
    yield Advice(
        rule="efficiency",
        text=tr(
            "Parallel efficiency is {parallel} in the exchange: the product of "
            "{text}. {worst} costs most{most}.",
            parallel=share_text(one.parallel),
            text=product,
            worst=factors[worst],
            most=most,
        ),
        claim=model.Claim(
            "efficiency",
            1 - one.parallel,
            evidence=tuple(
                (field.name, getattr(one, field.name)) for field in fields(one)
            ),
        ),
        command=findings.command("efficiency"),
        section="efficiencies",
        ticks=(1 - one.parallel) * whole,
        ranks=ranks,
    )


def _delays(findings: Findings) -> Iterator[Advice]:
    """Report the costliest delays, each with its wave."""
    analysis, delays = findings.analysis, findings.delays
    for i in range(min(len(delays), MAX_DELAYS_TOLD)):
        caused, rank = int(delays.caused[i]), int(delays.rank[i])
        reached = plural(int(delays.reached[i]), "rank")
        wave = tr("{ranks} waited for it", ranks=reached)
        if claims.front(analysis.trace, delays, i).holds:
            hops = speed_text(claims.speed(analysis.trace, delays, i))
            wave = tr("its wave reached {ranks}", ranks=reached)
            wave += tr(" at {speed}", speed=hops) if hops else ""
            wave += tr(" and {ending}", ending=ending_text(analysis, i))
        bounds = cause_bounds_text(analysis.trace, delays, "delay", i)
        least, most = map(findings.seconds, caused_between(delays, i).tolist())
        further = f"{cause_text(analysis, i)} {saving_text(analysis, i)}".strip()
        yield Advice(
            rule="delay",
            text=tr(
                "Rank {rank} {instead} {when}: that caused "
                "{caused} of waiting{bounds}, "
                "{share} of all; {wave}.{further}",
                rank=rank,
                instead=instead_text(analysis, i),
                when=when_text(analysis, i),
                caused=findings.time(caused),
                bounds=f" ({bounds})" * bool(bounds),
                share=share_text(findings.share(caused)),
                wave=wave,
                further=f" {further}" if further else "",
            ),
            claim=replace(
                was_late := claims.late(analysis.trace, delays, i),
                evidence=(
                    *was_late.evidence,
                    *claims.saving(analysis.trace, delays, i).evidence,
                    ("caused_seconds", findings.seconds(caused)),
                    ("least_seconds", least),
                    ("most_seconds", most),
                    ("share", findings.share(caused)),
                ),
                needs=(*was_late.needs, findings.claim("costly", caused)),
            ),
            command=findings.command("idle-waves"),
            section="delays",
            ticks=caused,
            ranks=(rank,),
            delay=i,
            iteration=int(delays.iteration[i]),
        )


def _costly_rank(findings: Findings) -> Iterator[Advice]:
    """Report the rank whose own time causes most, and what it computes."""
    of_rank, delays = findings.delays.of_rank, findings.delays
    rank = int(of_rank.argmax())
    caused = int(of_rank[rank])
    evidence: list[tuple[str, float]] = []
    text = tr(
        "{share} of the waiting is caused by rank {rank}",
        share=share_text(findings.share(caused)),
        rank=rank,
    )
    computation = _computation(findings.analysis, rank)
    if computation is not None and computation.longer.holds:
        text += tr(
            ", whose computation ({computed}) is {ratio:.2f} times {whom}",
            computed=findings.time(computation.ticks),
            ratio=computation.longer.number,
            whom=computation.whom,
        )
        evidence += computation.longer.evidence
    own = (delays.rank == rank) & (delays.region >= 0)
    inside = int(delays.caused[own].sum())
    if inside >= LEAST_SHARE * max(caused, 1):
        text += tr(
            "; {ratio} of it is time inside MPI calls",
            ratio=share_text(inside / caused),
        )
        evidence.append(("inside_calls", inside / caused))
    yield Advice(
        rule="rank",
        text=f"{text}.",
        claim=findings.claim(
            "rank",
            caused,
            *evidence,
            needs=(claims.stands_out("costly_rank", of_rank, claims.TIMES_MEAN),),
        ),
        command=findings.command("waits"),
        section="causes",
        ticks=caused,
        ranks=(rank,),
    )


class _Computation(NamedTuple):
    """What a rank computes, beside others."""

    ticks: int
    longer: model.Claim
    """How many times as long as they do, more than once."""
    whom: str


def _computation(analysis: model.Analysis, rank: int) -> _Computation | None:
    """Compare what a rank computes with its neighbours, or without any with all."""
    if analysis.profile is None:
        return None
    computed = analysis.profile.state_ticks[:, model.TimeState.COMPUTE]
    others, whom = (
        np.delete(np.arange(len(computed)), rank),
        tr("the mean of the others"),
    )
    if analysis.identification is not None:
        edges = analysis.identification.best.rank_edges
        near = edges[(edges == rank).any(axis=1)]
        if len(near):
            others, whom = np.setdiff1d(near, [rank, -1]), tr("its neighbours'")
    usual = float(computed[others].mean()) if len(others) else 0.0
    if usual <= 0:
        return None
    ratio = int(computed[rank]) / usual
    middle = np.median(computed)
    spread = ROBUST_SIGMAS * float(np.median(np.abs(computed - middle))) / usual
    seconds = analysis.trace.clock.seconds(int(computed[rank]))
    evidence = (("computation_seconds", seconds), ("ratio", ratio), ("error", spread))
    longer = model.Claim("computes_longer", ratio, spread, 1.0, evidence)
    return _Computation(int(computed[rank]), longer, whom)


def _statement(findings: Findings) -> Iterator[Advice]:
    """Find where the program waits most, and whose messages come last."""
    sums, logical = findings.sums, findings.analysis.logical
    if logical is None or not len(sums.by_statement):
        return
    statement = int(sums.by_statement.argmax())
    ticks = int(sums.by_statement[statement])
    share = findings.share(ticks)
    text = tr(
        "{share} of the waiting ({ticks}) is in “{statement}”{where}",
        share=share_text(share),
        ticks=findings.time(ticks),
        statement=statement_texts(logical)[statement],
        where=_which_line(logical, statement),
    )
    evidence: list[tuple[str, float]] = []
    one_way = claims.direction(sums)
    if one_way.holds:
        text += tr(
            "; where one rank waits for another it is {direction} in {ratio}",
            direction=sums.directions[int(sums.by_direction.argmax())],
            ratio=share_text(dict(one_way.evidence)["direction_share"]),
        )
        evidence += one_way.evidence
    yield Advice(
        rule="statement",
        text=f"{text}.",
        claim=findings.claim("statement", ticks, *evidence),
        command=findings.command("waits", "--by", "statement"),
        section="wait-states",
        ticks=ticks,
        statement=statement,
    )


def _which_line(logical: model.LogicalTrace, statement: int) -> str:
    """Return the line of a statement, if others read alike.

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
        ", number {number} of {count} such statements in the logical trace",
        number=alike.index(statement) + 1,
        count=len(alike),
    )


def _kinds(findings: Findings) -> Iterator[Advice]:
    """Report each kind of wait states but late senders, and who comes last there."""
    sums = findings.sums
    for kind, name in enumerate(model.WAIT_KINDS):
        ticks = int(sums.suffered[kind].sum())
        if name == "late_sender" or not ticks:
            continue
        text = tr(
            "{share} of the waiting ({ticks}) is “{kind_texts}”",
            share=share_text(findings.share(ticks)),
            ticks=findings.time(ticks),
            kind_texts=KIND_TEXTS[name],
        )
        ranks: tuple[int, ...] = ()
        evidence: tuple[tuple[str, float], ...] = ()
        if claims.stands_out("last_rank", sums.held_up[kind], claims.TIMES_MEAN).holds:
            last = int(sums.held_up[kind].argmax())
            part = int(sums.held_up[kind, last]) / ticks
            text += tr(
                "; {part} of it is for rank {last}", part=share_text(part), last=last
            )
            ranks, evidence = (last,), (("last_rank", last), ("last_share", part))
        yield Advice(
            rule="kind",
            text=f"{text}.",
            claim=findings.claim("kind", ticks, *evidence),
            command=findings.command("waits", "--by", "kind"),
            section="wait-states",
            ticks=ticks,
            ranks=ranks,
        )


def _wrong_order(findings: Findings) -> Iterator[Advice]:
    """Report messages that are received in another order than they come."""
    of_rank = findings.sums.wrong_order.sum(axis=0)
    ticks, rank = int(of_rank.sum()), int(of_rank.argmax())
    text = tr(
        "{share} of the waiting ({ticks}) is ",
        share=share_text(findings.share(ticks)),
        ticks=findings.time(ticks),
    )
    text += tr(
        "for messages while others that are received later had been sent already"
    )
    evidence: list[tuple[str, float]] = []
    is_one_rank = claims.stands_out(
        "wrong_order_rank", of_rank, claims.TIMES_MEAN
    ).holds
    if is_one_rank:
        part = float(of_rank[rank] / ticks)
        text += tr("; {part} of it on rank {rank}", part=share_text(part), rank=rank)
        evidence.append(("rank_share", part))
    yield Advice(
        rule="wrong_order",
        text=f"{text}.",
        claim=findings.claim("wrong_order", ticks, *evidence),
        command=findings.command("waits"),
        section="wait-states",
        ticks=ticks,
        ranks=(rank,) if is_one_rank else (),
    )


def _pair(findings: Findings) -> Iterator[Advice]:
    """Report the pair of ranks of which one waits most for the other."""
    sums = findings.sums
    if not len(sums.pair_ticks):
        return
    most = int(sums.pair_ticks.argmax())
    ticks = int(sums.pair_ticks[most])
    rank, whom = int(sums.pair_rank[most]), int(sums.pair_whom[most])
    calls = int(sums.pair_calls[most])
    yield Advice(
        rule="pair",
        text=tr(
            "{share} of the waiting is rank {rank}'s for rank {whom}: "
            "{ticks} in {calls}.",
            share=share_text(findings.share(ticks)),
            rank=rank,
            whom=whom,
            ticks=findings.time(ticks),
            calls=plural(calls, "call"),
        ),
        claim=findings.claim(
            "pair",
            ticks,
            ("calls", calls),
            needs=(
                claims.stands_out("costly_pair", sums.pair_ticks, claims.TIMES_MEAN),
            ),
        ),
        command=findings.command("waits", "--by", "pair", "--sort", "seconds"),
        section="wait-states",
        ticks=ticks,
        ranks=tuple(sorted((rank, whom))),
        pair=(rank, whom),
    )


def _imbalance(findings: Findings) -> Iterator[Advice]:
    """Find where the critical path computes longer than ranks do on average."""
    path, logical = findings.path, findings.analysis.logical
    if logical is None or not len(path.imbalance):
        return
    statement = int(path.imbalance.argmax())
    # not what others compute before another statement
    ticks = min(int(path.imbalance[statement]), int(path.longest_excess))
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
            ratio=share_text(ticks / max(findings.run, 1)),
            rank=rank,
        ),
        claim=model.Claim(
            "imbalance",
            ticks / max(findings.run, 1),
            least=LEAST_SHARE,
            evidence=(
                ("path_seconds", findings.seconds(before)),
                ("imbalance_seconds", findings.seconds(ticks)),
                ("share", ticks / max(findings.run, 1)),
            ),
            needs=(_unequal(path),),
        ),
        command=findings.command("waits"),
        section="the-critical-path",
        ticks=ticks * findings.analysis.trace.ranks,
        statement=statement,
        ranks=(rank,),
    )


def _unequal(path: model.CriticalPath) -> model.Claim:
    """Claim that ranks compute longer than others not by chance alone."""
    return model.Claim("unequal", path.longest_excess, path.longest_noise)


def _plane(findings: Findings) -> Iterator[Advice]:
    """Report the plane of a lattice half of whose ranks compute longest."""
    profile, identification = (
        findings.analysis.profile,
        findings.analysis.identification,
    )
    if profile is None or identification is None:
        return
    computed = profile.state_ticks[:, model.TimeState.COMPUTE]
    best, plane, whole = 0.0, None, float(computed.sum())
    for name, ranks in identification.shown_first.planes():
        own, others = computed[ranks], len(computed) - len(ranks)
        if len(ranks) < 2 or not others:
            continue
        half = int(np.sort(own)[(len(own) - 1) // 2])
        usual = (whole - float(own.sum())) / others
        if half - usual > best:
            best, plane = half - usual, (name, ranks, half, usual)
    if plane is None:
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
            share=share_text(best / max(findings.run, 1)),
        ),
        claim=model.Claim(
            "plane",
            best / max(findings.run, 1),
            least=LEAST_SHARE,
            evidence=(
                ("ranks", len(ranks)),
                ("computation_seconds", findings.seconds(computation)),
                ("others_seconds", findings.seconds(usual)),
                ("ratio", ratio),
                ("share", best / max(findings.run, 1)),
            ),
            needs=(
                _unequal(findings.path),
                _beyond_most(np.delete(computed, ranks), computation),
            ),
        ),
        command=findings.command("efficiency", "--by", "plane"),
        section="efficiencies",
        ticks=best * findings.analysis.trace.ranks,
        ranks=tuple(ranks.tolist()),
    )


def _beyond_most(others: model.Ints, computation: int) -> model.Claim:
    """Claim that half of a plane is beyond nearly all others, beyond their spread."""
    middle, most = np.quantile(others, (0.5, 0.9)).tolist()
    return model.Claim("beyond_most", computation, most - middle, most)


def _inside_calls(findings: Findings) -> Iterator[Advice]:
    """Report delays inside MPI calls: of ranks that had what they needed."""
    delays, regions = findings.delays, findings.analysis.trace.regions
    inside = np.flatnonzero((delays.region >= 0) & (delays.excess > delays.noise))
    ticks = int(delays.caused[inside].sum())
    if not ticks:
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
            "was there, and it returned late. That is typical of ranks that share a "
            "core.",
            share=share_text(findings.share(ticks)),
            ticks=findings.time(ticks),
            delays=plural(len(inside), "delay"),
            call=share_text(by_call[call] / ticks),
            title=regions.title(call),
            rank=rank,
            one=share_text(by_rank[rank] / ticks),
        ),
        claim=findings.claim(
            "inside_calls",
            ticks,
            ("delays", len(inside)),
            ("rank_share", by_rank[rank] / ticks),
        ),
        command=findings.command("idle-waves"),
        section="delays",
        ticks=ticks,
        ranks=(rank,),
    )


def _iteration(findings: Findings) -> Iterator[Advice]:
    """Report the iteration in which most is waited."""
    own: model.Ints | model.Floats = findings.sums.by_iteration[1:]
    if len(own) < 2:
        return
    most = 1 + int(own[1:].argmax())  # in the first one pipelines are filled
    times = float(own[most] / max(own.mean(), 1))
    yield Advice(
        rule="iteration",
        text=tr(
            "Iteration {most} has {share} of the waiting "
            "({wait}), {times:.1f} times the mean of the "
            "{count} iterations.",
            most=most + 1,
            share=share_text(findings.share(own[most])),
            wait=findings.time(own[most]),
            times=times,
            count=len(own),
        ),
        claim=findings.claim(
            "iteration",
            own[most],
            ("times_mean", times),
            needs=(claims.stands_out("costly_iteration", own[1:], claims.TIMES_MEAN),),
        ),
        command=findings.command("waits", "--by", "iteration", "--sort", "seconds"),
        section="wait-states",
        ticks=int(own[most]),
        iteration=most + 1,
    )


def _clocks(findings: Findings) -> Iterator[Advice]:
    """Report how far clocks leave the sums open."""
    sums, alignment = findings.sums, findings.analysis.trace.clock.alignment
    if alignment is None:
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
        claim=findings.claim(
            "clocks",
            sums.error,
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
