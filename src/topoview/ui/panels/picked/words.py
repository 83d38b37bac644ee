"""What was clicked, in words: a page for each kind of thing."""

from collections.abc import Sequence

from topoview.base.text import (
    NOT_KNOWN,
    duration_text,
    grouped,
    plural,
    share_text,
    size_text,
    tr,
    write,
)
from topoview.live.call_facts import tags_text
from topoview.live.picking.details import collectives, messages
from topoview.live.picking.details.calls import (
    CallDetails,
    CounterGrowth,
    Wait,
    call_details,
    line_of_statement,
    rank_of_call,
)
from topoview.live.picking.details.ranks import rank_details
from topoview.live.picking.details.statements import statement_waits
from topoview.live.picking.picked import is_there
from topoview.live.picking.relations import direction_names
from topoview.model import Analysis, Call, Match, TimeState, joined_text
from topoview.model.trace import COLLECTIVE_OPERATIONS
from topoview.report.blocks import Fact, Facts, Link, Page, TableBlock, Words
from topoview.report.logical.lines import call_words, cells, logical_lines
from topoview.session import Picked, State
from topoview.ui.widgets.formats import exact_time_text

MAX_ROWS = 12
"""Rows of a table; of more those that matter most are listed, and the rest counted."""

MAX_CAUSES = 6
"""Ranks waited for that are listed one by one; of the others their sum."""

MAX_RANKS_LINKED = 16
"""Ranks that are listed one by one."""


def page_of(state: State) -> Page | None:
    """Describe all about what was clicked; None if nothing was."""
    analysis, picked = state.analysis, state.picked
    if analysis is None or not is_there(analysis, picked):
        return None
    pages = _Told(state, analysis)
    return getattr(pages, picked.kind)(picked)  # type: ignore[no-any-return]


def _page(
    title: str,
    subtitle: str,
    facts: Sequence[Fact] = (),
    tables: Sequence[TableBlock] = (),
    *,
    steps: bool = True,
) -> Page:
    return Page(title, subtitle, (Facts(tuple(facts)), *tables), steps)


def _table(
    caption: str,
    head: tuple[str, ...],
    rows: tuple[tuple[Words, ...], ...],
    rest: int = 0,
) -> TableBlock:
    return TableBlock(name="", caption=caption, head=head, rows=rows, rest=rest)


class _Told:
    """Makes pages: a method for each kind of thing."""

    def __init__(self, state: State, analysis: Analysis) -> None:
        self.state, self.analysis, self.trace = state, analysis, analysis.trace

    # words that many pages share

    def _time(self, ticks: int) -> str:
        return exact_time_text(ticks, self.trace.clock, self.state)

    def _span(self, begin: int, end: int) -> Words:
        return (tr("{begin} to {end}", begin=self._time(begin), end=self._time(end)),)

    def _long(self, ticks: float) -> str:
        return duration_text(self.trace.clock.seconds(ticks))

    def _call(self, call: int, text: str = "") -> Link:
        region = int(self.trace.calls.region[call])
        return Link(text or self.trace.regions.title(region), Picked("call", call))

    def _place(self, rank: int) -> str:
        match = self.state.derived.match
        return place_text(match, rank) if match else ""

    def _way(self, sender: int, receiver: int) -> str:
        match = self.state.derived.match
        if not 0 <= sender < self.trace.ranks or not 0 <= receiver < self.trace.ranks:
            return ""
        names = direction_names(self.analysis, match, sender, receiver)
        return f" {names[0]}" if names else ""

    def _ranks(self, ranks: Sequence[int]) -> Words:
        words: list[str | Link] = []
        for rank in ranks[:MAX_RANKS_LINKED]:
            words += [", "] if words else []
            words.append(rank_link(rank, f"{rank}"))
        more = len(ranks) - MAX_RANKS_LINKED
        return (
            (*words, tr(" and {more} more", more=grouped(more)))
            if more > 0
            else tuple(words)
        )

    def _communicator(self, number: int) -> Words:
        if number < 0:
            return ()
        name = self.trace.communicators[number].name or tr(
            "communicator {number}", number=number
        )
        return (Link(name, Picked("communicator", number)),)

    # calls

    def call(self, picked: Picked) -> Page:
        """Describe a call."""
        details = call_details(self.analysis, picked.number)
        name = self.trace.regions.title(details.region)
        facts = [
            Fact(tr("Rank"), self._of_row(details.row, details.rank)),
            Fact(tr("Time"), self._span(details.enter, details.leave), card=True),
            Fact(tr("Took"), (self._long(details.leave - details.enter),), card=True),
            *self._wait(details.wait),
            *self._partners(details),
            *self._where(details),
        ]
        who = tr("rank {rank}", rank=details.rank) if details.rank >= 0 else ""
        tables = [self._messages_table(details)] if len(details.messages) > 1 else []
        tables += [self._counters(details.counters)] if details.counters else []
        return _page(
            f"{name}, {who}" if who else name,
            _nth(tr("call"), details.number, details.count),
            facts,
            tables,
        )

    def _of_row(self, row: int, rank: int) -> Words:
        if not 0 <= rank < self.trace.ranks:
            names = [place.name for place in self.trace.locations[row : row + 1]]
            return (*names[: row >= 0],) or (tr("not in the trace"),)
        place = self._place(rank)
        words: Words = (rank_link(rank), f"  {place}" if place else "")
        if row >= self.trace.ranks:
            return (*words, f", {self.trace.locations[row].name}")
        return words

    def _wait(self, wait: Wait | None) -> list[Fact]:
        if wait is None:
            return []
        if not wait.ticks:
            return [Fact(tr("Wait"), (tr("none: partners were there"),))]
        facts = [Fact(tr("Waited"), (self._long(wait.ticks),), card=True)]
        if wait.whom < 0:
            return facts
        words: Words = (rank_link(wait.whom),)
        if wait.cause >= 0:
            begins = self.trace.calls.enter[wait.cause] == wait.until
            until = tr(", until its ") if begins else tr(", until the end of its ")
            words = (*words, until, self._call(wait.cause))
        words = (*words, tr(" at {until}", until=self._time(wait.until)))
        facts.append(Fact(tr("For"), words, card=True))
        busy = TimeState(wait.busy).label
        facts.append(
            Fact(
                tr("Cause"),
                (
                    tr(
                        "rank {whom} was in {busy} for {busy_ticks} of it",
                        whom=wait.whom,
                        busy=busy,
                        busy_ticks=self._long(wait.busy_ticks),
                    ),
                ),
            )
        )
        if len(wait.chain) > 2:
            facts.append(
                Fact(
                    tr("Root cause"),
                    (
                        rank_link(wait.chain[-1]),
                        tr(", through "),
                        *self._ranks(wait.chain[1:-1]),
                    ),
                )
            )
        return facts

    def _partners(self, details: CallDetails) -> list[Fact]:
        """List whom it communicates with, and what it belongs to."""
        did, facts = details.facts, []
        for name, ranks in ((tr("To"), did.to), (tr("From"), did.source)):
            if len(ranks) == 1:
                words = (rank_link(ranks[0]), self._way(details.rank, ranks[0]))
                facts.append(Fact(name, words, card=True))
            elif ranks:
                facts.append(Fact(name, self._ranks(ranks), card=True))
        if did.root >= 0:
            facts.append(Fact(tr("Root"), (rank_link(did.root),)))
        if did.size is not None and (did.size or did.to or did.source):
            facts.append(Fact(tr("Bytes"), (size_text(did.size),), card=True))
        if did.tags:
            facts.append(Fact(tr("Tag"), (tags_text(did.tags),)))
        if did.communicator >= 0:
            facts.append(Fact(tr("Communicator"), self._communicator(did.communicator)))
        return [*facts, *self._belongings(details)]

    def _belongings(self, details: CallDetails) -> list[Fact]:
        """Lead to the message, the operation and the calls that belong to it."""
        facts = []
        if len(details.messages) == 1:
            number = details.messages[0]
            link = Link(tr("message"), Picked("message", number))
            facts.append(Fact(tr("Message"), (link,)))
            other = self._matching_call(details, number)
            if other >= 0:
                facts.append(Fact(tr("Matching call"), self._call_of_rank(other)))
        if details.collective >= 0:
            one = collectives.collective_details(self.analysis, details.call)
            assert one is not None
            text = tr(
                "{ranks}, last rank {last}",
                ranks=plural(len(one.ranks), "rank"),
                last=one.last,
            )
            link = Link(text, Picked("collective", details.call))
            facts.append(Fact(tr("Operation"), (link,)))
        if details.posted >= 0:
            facts.append(Fact(tr("Completes"), (self._call(details.posted),)))
        if details.completed >= 0:
            facts.append(Fact(tr("Completed by"), (self._call(details.completed),)))
        return facts

    def _matching_call(self, details: CallDetails, message: int) -> int:
        them = self.trace.messages
        send, receive = int(them.send_call[message]), int(them.receive_call[message])
        return receive if details.call == send else send

    def _call_of_rank(self, call: int) -> Words:
        rank = rank_of_call(self.trace, call)
        return (self._call(call), tr(" of rank {rank}", rank=rank))

    def _where(self, details: CallDetails) -> list[Fact]:
        facts = []
        if details.statement >= 0:
            text = statement_text(self.analysis, details.statement)
            link = Link(text, Picked("statement", details.statement))
            facts.append(Fact(tr("Statement"), (link,)))
        if details.iteration:
            text = tr(
                "{iteration} of {iterations}",
                iteration=grouped(details.iteration),
                iterations=grouped(details.iterations),
            )
            facts.append(Fact(tr("Iteration"), (text,), card=True))
        facts += [Fact(tr("Call path"), (details.path,))] if details.path else []
        facts += [Fact(tr("Source"), (details.source,))] if details.source else []
        return facts

    def _messages_table(self, details: CallDetails) -> TableBlock:
        every = [messages.message_details(self.analysis, m) for m in details.messages]
        every.sort(key=lambda one: -one.late)
        rows = []
        for one in every[:MAX_ROWS]:
            sends = one.send_call in (details.call, details.posted)
            partner = one.receiver if sends else one.sender
            other = one.receive_call if sends else one.send_call
            way = self._way(details.rank, partner)
            rows.append(
                (
                    (tr("to ") if sends else tr("from "), rank_link(partner), way),
                    (Link(size_text(one.size), Picked("message", one.message)),),
                    (self._call(other),) if other >= 0 else (tr("not recorded"),),
                    (self._long(one.late) if one.late else NOT_KNOWN,),
                )
            )
        columns = (tr("partner"), tr("bytes"), tr("matching call"), tr("late by"))
        return _table(
            tr("Messages"), columns, tuple(rows), max(len(every) - MAX_ROWS, 0)
        )

    def _counters(self, counted: Sequence[CounterGrowth]) -> TableBlock:
        rows = tuple(
            (
                (each.counter.name,),
                (write(each.before, each.counter.unit) or NOT_KNOWN,),
                (write(each.inside, each.counter.unit) or NOT_KNOWN,),
            )
            for each in counted[:MAX_ROWS]
        )
        rest = max(len(counted) - MAX_ROWS, 0)
        return _table(
            tr("Counters"),
            (tr("counter"), tr("before the call"), tr("in it")),
            rows,
            rest,
        )

    # messages

    def message(self, picked: Picked) -> Page:
        """Describe a message."""
        one = messages.message_details(self.analysis, picked.number)
        facts = [
            Fact(tr("From"), (*self._of_row(one.sender, one.sender),), card=True),
            Fact(
                tr("To"),
                (
                    *self._of_row(one.receiver, one.receiver),
                    self._way(one.sender, one.receiver),
                ),
                card=True,
            ),
            Fact(tr("Bytes"), (size_text(one.size),), card=True),
        ]
        if one.sent >= 0 and one.received >= 0:
            facts.append(
                Fact(tr("Time"), self._span(one.sent, one.received), card=True)
            )
            took = self._long(one.received - one.sent)
            facts.append(Fact(tr("Under way"), (took,), card=True))
        else:
            ends = ((tr("Sent"), one.sent), (tr("Received"), one.received))
            facts += [
                Fact(name, (self._time(at) if at >= 0 else tr("not recorded"),))
                for name, at in ends
            ]
        if one.late:
            text = tr("{late} that the receiver waited", late=self._long(one.late))
            facts.append(Fact(tr("Late sender"), (text,), card=True))
        if one.early:
            text = tr(
                "sent {early} before its receive was posted",
                early=self._long(one.early),
            )
            facts.append(Fact(tr("Unexpected"), (text,), card=True))
        for name, call in (
            (tr("Sent by"), one.send_call),
            (tr("Received by"), one.receive_call),
            (tr("Completed by"), one.completion_call),
        ):
            if call >= 0 and (name != tr("Completed by") or call != one.receive_call):
                facts.append(Fact(name, self._call_of_rank(call)))
        facts.append(Fact(tr("Tag"), (str(one.tag),)))
        facts.append(Fact(tr("Communicator"), self._communicator(one.communicator)))
        low, high = sorted((one.sender, one.receiver))
        if low < high and high < self.trace.ranks:
            link = Link(
                tr("ranks {low} and {high}", low=low, high=high),
                Picked("pair", low, high),
            )
            facts.append(Fact(tr("Pair"), (link,)))
        return _page(
            tr(
                "Message, rank {sender} to rank {receiver}",
                sender=one.sender,
                receiver=one.receiver,
            ),
            _nth(tr("message"), one.number, one.count),
            facts,
        )

    # pairs

    def pair(self, picked: Picked) -> Page:
        """Describe the messages between two ranks, those of the first one first."""
        one, other = picked.number, picked.other
        ways = [(one, other)] if one == other else [(one, other), (other, one)]
        facts, tables = [], []
        for sender, receiver in ways:
            details = messages.pair_details(self.analysis, sender, receiver)
            count = plural(len(details.messages), "message")
            words = f"{count}, {size_text(details.size)}{self._way(sender, receiver)}"
            name = f"{sender} \u2192 {receiver}"
            facts.append(Fact(name, (words,), card=True))
            if details.late:
                text = tr(
                    "{late} in {calls}",
                    late=self._long(details.late),
                    calls=plural(details.late_count, "call"),
                )
                facts.append(Fact(tr("Late sender"), (text,), card=True))
            if details.longest >= 0:
                link = Link(tr("longest under way"), Picked("message", details.longest))
                facts.append(Fact(tr("Message"), (link,)))
            if len(details.messages):
                tables.append(self._messages_near(details))
        facts[0:0] = [Fact(tr("Ranks"), (*self._ranks((one, other)),))]
        title = (
            tr("Ranks {one} and {other}", one=one, other=other)
            if one != other
            else tr("Rank {one} to itself", one=one)
        )
        return _page(title, "", facts, tables)

    def _messages_near(self, details: messages.PairDetails) -> TableBlock:
        """List the messages around the time cursor."""
        them = self.trace.messages
        sent = them.send_time[details.messages]
        after = int((sent <= self.state.time).sum())
        first = min(
            max(after - MAX_ROWS // 2, 0), max(len(details.messages) - MAX_ROWS, 0)
        )
        rows = []
        for message in details.messages[first : first + MAX_ROWS].tolist():
            at, end = int(them.send_time[message]), int(them.receive_time[message])
            when = self._time(at) if at >= 0 else tr("not recorded")
            took = self._long(end - at) if at >= 0 and end >= 0 else NOT_KNOWN
            rows.append(
                (
                    (Link(when, Picked("message", message)),),
                    (size_text(int(them.size[message])),),
                    (took,),
                )
            )
        title = f"{details.sender} \u2192 {details.receiver}"
        columns = (tr("sent at"), tr("bytes"), tr("under way"))
        return _table(title, columns, tuple(rows), len(details.messages) - len(rows))

    # collective operations, communicators

    def collective(self, picked: Picked) -> Page:
        """Describe a collective operation."""
        one = collectives.collective_details(self.analysis, picked.number)
        assert one is not None
        name = COLLECTIVE_OPERATIONS[one.operation]
        calls = self.trace.calls
        last = int(one.calls[one.ranks.tolist().index(one.last)])
        facts = [
            Fact(tr("Ranks"), (_members_text(len(one.ranks), one.members),)),
            Fact(tr("Time"), self._span(one.begin, one.end), card=True),
            Fact(tr("Took"), (self._long(one.end - one.begin),), card=True),
            Fact(
                tr("Came last"),
                (
                    rank_link(one.last),
                    tr(
                        ", {complete} after rank {first}",
                        complete=self._long(one.complete - one.begin),
                        first=one.first,
                    ),
                ),
                card=True,
            ),
            Fact(tr("Its call"), (self._call(last),)),
            Fact(
                tr("Waited"),
                (tr("{waited}, all ranks", waited=self._long(one.waited)),),
                card=True,
            ),
        ]
        if one.root >= 0:
            facts.append(Fact(tr("Root"), (rank_link(one.root),)))
        if one.sent or one.received:
            moved = tr(
                "{sent} sent, {received} received",
                sent=size_text(one.sent),
                received=size_text(one.received),
            )
            facts.append(Fact(tr("Bytes"), (moved,)))
        facts.append(Fact(tr("Communicator"), self._communicator(one.communicator)))
        enter, leave = calls.enter[one.calls], calls.leave[one.calls]
        order = (-enter).argsort(kind="stable")[:MAX_ROWS].tolist()
        rows = tuple(
            (
                (rank_link(int(one.ranks[k])),),
                (self._call(int(one.calls[k]), self._time(int(enter[k]))),),
                (self._long(int(leave[k] - enter[k])),),
            )
            for k in order
        )
        table = _table(
            tr("Came last first"),
            (tr("rank"), tr("came at"), tr("took")),
            rows,
            len(enter) - len(rows),
        )
        title = f"{name}, {plural(len(one.ranks), 'rank')}"
        nth = _nth(tr("operation"), one.number, one.count)
        return _page(title, nth, facts, (table,))

    def communicator(self, picked: Picked) -> Page:
        """Describe a communicator."""
        one = collectives.communicator_details(self.analysis, picked.number)
        facts = [Fact(tr("Members"), self._ranks(one.ranks), card=True)]
        if one.messages:
            text = f"{plural(one.messages, 'message')}, {size_text(one.size)}"
            facts.append(Fact(tr("Messages"), (text,), card=True))
        rows = tuple(
            ((COLLECTIVE_OPERATIONS[code],), (grouped(count),), (size_text(size),))
            for code, count, size in one.operations
        )
        columns = (tr("operation"), tr("times"), tr("bytes sent"))
        tables = (_table(tr("Collective operations"), columns, rows),) if rows else ()
        count = plural(len(one.ranks), "rank")
        name = one.name or tr(
            "communicator {communicator}", communicator=one.communicator
        )
        return _page(name, count, facts, tables, steps=bool(rows))

    # ranks

    def rank(self, picked: Picked) -> Page:
        """Describe a rank at the time cursor."""
        rank = picked.number
        one = rank_details(self.analysis, rank, self.state.time)
        facts, node = [], self.trace.locations[rank].node
        now = TimeState(one.state)
        if now != TimeState.OUTSIDE:
            since = tr(
                "{label} since {since}", label=now.label, since=self._time(one.since)
            )
            facts.append(Fact(tr("Now"), (since,), card=True))
            if one.until >= 0:
                words = tr("after {until}", until=self._long(one.until - one.since))
                facts.append(Fact(tr("Ends"), (f"{self._time(one.until)}, {words}",)))
        else:
            facts.append(
                Fact(tr("Now"), (tr("outside of the recorded time"),), card=True)
            )
        if one.call >= 0:
            facts.append(Fact(tr("Call"), (self._call(one.call),), card=True))
        elif one.region >= 0:
            facts.append(Fact(tr("In"), (self.trace.regions.title(one.region),)))
        if one.whom >= 0:
            facts.append(Fact(tr("Waits for"), (rank_link(one.whom),), card=True))
        facts += [Fact(tr("Host"), (node,))] if node else []
        facts.append(Fact(tr("Calls"), (grouped(one.calls),)))
        for name, (count, size) in (
            (tr("Sends"), one.sent),
            (tr("Receives"), one.received),
        ):
            if count:
                noun = self.analysis.matrix.noun if self.analysis.matrix else "message"
                facts.append(Fact(name, (f"{plural(count, noun)}, {size_text(size)}",)))
        for number in one.communicators[:4]:
            facts.append(Fact(tr("Member of"), self._communicator(number)))
        tables: tuple[TableBlock, ...] = ()
        if one.waiting:
            rows = tuple(
                (
                    (rank_link(other), f"  {self._place(other)}"),
                    (self._way(rank, other).strip(),),
                    (self._long(ticks),),
                )
                for other, ticks in one.waiting[:MAX_ROWS]
            )
            rest = max(len(one.waiting) - MAX_ROWS, 0)
            columns = (tr("rank"), tr("towards"), tr("so far"))
            tables = (_table(tr("Wait for it"), columns, rows, rest),)
        return _page(
            tr("Rank {rank}", rank=rank),
            self._place(rank).strip("()"),
            facts,
            tables,
        )

    # statements

    def statement(self, picked: Picked) -> Page:
        """Describe a statement of the logical trace."""
        analysis, number = self.analysis, picked.number
        facts: list[Fact] = []
        measured = analysis.measured
        lines = logical_lines(analysis)
        at = line_of_statement(analysis, number)
        slowest = -1
        if at < 0:
            return _page(tr("statement {number}", number=number), "", steps=False)
        if measured is not None:
            figures = dict(zip(_FIGURES, cells(measured, at), strict=False))
            for name, text in figures.items():
                if text:
                    card = name in (tr("Calls"), tr("Mean"), tr("Longest"))
                    facts.append(Fact(name, (text,), card))
            counted = measured.metrics.names
            for name, text in zip(counted, measured.metrics.texts(number), strict=True):
                facts += [Fact(name, (tr("{text} before", text=text),))] if text else []
            facts += [Fact(tr("Source"), (p,)) for p in measured.places[number][:3]]
            slowest = int(measured.statements.slowest[number])
        elif analysis.logical is not None:
            counts = (analysis.logical.statement_of_call == number).sum()
            facts.append(Fact(tr("Calls"), (grouped(int(counts)),), card=True))
        if slowest >= 0:
            facts.append(Fact(tr("Longest call"), self._call_of_rank(slowest)))
        call = self._call_near(number)
        if call >= 0:
            words = (*self._call_of_rank(call), tr(" at "), self._time_of(call))
            facts.append(Fact(tr("At the cursor"), words))
        line = lines[at].statement
        if isinstance(line, Call) and line.path:
            facts.append(Fact(tr("Call path"), (" > ".join(line.path),)))
        waited = self._waited_in(number)
        return _page(statement_text(analysis, number), "", facts, waited)

    def _waited_in(self, statement: int) -> tuple[TableBlock, ...]:
        """List whom the calls of a statement waited for, and for how long."""
        by_rank, unknown = statement_waits(self.analysis, statement)
        total = sum(ticks for _, ticks in by_rank) + unknown
        if not total:
            return ()

        def row(words: Words, ticks: int) -> tuple[Words, ...]:
            return words, (self._long(ticks),), (share_text(ticks / total),)

        first, others = by_rank[:MAX_CAUSES], by_rank[MAX_CAUSES:]
        rows = [
            row((rank_link(rank), f"  {self._place(rank)}"), ticks)
            for rank, ticks in first
        ]
        if others:
            ticks = sum(ticks for _, ticks in others)
            text = tr("{ranks} besides", ranks=plural(len(others), "rank"))
            rows.append(row((text,), ticks))
        if unknown:
            rows.append(row((tr("unknown"),), unknown))
        head = (tr("waited for"), tr("time"), tr("share"))
        return (_table(tr("Waiting"), head, tuple(rows)),)

    def _call_near(self, statement: int) -> int:
        """Find the call of the selected rank, else of any, that is at the cursor."""
        logical, calls = self.analysis.logical, self.trace.calls
        assert logical is not None
        chosen = self.state.selection.ranks[:1] or (0,)
        first, stop = calls.offsets[chosen[0] : chosen[0] + 2].tolist()
        own = first + (logical.statement_of_call[first:stop] == statement).nonzero()[0]
        if not len(own):
            return -1
        at = int(calls.enter[own].searchsorted(self.state.time, "right")) - 1
        return int(own[max(at, 0)])

    def _time_of(self, call: int) -> str:
        return self._time(int(self.trace.calls.enter[call]))


_FIGURES = (
    tr("Calls"),
    tr("Share"),
    tr("Mean"),
    tr("Deviation"),
    tr("Compute before"),
    tr("Partners late"),
    tr("Longest"),
)
"""Names of what `cells` tells of a statement, in that order."""

ROLE_TEXTS = {
    "star": lambda place: (
        tr("master") if place[0] == 0 else tr("worker {place}", place=place[1])
    ),
}
"""What a rank is, from its coordinates, where it has another name than those."""


def place_text(match: Match, rank: int) -> str:
    """Where a rank is in a topology: ``(x 5, y 1)``; empty if it is nowhere."""
    if match.topology.is_empty:
        return ""
    if match.vertex[rank] < 0:
        return tr("(silent)")
    place = match.topology.coordinates[match.vertex[rank]]
    if match.topology.kind in ROLE_TEXTS:
        return f"({ROLE_TEXTS[match.topology.kind](place)})"
    if match.topology.kind not in ("lattice", "plan"):
        return ""
    pairs = zip(match.topology.axes, place, strict=True)
    return f"({', '.join(f'{axis} {value}' for axis, value in pairs)})"


def statement_text(analysis: Analysis, statement: int) -> str:
    """Write a statement of the logical trace."""
    at = line_of_statement(analysis, statement)
    line = logical_lines(analysis)[at] if at >= 0 else None
    if line is None or not isinstance(line.statement, Call):
        return tr("statement {statement}", statement=statement)
    return joined_text(call_words(line.statement, line))


def _nth(what: str, number: int, count: int) -> str:
    return tr(
        "{what} {number} of {count}",
        what=what,
        number=grouped(number),
        count=grouped(count),
    )


def _members_text(here: int, members: int) -> str:
    if here == members:
        return grouped(here)
    return tr(
        "{here} of {members} members; the rest was not recorded",
        here=grouped(here),
        members=grouped(members),
    )


def rank_link(rank: int, text: str = "") -> Link:
    """Link to a rank."""
    return Link(text or tr("rank {rank}", rank=rank), Picked("rank", rank))
