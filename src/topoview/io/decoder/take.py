"""Which function takes which record."""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201, PLR0913 - numba finds the types

import numba
import numpy as np

from topoview.io import record_types as kinds
from topoview.io.decoder import messages
from topoview.io.decoder.frame import GROW_REQUESTS
from topoview.io.decoder.further import take_further


@numba.njit(nogil=True)
def take(  # noqa: C901
    frame, kind, at, size, swap, now, open_level, open_call, calls
):
    """Take a record that does not change the state; tells how that went.

    It belongs to the MPI call that is open, or to the one before.
    """
    is_message = kinds.SEND <= kind <= kinds.IRECV or kind >= kinds.PROBE
    is_part = kinds.COLLECTIVE_REQUEST <= kind <= kinds.COLLECTIVE_COMPLETE
    is_part = is_part or kind == kinds.COLLECTIVE_END
    if not is_message and not is_part and kind != kinds.CANCELLED:
        return take_further(frame, kind, at, size, swap, now)
    if 2 * frame.used + 2 > frame.slots:
        return np.int64(GROW_REQUESTS)
    call = open_call
    if open_level < 0:
        call = calls - 1 if calls > frame.first_call else np.int64(-1)
        frame.astray += kind <= kinds.COLLECTIVE_COMPLETE and kind != kinds.CANCELLED
    if kind in (kinds.SEND, kinds.ISEND):
        return messages.take_send(frame, at, swap, now, call, kind == kinds.ISEND)
    if kind in (kinds.RECV, kinds.IRECV):
        return messages.take_receive(frame, at, swap, now, call, kind == kinds.IRECV)
    if kind == kinds.IRECV_REQUEST:
        return messages.post_receive(frame, at, swap, now, call)
    if kind in (kinds.ISEND_COMPLETE, kinds.CANCELLED):
        if kind == kinds.CANCELLED:
            take_further(frame, kind, at, size, swap, now)
        return messages.finish(frame, kind, at, swap, call)
    if kind == kinds.COLLECTIVE_REQUEST:
        return messages.post_collective(frame, at, swap, call)
    if is_part:
        is_posted = kind == kinds.COLLECTIVE_COMPLETE
        return messages.take_part(frame, at, swap, call, is_posted)
    if kind == kinds.PROBE:
        return messages.take_probe(frame, at, swap, now, call)
    if kind <= kinds.IMRECV:
        return messages.take_matched(frame, kind, at, swap, now, call)
    return np.int64(0)
