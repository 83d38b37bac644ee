"""The file of a digest: all that was found in a trace, without its events.

A zip archive. Its member ``digest.json`` says what it is, and holds the trace and the
results as JSON; an array in them is ``{"array": {"member", "dtype", "shape"}}``, which
names a member that is an ``.npy`` file (NumPy enhancement proposal 1), or with ``at`` a
place in one that several small arrays share. Members are compressed with Zstandard (zip
method 93), each has a checksum, and the file is written as a whole or not at all.
``docs/guides/digest.md`` has a reader of a few lines.
"""

import contextlib
import io
import itertools
import json
import math
import os
import sys
import threading
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from topoview.base.memory import MEMORY_VARIABLE, memory_budget
from topoview.base.text import json_text, size_text
from topoview.base.threads import in_parts
from topoview.errors import TraceError, writing
from topoview.model import EarlierRecords, Ints, Subset, TimeState, Trace
from topoview.model.frozen.arrays import are_offsets
from topoview.store.arrays import Allocate, parse_header
from topoview.store.encoding import GetArray, Pack, decode_value, encode_value
from topoview.version import __version__

if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdError
else:
    from backports.zstd import ZstdError, zipfile

FORMAT: Final = "topoview digest"
VERSION: Final = 4
"""Version of the format: a reader refuses any other."""

HEAD: Final = "digest.json"
OWN_MEMBER_FROM_BYTES: Final = 1 << 12
"""Bytes from which on an array is a member by itself."""

_SMALL: Final = "small.npy"
_LEVEL: Final = 9
_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""Equal digests are equal files."""

_DAMAGE_ERRORS: Final = (
    ValueError, TypeError, KeyError, IndexError, RecursionError, AttributeError,
    EOFError, ArithmeticError, NotImplementedError, RuntimeError, MemoryError,
    ZstdError, zipfile.BadZipFile,
)  # fmt: skip


def write_digest(path: Path, trace: Trace, results: Mapping[str, object]) -> None:
    """Write a digest.

    Parameters
    ----------
    path
        Where to: what is there is replaced when the new file is whole.
    trace
        With `Trace.digest`; or a part of one with all its events, without results.
    results
        By name, packed as `topoview.pipeline.RESULTS` packs them.

    Raises
    ------
    TopoviewError
        If it cannot be written.
    """
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with writing(path):
        try:
            with beside.open("xb") as file:
                put_digest(file, trace, results)
            with beside.open("rb") as whole:
                os.fsync(whole.fileno())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)


def put_digest(file: BinaryIO, trace: Trace, results: Mapping[str, object]) -> None:
    """Write a digest to an open file; as `write_digest`."""
    with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        sections = {
            name: _put_section(archive, name, value)
            for name, value in {"trace": trace, **results}.items()
        }
        head = {
            "format": FORMAT,
            "version": VERSION,
            "made_by": f"topoview {__version__}",
            "sections": sections,
        }
        _put(archive, HEAD, json_text(head, indent=1).encode())


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    member = zipfile.ZipInfo(name, _DATE)
    member.compress_type = zipfile.ZIP_ZSTANDARD
    archive.writestr(member, data, compresslevel=_LEVEL)


def _put_section(archive: zipfile.ZipFile, section: str, value: object) -> Any:  # noqa: ANN401 - JSON
    pack, names = Pack(), set[str]()

    def put(name: str, array: NDArray[Any]) -> dict[str, Any]:
        if array.nbytes < OWN_MEMBER_FROM_BYTES:
            return {"member": f"{section}/{_SMALL}", **pack.put(array)}
        member = f"{section}/{name or 'value'}.npy"
        while member in names:
            member = f"{member.removesuffix('.npy')}-.npy"
        names.add(member)
        _put(archive, member, _npy(array))
        return {
            "member": member, "dtype": array.dtype.str, "shape": list(array.shape),
        }  # fmt: skip

    payload = encode_value(value, put)
    if pack.blocks:
        _put(archive, f"{section}/{_SMALL}", _npy(pack.bytes()))
    return payload


def _npy(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(array), allow_pickle=False)
    return file.getvalue()


def read_digest(
    path: Path, subset: Subset | None = None, allocate: Allocate | None = None
) -> Trace:
    """Read the trace of a digest; its results are read by `read_results`.

    Its large arrays are those that `allocate` gives, as of any trace that is read.

    Raises
    ------
    TraceError
        If the file is damaged, none, of another version, or a part is asked for.
    """
    if subset is not None and not subset.is_all:
        raise TraceError(
            f"{path} is read as a whole: leave out --read-ranks, --read-from and "
            "--read-to, or read that part by topoview fetch"
        )
    result = _read(path, ["trace"], allocate)["trace"]
    if not isinstance(result, Trace) or not _is_sound(result):
        _refuse(path, "what it holds does not fit together")
    return result


def read_results(path: Path) -> dict[str, Any]:
    """Read the results of a digest, packed as they were given.

    Raises `TraceError` as `read_digest`.
    """
    return _read(path, None)


def _read(
    path: Path, sections: list[str] | None, allocate: Allocate | None = None
) -> dict[str, Any]:
    """Read some sections; None: all but the trace."""
    try:
        with zipfile.ZipFile(path) as archive:
            head = json.loads(archive.read(HEAD))
            if head["format"] != FORMAT:
                raise ValueError("it is something else")
            if head["version"] != VERSION:
                made = str(head.get("made_by"))[:_MAX_TOLD]
                raise TraceError(
                    f"{path} is a digest of version {head['version']!r:.20} of the "
                    f"format, made by {made}, and this topoview reads version "
                    f"{VERSION}: make it again"
                )
            size = sum(member.file_size for member in archive.infolist())
            if size > memory_budget():
                raise TraceError(
                    f"{path} takes {size_text(size)} of memory, and "
                    f"{size_text(memory_budget())} may be taken: allow more "
                    f"({MEMORY_VARIABLE}, --memory)"
                )
            stored = head["sections"]
            wanted = (
                [n for n in stored if n != "trace"] if sections is None else sections
            )
            get = _getter(archive, wanted, allocate)
            return {name: decode_value(stored[name], get) for name in wanted}
    except OSError as error:
        raise TraceError(
            f"{path} cannot be read ({error.strerror or error}): check its rights"
        ) from error
    except _DAMAGE_ERRORS as error:
        _refuse(path, str(error) or type(error).__name__)


_MAX_TOLD: Final = 80


def _refuse(path: Path, why: str) -> NoReturn:
    why = " ".join(why.split())[:_MAX_TOLD]
    raise TraceError(
        f"{path} is no digest, or damaged ({why}): copy it again, or make it again by "
        "topoview digest"
    )


def _getter(
    archive: zipfile.ZipFile, sections: list[str], allocate: Allocate | None
) -> GetArray:
    """Return the function that reads the array of a reference.

    Members of the sections are read at once, in threads: it takes long.
    """
    shared: dict[str, NDArray[np.uint8]] = {}
    number = itertools.count()  # names of members may lead anywhere
    one_at_a_time = threading.Lock()

    def load(member: str) -> NDArray[Any]:
        data = archive.read(member)
        dtype, shape, begin = parse_header(data)
        flat = np.frombuffer(data, dtype, math.prod(shape), begin)
        if allocate is not None and flat.nbytes >= OWN_MEMBER_FROM_BYTES:
            with one_at_a_time:
                room = allocate(f"digest.{next(number)}", len(flat), dtype)
            room[:] = flat
            flat = room
        result = flat.reshape(shape)
        result.flags.writeable = False
        return result

    own = [
        name
        for name in archive.namelist()
        if name.partition("/")[0] in sections and name.endswith(".npy")
    ]
    members = dict(zip(own, in_parts(load, own), strict=True))

    def take(member: str) -> NDArray[Any]:
        return members.pop(member) if member in members else load(member)

    def get(payload: Any) -> NDArray[Any]:  # noqa: ANN401 - JSON
        member = str(payload["member"])
        dtype = np.dtype(str(payload["dtype"]))
        shape = tuple(int(n) for n in payload["shape"])
        if dtype.kind not in "biuf" or min(shape, default=0) < 0:
            raise ValueError(f"{member} holds no numbers")
        if "at" not in payload:
            array = take(member)
            if array.dtype != dtype or array.shape != shape:
                raise ValueError(f"{member} is not what it is said to be")
            return array
        if member not in shared:
            # a copy: a file that was given is cut where one array ends
            shared[member] = take(member).copy()
            shared[member].flags.writeable = False
        begin, count = int(payload["at"]), int(np.prod(shape, dtype=np.int64))
        blob = shared[member]
        if begin < 0 or begin + count * dtype.itemsize > blob.nbytes:
            raise ValueError(f"an array is not in {member}")
        return np.frombuffer(blob, dtype, count, begin).reshape(shape)

    return get


def _is_sound(trace: Trace) -> bool:
    """Return whether the tables of a trace refer to what there is.

    Compiled code does not look again.
    """
    rows = len(trace.locations)
    line, calls, messages = trace.timeline, trace.calls, trace.messages
    with contextlib.suppress(*_DAMAGE_ERRORS):
        columns: list[tuple[Ints, tuple[NDArray[Any], ...]]] = [
            (line.offsets, (line.time, line.state, line.region)),
            (
                calls.offsets,
                (calls.region, calls.enter, calls.leave, calls.completes, calls.path,
                 calls.kept),
            ),
        ]  # fmt: skip
        columns += [(one.offsets, (one.time, one.values)) for one in trace.further]
        for offsets, table in columns:
            if len(offsets) != rows + 1 or not are_offsets(offsets, *table):
                return False
        if (np.diff(line.offsets) < 1).any() or (line.state > _LAST_STATE).any():
            return False
        regions = len(trace.regions.names)
        ranges: list[tuple[NDArray[Any], int]] = [
            (line.region, regions), (calls.region, regions),
            (calls.completes, len(calls)), (calls.path, len(trace.paths)),
            (messages.sender, trace.ranks), (messages.receiver, trace.ranks),
            (messages.send_call, len(calls)), (messages.receive_call, len(calls)),
            (messages.completion_call, len(calls)),
            (messages.send_completion_call, len(calls)),
            (messages.communicator, len(trace.communicators)),
            (trace.collectives.call, len(calls)),
            (trace.collectives.communicator, len(trace.communicators)),
            (trace.collectives.root, trace.ranks),
            (trace.paths.region, regions),
        ]  # fmt: skip
        for one, most in ranges:
            if len(one) and not -1 <= int(one.min()) <= int(one.max()) < most:
                return False
        if any(one.values.shape[1:] != (len(one.fields),) for one in trace.further):
            return False
        if not all(_counts_what_there_is(trace, one) for one in trace.earlier):
            return False
        sizes = {len(getattr(messages, name)) for name in messages.__slots__}
        return len(sizes) == 1 and 0 <= trace.ranks <= rows
    return False


def _counts_what_there_is(trace: Trace, earlier: EarlierRecords) -> bool:
    ranges = (
        (earlier.rank, 0, trace.ranks),
        (earlier.region, -1, len(trace.regions.names)),
        (earlier.column("communicator"), -1, len(trace.communicators)),
        (earlier.count, 0, np.iinfo(np.int64).max),
    )
    if earlier.values.shape != (len(earlier), len(earlier.fields)):
        return False
    return all(
        len(one) == len(earlier)
        and (not len(one) or least <= int(one.min()) <= int(one.max()) < most)
        for one, least, most in ranges
    )


_LAST_STATE: Final = int(max(TimeState))
