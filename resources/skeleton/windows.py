# Windows; bytes go to and come from their begin.

window, landing = {}, {}


def win_allocate(w, size):
    """Make a window."""
    window[w] = MPI.Win.Allocate(size, 1, comm=WORLD)
    landing[w] = bytearray(size + 1)


def win_create(w, size):
    """Make a window of own memory."""
    window[w] = MPI.Win.Create(bytearray(size + 1), 1, comm=WORLD)
    landing[w] = bytearray(size + 1)


def win_free(w):
    """Free a window."""
    window[w].Free()


def win_fence(w):
    """Wait for all."""
    window[w].Fence()


def win_lock_all(w):
    """Begin to reach all ranks."""
    window[w].Lock_all()


def win_unlock_all(w):
    """End it."""
    window[w].Unlock_all()


def win_flush_all(w):
    """Wait until all is done."""
    window[w].Flush_all()


def win_flush_local_all(w):
    """Wait until all is done here."""
    window[w].Flush_local_all()


def win_sync(w):
    """See what was put."""
    window[w].Sync()


def win_lock(to, w):
    """Begin to reach a rank."""
    if to >= 0:
        window[w].Lock(to, MPI.LOCK_SHARED)


def _locked(name):
    def call(to, w):
        if to >= 0:
            getattr(window[w], name)(to)

    return call


win_unlock, win_flush, win_flush_local = map(
    _locked, ("Unlock", "Flush", "Flush_local")
)


def _group(some):
    """Make a group of ranks; those below 0 are none."""
    return WORLD.Get_group().Incl(sorted({r for r in some if r >= 0}))


def win_start(some, w):
    """Begin to reach some ranks."""
    window[w].Start(_group(some))


def win_post(some, w):
    """Let some ranks reach this one."""
    window[w].Post(_group(some))


def win_complete(w):
    """End reaching."""
    window[w].Complete()


def win_wait(w):
    """Wait until nobody reaches this rank."""
    window[w].Wait()


def fetched(w, size):
    """Room for what is fetched."""
    return [memoryview(landing[w])[:size], MPI.BYTE]


def put(to, size, w):
    """Put bytes."""
    if to >= 0:
        window[w].Put(outgoing(size), to)


def accumulate(to, size, w):
    """Add bytes."""
    if to >= 0:
        window[w].Accumulate(outgoing(size), to, op=MPI.BOR)


def get(source, size, w):
    """Get bytes."""
    if source >= 0:
        window[w].Get(fetched(w, size), source)


def get_accumulate(to, size, w):
    """Get bytes and add to them."""
    if to >= 0:
        window[w].Get_accumulate(outgoing(size), fetched(w, size), to, op=MPI.BOR)


def _number(size):
    kinds = {8: MPI.INT64_T, 4: MPI.INT32_T, 2: MPI.INT16_T}
    return max(size, 1) if size in kinds else 1, kinds.get(size, MPI.INT8_T)


def fetch_and_op(to, size, w):
    """Fetch a number and change it."""
    if to >= 0:
        size, kind = _number(size)
        out, back = outgoing(size)[0], fetched(w, size)[0]
        window[w].Fetch_and_op([out, kind], [back, kind], to, op=MPI.BOR)


def compare_and_swap(to, size, w):
    """Change a number if it is another."""
    if to >= 0:
        size, kind = _number(size)
        out, back = outgoing(size)[0], fetched(w, size)[0]
        window[w].Compare_and_swap([out, kind], [out, kind], [back, kind], to)


def rput(q, to, size, w):
    """Put bytes, and go on."""
    if to >= 0:
        buffer = outgoing(size)
        opened(q, window[w].Rput(buffer, to), buffer)


def raccumulate(q, to, size, w):
    """Add bytes, and go on."""
    if to >= 0:
        buffer = outgoing(size)
        opened(q, window[w].Raccumulate(buffer, to, op=MPI.BOR), buffer)


def rget(q, source, size, w):
    """Get bytes, and go on."""
    if source >= 0:
        buffer = fetched(w, size)
        opened(q, window[w].Rget(buffer, source), buffer)


def rget_accumulate(q, to, size, w):
    """Get bytes and add to them, and go on."""
    if to >= 0:
        buffer, back = outgoing(size), fetched(w, size)
        request = window[w].Rget_accumulate(buffer, back, to, op=MPI.BOR)
        opened(q, request, [buffer, back])
