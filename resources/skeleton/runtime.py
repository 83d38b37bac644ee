import sys
import time

from mpi4py import MPI

WORLD = MPI.COMM_WORLD
NULL = MPI.PROC_NULL
rank, ranks = WORLD.Get_rank(), WORLD.Get_size()
levels = (ranks - 1).bit_length()  # bits that number the ranks
speed, busy = 1.0, False


def stop(what):
    """End with a sentence what all ranks find wrong."""
    if rank == 0:
        print(what, file=sys.stderr)
    MPI.Finalize()
    sys.exit(2)


def options(arguments):
    """Read the command line."""
    global speed, busy, extent
    rest = list(arguments)
    while rest:
        option = rest.pop(0)
        if option == "--busy":
            busy = True
        elif option == "--speed" and rest:
            speed = float(rest.pop(0))
        elif option == "--dims" and extent and len(rest) >= len(extent):
            extent = [int(rest.pop(0)) for _ in extent]
        else:
            stop("usage: [--busy] [--speed FACTOR] [--dims N...]")


def compute(microseconds):
    """Sleep, or compute in a loop."""
    left = microseconds * 1e-6 * speed
    if not busy and left > 200e-6:  # to fall asleep takes some 100 microseconds
        time.sleep(left)
        return
    end = time.perf_counter() + left
    while time.perf_counter() < end:
        pass


# Values that are not the same for all: by rank, or by rank and turn.

turns = {}


def turn(statement):
    """Count how often a statement was reached before."""
    turns[statement] = turns.get(statement, -1) + 1
    return turns[statement]


def by_rank(table):
    """Value of this rank."""
    return table[rank % len(table)]


def in_turn(table, k):
    """Value of this rank's turn."""
    own = table[rank % len(table)]
    return own[k % len(own)] if own else -1


# Places in the lattice; x, the first dimension, changes fastest.


def at(there):
    """Rank at a place; none beyond an open edge."""
    place_number, stride = 0, 1
    for c, n, wraps in zip(there, extent, periodic):
        if wraps:
            c %= n
        if not 0 <= c < n:
            return NULL
        place_number += c * stride
        stride *= n
    return rank_at(place_number)


def neighbour(*step):
    """Rank so many steps away."""
    return at([c + s for c, s in zip(place, step)])


def local(world, comm):
    """Rank within a communicator."""
    if world < 0:
        return NULL
    return WORLD.Get_group().Translate_ranks([world], comm.Get_group())[0]


# Memory for messages; what open requests use stays in their queue.

kept = {}


def outgoing(size):
    """Bytes to send."""
    return room("out", size)


def incoming(size):
    """Room to receive."""
    return room("in", size)


def room(name, size):
    """Room of a name."""
    if len(kept.get(name, b"")) < max(size, 1):
        kept[name] = bytearray(2 * max(size, 1))
    return [memoryview(kept[name])[: max(size, 0)], MPI.BYTE]


# Requests wait in a queue for each statement that opens them.

queues = {}
posts = 0


def opened(q, request, buffer=None, key=None):
    """Put a request into its queue."""
    global posts
    posts += 1
    queues.setdefault(q, []).append([request, posts, buffer, key])


def gathered(some):
    """List the open requests of queues."""
    return [entry for q in some for entry in queues.get(q, [])]


def closed(entries):
    """Take requests out of their queues."""
    done = {id(entry) for entry in entries}
    for q, own in queues.items():
        for entry in own:
            if id(entry) in done and entry[3] is not None:
                persistent.setdefault((q, entry[3]), []).append(entry)
        queues[q] = [entry for entry in own if id(entry) not in done]


def wait_one(*some):
    """Wait for the oldest request."""
    entries = sorted(gathered(some), key=lambda entry: entry[1])[:1]
    (entries[0][0] if entries else MPI.Request()).Wait()
    closed(entries)


def wait_all(*some):
    """Wait for all requests."""
    entries = gathered(some)
    MPI.Request.Waitall([entry[0] for entry in entries])
    closed(entries)


def wait_any(*some):
    """Wait for one request."""
    entries = gathered(some)
    which = MPI.Request.Waitany([entry[0] for entry in entries])
    if which != MPI.UNDEFINED:
        closed([entries[which]])


def wait_some(*some):
    """Wait for some requests."""
    entries = gathered(some)
    which = MPI.Request.Waitsome([entry[0] for entry in entries]) or []
    closed([entries[k] for k in which])


# Polls are repeated until something has happened, for a tenth of a second at most,
# where the trace has runs of them.


def polled(until, poll):
    """Poll once, or until something has happened."""
    end = time.perf_counter() + 0.1
    while not poll() and until and time.perf_counter() < end:
        pass


def tested(until, entries, test):
    """Poll for requests that complete together."""

    def poll():
        done = test()
        if done:
            closed(entries)
        return done

    polled(until, poll)


def test_one(until, *some):
    """Poll the oldest request."""
    entries = sorted(gathered(some), key=lambda entry: entry[1])[:1]
    request = entries[0][0] if entries else MPI.Request()
    tested(until, entries, request.Test)


def test_all(until, *some):
    """Poll all requests."""
    entries = gathered(some)
    tested(until, entries, lambda: MPI.Request.Testall([e[0] for e in entries]))


def test_any(until, *some):
    """Poll for one request."""
    entries = gathered(some)

    def poll():
        which, done = MPI.Request.Testany([entry[0] for entry in entries])
        if done and which != MPI.UNDEFINED:
            closed([entries[which]])
        return done

    polled(until, poll)


def test_some(until, *some):
    """Poll for some requests."""
    entries = gathered(some)

    def poll():
        which = MPI.Request.Testsome([entry[0] for entry in entries])
        closed([entries[k] for k in which or []])
        return which is None or bool(which)

    polled(until, poll)


def iprobe(until, comm):
    """Look for a message."""
    polled(until, lambda: comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG))


def probe(comm):
    """Wait for a message."""
    comm.Probe(MPI.ANY_SOURCE, MPI.ANY_TAG)


# Messages; a rank that has no partner does nothing.


def _sends(name):
    def send(peer, size, tag, comm):
        if peer >= 0:
            if name == "Bsend":
                attach(size)
            getattr(comm, name)(outgoing(size), peer, tag)

    return send


send, ssend, rsend, bsend = map(_sends, ("Send", "Ssend", "Rsend", "Bsend"))


def _posts(name):
    def post(q, peer, size, tag, comm):
        if peer >= 0:
            if name == "Ibsend":
                attach(size)
            buffer = outgoing(size)
            opened(q, getattr(comm, name)(buffer, peer, tag), buffer)

    return post


isend, issend, irsend, ibsend = map(_posts, ("Isend", "Issend", "Irsend", "Ibsend"))


def attach(size):
    """Give MPI room for buffered messages."""
    wanted = 16 * (size + MPI.BSEND_OVERHEAD)
    if len(kept.get("attached", b"")) < wanted:
        if "attached" in kept:
            MPI.Detach_buffer()
        kept["attached"] = bytearray(wanted)
        MPI.Attach_buffer(kept["attached"])


def recv(peer, size, tag, comm):
    """Receive a message."""
    if peer >= 0:
        comm.Recv(incoming(size), peer, tag)


def irecv(q, peer, size, tag, comm):
    """Post a receive."""
    if peer >= 0:
        buffer = bytearray(max(size, 0))
        opened(q, comm.Irecv([buffer, MPI.BYTE], peer, tag), buffer)


def sendrecv(to, size, tag, source, source_size, source_tag, comm):
    """Send and receive."""
    if to >= 0 or source >= 0:
        here = outgoing(size if to >= 0 else 0)
        there = incoming(source_size if source >= 0 else 0)
        to, source = max(to, NULL), max(source, NULL)
        comm.Sendrecv(here, to, tag, there, source, source_tag)


def sendrecv_replace(to, size, tag, source, source_size, source_tag, comm):
    """Send and receive in one place."""
    if to >= 0 or source >= 0:
        buffer = incoming(max(size, source_size))
        comm.Sendrecv_replace(buffer, to, tag, source, source_tag)


persistent = {}


def start(q, to, source, size, tag, comm):
    """Start a persistent request, which is made when first started."""
    global posts
    peer = to if to >= 0 else source
    if peer < 0:
        return
    key = (to >= 0, peer, size, tag)
    ready = persistent.get((q, key))
    if ready:
        entry = ready.pop()
        posts += 1
        entry[1] = posts
        queues.setdefault(q, []).append(entry)
    else:
        buffer = bytearray(max(size, 0))
        make = comm.Send_init if to >= 0 else comm.Recv_init
        opened(q, make([buffer, MPI.BYTE], peer, tag), buffer, key)
        entry = queues[q][-1]
    entry[0].Start()


# Collective operations; sizes are those of one rank's share.


def shares(size, comm):
    """Say that each rank's share is of that size."""
    n = comm.Get_size()
    return [size] * n, [k * size for k in range(n)]


def spread(name, size, comm):
    """Room for the shares of all ranks."""
    return [room(name, size * comm.Get_size())[0], shares(size, comm), MPI.BYTE]


def barrier(comm):
    """Wait for all."""
    comm.Barrier()


def bcast(size, root, comm):
    """Send from the root to all."""
    comm.Bcast(incoming(size), root)


def reduce(size, root, comm):
    """Combine at the root."""
    comm.Reduce(outgoing(size), incoming(size), MPI.BOR, root)


def allreduce(size, comm):
    """Combine at all."""
    comm.Allreduce(outgoing(size), incoming(size), MPI.BOR)


def scan(size, comm):
    """Combine those before and this one."""
    comm.Scan(outgoing(size), incoming(size), MPI.BOR)


def exscan(size, comm):
    """Combine those before."""
    comm.Exscan(outgoing(size), incoming(size), MPI.BOR)


def gather_to(size, root, comm):
    """Collect at the root."""
    comm.Gather(outgoing(size), incoming(size * comm.Get_size()), root)


def gatherv(size, root, comm):
    """Collect shares of given sizes at the root."""
    comm.Gatherv(outgoing(size), spread("in", size, comm), root)


def scatter(size, root, comm):
    """Hand out from the root."""
    comm.Scatter(outgoing(size * comm.Get_size()), incoming(size), root)


def scatterv(size, root, comm):
    """Hand out shares of given sizes from the root."""
    comm.Scatterv(spread("out", size, comm), incoming(size), root)


def allgather(size, comm):
    """Collect at all."""
    comm.Allgather(outgoing(size), incoming(size * comm.Get_size()))


def allgatherv(size, comm):
    """Collect shares of given sizes at all."""
    comm.Allgatherv(outgoing(size), spread("in", size, comm))


def alltoall(size, comm):
    """Exchange between all."""
    n = comm.Get_size()
    comm.Alltoall(outgoing(size * n), incoming(size * n))


def alltoallv(size, comm):
    """Exchange shares of given sizes between all."""
    comm.Alltoallv(spread("out", size, comm), spread("in", size, comm))


def reduce_scatter(size, comm):
    """Combine, and hand out shares of given sizes."""
    n = comm.Get_size()
    comm.Reduce_scatter(outgoing(size * n), incoming(size), [size] * n, MPI.BOR)


def reduce_scatter_block(size, comm):
    """Combine and hand out."""
    n = comm.Get_size()
    comm.Reduce_scatter_block(outgoing(size * n), incoming(size), MPI.BOR)


def _own(size):
    return [bytearray(max(size, 0)), MPI.BYTE]


def ibarrier(q, comm):
    """Post a barrier."""
    opened(q, comm.Ibarrier())


def ibcast(q, size, root, comm):
    """Post a broadcast."""
    buffer = _own(size)
    opened(q, comm.Ibcast(buffer, root), buffer)


def ireduce(q, size, root, comm):
    """Post a reduction."""
    buffer = _own(size)
    opened(q, comm.Ireduce(outgoing(size), buffer, MPI.BOR, root), buffer)


def iallreduce(q, size, comm):
    """Post a reduction for all."""
    buffer = _own(size)
    opened(q, comm.Iallreduce(outgoing(size), buffer, MPI.BOR), buffer)


def iscan(q, size, comm):
    """Post a scan."""
    buffer = _own(size)
    opened(q, comm.Iscan(outgoing(size), buffer, MPI.BOR), buffer)


def iexscan(q, size, comm):
    """Post an exclusive scan."""
    buffer = _own(size)
    opened(q, comm.Iexscan(outgoing(size), buffer, MPI.BOR), buffer)


def igather(q, size, root, comm):
    """Post a gathering."""
    buffer = _own(size * comm.Get_size())
    opened(q, comm.Igather(outgoing(size), buffer, root), buffer)


def iscatter(q, size, root, comm):
    """Post a handing out."""
    buffer = _own(size)
    opened(q, comm.Iscatter(outgoing(size * comm.Get_size()), buffer, root), buffer)


def iallgather(q, size, comm):
    """Post a gathering at all."""
    buffer = _own(size * comm.Get_size())
    opened(q, comm.Iallgather(outgoing(size), buffer), buffer)


def ialltoall(q, size, comm):
    """Post an exchange between all."""
    n = comm.Get_size()
    buffer = _own(size * n)
    opened(q, comm.Ialltoall(outgoing(size * n), buffer), buffer)


def igatherv(q, size, root, comm):
    """Post a gathering of shares of given sizes."""
    there = [bytearray(size * comm.Get_size()), shares(size, comm), MPI.BYTE]
    opened(q, comm.Igatherv(outgoing(size), there, root), there)


def iscatterv(q, size, root, comm):
    """Post a handing out of shares of given sizes."""
    here = [bytearray(size * comm.Get_size()), shares(size, comm), MPI.BYTE]
    buffer = _own(size)
    opened(q, comm.Iscatterv(here, buffer, root), [here, buffer])


def iallgatherv(q, size, comm):
    """Post a gathering of shares of given sizes at all."""
    there = [bytearray(size * comm.Get_size()), shares(size, comm), MPI.BYTE]
    opened(q, comm.Iallgatherv(outgoing(size), there), there)


def ialltoallv(q, size, comm):
    """Post an exchange of shares of given sizes between all."""
    n = size * comm.Get_size()
    here, there = (
        [bytearray(n), shares(size, comm), MPI.BYTE] for _ in range(2)
    )
    opened(q, comm.Ialltoallv(here, there), [here, there])


def ireduce_scatter(q, size, comm):
    """Post a combining that hands out shares of given sizes."""
    n = comm.Get_size()
    buffer = _own(size)
    request = comm.Ireduce_scatter(outgoing(size * n), buffer, [size] * n, MPI.BOR)
    opened(q, request, buffer)


def ireduce_scatter_block(q, size, comm):
    """Post a combining that hands out."""
    buffer = _own(size)
    n = comm.Get_size()
    opened(q, comm.Ireduce_scatter_block(outgoing(size * n), buffer, MPI.BOR), buffer)


def make_lattice():
    """Make a Cartesian communicator."""
    dims = extent[::-1] or [ranks]  # MPI's last dimension changes fastest
    return WORLD.Create_cart(dims, list(periodic)[::-1] or [False], reorder=False)


def split(color, key):
    """Make the communicators of parts."""
    return WORLD.Split(MPI.UNDEFINED if color < 0 else color, key)


# What the trace says.
