"""Findings: what an analyst would say first of a run. A function each, by weight."""

from collections.abc import Callable
from typing import Final

import numpy as np

from topoview.base.text import duration_text, one_line, plural, share_text
from topoview.model import WAIT_KINDS, Claim
from topoview.report.blocks import Finding
from topoview.report.claims import (
    between_nodes,
    decay,
    direction,
    late,
    phases,
    shape,
    stands_out,
)
from topoview.report.document.facts import Facts
from topoview.report.identification.answer import headline
from topoview.report.network import headline as network_headline
from topoview.report.network import hottest_words
from topoview.report.profile import KIND_TEXTS
from topoview.report.run_comparison import cause_text
from topoview.report.run_comparison import headline as comparison_headline
from topoview.report.waits.delays import delay_facts, delay_headline
from topoview.report.waits.pages import statement_texts

MAX_FINDINGS: Final = 6

MIN_CAUSED: Final = 0.1
"""Share of all waiting from which on a delay is said before all else."""


def findings(facts: Facts) -> tuple[Finding, ...]:
    """List the findings, in the order of `FINDINGS`.

    A delay that causes little of the waiting is said behind the waiting.
    """
    order = list(FINDINGS)
    if _caused(facts) < MIN_CAUSED:
        order.remove(_delay)
        order.insert(order.index(_waiting) + 1, _delay)
    candidates = (find(facts) for find in order)
    said = [each for each in candidates if each is not None and each.claim.holds]
    return tuple(said[:MAX_FINDINGS])


def _caused(facts: Facts) -> float:
    """Return the share of all waiting that the delay shown causes."""
    delays = facts.analysis.delays
    if delays is None or facts.delay < 0:
        return 0.0
    return float(delays.caused[facts.delay]) / max(delays.waiting, 1)


def _quality(facts: Facts) -> Finding | None:
    """Report first that something is missing: all else depends on it."""
    health = facts.analysis.trace.health
    if health is None or health.verdict != "incomplete":
        return None
    worst = [f.text for f in health.findings if f.verdict == health.verdict]
    return Finding(
        "The trace is incomplete.",
        f"{' '.join(worst[:2])} What follows is of what there is.",
        ("quality",),
        facts.command("info"),
        Claim("incomplete", len(worst)),
    )


def _delay(facts: Facts) -> Finding | None:
    analysis, delay = facts.analysis, facts.delay
    if delay < 0 or analysis.delays is None:
        return None
    text = (
        f"{delay_headline(analysis, delay)} {_sentence(delay_facts(analysis, delay))}"
    )
    lost = decay(analysis.trace, analysis.delays, delay)
    if lost.holds:
        text += f" The wave loses {duration_text(lost.number)} with each hop."
    return Finding(
        f"One delay causes {share_text(_caused(facts), 0)} of all waiting.",
        text,
        ("scene", "timeline", "delays"),
        facts.command("idle-waves"),
        late(analysis.trace, analysis.delays, delay),
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _efficiency(facts: Facts) -> Finding | None:
    efficiency = facts.efficiency
    if efficiency is None:
        return None
    parts = {
        "load balance": efficiency.load_balance,
        "serialisation": efficiency.serialisation,
        "transfer": efficiency.transfer,
        "the share of threads and I/O": efficiency.threads,
        "offload": efficiency.offload,
    }
    least = min(parts, key=lambda name: parts[name])
    computed = facts.of_ranks("computation")
    longest = int(computed.argmax())
    mean, most = float(computed.mean()), float(computed[longest])
    whose = f"A rank computes {duration_text(most)} {facts.where} at most"
    if stands_out("computes_longest", computed).holds:
        whose = f"Rank {longest} computes longest, {duration_text(most)} {facts.where}"
    text = f"{whose}; the mean is {duration_text(mean)}."
    trace, delays, delay = facts.analysis.trace, facts.analysis.delays, facts.delay
    if (
        delays is not None
        and delay >= 0
        and delays.rank[delay] == longest
        and (excess := late(trace, delays, delay)).holds
    ):
        other = computed.copy()
        other[longest] -= excess.number if delays.region[delay] < 0 else 0.0
        without = float(other.mean() / other.max()) if other.max() > 0 else 1.0
        text += f" Without its delay load balance would be {share_text(without, 0)}."
    title = (
        f"Parallel efficiency is {share_text(efficiency.parallel, 0)} in the "
        f"{facts.span}; "
        f"{least} costs most: {share_text(parts[least], 0)}."
    )
    return Finding(
        title,
        text,
        ("efficiency", "ranks"),
        facts.command("efficiency"),
        Claim("efficiency", 1 - efficiency.parallel),
    )


def _waiting(facts: Facts) -> Finding | None:
    analysis, waited = facts.analysis, facts.analysis.wait_sums
    if waited is None or not waited.total or analysis.logical is None:
        return None
    run = facts.run
    if run is None:
        return None
    whole = max(run.trace.ranks * run.seconds, 1e-12)
    share = float(facts.of_ranks("wait").sum()) / whole
    kinds = waited.suffered.sum(axis=1)
    kind = int(kinds.argmax())
    words = KIND_TEXTS[WAIT_KINDS[kind]]
    text = (
        f"In the {facts.span} all ranks together wait {facts.duration(waited.total)}, "
        f"{facts.duration(kinds[kind])} of it as “{words}”."
    )
    if waited.by_statement.any():
        statement = int(waited.by_statement.argmax())
        call = statement_texts(analysis.logical)[statement]
        ticks = waited.by_statement[statement]
        text += f" No statement has more of it than “{call}”: {facts.duration(ticks)}."
    if direction(waited).holds:
        way = int(waited.by_direction.argmax())
        text += (
            f" The direction waited for most is {waited.directions[way]}: "
            f"{facts.duration(waited.by_direction[way])}."
        )
    title = f"{share_text(share, 0)} of the ranks' time {facts.where} is waiting."
    return Finding(
        title if share else f"No rank waits {facts.where}.",
        text,
        ("waits", "statements"),
        facts.command("waits"),
        Claim("waiting", waited.total),
    )


def _topology(facts: Facts) -> Finding | None:
    identification, logical = facts.analysis.identification, facts.analysis.logical
    if identification is None:
        return None
    best = identification.best
    text = ""
    if len(best.topology.edges):
        degree = np.bincount(best.topology.edges.ravel()).max()
        carried = "all messages"
        if best.calls_covered < 1 or best.bytes_covered < 1:
            carried = (
                f"{share_text(best.calls_covered)} of the messages and "
                f"{share_text(best.bytes_covered)} of the bytes"
            )
        text = (
            f"Its edges carry {carried}; a rank has at most "
            f"{plural(int(degree), 'neighbour')}."
        )
    if logical is not None and logical.statements:
        exact = logical.ranks_verified
        whom = "all ranks" if exact == logical.ranks else f"{exact} of {logical.ranks}"
        text += (
            f" The logical trace of {plural(logical.listed, 'statement')} expands "
            f"exactly to {whom}."
        )
    name = headline(identification)
    title = f"The topology: {name}."
    claim = shape(identification)
    if claim.holds:
        title = f"The ranks communicate as {_article(name)}."
    return Finding(
        title,
        text.strip(),
        ("scene", "statements", "topology"),
        facts.command("identify"),
        Claim("topology", 1, evidence=claim.evidence),
    )


def _article(name: str) -> str:
    """Put an article before the name of a topology."""
    if name.startswith(("rows ", "all-to-all")) or (
        name[:1].isdigit() and name[1:2] != "D"
    ):
        return name
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"


def _phases(facts: Facts) -> Finding | None:
    identification = facts.analysis.identification
    if identification is None:
        return None
    parts = [part for part in identification.parts if part.by == "phase"]
    if not parts:
        return None
    longest = max(parts, key=lambda part: part.end - part.begin)
    length = longest.end - longest.begin
    share = share_text(length / facts.analysis.trace.clock.ticks_read, 0)
    name = longest.matches[0].topology.name if longest.matches else "no messages"
    return Finding(
        f"The run has {plural(len(parts), 'phase')}.",
        f"Phase {longest.name} is the longest, {share} of the run: {name}.",
        ("phases",),
        facts.command("phases"),
        phases(identification),
    )


def _network(facts: Facts) -> Finding | None:
    loads = facts.loads
    if loads is None or not loads.hop_bytes:
        return None
    claim = between_nodes(loads)
    machine = " of a machine that is assumed" * loads.placement.assumed
    return Finding(
        f"{share_text(claim.number, 0)} of the bytes go from node to node{machine}.",
        f"{network_headline(loads)}. {_sentence(hottest_words(loads))}.",
        ("network",),
        facts.command("network", *facts.machine),
        claim,
    )


def _comparison(facts: Facts) -> Finding | None:
    compared = facts.compared
    if compared is None:
        return None
    sentences = [f"A is this run, B is {one_line(compared.names[1])}."]
    sentences += [
        f"Excluding waiting for partners, ranks differ most here: {cause_text(one)}."
        for one in compared.causes[:1]
    ]
    return Finding(
        comparison_headline(compared),
        " ".join(sentences),
        ("causes", "compared-statements"),
        facts.command("compare", facts.other),
        Claim("compared", 1),
    )


FINDINGS: Final[tuple[Callable[[Facts], Finding | None], ...]] = (
    _quality,
    _comparison,
    _delay,
    _efficiency,
    _waiting,
    _network,
    _phases,
    _topology,
)
"""What there may be to say, in the order in which it is said."""
