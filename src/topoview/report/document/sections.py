"""Sections of a report: tables and figures, of all that is known of a run."""

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

import numpy as np

from topoview.analysis.comparing.counterparts import planes
from topoview.base.text import (
    NOT_KNOWN,
    duration_text,
    grouped,
    one_line,
    plural,
    share_text,
    size_text,
)
from topoview.model import WAIT_KINDS, Line, Trace
from topoview.report.blocks import (
    NBSP,
    Bar,
    Beside,
    Block,
    Cell,
    Chart,
    Command,
    Document,
    Figure,
    Heading,
    Model,
    Paragraph,
    Picture,
    TableBlock,
    costliest,
    shown,
    table_block,
)
from topoview.report.claims import front
from topoview.report.document.facts import Facts
from topoview.report.document.findings import findings
from topoview.report.identification.answer import headline, identification_sections
from topoview.report.info import trace_facts
from topoview.report.logical.lines import CALL_KINDS, folded_lines, slowest_rank
from topoview.report.network import network_blocks
from topoview.report.profile import KIND_TEXTS, account_blocks, function_table
from topoview.report.run_comparison import comparison_blocks
from topoview.report.waits.delays import SHOWN, delays_table
from topoview.report.waits.pages import wait_tables

MAX_ROWS_FIRST: Final = 24
"""Rows of tables on the first two pages."""

MAX_ROWS: Final = 24
"""Rows of tables behind them; commands list all."""

TONE_OF_STATE: Final = {"WAIT": "wait", "COLLECTIVE": "collective"}


COMPARED_BY = ("statement", "direction", "plane", "iteration")
"""Tables of a comparison in a report; the command has all."""

MAX_COMPARED = 12
"""Rows of each."""


def document(  # noqa: PLR0913
    facts: Facts,
    pictures: Mapping[str, Picture],
    kept: Sequence[tuple[str, str]] = (),
    notes: Sequence[tuple[str, str, str]] = (),
    version: str = "",
    models: Mapping[str, Model] | None = None,
) -> Document:
    """Write the report of a run.

    Parameters
    ----------
    pictures
        By the names of the figures and charts here; others are left out.
    kept
        Pictures of the user, by name, with their captions.
    notes
        Paragraph of the user: rank, time, text.
    version
        Of topoview.
    models
        What can be turned, by the names of the figures.
    """
    trace = facts.analysis.trace
    blocks: tuple[Block, ...] = (
        Beside(
            (Figure("scene", _scene_caption(facts), 430),),
            (
                Chart("efficiency", f"Efficiency in the {facts.span}", 230),
                Chart("kinds", "Wait states, all ranks", 230),
            ),
            65,
        ),
        Figure("timeline", _timeline_caption(facts)),
        Heading("What the program does"),
        *_statements(facts, MAX_ROWS_FIRST),
        Heading("Where time goes"),
        Beside(
            (_ranks(facts),),
            (Figure("places", f"Waiting by place, {facts.where}.", 300),),
            56,
        ),
        Figure("iterations", _iterations_caption(facts)),
        Heading("The run", page=True),
        _about(trace),
        Heading("Topology"),
        *_topology(facts),
        Heading("Time"),
        *_time(facts),
        Heading("Waits and delays"),
        *_waits(facts),
        Heading("Iterations, phases, planes"),
        *_in_time(facts),
        Heading("Network"),
        *_machine(facts),
        Heading("Beside another run"),
        *_compared(facts),
        Heading("Bookmarks and notes"),
        *_kept(kept, notes),
        Heading("Quality of the trace"),
        *_quality(facts),
        Heading("Logical trace"),
        *_whole_listing(facts),
        Heading("How this was made"),
        Paragraph(
            f"By topoview {version}. Efficiencies are those of POP, wait states "
            "those of Scalasca; waiting is attributed to what caused it, and a delay "
            "is a rank's own time that kept others waiting. Methods and their limits "
            "are in the documentation. Nothing here is a measurement of this program "
            "without the tracer: tracing takes time itself."
        ),
        Command(facts.command("report", "-o", "report.html")),
    )
    return Document(
        title=trace.name,
        subtitle=_subtitle(facts),
        findings=findings(facts),
        blocks=shown(blocks, dict(pictures)),
        command=facts.command("report", "-o", "report.pdf"),
        source=f"{trace.name}, {trace.producer}",
        pictures=dict(pictures),
        models=dict(models or {}),
    )


def _whole_listing(facts: Facts) -> tuple[Block, ...]:
    """Show the logical trace, unless the first pages have all of it."""
    measured = facts.analysis.measured
    if measured is None or len(_readable_lines(measured.lines)) <= MAX_ROWS_FIRST:
        return ()
    return _statements(facts, len(measured.lines), "statements-all")


def _subtitle(facts: Facts) -> str:
    trace, run = facts.analysis.trace, facts.run
    clock = trace.clock
    text = (
        f"{plural(trace.ranks, 'rank')}, {duration_text(clock.seconds(clock.length))}"
    )
    if run is not None and run.iterations:
        loop = duration_text(run.seconds)
        text += (
            f", of which the loop of {plural(run.iterations, 'iteration')} takes {loop}"
        )
    return f"{text}; {grouped(trace.events)} events, {trace.producer}"


def _scene_caption(facts: Facts) -> str:
    identification, delays = facts.analysis.identification, facts.analysis.delays
    name = headline(identification) if identification is not None else "Ranks"
    caption = (
        f"{name[:1].upper()}{name[1:]}, {facts.duration(facts.time)} after the start"
    )
    if delays is None or facts.delay < 0:
        return f"{caption}."
    if front(facts.analysis.trace, delays, facts.delay).holds:
        caption += ": the front of the delay travels"
    return f"{caption}. Rank {delays.rank[facts.delay]} is ringed."


def _timeline_caption(facts: Facts) -> str:
    delays = facts.analysis.delays
    caption = "The timeline around this moment, and the whole run below it"
    if delays is not None and facts.delay >= 0:
        return f"{caption}; rows by distance from rank {delays.rank[facts.delay]}."
    return f"{caption}."


def _iterations_caption(facts: Facts) -> str:
    run = facts.run
    if run is None:
        return ""
    rows = f"{plural(run.trace.ranks, 'rank')} (rows)"
    return (
        f"Waiting of {rows} in {plural(run.iterations, 'iteration')}; above, their sum."
    )


def _statements(
    facts: Facts, limit: int, name: str = "statements"
) -> tuple[Block, ...]:
    measured, logical = facts.analysis.measured, facts.analysis.logical
    if measured is None or logical is None:
        return ()
    second = 1 / facts.analysis.trace.clock.resolution
    figures = measured.statements
    spent = figures.spent.total * second
    most = max(float(spent.max(initial=0.0)), 1e-12)
    whole = max(float(spent.sum()), 1e-12)
    rows: list[tuple[Cell, ...]] = []
    costs: list[float] = []
    depths: list[int] = []
    lines = measured.lines
    for number, depth, condition in _readable_lines(lines):
        line = lines[number]
        depths.append(depth)
        text = NBSP * (3 * depth) + line.text
        if condition:
            colon = ":" if text.endswith(":") else ""
            text = text.removesuffix(":") + condition + colon
        if line.kind not in CALL_KINDS:
            rows.append((text, "", "", "", "", ""))
            costs.append(0.0)
            continue
        own = slice(line.first, line.last)
        seconds = float(spent[own].sum())
        costs.append(seconds)
        state = getattr(line.statement, "state", None)
        tone = TONE_OF_STATE.get(getattr(state, "name", ""), "plain")
        longest = line.first + int(figures.spent.most[own].argmax())
        calls = int(figures.calls[own].sum())
        rows.append(
            (
                text,
                grouped(calls),
                Bar(min(seconds / most, 1.0), tone),
                duration_text(seconds),
                share_text(seconds / whole, 0),
                str(slowest_rank(measured, longest)) if calls else "",
            )
        )
    exact, ranks = logical.ranks_verified, logical.ranks
    caption = (
        f"Logical trace: {plural(logical.listed, 'statement')}, exact for {exact} "
        f"of {plural(ranks, 'rank')}."
    )
    if len(rows) > limit:
        chosen = costliest(costs, depths, limit)
        caption += " The lines that take longest, and what they are in; all are below."
        rows = [rows[k] for k in chosen]
    head = ("statement", "calls", "", "time (sum)", "of MPI", "longest on rank")
    command = facts.command("logical", "--times")
    return (
        TableBlock(name, caption, head, tuple(rows), mono=True),
        Command(command),
    )


def _readable_lines(lines: Sequence[Line]) -> list[tuple[int, int, str]]:
    """List the lines that are read, with depth and the condition they are under.

    A condition is told with its calls: ``Isend to EAST, if not at east edge``.
    """
    result: list[tuple[int, int, str]] = []
    conditions: list[tuple[int, str]] = []  # last line, words
    for number in np.flatnonzero(~folded_lines(lines)).tolist():
        line = lines[number]
        conditions = [one for one in conditions if number < one[0]]
        if line.kind == "when":
            conditions.append((line.end, line.text.removesuffix(":")))
            continue
        suffix = "".join(f", {words}" for _, words in conditions)
        result.append((number, line.depth - len(conditions), suffix))
    return result


def _ranks(facts: Facts) -> TableBlock:
    """List the ranks that compute longest."""
    analysis = facts.analysis
    computed, waited = facts.of_ranks("computation"), facts.of_ranks("wait")
    order = np.argsort(-computed, kind="stable")[:9]
    most = max(float(max(computed.max(), waited.max())), 1e-12)
    places = (
        analysis.identification.shown_first
        if analysis.identification is not None
        else None
    )
    rows: list[tuple[Cell, ...]] = []
    for rank in order.tolist() if facts.run is not None else []:
        caused = NOT_KNOWN
        if analysis.delays is not None and analysis.delays.of_rank[rank]:
            caused = facts.duration(analysis.delays.of_rank[rank])
        where = ""
        if places is not None and places.topology.kind in ("lattice", "plan"):
            where = ", ".join(
                f"{axis} {c}"
                for axis, c in zip(
                    places.topology.axes, places.coordinates[rank].tolist(), strict=True
                )
            )
        rows.append(
            (
                f"{rank}",
                where,
                Bar(computed[rank] / most, "compute"),
                duration_text(float(computed[rank])),
                Bar(waited[rank] / most, "wait"),
                duration_text(float(waited[rank])),
                caused,
            )
        )
    late = ""
    if analysis.delays is not None and facts.delay >= 0:
        late = f"{analysis.delays.rank[facts.delay]}"
    head: tuple[str, ...] = ("rank", " place", "", "computes", "", "waits", "causes")
    if not any(row[1] for row in rows):
        head, rows = (head[0], *head[2:]), [(row[0], *row[2:]) for row in rows]
    return TableBlock(
        "ranks",
        f"Ranks that compute longest {facts.where}.",
        head,
        tuple(rows),
        strong=tuple(k for k, row in enumerate(rows) if row[0] == late),
    )


def _about(trace: Trace) -> TableBlock:
    """List what the trace is, and its metrics."""
    rows = {**trace_facts(trace), "metrics": ", ".join(dict.fromkeys(trace.metrics))}
    caption = "Program, machine, trace."
    shown_rows = tuple(row for row in rows.items() if row[1])
    return TableBlock("about", caption, ("", " "), shown_rows)


def _topology(facts: Facts) -> tuple[Block, ...]:
    identification = facts.analysis.identification
    if identification is None:
        return ()
    same = f"The same graph: {', '.join(identification.best.also)}."
    return (
        *([Paragraph(same)] * bool(identification.best.also)),
        *chain(*identification_sections(identification)),
        Command(facts.command("identify")),
    )


def _time(facts: Facts) -> tuple[Block, ...]:
    """List the account of time, and the MPI functions that take most."""
    profile, trace = facts.analysis.profile, facts.analysis.trace
    if profile is None:
        return ()
    names = ("name", "calls", "seconds", "share", "mean_seconds", "most_rank")
    table = function_table(trace, profile).select(*names, "imbalance").head(12)
    functions = table_block("functions", "MPI functions.", table, mono=True)
    return (*account_blocks(trace, profile), functions)


def _waits(facts: Facts) -> tuple[Block, ...]:
    analysis = facts.analysis
    waited, logical = analysis.wait_sums, analysis.logical
    if waited is None or logical is None:
        text = "Waits are left out: the clocks of the ranks cannot be aligned."
        return (Paragraph(text),) if not analysis.trace.clock.aligned else ()
    blocks: list[Block] = []
    if waited.error:
        bounds = [facts.duration(t) for t in (waited.least, waited.most)]
        blocks.append(
            Paragraph(
                f"As far as the clocks are known, all waiting is between {bounds[0]} "
                f"and {bounds[1]}."
            )
        )
    delays, path = analysis.delays, analysis.critical_path
    tables = wait_tables(analysis.trace, waited, delays, logical, path)

    def some(*names: str) -> tuple[Block, ...]:
        return tuple(tables[name] for name in names if name in tables)

    blocks += [
        Beside(some("waits"), some("wait-directions"), 50),
        *some("wait-statements"),
        Command(facts.command("waits")),
    ]
    if delays is not None and len(delays):
        table = delays_table(analysis.trace, delays).select(*SHOWN).head(10)
        caption = "Delays, costliest first."
        blocks += [
            table_block("delays", caption, table),
            Command(facts.command("idle-waves")),
        ]
    return (*blocks, *some("path"))


def _in_time(facts: Facts) -> tuple[Block, ...]:
    analysis = facts.analysis
    seconds = facts.iteration_seconds
    blocks: list[Block] = []
    if len(seconds) > 1:
        order = np.argsort(-seconds, kind="stable")[:8]
        middle = float(np.median(seconds))
        blocks.append(
            TableBlock(
                "slowest",
                f"Slowest iterations; the median takes {duration_text(middle)}.",
                ("iteration", "takes", "of the median"),
                tuple(
                    (
                        str(k + 1),
                        duration_text(float(seconds[k])),
                        f"{seconds[k] / middle:.2f}" if middle else "",
                    )
                    for k in order.tolist()
                ),
            )
        )
        blocks.append(Command(facts.command("iterations", "--sort", "seconds")))
    identification = analysis.identification
    phases = (
        [p for p in identification.parts if p.by == "phase"]
        if identification is not None
        else []
    )
    blocks.append(
        TableBlock(
            "phases",
            "Phases.",
            ("phase", " topology", "begins", "takes", " remark"),
            tuple(
                (
                    part.name,
                    part.matches[0].topology.name if part.matches else "no messages",
                    facts.duration(part.begin),
                    facts.duration(part.end - part.begin),
                    part.remark,
                )
                for part in phases[:MAX_ROWS]
            ),
        )
    )
    blocks.append(TableBlock("planes", "Planes, of the mean rank.", *_planes(facts)))
    return tuple(blocks)


def _planes(facts: Facts) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]:
    head = ("plane", "ranks", "computes", "in MPI", "waits", "sends")
    identification = facts.analysis.identification
    if identification is None or facts.run is None:
        return head, ()
    columns = [
        facts.of_ranks(name) for name in ("computation", "time", "wait", "bytes")
    ]
    rows: list[tuple[Cell, ...]] = []
    for axis in planes(identification.best, identification.best):
        there = axis.of_a >= 0
        ranks = np.bincount(axis.of_a[there], minlength=len(axis.names))
        means = [
            np.bincount(axis.of_a[there], column[there], len(axis.names))
            / np.maximum(ranks, 1)
            for column in columns
        ]
        for k, name in enumerate(axis.names):
            times = [duration_text(float(mean[k])) for mean in means[:3]]
            sent = size_text(float(means[3][k]))
            rows.append((name, f"{ranks[k]}", *times, sent))
    return head, tuple(rows[:MAX_ROWS])


def _quality(facts: Facts) -> tuple[Block, ...]:
    trace = facts.analysis.trace
    findings_told = () if trace.health is None else trace.health.findings
    rows = tuple((f.subject, str(f.verdict), f.text) for f in findings_told)
    return (
        TableBlock(
            "quality",
            "What reading the trace found.",
            ("", " verdict", " details"),
            rows,
        ),
        *(
            Paragraph(warning)
            for warning in trace.warnings
            if not any(row[2].startswith(warning) for row in rows)
        ),
        *(Paragraph(note) for note in facts.analysis.notes),
        Command(facts.command("info")),
    )


def efficiency_parts(facts: Facts) -> list[tuple[str, str, float]]:
    """List efficiencies for a chart: name, what it is made of, fraction."""
    efficiency = facts.efficiency
    if efficiency is None:
        return []
    return [
        ("Parallel", "MPI \u00d7 threads \u00d7 offload", efficiency.parallel),
        ("MPI", "load balance \u00d7 communication", efficiency.mpi),
        ("Load balance", "mean outside of MPI / longest", efficiency.load_balance),
        ("Communication", "serialisation \u00d7 transfer", efficiency.communication),
        (
            "Serialisation",
            "longest outside of MPI / ideal run",
            efficiency.serialisation,
        ),
        ("Transfer", "ideal run / run", efficiency.transfer),
        ("Threads", "computation and GPU / outside of MPI", efficiency.threads),
        ("Offload", "computation / computation and GPU", efficiency.offload),
    ]


def wait_kinds(facts: Facts) -> list[tuple[str, float, str]]:
    """List kinds of waits for a chart: name, seconds, what it says."""
    waited = facts.analysis.wait_sums
    if waited is None or not waited.total:
        return []
    second = facts.analysis.trace.clock.resolution
    ticks = waited.suffered.sum(axis=1)
    return [
        (
            f"{text[:1].upper()}{text[1:]}",
            ticks[k] / second,
            facts.duration(ticks[k]),
        )
        for k in np.argsort(-ticks, kind="stable").tolist()
        for text in [KIND_TEXTS[WAIT_KINDS[k]]]
        if ticks[k] and not math.isnan(float(ticks[k]))
    ][:5]


def _machine(facts: Facts) -> tuple[Block, ...]:
    """Show what goes over the machine's links; nothing where no nodes are known."""
    loads = facts.loads
    if loads is None:
        return ()
    return (
        *network_blocks(loads),
        Command(facts.command("network", *facts.machine)),
        Command(facts.command("map", *facts.machine)),
    )


def _compared(facts: Facts) -> tuple[Block, ...]:
    """Hold the run (A) against another one (B)."""
    comparison = facts.compared
    if comparison is None:
        return ()

    def command(by: str) -> str:
        return facts.command("compare", facts.other, "--by", by)

    return (
        Paragraph(f"A is this run, B is {one_line(comparison.names[1])}."),
        *comparison_blocks(comparison, COMPARED_BY, MAX_COMPARED, command),
    )


def _kept(
    kept: Sequence[tuple[str, str]], notes: Sequence[tuple[str, str, str]]
) -> tuple[Block, ...]:
    """Show what the user has kept: pictures with their captions, and notes."""
    return (
        *(Figure(name, caption, 560) for name, caption in kept),
        TableBlock("notes", "Notes.", ("rank", "time", " note"), tuple(notes)),
    )
