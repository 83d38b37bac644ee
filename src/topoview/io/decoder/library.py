"""The decoder's library, through ctypes: its structures and its functions.

Structures are those of ``c/decoder.h`` and ``c/columns.h``, where they are explained.
Arrays are passed by their addresses: who calls keeps them alive meanwhile. ctypes lets
other threads run Python while a function is called.
"""

import ctypes
from ctypes import c_char_p, c_int, c_int64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.errors import TopoviewError
from topoview.model import Ints

# What is counted besides the 256 types of records.
CALLS, VALUES, ATTRIBUTED, EXTRA, EARLIER_SENDS, EARLIER_RECEIVES, KINDS = range(
    256, 263
)

FAULTS: Final = (
    "",
    "missing",
    "empty",
    "cut short",
    "damaged",
    "unreadable",
    "changed while it was read",
)
"""What is wrong with a file, by the decoder's number."""
SOUND, MISSING, UNREADABLE = (FAULTS.index(t) for t in ("", "missing", "unreadable"))

# What readers do with locations.
COUNT_ALL, PEEK, FIND_END, FIND_START, FILL = range(5)

NOBODY: Final = -1
"""Partner where none is meant: MPI_PROC_NULL, no root."""
UNKNOWN: Final = -2
"""Partner that is not in the communicator."""
EMPTY_RECEIVE: Final = -3
"""Sender of a receive that was not completed, or has been matched."""
FIRST_SPECIAL_RANK: Final = 0xFFFFFF00
"""Ranks from here on are MPI_PROC_NULL, OTF2_UNDEFINED and other codes."""
NO_PART: Final = 255
"""Operation of a collective that was posted and never completed."""
MAX_TIME: Final = 7 << 60
"""Times behind it are damaged."""
MAX_PATH_DEPTH: Final = 256
"""Levels that are kept of a call path: recursion can go deeper."""
MAX_KEPT_LEVELS: Final = 255
"""Levels, as many or more, of which it is told that they stayed open."""
MAX_LOCATION_PATHS: Final = 1 << 14
"""Call paths that are kept of a location."""

# Words of regions: number, state above it, and whether it is an MPI call.
NO_REGION: Final = 0xFFFFFFFF
IS_CALL: Final = 1 << 40

RECEIVED: Final = np.dtype(
    [
        ("rank", np.int32), ("tag", np.uint32), ("communicator", np.int32),
        ("local", np.uint32), ("size", np.int64), ("call", np.int64),
        ("time", np.int64), ("post", np.int64),
    ]
)  # fmt: skip

LOCATION: Final = np.dtype(
    [("id", np.uint64)]
    + [
        (name, np.int64)
        for name in (
            "wanted", "rank", "idle", "origin", "part", "until", "start_chunk",
            "start_skip", "start_events", "start_first", "start_now", "start_off",
            "words", "depth", "sends", "receives", "send_count", "receive_count",
            "channels", "channel_count", "strange", "first", "offsets", "size",
            "events", "lost", "fault", "fault_errno", "definitions_fault",
            "definitions_errno", "started", "is_whole", "chunks", "chunk_count",
            "tallies", "tally_count", "content", "definitions", "content_size",
            "definitions_size", "changed", "changed_errno", "unsettled", "last",
            "open_word", "paths", "path_count",
        )
    ]
)  # fmt: skip

SIDE_WORDS: Final = 3
FURTHER_WORDS: Final = 4

_TABLES: Final = 5
_PATH: Final = Path(__file__).resolve().with_name("decoder.so")


class _Structure(ctypes.Structure):
    """A structure that is passed by its address."""

    @property
    def address(self) -> int:
        """Where it is; it must be kept alive."""
        return ctypes.addressof(self)


class Columns(_Structure):
    """The columns of all locations: addresses of their arrays."""

    _fields_ = [
        ("offsets", c_void_p * _TABLES),
        ("filled", c_void_p * _TABLES),
        *(
            (name, c_void_p)
            for name in (
                "time", "state", "region", "call_region", "enter", "leave",
                "completes", "call_path", "call_kept", "sender", "receiver", "size",
                "tag", "communicator", "send_call", "receive_call",
                "completion_call", "send_completion", "send_time", "receive_time",
                "receives", "posted", "part_call", "part_communicator",
                "part_operation", "part_root", "part_sent", "part_received",
                "part_completion",
            )
        ),
    ]  # fmt: skip


class Archive(_Structure):
    """What all locations share."""

    _fields_ = [
        ("folder", c_char_p),
        ("inflate", c_void_p),
        ("event_chunk", c_int64),
        ("definition_chunk", c_int64),
        ("flat", c_int64),
        ("until", c_int64),
        ("bare", c_void_p),
        ("forms", c_void_p),
        ("direct", c_void_p),
        ("direct_count", c_int64),
        ("identifiers", c_void_p),
        ("packed", c_void_p),
        ("identifier_count", c_int64),
        ("contexts", c_void_p),
        ("context_count", c_int64),
        ("comm_identifiers", c_void_p),
        ("comm_numbers", c_void_p),
        ("comm_count", c_int64),
        ("comm_begins", c_void_p),
        ("comm_ranks", c_void_p),
        ("comm_sides", c_void_p),
        ("locations", c_void_p),
        ("order", c_void_p),
        ("order_count", c_int64),
        ("columns", c_void_p),
        ("further", c_void_p),
        ("next", c_int64),
        ("done", c_int64),
        ("stop", c_int64),
        ("room", c_int64),
    ]


ODDITIES: Final = (
    "unbalanced",
    "astray",
    "unknown_senders",
    "spoilt",
    "path_cut",
    "cancelled",
    "overlaps",
)


class Oddities(_Structure):
    """What did not fit."""

    _fields_ = [(name, c_int64) for name in ODDITIES]


class Timeline(_Structure):
    """Intervals of rows."""

    _fields_ = [(name, c_void_p) for name in ("offsets", "time", "state", "region")]


class Kept(_Structure):
    """Which calls of each row are kept."""

    _fields_ = [
        *((name, c_void_p) for name in ("begins", "low", "high", "offsets")),
        ("rows", c_int64),
    ]


class Ends(_Structure):
    """What sends or receives are matched by."""

    _fields_ = [
        *((name, c_void_p) for name in ("sender", "receiver", "communicator", "tag")),
        ("count", c_int64),
    ]


class Arcs(_Structure):
    """A graph, by the nodes that arcs come from."""

    _fields_ = [(name, c_void_p) for name in ("offsets", "head", "weight")]


def address(array: NDArray[Any]) -> int:
    """Address of an array's first element; the array must be kept alive."""
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]


def addresses(*arrays: NDArray[Any]) -> list[int]:
    """Addresses of the first elements of arrays, which must be kept alive."""
    return [address(array) for array in arrays]


def words_at(place: int, count: int) -> Ints:
    """Copy so many integers from an address."""
    if not count:
        return np.zeros(0, np.int64)
    return np.array((c_int64 * count).from_address(place), np.int64)


_A, _N = c_void_p, c_int64
_STATUS: Final = c_int
_PROTOTYPES: Final[dict[str, tuple[Any, tuple[Any, ...]]]] = {
    "sizes": (None, (_A,)),
    "open": (_A, (_A,)),
    "close": (None, (_A,)),
    "work": (_STATUS, (_A, c_int)),
    "oddities": (None, (_A, _A)),
    "totals": (None, (_A, _N, _A)),
    "tally": (None, (_A, _N, _A, _A)),
    "join_paths": (_STATUS, (_A, _N, _A, _A, _N, _A, _A, _A)),
    "group": (_STATUS, (_A, _N, _A, _N, _A, _A, c_int)),
    "pair": (_STATUS, (_A, _N, _N, _A, _A, c_int, _A, _A, _A)),
    "match": (_STATUS, (_A, _A, _A)),
    "blocks": (_N, (c_int, _A, _N)),
    "definitions": (_N, (_A, _N, _N, _A, _A, _A, _A)),
    "gather": (None, (_A, _A, _A, _A, _N)),
    "follow": (None, (_A, _N, _A, _A, _A, _N)),
    "forget_unset": (_N, (_A, _A, _N)),
    "renumber": (None, (_A, _N, _A)),
    "arrived": (_N, (_A, _A, _N, _A, _A, _N, _A, _A)),
    "renumber_ends": (None, (_A, _A, _A, _A, _N, _A)),
    "show_samples": (_N, (_A, _N, _A, _A, _A, _A, _A, _A, _A)),
    "shift_rows": (None, (_A, _N, _A, _A, _N)),
    "shift_ends": (None, (_A, _A, _N, _A)),
    "shift_timeline": (None, (_A, _N, _A, _A, _A)),
    "violations": (None, (_A, _A, _N, _A)),
    "tightest": (_N, (_N, _A, _A, _A, _A, _N, _A)),
    "free": (None, (_A,)),
    "shortest": (_STATUS, (_A, _N, _N, _A, _A)),
    "relax": (None, (_A, _A, _N, _N, _A)),
}


def _check(status: int, _function: object, _arguments: object) -> int:
    if status:
        raise MemoryError
    return status


class Library:
    """Functions of the decoder, without their prefix: ``library.work``."""

    def __init__(self, path: str) -> None:
        self._library = ctypes.CDLL(path)
        for name, (result, arguments) in _PROTOTYPES.items():
            function = getattr(self._library, f"decoder_{name}")
            function.restype, function.argtypes = result, arguments
            if result is _STATUS:
                function.errcheck = _check
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a C function
        """Raise that there is no such function; those there are, are attributes."""
        raise AttributeError(name)

    def agrees(self) -> bool:
        """Return whether structures are as large here as there."""
        sizes = (c_int64 * 4)()
        self.sizes(sizes)
        own = [ctypes.sizeof(Archive), ctypes.sizeof(Columns)]
        return list(sizes) == [*own, LOCATION.itemsize, RECEIVED.itemsize]


@cache
def load_decoder() -> Library:
    """Load the library.

    Raises `TopoviewError` if it is missing or of another version.
    """
    remedy = "install topoview again (in a source checkout: run scripts/setup)"
    try:
        library = Library(str(_PATH))
    except (OSError, AttributeError) as error:
        raise TopoviewError(
            f"the decoder cannot be loaded: {error}; {remedy}"
        ) from error
    if not library.agrees():
        raise TopoviewError(f"the decoder is of another version: {remedy}")
    return library
