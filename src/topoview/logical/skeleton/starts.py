"""Calls that start several messages at once, as a call for each message."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoview.logical.operations import among
from topoview.logical.running import calls_of
from topoview.model import Bools, Call, Ints, LogicalTrace, Trace

STARTING = frozenset({"Startall"})
"""Operations whose messages have a statement each."""

_NUMBER = re.compile(r"\d+$")


@dataclass(frozen=True, slots=True, eq=False)
class Starts:
    """Messages of calls that start several.

    Attributes
    ----------
    calls : bool, shape (calls,)
        Which calls do.
    call, statement, message : int64, shape (starts,)
        Call, statement and index of each message.
    received : bool, shape (starts,)
        Whether it is received.
    """

    calls: Bools
    call: Ints
    statement: Ints
    message: Ints
    received: Bools


def starts(trace: Trace, logical: LogicalTrace, receive: Ints) -> Starts:
    """Find the statement of each message that a call starts together with others.

    It is the first of that direction from the call's own statement on: a call's
    messages stand below each other in the listing.

    Parameters
    ----------
    receive : int64, shape (messages,)
        Call that received, or posted the receive of, each message.
    """
    last = int(trace.calls.offsets[trace.ranks])
    operation = trace.regions.operation[trace.calls.region[:last]]
    own = among(trace.regions, STARTING)[operation]
    own &= logical.statement_of_call[:last] >= 0
    messages = trace.messages
    told = [c for c in calls_of(logical) if c.operation in STARTING]
    found: list[tuple[Ints, Ints, Ints, Bools]] = []
    for received, call_of, here, there in (
        (False, messages.send_call, messages.sender, messages.receiver),
        (True, receive, messages.receiver, messages.sender),
    ):
        inside = (call_of >= 0) & (call_of < last)
        inside[inside] = own[call_of[inside]]
        chosen = np.flatnonzero(inside)
        call = call_of[chosen]
        first = logical.statement_of_call[call].astype(np.int64)
        keys = np.column_stack((first, here[chosen], there[chosen])).astype(np.int64)
        distinct, which = np.unique(keys, axis=0, return_inverse=True)
        statement = np.array(
            [_statement(logical, told, key, received) for key in distinct.tolist()],
            np.int64,
        )[which.reshape(-1)]
        found.append((call, statement, chosen, np.full(len(call), received)))
    call, statement, message, side = map(np.concatenate, zip(*found, strict=True))
    known = statement >= 0
    return Starts(own, call[known], statement[known], message[known], side[known])


def _statement(
    logical: LogicalTrace, told: Sequence[Call], key: Sequence[int], received: bool
) -> int:
    first, rank, partner = key
    known = logical.partners
    own = slice(*known.offsets[rank : rank + 2].tolist())
    names = {
        known.names[direction]
        for direction, there in zip(
            known.direction[own].tolist(), known.partner[own].tolist(), strict=True
        )
        if there in (partner, -1)
    }
    names |= {_NUMBER.sub("k", name) for name in names}
    for call in told:
        name = call.source if received else call.to
        if call.index >= first and name in names:
            return call.index
    return -1
