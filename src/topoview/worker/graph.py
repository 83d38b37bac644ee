"""Digests made in parts: a graph of tasks over parts of the ranks.

An executor runs it: this process, processes of this machine, or Dask.

A trace is read by the graph of `topoview.io.reading`; what follows from it is made by
that of `topoview.pipeline`, in a store beside it. All data go through
files of a folder that the workers share, Dask moves none: so messages are shuffled by
files that each part sorts once (Dask's own shuffle is one of data frames, and would
need pandas and pyarrow on all workers), no worker holds more than a part, and whatever
is whole on the disk is not made again, neither where a worker dies nor when the same
command is given once more.
"""

import contextlib
import errno
import uuid
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from numpy.typing import NDArray

from topoview.analysis.digest import NEEDED
from topoview.base.progress import silent
from topoview.base.tasks import Executor, Graph
from topoview.errors import RefusedError, TopoviewError
from topoview.io.archive.finding import find_anchor, store_key
from topoview.io.clocks.correction import ClockCorrection
from topoview.io.otf2 import read_definitions_of
from topoview.io.reading.graph import ReadTrace, read_on
from topoview.io.reading.in_parts import IN_PARTS as READ_IN_PARTS
from topoview.io.reading.joining import Laid, files_of, join_parts, part_of, part_trace
from topoview.io.reading.matching import remove_receives
from topoview.io.reading.settling import Settled
from topoview.io.reading.work import (
    Work,
    cut_ranks,
    load_or_make,
    load_step,
    make_once,
    size_of_events,
)
from topoview.model import Part, Subset, Trace
from topoview.pipeline import IN_PARTS, Options, Results, make_in_order
from topoview.store.arrays import fill_array_file, lay_out_array_file, load_array
from topoview.store.integrity import DAMAGE_ERRORS, claim_folder
from topoview.store.keys import code_version
from topoview.store.results import ResultCache, read_kept
from topoview.store.traces import NO_LIMIT, PARTIAL, Store
from topoview.store.writer import begin_writing
from topoview.worker.digest import DigestMade, write_results

MEMORY_A_BYTE: Final = 10
"""Bytes of memory that a part is given for each byte of its events; it takes 4.6:
benchmarks/digest.py."""

BRANCHES: Final = 16
"""Parts, or sums of parts, that are added up by a task."""

_PARTS_A_WORKER: Final = 2
"""Parts for each worker: the memory of the first is used again by the others."""

_BYTES_A_PART: Final = 1 << 23
"""Bytes of events from which on a part is worth its tasks: they take a second."""


class Job(NamedTuple):
    """What is to be done on a cluster; paths are those that its workers see."""

    path: str
    output: str
    """`path` and `output`: the trace, and the file to write."""
    folder: str
    """For what is done on the way."""
    parts: int
    """Parts of the ranks; 0: a few for each worker, fewer where there is little to do,
    more where their memory asks for that."""
    workers: int
    """Tasks that run at the same time."""
    memory: int
    """Bytes that each of them may take."""
    steps: int
    """As for `topoview.analysis.digest.condense`."""


def make_on(executor: Executor, job: Job) -> DigestMade:
    """Submit all tasks of a digest.

    Raises what its tasks raise.
    """
    graph = Graph(executor, job.memory, job.folder)
    work = graph.submit("reading definitions", _open, job)
    steps = READ_IN_PARTS._replace(join=partial(_join, job))
    read = read_on(graph, steps, work)
    made = _results_on(graph, job, read)
    last = graph.submit("writing the digest", _write, job, read.trace, after=made)
    return DigestMade(*graph.value(last))


def _results_on(graph: Graph, job: Job, read: ReadTrace) -> list[Any]:
    """Compute the results that a digest holds: futures."""
    submit, key = graph.submit, read.trace

    def in_parts(stage: str, names: tuple[str, ...], of: list[Any]) -> Any:  # noqa: ANN401 - a future
        given = job, read.work, read.settled, key, names
        shares = [
            submit(stage, _share, *given, part, after=of) for part in range(read.parts)
        ]
        level = 0
        while len(shares) > 1 or not level:  # a tree
            level += 1
            some = [
                shares[at : at + BRANCHES] for at in range(0, len(shares), BRANCHES)
            ]
            joined = job, read.work, key, names, level
            shares = [submit(stage, _add_up, *joined, number, few)
                      for number, few in enumerate(some)]  # fmt: skip
        return submit(stage, _enter, job, key, shares[0])

    entered = {_SUMS: in_parts("adding up parts", _SUMS, [])}

    def make(name: str, of: list[Any]) -> Any:  # noqa: ANN401 - a future
        if "part" not in IN_PARTS[name].of and name not in _SUMS:
            return submit(_stage_of(name), _make, job, key, name, after=of)
        names = _TOGETHER.get(name, (name,))
        if names not in entered:
            entered[names] = in_parts(_stage_of(name), names, of)
        return entered[names]

    return list(make_in_order(NEEDED, make, _MADE_OF).values())


_SUMS: Final = tuple(
    name for name, one in IN_PARTS.items() if one.combine and "part" not in one.of
)
"""Results that are joined of those of traces of the parts."""

_OF_SHARED: Final = tuple(
    tuple(name for name, one in IN_PARTS.items() if step in one.of)
    for step, shared in IN_PARTS.items()
    if shared.is_shared
)
"""Results that are made together, of what each part makes once for all of them."""

_TOGETHER: Final = {name: names for names in (_SUMS, *_OF_SHARED) for name in names}
"""Results that tasks make together, by the name of each."""


def _needed_together(names: tuple[str, ...]) -> tuple[str, ...]:
    """Name what results are made of that are made together; sums need the trace."""
    needed = dict.fromkeys(of for name in names for of in IN_PARTS[name].of)
    shared = [of for of in needed if of in IN_PARTS and IN_PARTS[of].is_shared]
    needed |= dict.fromkeys(of for step in shared for of in IN_PARTS[step].of)
    return tuple(of for of in needed if of not in shared)


_MADE_OF: Final = IN_PARTS | {
    name: replace(
        IN_PARTS[name], of=("trace",) if names is _SUMS else _needed_together(names)
    )
    for name, names in _TOGETHER.items()
}
"""The results, by what tasks wait for: each part makes all that sums are made of."""


def _stage_of(name: str) -> str:
    """Name the stage in which a result is made."""
    return f"making results: {name.replace('_', ' ')}"


# The tasks.


def _open(job: Job) -> Work:
    """Read the definitions, and cut the ranks: once, also where it is asked again."""
    path, folder = Path(job.path), Path(job.folder)
    own = folder / store_key(path, Subset())
    for private in (folder, own, _store(job).folder):
        claim_folder(private)
    scratch = own / f"unpacked-{uuid.uuid4().hex}"  # an archive
    scratch.mkdir()
    anchor = find_anchor(path, scratch, silent)
    defined = read_definitions_of(anchor._replace(given=path))

    def cut() -> tuple[tuple[int, int], ...]:
        parts = job.parts
        if not parts:
            share, size = job.memory // MEMORY_A_BYTE, size_of_events(defined)
            worth = min(_PARTS_A_WORKER * job.workers, -(-size // _BYTES_A_PART))
            parts = max(worth, -(-size // max(share, 1)))
        return tuple(cut_ranks(defined, parts))

    columns = _store(job).folder / f"{own.name}{PARTIAL}"
    return Work(own, columns, defined, load_or_make(own / "parts.kept", cut))


def _share(  # noqa: PLR0913 - what the steps before gave
    job: Job,
    work: Work,
    settled: Settled,
    key: str,
    names: tuple[str, ...],
    part: int,
) -> Path:
    """Compute what a part has in some results; return the file that holds it."""

    def make() -> dict[str, object]:
        of_all = _results(job, key)
        trace = of_all.trace
        if names == _SUMS:
            own = part_trace(work, settled, trace, part)
            results = Results(own, Options(steps=job.steps), [])
            return {name: IN_PARTS[name].pack(results.make(name)) for name in names}
        own_part, made = part_of(work, settled, trace, part), dict[str, object]()
        shared = dict[str, object]()
        for name in names:
            result = _made(job, of_all, name, own_part, shared)
            result = _without_columns(job, key, name, own_part, result)
            made[name] = IN_PARTS[name].pack(result)
        return made

    return _made_once(_Sums(job, work, key, names), 0, part, make)


class _Sums(NamedTuple):
    """What parts have in some results, and what is joined of them in a tree."""

    job: Job
    work: Work
    key: str
    names: tuple[str, ...]

    def file(self, level: int, number: int) -> Path:
        """Name the file of a part, or of what was joined at a level."""
        name = f"sums-{_code():08x}-{self.job.steps}-{self.names[0]}-{level}"
        file = self.work.file(name, number)
        if any(IN_PARTS[name].columns for name in self.names):
            return _store(self.job).folder / self.key / file.name  # beside the columns
        return file

    def are_joined(self, level: int, number: int) -> bool:
        """Return whether what was joined of a file is whole: then that is removed."""
        many = len(self.work.parts)
        while level == 0 or many > 1:
            level, number, many = level + 1, number // BRANCHES, -(-many // BRANCHES)
            with contextlib.suppress(OSError, *DAMAGE_ERRORS):
                read_kept(self.file(level, number))
                return True
        return self.are_kept()

    def are_kept(self) -> bool:
        """Return whether all is joined, and kept with the trace."""
        return all(map(_results(self.job, self.key).is_kept, self.names))


def _made_once(
    sums: _Sums, level: int, number: int, make: Callable[[], object]
) -> Path:
    """Return the file of a part or of what was joined, made where it is needed."""
    file = sums.file(level, number)
    if file.exists() or not sums.are_joined(level, number):
        make_once(file, make)
    return file


def _made(
    job: Job,
    results: Results,
    name: str,
    part: Part | None = None,
    shared: dict[str, object] | None = None,
) -> Any:  # noqa: ANN401 - a result
    """Compute what a part, or the whole trace, has in a result."""
    try:
        return results.make_part(name, part, shared=shared)
    except RefusedError as error:  # something that it is made of was kept, and is gone
        raise _damaged(job) from error


def _without_columns(job: Job, key: str, name: str, part: Part, result: Any) -> Any:  # noqa: ANN401 - a result
    """Write columns of a part's calls to where they are among those of all calls."""
    empty = {}
    for field, column in _columns_of(name, result).items():
        file, begin = _column(job, key, name, field), 0
        lay_out_array_file(file, (len(part.trace.calls),), column.dtype)
        for own in part.calls:
            stop = begin + own.stop - own.start
            fill_array_file(file, own.start, column[begin:stop])
            begin = stop
        empty[field] = column[:0]
    return replace(result, **empty) if empty else result


def _columns_of(name: str, result: object) -> dict[str, NDArray[Any]]:
    """Return the columns of calls that a result has."""
    names = IN_PARTS[name].columns if result is not None else ()
    columns = {field: getattr(result, field) for field in names}
    return {field: column for field, column in columns.items() if column is not None}


def _column(job: Job, key: str, name: str, field: str) -> Path:
    """Name the file of a column: among those of the trace, where it stays."""
    return _store(job).folder / key / f"{name}.{field}-{_code():08x}.npy"


def _add_up(  # noqa: PLR0913 - what the steps before gave
    job: Job,
    work: Work,
    key: str,
    names: tuple[str, ...],
    level: int,
    number: int,
    files: list[Path],
) -> Path:
    """Join what some parts have in results, or what was joined of parts."""

    def make() -> dict[str, object]:
        parts = [load_step(one, whole=True) for one in files]
        joined = {}
        for name in parts[0]:
            result = IN_PARTS[name]
            try:
                unpacked = [
                    result.unpack(one[name], {"trace": work.defined, **one}.__getitem__)
                    for one in parts
                ]
            except DAMAGE_ERRORS as error:
                raise _damaged(job) from error
            joined[name] = result.pack(result.joined(unpacked, work.defined.regions))
        return joined

    joined = _made_once(_Sums(job, work, key, names), level, number, make)
    _remove(files)
    return joined


def _remove(files: Iterable[Path]) -> None:
    """Remove files whose last reader has run."""
    for file in files:
        file.unlink(missing_ok=True)


def _code() -> int:
    """Return the number of the code that makes results; keys of folders have it."""
    return zlib.crc32(code_version().encode())


def _enter(job: Job, key: str, file: Path) -> None:
    """Keep the joined results with the whole trace."""
    results = _results(job, key)
    if not file.exists():
        return  # all is kept
    packed_results = load_step(file, whole=True)
    for name, packed in packed_results.items():
        if results.is_kept(name):
            continue
        try:
            columns = {
                field: load_array(_column(job, key, name, field))
                for field in _columns_of(name, packed)
            }
        except (OSError, ValueError) as error:
            raise _damaged(job) from error
        results.keep_packed(name, replace(packed, **columns) if columns else packed)
    if all(map(results.is_kept, packed_results)):
        _remove([file])


def _store(job: Job) -> Store:
    return Store(Path(job.folder) / "store", NO_LIMIT)


def _join(
    job: Job,
    work: Work,
    settled: Settled,
    clocks: ClockCorrection | None,
    laid: Laid,
) -> str:
    """Enter the columns in the store as a trace; gives its key."""
    key, store = work.columns.with_suffix("").name, _store(job)
    if store.find(key) is not None:
        return key
    writer = begin_writing(store, key, silent, files_of(work, laid))
    if writer is None:
        return key
    try:
        trace = join_parts(work, settled, clocks, laid, writer.adopt, writer.allocate)
        if not writer.keep(trace, Subset(), Path(job.path)):
            raise OSError(errno.ENOSPC, writer.fault)
    finally:
        writer.close()
    remove_receives(work, settled)
    return key


def _find_trace(job: Job, key: str) -> Trace:
    trace = _store(job).find(key)
    if trace is None:
        raise TopoviewError(
            f"what was done of {job.path} vanished from {job.folder}: start again"
        )
    return trace


def _find_results(job: Job, key: str) -> Results:
    caches = [ResultCache(_store(job), key)]
    return Results(_find_trace(job, key), Options(steps=job.steps), caches, IN_PARTS)


_kept_results = lru_cache(maxsize=1)(_find_results)
"""Maps the whole trace, and what was found of it, once in a worker: the system enters
each page anew, and what is kept is decoded anew."""


def forget() -> None:
    """Let go of the files: as long as they are mapped they take room on the disk."""
    _kept_results.cache_clear()


def _results(job: Job, key: str) -> Results:
    # what a worker has mapped is memory that it takes, by Dask's count
    small = _store(job).size(key) <= job.memory // 2
    return (_kept_results if small else _find_results)(job, key)


def _make(job: Job, key: str, name: str) -> None:
    """Compute and keep a result of the whole trace."""
    results = _results(job, key)
    if not results.is_kept(name):
        results.keep_packed(name, IN_PARTS[name].pack(_made(job, results, name)))


def _write(job: Job, key: str) -> tuple[Any, ...]:
    results = _results(job, key)
    if not all(map(results.find, NEEDED)):
        raise _damaged(job)
    return tuple(write_results(results, Path(job.output)))


def _damaged(job: Job) -> TopoviewError:
    """Report that what was kept is unreadable: anew it would hide a broken disk."""
    return TopoviewError(
        f"what was made of {job.path} is damaged in {job.folder}: remove that folder, "
        "and give the command again"
    )
