"""Follow ranks' calls in order, and sum up what statements have."""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.hashing import mix_all
    from topoview.base.kinds import *
    from topoview.base.ordering import search_right
    from topoview.logical.loops.repetition_kernels import cycle_within

    Arrays = tuple[Ints, ...]
    Rows = tuple[IntRows, IntRows]


def mix_bits(codes: Codes) -> Codes:
    """Scramble 64 bits each: uint64, shape (n,); see `topoview.base.hashing.mix`."""
    mixed: OutCodes = np.empty(len(codes), np.uint64)
    with cython.nogil:
        mix_all(codes, mixed)
    return np.asarray(mixed)


# The rows of calls.


def call_rows(calls: Ints, of_calls: Arrays, sends: Arrays, receives: Arrays) -> Rows:
    """Write the rows of calls: one a call, or a message of those that carry several.

    Parameters
    ----------
    calls : int64, shape (kept,)
        The calls that have rows, ascending.
    of_calls
        Five of int64, shape (calls,): operation, the call whose request is completed
        (below 0 for none), family of the communicator, root, and bytes of a collective.
    sends, receives
        Five each, of int64: how many messages a call sends (or receives), and the
        first of them; of messages direction, bytes and partner, with a last entry of
        -1. See `topoview.logical.calls.messages.MessageEnds`.

    Returns
    -------
    int64, shape (5, rows)
        Call, bytes sent (or of the collective) and received, receiver and sender.
    int64, shape (6, rows)
        Operation, family, root, operation that is waited for, direction sent to and
        received from.
    """
    operation: Ints = of_calls[0]
    awaits: Ints = of_calls[1]
    family: Ints = of_calls[2]
    root: Ints = of_calls[3]
    bytes_of_call: Ints = of_calls[4]
    sent: Ints = sends[0]
    first_sent: Ints = sends[1]
    sent_to: Ints = sends[2]
    sent_size: Ints = sends[3]
    receiver: Ints = sends[4]
    received: Ints = receives[0]
    first_received: Ints = receives[1]
    received_from: Ints = receives[2]
    received_size: Ints = receives[3]
    sender: Ints = receives[4]
    rows: Int = 0
    n: Int
    k: Int
    with cython.nogil:
        for n in range(len(calls)):
            rows += rows_of_call(sent[calls[n]], received[calls[n]])
    beside: OutIntRows = np.empty((5, rows), np.int64)
    columns: OutIntRows = np.empty((6, rows), np.int64)
    none_sent: Int = len(receiver) - 1
    none_received: Int = len(sender) - 1
    row: Int = 0
    with cython.nogil:
        for n in range(len(calls)):
            call: Int = calls[n]
            several: Bool = sent[call] > 1 or received[call] > 1
            for k in range(rows_of_call(sent[call], received[call])):
                # a message of several has a row of its own: first those that are sent
                send: Int = first_sent[call] + k if k < sent[call] else none_sent
                turn: Int = k - sent[call] if several else k
                receive: Int = none_received
                if 0 <= turn < received[call]:
                    receive = first_received[call] + turn
                beside[0, row] = call
                size: Int = bytes_of_call[call]
                beside[1, row] = size if send == none_sent else sent_size[send]
                beside[2, row] = received_size[receive]
                beside[3, row] = receiver[send]
                beside[4, row] = sender[receive]
                # a Wait has the directions of what it completes
                awaited: Int = -1
                posted: Int = awaits[call]
                if posted >= 0:
                    awaited = operation[posted]
                    if sent[posted] > 0:
                        send = first_sent[posted]
                    if received[posted] > 0:
                        receive = first_received[posted]
                columns[0, row] = operation[call]
                columns[1, row] = family[call]
                columns[2, row] = root[call]
                columns[3, row] = awaited
                columns[4, row] = sent_to[send]
                columns[5, row] = received_from[receive]
                row += 1
    return np.asarray(beside), np.asarray(columns)


def rows_of_call(sent: Int, received: Int) -> Int:
    """Count the rows of a call with so many messages."""
    return sent + received if sent > 1 or received > 1 else 1


def calls_hold(  # noqa: PLR0913
    at: IntRows,
    kind: Ints,
    symbol: Ints,
    of_symbols: IntRows,
    of_kinds: IntRows,
    columns: Arrays,
    expected: IntRows,
) -> BoolRows:
    """Compare calls of some ranks with what they should be.

    Parameters
    ----------
    at : int64, shape (ranks, calls)
        Row of each call.
    kind : int64, shape (calls,)
        Calls of equal kinds should be alike at each rank.
    symbol : int64, shape (rows,)
    of_symbols, of_kinds : int64, shapes (symbols, n) and (kinds, n)
        What a row says, and what it should say.
    columns
        More that rows say: m of int64, shape (rows,).
    expected : int64, shape (m x ranks, kinds)
        And should say: of the first column for all ranks, then of the others.

    Returns
    -------
    bool, shape (ranks, calls)
    """
    ranks: Int = len(at)
    hold: OutBoolRows = np.ones((ranks, len(kind)), np.bool_)
    r: Int
    c: Int
    k: Int
    with cython.nogil:
        for r in range(ranks):
            for c in range(len(kind)):
                for k in range(of_kinds.shape[1]):
                    if of_symbols[symbol[at[r, c]], k] != of_kinds[kind[c], k]:
                        hold[r, c] = False
    for k in range(len(columns)):
        column: Ints = columns[k]
        with cython.nogil:
            for r in range(ranks):
                for c in range(len(kind)):
                    if column[at[r, c]] != expected[k * ranks + r, kind[c]]:
                        hold[r, c] = False
    return np.asarray(hold)


# What ranks' calls follow.


def last_entries(offsets: Ints, times: Ints, row: Ints, time: Ints) -> Ints:
    """Find the last entry of a row that is not after a time.

    Parameters
    ----------
    offsets, times : int64, shapes (rows + 1,) and (entries,)
        Times of each row's entries, ascending, in ticks.
    row, time : int64, shape (n,)

    Returns
    -------
    int64, shape (n,)
        -1 where all entries of the row are later.
    """
    entries: OutInts = np.empty(len(row), np.int64)
    k: Int
    with cython.nogil:
        for k in range(len(row)):
            low: Int = offsets[row[k]]
            high: Int = offsets[row[k] + 1]
            behind: Int = search_right(times[low:high], time[k])
            entries[k] = low + behind - 1 if behind else -1
    return np.asarray(entries)


def only_open_request(
    offsets: Ints, operation: Indices, posts: Bools, wait: Bools, waitall: Bools
) -> Ints:
    """Find the call whose request each Wait completes, where only one can be meant.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
        Calls of each rank.
    operation : int32, shape (calls,)
    posts, wait, waitall : bool, shape (operations,)
        Which operations open a request, complete one, or complete all.

    Returns
    -------
    int64, shape (calls,)
        -1 for other calls, -2 where several requests are open.
    """
    completes: OutInts = np.full(len(operation), -1, np.int64)
    rank: Int
    call: Int
    with cython.nogil:
        for rank in range(len(offsets) - 1):
            open_requests: Int = 0
            last: Int = -1  # the call that opened the only one, if that is clear
            for call in range(offsets[rank], offsets[rank + 1]):
                code: Int = operation[call]
                if code < 0:
                    continue
                if posts[code]:
                    open_requests += 1
                    last = call
                elif waitall[code]:
                    open_requests, last = 0, -1
                elif wait[code]:
                    if open_requests > 1:
                        completes[call] = -2
                    elif open_requests == 1:
                        completes[call] = last
                    open_requests = max(open_requests - 1, 0)
                    last = -1
    return np.asarray(completes)


def senders_in_order(  # noqa: C901, PLR0913
    offsets: Ints,
    sends: Ints,
    free: Bools,
    posts: Bools,
    wait: Bools,
    waitall: Bools,
    sought: Bools,
) -> Ints:
    """Find from whom receives come that can come from one rank only.

    Each rank is held at the calls at which receives must be complete, and all others go
    on without it as far as they can, when it is known of them how many messages they
    need but not whose. What they have sent to it by then is all that it can have got:
    a message does not come before it is sent (Lamport 1978).

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
        Calls of each rank.
    sends : int64, shape (calls,)
        To whom a call sends a message whose receive is not recorded, else -1.
    free : bool, shape (calls,)
        Whether a call is, or posts, a receive without a message.
    posts, wait, waitall : bool, shape (calls,)
        As of `only_open_request`.
    sought : bool, shape (ranks,)
        Of which ranks: all calls are gone through for each of them.

    Returns
    -------
    int64, shape (calls,)
        The sender, for all such receives of a rank or for none; -1 elsewhere.
    """
    ranks: Int = len(offsets) - 1
    calls: Int = len(sends)
    need: OutInts = np.zeros(calls, np.int64)
    sender: OutInts = np.full(calls, -1, np.int64)
    at: OutInts = np.empty(ranks, np.int64)
    got: OutInts = np.empty(ranks, np.int64)
    sent: OutInts = np.empty(ranks, np.int64)
    stack: OutInts = np.empty(ranks, np.int64)
    call: Int
    held: Int
    rank: Int
    with cython.nogil:
        for rank in range(ranks):
            # How many receives must be complete at each call: those posted, less the
            # open ones.
            open_requests: Int = 0
            received: Int = 0
            for call in range(offsets[rank], offsets[rank + 1]):
                if free[call]:
                    received += 1
                if posts[call]:
                    open_requests += 1
                elif waitall[call]:
                    open_requests = 0
                elif wait[call]:
                    open_requests = max(open_requests - 1, 0)
                if waitall[call] or wait[call] or (free[call] and not posts[call]):
                    need[call] = max(received - open_requests, 0)
        for held in range(ranks):
            if not sought[held]:
                continue
            for rank in range(ranks):
                at[rank] = offsets[rank]
                got[rank] = sent[rank] = 0
                stack[rank] = rank
            # All others go on as far as they can; only the held one waits for an
            # answer.
            many: Int = ranks
            kinds: Int = 0  # ranks whose messages the held one may have got next
            done: Int = 0  # its receives whose sender is found
            follows: Int = offsets[held]  # its next receive
            end: Int = offsets[held + 1]
            while True:
                while many > 0:
                    many -= 1
                    rank = stack[many]
                    while at[rank] < offsets[rank + 1]:
                        call = at[rank]
                        if need[call] > (done if rank == held else got[rank]):
                            break
                        to: Int = sends[call]
                        at[rank] += 1
                        if to < 0:
                            continue
                        got[to] += 1
                        if to == held:
                            kinds += sent[rank] == 0
                            sent[rank] += 1
                        elif (
                            at[to] < offsets[to + 1] and need[at[to]] == got[to]
                        ):  # that was what it was waiting for
                            stack[many] = to
                            many += 1
                if at[held] == end:
                    break
                # If one rank alone has sent what is not received yet, the next receives
                # are from it.
                only: Int = 0
                while kinds == 1 and sent[only] == 0:
                    only += 1
                if kinds != 1 or sent[only] < need[at[held]] - done:
                    break
                while done < need[at[held]]:
                    if free[follows]:
                        sender[follows] = only
                        done += 1
                        sent[only] -= 1
                    follows += 1
                kinds -= sent[only] == 0
                stack[0] = held
                many = 1
            is_decided: Int = at[held] == end
            for call in range(follows, end):  # never waited for
                is_decided = is_decided and not free[call]
            if not is_decided:
                for call in range(offsets[held], end):
                    sender[call] = -1
    return np.asarray(sender)


# What statements have.


def size_range(statement: Ints, size: Ints, statements: Int) -> Arrays:
    """Find least and most of each statement's sizes; -1 and -1 if there are none.

    Parameters
    ----------
    statement, size : int64, shape (rows,)
        Rows with -1 in either count for nothing.

    Returns
    -------
    least, most : int64, shape (statements,)
    """
    least: OutInts = np.full(statements, -1, np.int64)
    most: OutInts = np.full(statements, -1, np.int64)
    row: Int
    with cython.nogil:
        for row in range(len(statement)):
            s: Int = statement[row]
            if s < 0:
                continue
            value: Int = size[row]
            if unlikely(value > most[s]):
                most[s] = value
            # as a Code, -1 is more than all sizes
            if unlikely(cython.cast(Code, value) < cython.cast(Code, least[s])):
                least[s] = value
    return np.asarray(least), np.asarray(most)


def table_cells(offsets: Ints, column: Ints, size: Ints, cells: Int) -> Arrays:
    """Write the sizes of each cell of a table, each reduced to its shortest cycle.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
        Rows of each rank.
    column, size : int64, shape (rows,)
        Rows with -1 as their column count for nothing.
    cells
        Columns times ranks: all ranks of a column come before those of the next.

    Returns
    -------
    counts : int64, shape (cells,)
        Sizes that each cell is reduced to.
    values : int64, shape (sum of counts,)
    """
    ranks: Int = len(offsets) - 1
    counts: OutInts = np.zeros(cells, np.int64)
    rank: Int
    row: Int
    cell: Int
    k: Int
    with cython.nogil:
        for rank in range(ranks):
            for row in range(offsets[rank], offsets[rank + 1]):
                if column[row] >= 0:
                    counts[column[row] * ranks + rank] += 1
    ends: OutInts = np.cumsum(counts)
    filled: OutInts = np.asarray(ends) - np.asarray(counts)
    total: Int = int(np.sum(counts))
    values: OutInts = np.empty(total, np.int64)
    border: OutInts = np.empty(total, np.int64)
    end: Int = 0
    with cython.nogil:
        for rank in range(ranks):
            for row in range(offsets[rank], offsets[rank + 1]):
                if column[row] >= 0:
                    cell = column[row] * ranks + rank
                    values[filled[cell]] = size[row]
                    filled[cell] += 1
        # what is kept of a cell never goes beyond where the cell begins
        for cell in range(cells):
            begin: Int = ends[cell] - counts[cell]
            counts[cell] = cycle_within(values, begin, counts[cell], border)
            for k in range(counts[cell]):
                values[end + k] = values[begin + k]
            end += counts[cell]
    return np.asarray(counts), np.asarray(values)[:end].copy()
