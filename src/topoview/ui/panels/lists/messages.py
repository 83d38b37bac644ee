"""The panel Messages: those of all ranks that a query finds, with both their ends."""

from dataclasses import dataclass, field
from typing import Final

from PySide6.QtWidgets import QWidget

from topoview.base.text import grouped, plural, size_text, tr
from topoview.live.tables.calls import MESSAGES, Search
from topoview.live.tables.scope import refuse_unknown
from topoview.live.tables.search.query import Query, parse_query, why_nothing
from topoview.model import Analysis, Identification, LazyTable, Table
from topoview.report.identification.answer import unrecorded_words
from topoview.session import Picked, Session, State
from topoview.ui.panels.lists.query_panel import FOLLOWED, QueryPanel
from topoview.ui.panels.options import MessageOptions

MAX_SORTED: Final = 200_000
"""Messages of which rows are all made, and can be sorted; of more as they are seen."""

FITTING: Final = (
    "sender",
    "receiver",
    "bytes",
    "sent",
    "seconds",
    "waited",
    "direction",
    "received",
    "tag",
    "communicator",
    "message",
)
"""Columns, those first that are hidden last."""


@dataclass(frozen=True, slots=True)
class MessagesRequest:
    """Which messages are listed; equal ones give equal answers."""

    analysis: Analysis
    query: Query
    window: tuple[int, int] | None = None
    ranks: tuple[int, ...] = ()
    """`query`, `window` and `ranks`: as for `Search.messages`."""
    text: str = field(default="", compare=False)
    """What the query was read from."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundMessages:
    """The messages that a request finds."""

    table: Table
    """Of `MESSAGES`."""
    volume: int
    """Bytes of all of them."""
    reason: str
    """Why there are none; empty if there are, or that is not known."""


def messages_request(state: State) -> MessagesRequest | None:
    """Gather which messages a state lists; None without a trace.

    Raises
    ------
    QueryError
        The text is not understood.
    """
    options, analysis = state.of(MessageOptions), state.analysis
    query = parse_query(options.text)
    if analysis is None:
        return None
    refuse_unknown(analysis, query)
    return MessagesRequest(
        analysis,
        query,
        window=state.window if options.scope == "window" else None,
        ranks=state.selection.ranks if options.scope == "ranks" else (),
        text=options.text,
    )


def find_messages(request: MessagesRequest, _: object = None) -> FoundMessages:
    """Find the messages of a request."""
    search = Search(request.analysis)
    rows = search.messages(request.query, request.window, request.ranks)
    table: Table = LazyTable(
        MESSAGES,
        len(rows),
        lambda some: search.message_table(rows[some]),
        ("direction", "communicator"),
    )
    if len(rows) <= MAX_SORTED:
        table = search.message_table(rows)
    reason = ""
    if not len(rows):
        reason = why_nothing(
            request.text,
            "message",
            lambda query: len(search.messages(query)),
            of_part=request.window is not None or bool(request.ranks),
        )
    volume = int(request.analysis.trace.messages.size[rows].sum())
    return FoundMessages(table, volume, reason)


class MessagesPanel(QueryPanel[MessagesRequest, FoundMessages]):
    """Lists messages by a query; a click on a row shows its message."""

    PARTS = (*FOLLOWED, MessageOptions)
    NAME = tr("Messages")
    FITTING = FITTING
    OPTIONS = MessageOptions

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent, find_messages)
        self.field.setPlaceholderText("to 5 > 1 KiB")
        self.field.setAccessibleName(tr("Find messages"))
        self.scopes.setAccessibleName(tr("Where messages are looked for"))

    def request_of(self, state: State) -> MessagesRequest | None:
        """Gather which messages a state lists."""
        return messages_request(state)

    def choose(self, place: int) -> None:
        """Go to a message."""
        row = self.model.table.row(self.model.row(place))
        self.pick(Picked("message", int(row["message"])))

    def show_result(self, result: FoundMessages) -> None:
        """List the messages."""
        self.show_table(result.table)

    def show_state(self, state: State) -> None:
        """Show what the options say, and times as the state does."""
        super().show_state(state)
        self.model.refresh()

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return why there are no messages."""
        if self.result is None or len(self.result.table):
            return super().why_empty(state)
        assert state.analysis is not None
        if not len(state.analysis.trace.messages):
            return tr("No messages"), _why_none(state.analysis.identification)
        if not self.wrong.isHidden():
            return "", ""  # the reason would be that of another query
        return tr("No such messages"), self.result.reason

    def remark(self) -> tuple[str, str]:
        """Return how many messages there are, and how much they hold."""
        if self.result is None:
            return "", ""
        count = len(self.result.table)
        words = f"{plural(count, 'message')}, {size_text(self.result.volume)}"
        more = tr("More than {most} are not sorted", most=grouped(MAX_SORTED))
        return words, more if count > MAX_SORTED else ""


def _why_none(identification: Identification | None) -> str:
    """Return why there are none: none were sent, or no partners are recorded."""
    calls = "" if identification is None else unrecorded_words(identification)
    if calls:
        return tr("The trace does not record the partners of {calls}.", calls=calls)
    return tr("The trace holds no point-to-point message.")
