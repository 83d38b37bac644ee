"""Read ranks again by other names of their partners: of those that do the same one.

What a rank says by other names follows from its class, which tells its calls by the
numbers of its partners, and from the names of these. So of the ranks of a class that
name the partners of each number alike only the lowest is read again.
"""

from collections.abc import Iterator

import numpy as np

from topoview.base.progress import Report, silent
from topoview.grouping import (
    Hashes,
    combined,
    factorize,
    first_entries,
    in_order_met,
    run_rows,
)
from topoview.logical.calls.call_table import CallReader, CallTable
from topoview.logical.calls.facts import CallFacts, PartCalls, find_facts
from topoview.logical.calls.partners import Naming
from topoview.logical.calls.wildcards import WildcardRule
from topoview.logical.kernels import mix_bits
from topoview.logical.merge.classes import RanksCompared, compare_ranks
from topoview.model import Ints, Trace, parts_of, places_among

MAX_CALLS_READ_AGAIN = 1 << 22
"""Calls of the ranks that are read again, polls included."""


class OtherNames:
    """Reads ranks by other names than those by which they were compared."""

    def __init__(
        self, trace: Trace, facts: CallFacts, compared: RanksCompared, neighbours: Ints
    ) -> None:
        self._trace, self._facts, self._compared = trace, facts, compared
        self._neighbours, self._class = neighbours, compared.classes().of
        self._order = np.argsort(compared.met)
        rank = compared.met // max(trace.ranks, 1)
        self._begins = np.searchsorted(rank, np.arange(trace.ranks))
        self._calls = dict[tuple[int, int], PartCalls]()

    def read(
        self,
        naming: Naming,
        report: Report = silent,
        arrives: WildcardRule | None = None,
    ) -> tuple[CallFacts, RanksCompared] | None:
        """Compare what ranks do by other names.

        Returns
        -------
        CallFacts, RanksCompared
            None where too many calls would have to be read again.
        """
        trace, compared = self._trace, self._compared
        facts = find_facts(trace, self._facts.sums, naming, report, arrives)
        said = self._says(facts)
        alike = combined((self._class, factorize(said.view(np.int64))[1]))
        kinds, of = in_order_met(alike)
        examples = first_entries(of, len(kinds))
        calls = np.diff(trace.calls.offsets)[examples]
        if calls.sum() > MAX_CALLS_READ_AGAIN:
            return None
        own = compare_ranks(
            self._tables(examples, facts), trace.ranks, self._neighbours
        )
        return facts, RanksCompared(
            key=own.key[of],
            first=examples[own.first],
            examples=own.examples,
            leads=self._leads(own.leads, len(facts.names), examples, of),
            met=compared.met,
        )

    def _numbers(self, rank: Ints, partner: Ints) -> Ints:
        """Look up the number of each rank's partner, -1 for one that it never meets."""
        order, met = self._order, self._compared.met
        at = places_among(met[order], rank * self._trace.ranks + partner)
        number: Ints = np.append(order, -1)[at] - self._begins[rank]
        return np.where(at >= 0, number, -1)

    def _says(self, facts: CallFacts) -> Hashes:
        """Hash how each rank names its partners: uint64, shape (ranks,)."""
        channels = facts.sums.channels
        tag = np.tile(factorize(channels.tag)[1], 2)
        side = np.repeat([0, 1], len(channels.tag))
        here = np.concatenate((channels.sender, channels.receiver))
        there = np.concatenate((channels.receiver, channels.sender))
        name = np.concatenate((facts.to[:-1], facts.source[:-1]))
        number = self._numbers(here, there)
        key = mix_bits((2 * tag + side).astype(np.uint64))
        for column in (number, name):
            key = mix_bits(key ^ (column + 2).astype(np.uint64))
        result = np.zeros(self._trace.ranks, np.uint64)
        met = number >= 0
        np.add.at(result, here[met], key[met])
        return result

    def _tables(self, examples: Ints, facts: CallFacts) -> Iterator[CallTable]:
        """Read some ranks, neighbours together, ascending."""
        runs = np.split(examples, 1 + np.flatnonzero(np.diff(examples) > 1))
        ends = [(int(run[0]), int(run[-1]) + 1) for run in runs]
        new = [end for end in ends if end not in self._calls]
        parts = parts_of(self._trace, [slice(*end) for end in new])
        read = {end: PartCalls(one) for end, one in zip(new, parts, strict=True)}
        self._calls = {end: read.get(end) or self._calls[end] for end in ends}
        for end in ends:
            yield from CallReader(self._calls[end], facts)

    def _leads(self, leads: Ints, names: int, examples: Ints, of: Ints) -> Ints:
        """Find where directions lead from all ranks, by those of the examples."""
        ranks, met = self._trace.ranks, self._compared.met
        rank, name = np.divmod(leads // ranks, names)
        number = self._numbers(rank, leads % ranks)
        offsets = np.append(np.searchsorted(rank, examples), len(rank))
        lead = run_rows(offsets, of)
        here = np.repeat(np.arange(ranks), np.diff(offsets)[of])
        there = met[self._begins[here] + number[lead]] % ranks
        return np.sort((here * names + name[lead]) * ranks + there)
