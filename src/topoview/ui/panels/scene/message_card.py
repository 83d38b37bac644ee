"""The card over the scene that lists the messages of a selected mark.

Each has links to its sender, its receiver and the calls at both ends.
"""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import duration_text, grouped, plural, size_text, tr
from topoview.live.moments.messages import messages_of_flow
from topoview.live.picking.navigation import following
from topoview.model import Analysis
from topoview.scene.palette import THEMES
from topoview.session import Selection, Session, State
from topoview.ui.widgets.controls import (
    IconButton,
    follow,
    give_focus_back,
    takes_escape,
)
from topoview.ui.widgets.formats import exact_time_text
from topoview.ui.widgets.theme import font

CARD_WIDTH = 300
MAX_CARD_HEIGHT = 260
CARD_HEAD_HEIGHT = 40
"""Pixels of the card, and of it without its list."""

MAX_MESSAGES_LISTED = 40
"""Messages of a mark that are listed."""

Flow = tuple[int, int]


def message_rows(
    analysis: Analysis, state: State, flow: Flow
) -> tuple[str, list[tuple[str, dict[str, str]]]]:
    """List the messages from one rank to another: how many, and about each.

    Those under way at the cursor; without any the one before it and the one after.

    Returns
    -------
    str
        How many there are.
    list of (str, dict)
        What is said of each message, and its links: words by what they lead to.
    """
    trace = analysis.trace
    messages, clock = trace.messages, trace.clock
    indices, now = messages_of_flow(analysis, *flow, state.time)
    size = size_text(int(messages.size[indices].sum()))
    head = tr(
        "{messages} under way, {size}",
        messages=plural(len(indices), "message"),
        size=size,
    )
    if not now:
        head = tr("No message under way now; the ones before and after:")

    def at(ticks: int) -> str:
        return exact_time_text(ticks, state.time_zero, clock, state.unit)

    rows = []
    for message in indices[:MAX_MESSAGES_LISTED].tolist():
        sent, received = messages.send_time[message], messages.receive_time[message]
        span = duration_text(clock.seconds(int(received - sent)))
        facts = [
            tr(
                "{size}, tag {tag}",
                size=size_text(int(messages.size[message])),
                tag=messages.tag[message],
            ),
            tr("sent {sent}, received {span} later", sent=at(int(sent)), span=span),
        ]
        facts += _status(analysis, message, state.time) if now else []
        links = {
            tr("sender"): f"rank {flow[0]}",
            tr("receiver"): f"rank {flow[1]}",
        }
        ends = {
            tr("send call"): int(messages.send_call[message]),
            tr("receive call"): _receiving_call(analysis, message),
        }
        links |= {
            text: f"call {call} {rank}"
            for (text, call), rank in zip(ends.items(), flow, strict=True)
            if call >= 0
        }
        rows.append(("<br>".join(facts), links))
    return head, rows


def _receiving_call(analysis: Analysis, message: int) -> int:
    """Give the call in which a message was received: that which waited for it."""
    messages = analysis.trace.messages
    ended = int(messages.completion_call[message])
    return ended if ended >= 0 else int(messages.receive_call[message])


def _status(analysis: Analysis, message: int, ticks: int) -> list[str]:
    """Tell whether a message that is under way is late, or unexpected."""
    trace = analysis.trace
    messages, enter = trace.messages, trace.calls.enter
    posted = int(messages.receive_call[message])
    ends = int(messages.completion_call[message])
    if posted >= 0 and enter[posted] > ticks:
        return [tr("<b>unexpected</b>: no receive posted yet")]
    if ends >= 0 and enter[ends] <= ticks:
        waits = duration_text(trace.clock.seconds(int(ticks - enter[ends])))
        return [tr("<b>late sender</b>: receiver has waited {waits}", waits=waits)]
    return []


class MessageCard(QFrame):
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
        super().__init__(scene)
        self._session, self._scene, self._beside = session, scene, beside
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._title = QLabel()
        self._title.setFont(font(13, 600))
        close = IconButton("close", tr("Close this card"), self)
        close.clicked.connect(self._leave)
        head = QHBoxLayout()
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(close)
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
        rows = QVBoxLayout(self)
        rows.setContentsMargins(10, 5, 6, 6)
        rows.setSpacing(2)
        rows.addLayout(head)
        rows.addWidget(self._area)
        self.hide()
        parts = ("selection", "time", "analysis", "theme", "time_zero", "unit")
        follow(self, session, self._follow, to=parts)

    def place(self) -> None:
        """Stand at the right of the scene, below its switch."""
        self.list.setFixedWidth(CARD_WIDTH - 30)
        wanted = self.list.heightForWidth(CARD_WIDTH - 30) + CARD_HEAD_HEIGHT
        height = min(wanted, MAX_CARD_HEIGHT, max(self._scene.height() - 56, 80))
        other = self._beside.width() + 8 if self._beside.isVisible() else 0
        left = self._scene.width() - CARD_WIDTH - 12 - other
        self.setGeometry(max(left, 0), 46, CARD_WIDTH, height)

    def follow_link(self, to: str) -> None:
        """Go to what a link names: a rank, or a call and its rank."""
        kind, *numbers = to.split()
        state = self._session.state
        flow, analysis = state.selection.flow, state.analysis
        if analysis is None:
            return
        if kind == "rank":
            chosen = Selection(ranks=(int(numbers[0]),), flow=flow)
            self._session.update(selection=chosen)
            return
        call, rank = map(int, numbers)
        time = int(analysis.trace.calls.enter[call])
        bounds = (0, max(analysis.trace.clock.length, 1))
        self._session.update(
            time=time,
            window=following(state.window, time, bounds),
            playing=False,
            selection=Selection(ranks=(rank,), flow=flow, call=call),
        )

    def _follow(self, _: State, new: State) -> None:
        flow, analysis = new.selection.flow, new.analysis
        if flow is None or analysis is None or max(flow) >= analysis.trace.ranks:
            if self.isVisible():
                give_focus_back(self)
                self.hide()
            return
        head, rows = message_rows(analysis, new, flow)
        theme = THEMES[new.theme]
        texts = [f'<span style="color:{theme.text2}">{head}</span>']
        texts += [_row_html(text, links, theme.accent) for text, links in rows]
        more = len(messages_of_flow(analysis, *flow, new.time)[0]) - len(rows)
        if more > 0:
            texts.append(tr("and {more} more", more=grouped(more)))
        self._title.setText(
            tr("rank {first} → rank {second}", first=flow[0], second=flow[1])
        )
        self.list.setText("".join(f'<p style="margin:4px 0">{t}</p>' for t in texts))
        self.show()
        self.place()
        self.raise_()

    def _leave(self) -> None:
        self._session.select(ranks=self._session.state.selection.ranks)

    def event(self, event: QEvent) -> bool:
        """Close with Esc, before the shortcut of that key."""
        if takes_escape(event):
            self._leave()
            return True
        return super().event(event)


def _row_html(told: str, links: dict[str, str], colour: str) -> str:
    style = f"color:{colour}; text-decoration:none"
    written = [
        f'<a href="{to}" style="{style}">{text}</a>' for text, to in links.items()
    ]
    return f"{told}<br>{' &nbsp; '.join(written)}"
