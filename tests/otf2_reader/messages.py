"""Records of all locations put together: messages and collectives.

Messages between the same two ranks on the same communicator with the same tag do not
overtake each other (MPI 4.1, section 3.5): the k-th send matches the k-th receive, in
the order in which the receives were posted.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from otf2_reader.replay import COLLECTIVES, RECEIVES, SENDS, Record, Row
from topoview.io.decoder.decoding import MessageTally
from topoview.io.decoder.library import FIRST_SPECIAL_RANK, NOBODY, UNKNOWN
from topoview.io.definitions.columns import UNDEFINED
from topoview.io.definitions.communicators import Communicators
from topoview.io.record_types import IRECV
from topoview.model import Collectives, Messages

_FIRST_PSEUDO = 17  # OTF2_COLLECTIVE_OP_CREATE_HANDLE and those after it


@dataclass(slots=True)
class End:
    """One end of a message, or a part in a collective."""

    record: Record
    rank: int
    """`record` and `rank`: what was recorded, by whom."""
    number: int
    """Its number among all records."""
    first_call: int
    """Number of its location's first call among all calls."""
    communicator: int
    """Its number; one that is not defined is taken for the world."""
    partner: int
    """World rank of the partner or root; `NOBODY` or `UNKNOWN`."""

    @property
    def call(self) -> int:
        """Number of the call among all; -1 if it was before any."""
        return self.record.call + self.first_call if self.record.call >= 0 else -1

    @property
    def done_call(self) -> int:
        """Number of the call in which a send completed; -1 if none did."""
        return self.record.done + self.first_call if self.record.done >= 0 else -1

    @property
    def posted(self) -> Record:
        """What posted it."""
        assert self.record.post is not None
        return self.record.post

    @property
    def posted_call(self) -> int:
        """Number of the call that posted it; -1 if there is none."""
        return self.posted.call + self.first_call if self.posted.call >= 0 else -1


def ends_of(
    rows: Sequence[Row], ranks: Sequence[int], communicators: Communicators
) -> list[End]:
    """Find out who takes part in each record."""
    members = [item.ranks.tolist() for item in communicators.items]
    remote = {
        number: [group.tolist() for group in groups]
        for number, groups in communicators.remote.items()
    }

    def partner_of(rank: int, number: int, local: int) -> int:
        one, other = remote.get(number, ((), ()))
        for mine, theirs in ((other, one), (one, other)):
            if rank in mine and local < len(theirs):
                return int(theirs[local])
        if local >= FIRST_SPECIAL_RANK:
            return NOBODY
        if local < len(members[number]):
            return int(members[number][local])
        return rank if not members[number] and not local else UNKNOWN

    found: list[End] = []
    first_call = 0
    for row, rank in zip(rows, ranks, strict=True):
        for record in row.records:
            number = communicators.numbers.get(record.communicator, 0)
            partner = partner_of(rank, number, record.partner)
            is_message = record.kind in (*SENDS, *RECEIVES)
            if is_message and record.size < -1 and partner >= 0:
                # no message has exbibytes: this is memory that was never set
                partner, record.partner = UNKNOWN, UNDEFINED
            found.append(End(record, rank, len(found), first_call, number, partner))
        first_call += len(row.enter)
    return found


def make_messages(
    ends: Sequence[End], communicators: Communicators, loose: bool
) -> tuple[Messages, MessageTally]:
    """Match sends and receives; those with MPI_PROC_NULL are left out.

    Parameters
    ----------
    loose
        Receives may name a wrong communicator (EZTrace): those that match nothing are
        matched once more by tag and rank in any communicator, and dropped if they claim
        to come from the same rank all the same.
    """
    sends = [end for end in ends if end.record.kind in SENDS]
    receives = [end for end in ends if end.record.kind in RECEIVES]
    unknown = sum(send.partner == UNKNOWN for send in sends)
    sends = [send for send in sends if send.partner >= 0]
    unset = 0
    if loose:
        # EZTrace reads the status of MPI_Waitany and the like where programs in C
        # ignore it. If one is seen to hold no message, others may only seem to.
        posted = [end for end in receives if end.record.kind == IRECV]
        if any(end.partner == UNKNOWN for end in posted):
            unset = len(posted)
            receives = [end for end in receives if end.record.kind != IRECV]
    else:
        unknown += sum(end.partner == UNKNOWN for end in receives)
        receives = [end for end in receives if end.partner >= 0]
    sends, receives = _in_order(sends, ends), _in_order(receives, ends)
    send_of = _match(
        sends,
        [end for end in receives if end.partner >= 0],
        lambda s: (s.rank, s.partner, s.communicator, s.record.tag),
        lambda r: (r.partner, r.rank, r.communicator, r.record.tag),
    )
    loosely = 0
    if loose:
        taken = {send.number for send in send_of.values()}
        more = _match(
            [send for send in sends if send.number not in taken],
            [end for end in receives if end.number not in send_of],
            lambda s: (_local(s, communicators), s.partner, s.record.tag),
            lambda r: (r.record.partner, r.rank, r.record.tag),
        )
        loosely, send_of = len(more), {**send_of, **more}
        bogus = [
            end
            for end in receives
            if end.number not in send_of
            and (end.partner == end.rank or end.partner < 0)
        ]
        unknown += sum(end.partner == UNKNOWN for end in bogus)
        dropped = {end.number for end in bogus}
        receives = [end for end in receives if end.number not in dropped]
    messages, tally = _join(sends, receives, send_of)
    return messages, tally._replace(
        unknown_partners=unknown, loosely=loosely, unset=unset
    )


def _in_order(some: Sequence[End], ends: Sequence[End]) -> list[End]:
    """Order by rank, and by the time of posting: a rank can have several rows."""
    number = {id(end.record): end.number for end in ends}
    return sorted(
        some, key=lambda end: (end.rank, end.posted.when, number[id(end.posted)])
    )


def _local(send: End, communicators: Communicators) -> int:
    """Rank of a sender in its communicator, 0 if it is in none."""
    ranks = communicators.items[send.communicator].ranks.tolist()
    return ranks.index(send.rank) if send.rank in ranks else 0


def _match(
    sends: Sequence[End],
    receives: Sequence[End],
    of_send: Callable[[End], Hashable],
    of_receive: Callable[[End], Hashable],
) -> dict[int, End]:
    """Match the k-th send to the k-th receive of the same key, by receive's number."""
    waiting: dict[Hashable, deque[End]] = defaultdict(deque)
    for send in sends:
        waiting[of_send(send)].append(send)
    return {
        receive.number: waiting[of_receive(receive)].popleft()
        for receive in receives
        if waiting[of_receive(receive)]
    }


def _join(
    sends: Sequence[End], receives: Sequence[End], send_of: dict[int, End]
) -> tuple[Messages, MessageTally]:
    """Make one row of each send with its receive, and of each receive without."""
    receive_of = {
        send_of[end.number].number: end for end in receives if end.number in send_of
    }
    alone = [end for end in receives if end.number not in send_of]
    rows, early = [], [0]
    for send in sorted(sends, key=lambda end: end.number):
        record, end = send.record, receive_of.get(send.number)
        rows.append(
            (
                send.rank, send.partner, record.size, record.tag, send.communicator,
                send.call, end.posted_call if end else -1, end.call if end else -1,
                send.done_call, record.when, end.record.when if end else -1,
            )
        )  # fmt: skip
        if end:
            early.append(record.when - end.record.when)
    for end in alone:
        record = end.record
        rows.append(
            (
                end.partner, end.rank, record.size, record.tag, end.communicator, -1,
                end.posted_call, end.call, -1, -1, record.when,
            )
        )  # fmt: skip
    columns = np.array(rows, np.int64).reshape(-1, 11).T
    narrow = ("sender", "receiver", "tag", "communicator")
    return (
        Messages(
            *(
                column.astype(np.int32 if part.name in narrow else np.int64)
                for part, column in zip(fields(Messages), columns, strict=True)
            )
        ),
        MessageTally(
            no_receive=len(sends) - len(receive_of),
            no_send=len(alone),
            backwards=sum(ticks > 0 for ticks in early),
            worst=max(early),
        ),
    )


def make_collectives(ends: Sequence[End]) -> Collectives:
    """Put together the parts in collectives, in order of the call.

    A non-blocking one belongs to the call that posted it; one before any call is
    nobody's. What Score-P records for making and freeing handles is left out: it is no
    collective.
    """
    parts = [
        end
        for end in ends
        if end.record.kind in COLLECTIVES
        and end.record.tag < _FIRST_PSEUDO
        and end.posted_call >= 0
    ]
    parts.sort(key=lambda end: end.posted_call)

    return Collectives(
        call=np.array([end.posted_call for end in parts], np.int64),
        communicator=np.array([end.communicator for end in parts], np.int32),
        operation=np.array([end.record.tag for end in parts], np.uint8),
        root=np.array([end.partner for end in parts], np.int32),
        sent=np.array([end.record.size for end in parts], np.int64),
        received=np.array([end.record.received for end in parts], np.int64),
        completion_call=np.array([end.call for end in parts], np.int64),
    )
