# Files, in the folder where the program runs; they go when they are closed.

file, position = {}, {}


def file_open(f, together):
    """Open a file of all ranks, or of this one."""
    name = f"skeleton_{f}.tmp" if together else f"skeleton_{f}_{rank}.tmp"
    mode = MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE
    file[f] = MPI.File.Open(WORLD if together else MPI.COMM_SELF, name, mode)
    position[f] = 0


def file_close(f):
    """Close a file."""
    file[f].Close()


def file_sync(f):
    """Write what is held back."""
    file[f].Sync()


def file_seek(f):
    """Go to the begin."""
    file[f].Seek(0)


def file_set_view(f):
    """See the whole file."""
    file[f].Set_view()


def _moves(name, buffer):
    def move(size, f):
        getattr(file[f], name)(buffer(size))

    return move


file_write, file_write_all, file_write_shared, file_write_ordered = (
    _moves(name, outgoing)
    for name in ("Write", "Write_all", "Write_shared", "Write_ordered")
)
file_read, file_read_all, file_read_shared, file_read_ordered = (
    _moves(name, incoming)
    for name in ("Read", "Read_all", "Read_shared", "Read_ordered")
)


def _moves_at(name, buffer):
    def move(size, f):
        getattr(file[f], name)(position[f], buffer(size))
        position[f] += size

    return move


file_write_at, file_write_at_all = (
    _moves_at(name, outgoing) for name in ("Write_at", "Write_at_all")
)
file_read_at, file_read_at_all = (
    _moves_at(name, incoming) for name in ("Read_at", "Read_at_all")
)


def _moves_later(name):
    def move(q, size, f):
        buffer = [bytearray(max(size, 0)), MPI.BYTE]
        if name.endswith("_at"):
            opened(q, getattr(file[f], name)(position[f], buffer), buffer)
            position[f] += size
        else:
            opened(q, getattr(file[f], name)(buffer), buffer)

    return move


file_iwrite, file_iwrite_shared, file_iwrite_at = map(
    _moves_later, ("Iwrite", "Iwrite_shared", "Iwrite_at")
)
file_iread, file_iread_shared, file_iread_at = map(
    _moves_later, ("Iread", "Iread_shared", "Iread_at")
)
