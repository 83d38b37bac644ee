"""Memory of NumPy's arrays: of a file that is mapped, where memory does not suffice."""

import cython

if not cython.compiled:  # as NumPy has it: all of it is memory

    def new_handler(_small: int, _limit: int, _folder: bytes) -> object:
        """Return no handler."""
        return None

    def put_handler(handler: object) -> object:
        """Keep the handler that there is."""
        return handler

    topoview_fault = 0


def blocks_in_files(small: int, limit: int, folder: bytes) -> object:
    """Let arrays that this thread makes lie in files, beyond a limit.

    Parameters
    ----------
    small
        Bytes up to which an array is memory in any case, and not counted.
    limit
        Bytes of memory that the others of the process may take together.
    folder
        Where the files are; they have no names, and go with the arrays.

    Returns
    -------
    object
        What to call `blocks_as_before` with.
    """
    return put_handler(new_handler(small, limit, folder))


def blocks_as_before(handler: object) -> None:
    """Let arrays that this thread makes lie where they did before."""
    put_handler(handler)


def fault_of_block() -> int:
    """Return the number of the error for which this thread's last file was not made.

    0 if there was none.
    """
    return topoview_fault
