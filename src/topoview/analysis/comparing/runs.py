"""Compare two runs: by statement, function, direction, plane, iteration, place.

What is told of a group is of the mean rank, so that runs on different numbers of ranks
can be compared; where they have different numbers of iterations, ratios are of an
iteration. What begins a difference is looked for in what ranks do on their own: waiting
only follows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoview.analysis.comparing.counterparts import Counterparts, places, planes
from topoview.analysis.comparing.effects import EVERYWHERE, Effect, effects
from topoview.analysis.comparing.series import (
    MEASURES,
    Run,
    Sums,
    looked_at_alike,
    sums,
)
from topoview.analysis.comparing.spread import FEW, NOT_JUDGED, verdict
from topoview.analysis.waits.efficiency import efficiency_within
from topoview.logical.listing import lines
from topoview.model import Efficiency, Floats, Frozen, Ints, Line

MAX_CELLS = 1 << 24
"""Groups times iterations up to which each iteration is looked at."""

MOST_OF_IT = 0.8
"""Share of a difference that lies in the iterations that are named for it."""


@dataclass(frozen=True, slots=True)
class Change:
    """A measure of a group in both runs, of the mean rank."""

    a: float | None
    b: float | None
    """`a` and `b`: seconds, or bytes; None where the run has no such group."""
    ratio: float
    """``b / a``; of an iteration where the runs have different numbers of them. NaN
    where unknown."""
    verdict: str = NOT_JUDGED
    """As `topoview.analysis.comparing.spread.verdict` tells."""
    iterations: tuple[int, ...] = ()
    """From 1: where most of the difference lies, if it is in a few."""

    @property
    def difference(self) -> float:
        """By how much the second has more; what is not there counts as 0."""
        return (self.b or 0.0) - (self.a or 0.0)


_NOTHING = Change(None, None, float("nan"))
"""Of a group that neither run has, or of what is not known."""


@dataclass(frozen=True, slots=True)
class Row:
    """A group of what two runs did."""

    name: str
    depth: int
    """`name` and `depth`: what it is called, and how far a line of the logical trace is
    indented."""
    changes: dict[str, Change]
    """By name in `MEASURES`; empty for a line that only holds others. Without ``wait``
    where clocks are not aligned."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A difference in what ranks do on their own, and where."""

    place: str
    """Name of the place; empty for all."""
    iteration: int
    """From 1; 0 for all."""
    what: str
    """``computation before Irecv``, ``Allreduce``: where most of it is."""
    a: float
    b: float
    """`a` and `b`: seconds of the mean rank there, in an iteration."""
    total: float
    """Seconds that it adds, all ranks and iterations together."""


@dataclass(frozen=True, slots=True, eq=False)
class RunComparison(Frozen):
    """How two runs differ."""

    names: tuple[str, str]
    ranks: tuple[int, int]
    iterations: tuple[int, int]
    seconds: tuple[float, float]
    """`names`, `ranks`, `iterations` and `seconds`: of both: name of the trace, ranks,
    iterations of the loop (0: one of them has none), and length of what is compared."""
    efficiency: tuple[Efficiency | None, Efficiency | None]
    """Of both; None where clocks are not aligned."""
    rows: dict[str, tuple[Row, ...]]
    """By what they are summed up: ``statement``, ``function``, ``direction``,
    ``plane``, ``iteration``, ``place``."""
    causes: tuple[Cause, ...]
    """Where ranks differ in what they do on their own, the largest first."""
    waiting: Change
    """Waiting of the mean rank in both; neither has any where unknown."""
    computation: Floats
    """float64, shape (ranks of a,): what the counterparts of each rank spend on their
    own in an iteration, by what it does; NaN where it has none."""

    @property
    def aligned_iterations(self) -> int:
        """Iterations that both runs have."""
        return min(self.iterations)


def compare_runs(
    a: Run, b: Run, aligned: Ints, names: tuple[str, str]
) -> RunComparison:
    """Compare two runs.

    Parameters
    ----------
    aligned : int64, shape (lines of a,)
        Line of `b` for each line of the logical trace of `a`, as `align_listings`
        tells.
    names
        What the runs are called.
    """
    a, b = looked_at_alike((a, b))
    where = places(a.match, b.match)
    sides = _Sides(a, b)
    by_place = sides.rows(where.names, where.of_a[a.rank], where.of_b[b.rank], where)
    everything = sides.rows(
        ("all",), np.zeros(len(a.rank), np.int64), np.zeros(len(b.rank), np.int64)
    )
    waiting = everything[0].changes.get("wait", _NOTHING) if everything else _NOTHING
    return RunComparison(
        names=names,
        ranks=(a.trace.ranks, b.trace.ranks),
        iterations=(a.iterations, b.iterations),
        seconds=(a.seconds, b.seconds),
        efficiency=(_efficiency(a), _efficiency(b)),
        rows={
            "statement": _by_statement(sides, aligned),
            "function": tuple(
                sorted(_by_function(sides), key=_time_difference, reverse=True)
            ),
            "direction": _by_direction(sides),
            "plane": tuple(
                row
                for one in planes(a.match, b.match)
                for row in sides.rows(
                    one.names, one.of_a[a.rank], one.of_b[b.rank], one
                )
            ),
            "iteration": _by_iteration(sides),
            "place": by_place,
        },
        causes=tuple(_causes(sides, where)),
        waiting=waiting,
        computation=_ratios(a, b, where),
    )


class _Sides:
    """Two runs that are summed up alike."""

    def __init__(self, a: Run, b: Run) -> None:
        self.runs = (a, b)
        self.common = min(a.iterations, b.iterations)
        has_waits = a.waits is not None and b.waits is not None
        self.measures = [name for name in MEASURES if has_waits or name != "wait"]

    def rows(
        self,
        names: Sequence[str],
        of_a: Ints,
        of_b: Ints,
        where: Counterparts | None = None,
    ) -> tuple[Row, ...]:
        """Sum up all measures by labels of the calls; groups without calls are left.

        Parameters
        ----------
        where
            Groups of ranks, of which sums are the means; None: of all ranks.
        """
        changes: list[dict[str, Change]] = [{} for _ in names]
        ranks = [np.full(len(names), float(run.trace.ranks)) for run in self.runs]
        if where is not None:
            ranks = [
                np.bincount(of[of >= 0], minlength=len(names)).astype(np.float64)
                for of in (where.of_a, where.of_b)
            ]
        for measure in self.measures:
            totals = [
                self._sums(run, of, run.values[measure], len(names))
                for run, of in zip(self.runs, (of_a, of_b), strict=True)
            ]
            for group, own in enumerate(changes):
                each = [float(r[group]) for r in ranks]
                change = self.change(totals[0], totals[1], group, (each[0], each[1]))
                if change is not None:
                    own[measure] = change
        return tuple(
            Row(name, 0, own) for name, own in zip(names, changes, strict=True) if own
        )

    def _sums(self, run: Run, label: Ints, values: Floats, groups: int) -> Sums:
        count = run.iterations if groups * run.iterations <= MAX_CELLS else 0
        return sums(label, run.iteration, values, groups, count)

    def change(
        self, a: Sums, b: Sums, group: int, ranks: tuple[float, float]
    ) -> Change | None:
        """Hold a group of both runs against each other; None if neither has it."""
        there = [bool(s.there[group]) for s in (a, b)]
        if not any(there):
            return None
        series = [
            s.by_iteration[group][s.occurs[group]] / max(r, 1.0)
            for s, r in zip((a, b), ranks, strict=True)
        ]
        value = [
            float(s.total[group]) / max(r, 1.0)
            for s, r in zip((a, b), ranks, strict=True)
        ]
        outcome = verdict(series[0], series[1]) if all(there) else NOT_JUDGED
        ratio = float("nan")
        turns = [run.iterations for run in self.runs]
        if all(there) and value[0]:
            ratio = value[1] / value[0]
            repeated = all(len(s) and s.any() for s in series)
            if turns[0] != turns[1] and repeated:
                ratio = float(series[1].mean() / series[0].mean())
        where: tuple[int, ...] = ()
        if outcome == FEW and self.common:
            difference = b.by_iteration[group][: self.common] / max(
                ranks[1], 1.0
            ) - a.by_iteration[group][: self.common] / max(ranks[0], 1.0)
            where = iterations_of(difference)
        return Change(
            value[0] if there[0] else None,
            value[1] if there[1] else None,
            ratio,
            outcome,
            where,
        )


def iterations_of(difference: Floats) -> tuple[int, ...]:
    """Name the iterations, from 1, in which most of a difference lies."""
    typical = difference - np.median(difference)
    sign = np.sign(typical.sum()) or 1.0
    order = np.argsort(-sign * typical, kind="stable")
    gained = np.cumsum(sign * typical[order])
    enough = int(np.searchsorted(gained, MOST_OF_IT * sign * typical.sum())) + 1
    return tuple(sorted((order[:enough] + 1).tolist()))


def shown_lines(lines: Sequence[Line]) -> list[int]:
    """List the lines that are read: those of calls that are read as one are not."""
    kept, until = [], 0
    for number, line in enumerate(lines):
        if number < until:
            continue
        kept.append(number)
        if line.kind == "each":
            until = line.end
    return kept


def _by_statement(sides: _Sides, aligned: Ints) -> tuple[Row, ...]:
    """Sum up by lines of the logical traces, those that are aligned in one row."""
    ours, theirs = (lines(run.logical) for run in sides.runs)
    partner = {k: int(aligned[k]) for k in shown_lines(ours)}
    order: list[tuple[int, int]] = []
    rest = [k for k in shown_lines(theirs) if k not in set(aligned.tolist())]
    for here, there in partner.items():
        while there >= 0 and rest and rest[0] < there:
            order.append((-1, rest.pop(0)))
        order.append((here, there))
    order += [(-1, there) for there in rest]
    labels = [np.full(run.logical.statements + 1, -1, np.int64) for run in sides.runs]
    heads: list[tuple[str, int, bool]] = []
    for group, pair in enumerate(order):
        for own, listing, label in zip(pair, (ours, theirs), labels, strict=True):
            if own >= 0 and listing[own].kind in ("call", "each"):
                label[listing[own].first : listing[own].last] = group
        line = ours[pair[0]] if pair[0] >= 0 else theirs[pair[1]]
        heads.append((line.text, line.depth, line.kind in ("call", "each")))
    of = [
        np.where(run.statement >= 0, label[run.statement], -1)
        for run, label in zip(sides.runs, labels, strict=True)
    ]
    names = [str(group) for group in range(len(heads))]
    changes = {int(row.name): row.changes for row in sides.rows(names, of[0], of[1])}
    return tuple(
        Row(text, depth, changes.get(group, {}))
        for group, (text, depth, calls) in enumerate(heads)
        if group in changes or not calls
    )


def _time_difference(row: Row) -> float:
    """Return by how many seconds a group differs, more or less."""
    return abs(row.changes.get("time", _NOTHING).difference)


def _by_function(sides: _Sides) -> tuple[Row, ...]:
    names = sorted({n for run in sides.runs for n in run.trace.regions.operations})
    number = {name: k for k, name in enumerate(names)}
    of = []
    for run in sides.runs:
        table = [number[name] for name in run.trace.regions.operations]
        of.append(np.array([*table, -1], np.int64)[run.operation])
    rows = sides.rows(names, of[0], of[1])
    return tuple(sorted(rows, key=lambda row: -abs(row.changes["time"].difference)))


def _by_direction(sides: _Sides) -> tuple[Row, ...]:
    run_names = [run.logical.partners.names for run in sides.runs]
    names = list(dict.fromkeys((*run_names[0], *run_names[1])))
    number = {name: k for k, name in enumerate(names)}
    tables = [np.array([*(number[n] for n in own), -1], np.int64) for own in run_names]
    ranks = float(sides.runs[0].trace.ranks), float(sides.runs[1].trace.ranks)
    changes: list[dict[str, Change]] = [{} for _ in names]
    for measure in ("wait", "bytes"):
        if not all(measure in run.directions for run in sides.runs):
            continue
        totals = []
        for run, table in zip(sides.runs, tables, strict=True):
            label, iteration, values = run.directions[measure]
            totals.append(
                sums(table[label], iteration, values, len(names), run.iterations)
            )
        for group, own in enumerate(changes):
            change = sides.change(totals[0], totals[1], group, ranks)
            if change is not None:
                own[measure] = change
    return tuple(Row(n, 0, own) for n, own in zip(names, changes, strict=True) if own)


def _by_iteration(sides: _Sides) -> tuple[Row, ...]:
    """Sum up by iteration: those of the same number belong together."""
    count = max(run.iterations for run in sides.runs)
    tables: dict[str, list[Floats]] = {}
    for measure in sides.measures:
        tables[measure] = [
            np.bincount(run.iteration, run.values[measure], minlength=count + 1)[
                : count + 1
            ]
            / max(run.trace.ranks, 1)
            for run in sides.runs
        ]
    rows = []
    for number in range(1, count + 1):
        changes = {}
        for measure, (a, b) in tables.items():
            there = [number <= run.iterations for run in sides.runs]
            one, other = float(a[number]), float(b[number])
            changes[measure] = Change(
                one if there[0] else None,
                other if there[1] else None,
                other / one if all(there) and one else float("nan"),
            )
        rows.append(Row(f"iteration {number}", 0, changes))
    return tuple(rows)


def _efficiency(run: Run) -> Efficiency | None:
    if run.waits is None:
        return None
    return efficiency_within(run.trace, run.waits, run.window)


def _own_by_place(run: Run, of: Ints, groups: int, count: int) -> Floats:
    """Sum up what ranks do on their own: shape (groups, iterations), of the mean."""
    ranks = np.maximum(np.bincount(of[of >= 0], minlength=groups), 1)
    own = sums(of[run.rank], run.iteration, run.own, groups, run.iterations)
    result: Floats = own.by_iteration[:, :count] / ranks[:, None]
    return result


def _causes(sides: _Sides, where: Counterparts) -> list[Cause]:
    """Find where ranks differ in what they do on their own."""
    a, b = sides.runs
    count, groups = sides.common, len(where.names)
    if not count or groups * max(a.iterations, b.iterations) > MAX_CELLS:
        return []
    tables = [
        _own_by_place(run, of, groups, count)
        for run, of in zip((a, b), (where.of_a, where.of_b), strict=True)
    ]
    weight = np.bincount(where.of_b[where.of_b >= 0], minlength=groups)
    main_effects = effects(tables[1] - tables[0], weight.astype(np.float64))
    return [_cause(sides, where, tables, effect) for effect in main_effects]


def _cause(
    sides: _Sides, where: Counterparts, tables: Sequence[Floats], effect: Effect
) -> Cause:
    rows = (
        slice(None)
        if effect.place == EVERYWHERE
        else slice(effect.place, effect.place + 1)
    )
    columns = (
        slice(None)
        if effect.iteration == EVERYWHERE
        else slice(effect.iteration, effect.iteration + 1)
    )
    a, b = (float(np.median(table[rows, columns])) for table in tables)
    return Cause(
        place="" if effect.place == EVERYWHERE else where.names[effect.place],
        iteration=effect.iteration + 1,
        what=_what(sides, where, effect),
        a=a,
        b=b,
        total=effect.total,
    )


def _what(sides: _Sides, where: Counterparts, effect: Effect) -> str:
    """Return in which operation, or before which, most of an effect is."""
    names = sorted({n for run in sides.runs for n in run.trace.regions.operations})
    number = {name: k for k, name in enumerate(names)}
    own = []
    for run, of in zip(sides.runs, (where.of_a, where.of_b), strict=True):
        chosen = (run.iteration > 0) & (run.operation >= 0)
        if effect.place != EVERYWHERE:
            chosen &= of[run.rank] == effect.place
        if effect.iteration != EVERYWHERE:
            chosen &= run.iteration == effect.iteration + 1
        table = np.array([number[n] for n in run.trace.regions.operations], np.int64)
        label = table[run.operation[chosen]]
        inside = run.values["time"] - run.values["wait"]
        parts = [
            np.bincount(label, values[chosen], len(names))
            for values in (inside, run.values["computation"])
        ]
        own.append(np.concatenate(parts) / max(run.trace.ranks, 1))
    difference = (own[1] - own[0]) * np.sign(effect.total)
    most = int(np.argmax(difference))
    name = names[most % len(names)]
    return name if most < len(names) else f"computation before {name}"


def _ratios(a: Run, b: Run, where: Counterparts) -> Floats:
    """Divide what counterparts of ranks of `a` spend on their own by what these do."""
    groups = len(where.names)
    means = []
    for run, of in zip((a, b), (where.of_a, where.of_b), strict=True):
        label = of[run.rank]
        there = (label >= 0) & run.in_loop
        ranks = np.maximum(np.bincount(of[of >= 0], minlength=groups), 1)
        total = np.bincount(label[there], run.own[there], groups) / ranks
        means.append(total / max(run.iterations, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(means[0] > 0, means[1] / means[0], np.nan)
    result: Floats = np.where(where.of_a >= 0, ratio[where.of_a], np.nan)
    return result
