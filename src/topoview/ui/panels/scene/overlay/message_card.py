"""The card over the scene that lists the messages of a selected mark.

Each has links to its sender, its receiver and the calls at both ends.
"""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from topoview.base.text import duration_text, grouped, plural, size_text, tr
from topoview.live.moments.messages import messages_of_flow
from topoview.live.picking.picked import changes_to_pick
from topoview.model import Analysis
from topoview.report.blocks import (
    NBSP,
    Block,
    Fact,
    Facts,
    Heading,
    Link,
    Page,
    Paragraph,
    Words,
)
from topoview.report.write import page_html
from topoview.scene.palette import THEMES
from topoview.session import Picked, Session, State
from topoview.ui.widgets.controls import Card, follow
from topoview.ui.widgets.formats import exact_time_text
from topoview.ui.widgets.theme import font

CARD_WIDTH = 300
MAX_CARD_HEIGHT = 260
CARD_HEAD_HEIGHT = 40
"""Pixels of the card, and of it without its list."""

MAX_MESSAGES_LISTED = 40
"""Messages of a mark that are listed."""

Flow = tuple[int, int]


def flow_page(analysis: Analysis, state: State, flow: Flow) -> Page:
    """Return the messages from one rank to another that are under way at the cursor.

    Without any the one before it and the one after.
    """
    messages, clock = analysis.trace.messages, analysis.trace.clock
    indices, now = messages_of_flow(analysis, *flow, state.time)
    head = tr("No message under way now; the ones before and after:")
    if now:
        head = tr(
            "{messages} under way, {size}",
            messages=plural(len(indices), "message"),
            size=size_text(int(messages.size[indices].sum())),
        )
    blocks: list[Block] = [Paragraph(head)]
    for message in indices[:MAX_MESSAGES_LISTED].tolist():
        size, tag = int(messages.size[message]), messages.tag[message]
        sent, received = messages.send_time[message], messages.receive_time[message]
        when = exact_time_text(int(sent), clock, state)
        span = duration_text(clock.seconds(int(received - sent)))
        blocks += [
            Heading(tr("{size}, tag {tag}", size=size_text(size), tag=tag)),
            Paragraph(tr("sent {sent}, received {span} later", sent=when, span=span)),
            *(_status(analysis, message, state.time) if now else ()),
            Facts((Fact("", _links(analysis, message, flow)),)),
        ]
    more = len(indices) - MAX_MESSAGES_LISTED
    if more > 0:
        blocks.append(Paragraph(tr("and {more} more", more=grouped(more))))
    title = tr("rank {first} → rank {second}", first=flow[0], second=flow[1])
    return Page(title, blocks=tuple(blocks))


def _links(analysis: Analysis, message: int, flow: Flow) -> Words:
    """Lead to both ranks, and to the calls at the ends: the one that waited for it."""
    messages, enter = analysis.trace.messages, analysis.trace.calls.enter
    ended, posted = messages.completion_call[message], messages.receive_call[message]
    ends = {
        tr("send call"): int(messages.send_call[message]),
        tr("receive call"): int(ended if ended >= 0 else posted),
    }
    links = [
        Link(tr("sender"), Picked("rank", flow[0])),
        Link(tr("receiver"), Picked("rank", flow[1])),
        *(
            Link(text, Picked("call", call), int(enter[call]))
            for text, call in ends.items()
            if call >= 0
        ),
    ]
    return tuple(part for link in links for part in (link, NBSP * 3))[:-1]


def _status(analysis: Analysis, message: int, ticks: int) -> tuple[Paragraph, ...]:
    """Describe whether a message that is under way is late, or unexpected."""
    trace = analysis.trace
    messages, enter = trace.messages, trace.calls.enter
    posted = int(messages.receive_call[message])
    ends = int(messages.completion_call[message])
    if posted >= 0 and enter[posted] > ticks:
        return (Paragraph(tr("unexpected: no receive posted yet")),)
    if ends >= 0 and enter[ends] <= ticks:
        waits = duration_text(trace.clock.seconds(int(ticks - enter[ends])))
        text = tr("late sender: receiver has waited {waits}", waits=waits)
        return (Paragraph(text),)
    return ()


class MessageCard(Card):
    """Lists the messages of the selected mark, with links to their ends.

    Parameters
    ----------
    session
        Whose selection it shows and changes.
    scene
        Where it stands.
    beside
        Another card that may stand at the right.
    """

    def __init__(self, session: Session, scene: QWidget, beside: QWidget) -> None:
        self._title = QLabel()
        super().__init__(scene, self._title)
        self._session, self._scene, self._beside = session, scene, beside
        self.page = Page()
        self.list = QLabel()
        self.list.setObjectName("plain")
        self.list.setFont(font(12))
        self.list.setWordWrap(True)
        self.list.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.list.setAccessibleName(tr("Messages of the selected mark"))
        self.list.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.list.linkActivated.connect(self.follow_link)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self.list)
        self.column.addWidget(self._area)
        parts = ("selection", "time", "analysis", "theme", "time_zero", "unit")
        follow(self, session, self._follow, to=parts)

    def place(self) -> None:
        """Place it at the right of the scene, below its switch."""
        self.list.setFixedWidth(CARD_WIDTH - 30)
        wanted = self.list.heightForWidth(CARD_WIDTH - 30) + CARD_HEAD_HEIGHT
        height = min(wanted, MAX_CARD_HEIGHT, max(self._scene.height() - 56, 80))
        other = self._beside.width() + 8 if self._beside.isVisible() else 0
        left = self._scene.width() - CARD_WIDTH - 12 - other
        self.setGeometry(max(left, 0), 46, CARD_WIDTH, height)

    def follow_link(self, number: str) -> None:
        """Go to what a link of the page names; the mark stays selected."""
        state, link = self._session.state, self.page.links[int(number)]
        changes = changes_to_pick(state, link.to, link.ticks)
        if changes:
            chosen = replace(changes["selection"], flow=state.selection.flow)
            self._session.update(**{**changes, "selection": chosen})

    def _follow(self, _: State, new: State) -> None:
        flow, analysis = new.selection.flow, new.analysis
        if flow is None or analysis is None or max(flow) >= analysis.trace.ranks:
            self.hide()
            return
        self.page, theme = flow_page(analysis, new, flow), THEMES[new.theme]
        self._title.setText(self.page.title)
        self.list.setText(
            page_html(self.page, theme.text2, theme.accent, theme.hairline)
        )
        self.show()
        self.place()
        self.raise_()

    def leave(self) -> None:
        """Select no mark any more."""
        self._session.select(ranks=self._session.state.selection.ranks)
