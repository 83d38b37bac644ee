"""Digests made in parts: a graph of tasks over parts of the ranks.

An `Executor` runs it: this process, processes of this machine, or Dask.

The steps are those of `topoview.io.parts`; what follows from the whole trace is made by
the tasks of `topoview.pipeline.IN_PARTS`, in a store beside them. All data go through
files of a folder that the workers share, Dask moves none: so messages are shuffled by
files that each part sorts once (Dask's own shuffle is one of data frames, and would
need pandas and pyarrow on all workers), no worker holds more than a part, and whatever
is whole on the disk is not made again, neither where a worker dies nor when the same
command is given once more.
"""

import errno
import uuid
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from numpy.typing import NDArray

from topoview.analysis.digest import NEEDED
from topoview.base.memory import granted_memory
from topoview.base.progress import Report, silent
from topoview.errors import RefusedError, TopoviewError
from topoview.io.archive import find_anchor, store_key
from topoview.io.otf2 import read_definitions_of
from topoview.io.parts.clocks import correct_clocks
from topoview.io.parts.decoding import decode_part, remove_events
from topoview.io.parts.joining import (
    Laid,
    files_of,
    finish_part,
    join_parts,
    lay_out,
    part_of,
    part_trace,
)
from topoview.io.parts.matching import (
    complete_part,
    groups_between,
    match_part,
    remove_receives,
)
from topoview.io.parts.settling import Settled, settle
from topoview.io.parts.work import (
    Work,
    cut_ranks,
    once,
    size_of_events,
    told_by,
)
from topoview.model import Part, Subset, Trace
from topoview.pipeline import IN_PARTS, Options, Results, ancestry, made_of
from topoview.store.arrays import fill_array_file, lay_out_array_file, load_array
from topoview.store.integrity import DAMAGE_ERRORS, claim_folder
from topoview.store.keys import code_version
from topoview.store.results import ResultCache
from topoview.store.temporary import NO_LIMIT
from topoview.store.traces import PARTIAL, Store
from topoview.store.writer import begin_writing
from topoview.worker.digest import DigestMade, write_results

MEMORY_A_BYTE: Final = 10
"""Bytes of memory that a part is given for each byte of its events; it takes 4.6:
benchmarks/digest.py."""

BRANCHES: Final = 16
"""Parts, or sums of parts, that are added up by a task."""

_PARTS_A_WORKER: Final = 4
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


class Executor(Protocol):
    """Runs tasks somewhere: here, in processes of this machine, or on a cluster."""

    def submit(self, stage: str, task: Callable[..., Any], *given: object) -> Any:  # noqa: ANN401 - a future
        """Begin a task; what is given may be what others will give, also in lists."""
        ...

    def value(self, future: Any) -> Any:  # noqa: ANN401 - of a task
        """Wait for what a task gives."""
        ...


def tell_progress(report: Report, tasks: Iterable[tuple[str, bool]]) -> None:
    """Report the first stage that is not done, and which share of it is.

    Parameters
    ----------
    tasks
        Stage of each, and whether it is done. A stage of several things names that
        behind a colon.
    """
    noted = list(tasks)
    waiting = next((stage for stage, is_done in noted if not is_done), None)
    if waiting is not None:
        stage = waiting.partition(":")[0]
        same = [done for name, done in noted if name.partition(":")[0] == stage]
        report(waiting, sum(same) / len(same))


class Here:
    """Runs each task at once, in this process."""

    def __init__(self, report: Report = silent) -> None:
        self._report = report

    def submit(self, stage: str, task: Callable[..., Any], *given: object) -> Any:  # noqa: ANN401 - what it gives
        """Run a task."""
        self._report(stage, 0.0)
        return task(*given)

    def value(self, future: Any) -> Any:  # noqa: ANN401 - of a task
        """Give what a task gave."""
        return future


def make_on(executor: Executor, job: Job) -> DigestMade:
    """Have a digest made: the graph.

    Raises what its tasks raise.
    """
    submit, value = executor.submit, executor.value
    work = submit("reading definitions", _open, job)
    parts = range(value(submit("reading definitions", _count_parts, work)))
    while True:
        decoded = [submit("reading", _decode, job, work, part) for part in parts]
        settled = submit("laying parts side by side", _settle, work, decoded)
        groups = range(value(submit("laying parts side by side", _count, settled)))
        matched = [submit("matching messages", _match, job, work, settled, group)
                   for group in groups]  # fmt: skip
        between = submit("matching messages", _between, work, settled, matched)
        if not value(between):
            break
        # Partners were taken for ranks of the wrong group: read once more.
        work = submit("reading definitions", _joined, work, between)
    complete = [submit("matching messages", _complete, work, settled, part, between)
                for part in parts]  # fmt: skip
    clocks = submit("aligning clocks", _correct, work, settled, complete)
    laid = submit("aligning clocks", _lay_out, work, settled, clocks)
    shared = work, settled, clocks, laid
    finished = [submit("writing columns", _finish, job, *shared, part)
                for part in parts]  # fmt: skip
    key = submit("joining parts", _join, job, *shared, finished)

    def in_parts(stage: str, names: tuple[str, ...], of: list[Any]) -> Any:  # noqa: ANN401 - a future
        lacking = submit(stage, _lacking, job, key, names, of)
        given = job, work, settled, key, names, lacking
        shares = [submit(stage, _share, *given, part, of) for part in parts]
        level = 0
        while len(shares) > 1 or not level:  # a tree
            level += 1
            some = [
                shares[at : at + BRANCHES] for at in range(0, len(shares), BRANCHES)
            ]
            joined = job, work, names, lacking, level
            shares = [submit(stage, _add_up, *joined, number, few)
                      for number, few in enumerate(some)]  # fmt: skip
        return submit(stage, _enter, job, key, shares[0])

    entered = in_parts("adding up parts", _SUMS, [])
    made: dict[str, Any] = dict.fromkeys(_SUMS, entered)
    for name in _needed():
        if name in made:
            continue
        of = [made[other] for other in made_of(name, IN_PARTS)]
        if "part" in IN_PARTS[name].of:
            made[name] = in_parts(_stage_of(name), (name,), of)
        else:
            made[name] = submit(_stage_of(name), _make, job, key, name, of)
    last = submit("writing the digest", _write, job, key, list(made.values()))
    return DigestMade(*value(last))


Made = Path | str
"""The file of what was made, or why it is not made."""

_SUMS: Final = tuple(
    name for name, one in IN_PARTS.items() if one.combine and "part" not in one.of
)
"""Results that are joined of those of traces of the parts."""


def _stage_of(name: str) -> str:
    """Name the stage in which a result is made."""
    return f"making results: {name.replace('_', ' ')}"


def _needed() -> list[str]:
    """Name the results that a digest holds, and those they are made of, in order."""
    wanted = set(NEEDED)
    for name in reversed(list(IN_PARTS)):
        if name in wanted and name not in _SUMS:
            wanted |= set(made_of(name, IN_PARTS))
    return [name for name in IN_PARTS if name in wanted]


# The tasks. What comes last in their parameters is only waited for.


def _open(job: Job) -> Work:
    """Read the definitions, and cut the ranks: once, also where it is asked again."""
    path, folder = Path(job.path), Path(job.folder)
    own = folder / store_key(path, Subset())
    for private in (folder, own, _store(job).folder):
        claim_folder(private)
    scratch = own / f"unpacked-{uuid.uuid4().hex}"  # an archive, or compressed files
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
    return Work(own, columns, defined, once(own / "parts.kept", cut))


def _count_parts(work: Work) -> int:
    return len(work.parts)


def _decode(job: Job, work: Work, part: int) -> None:
    with granted_memory(job.memory):
        decode_part(work, part)


def _settle(work: Work, _decoded: object) -> Settled:
    return settle(work)


def _count(settled: Settled) -> int:
    return len(settled.groups)


def _match(job: Job, work: Work, settled: Settled, group: int) -> None:
    with granted_memory(job.memory):
        match_part(work, settled, group)


def _between(
    work: Work, settled: Settled, _matched: object
) -> tuple[tuple[int, int], ...]:
    return groups_between(work, settled)


def _joined(work: Work, between: tuple[tuple[int, int], ...]) -> Work:
    remove_events(work)
    folder = work.folder / "joined"
    claim_folder(folder)
    return work._replace(folder=folder, defined=work.defined.joined(between))


def _complete(work: Work, settled: Settled, part: int, _between: object) -> None:
    complete_part(work, settled, part)


def _correct(work: Work, settled: Settled, _complete: object) -> object:
    return correct_clocks(work, settled)


def _lay_out(work: Work, settled: Settled, clocks: Any) -> Laid:  # noqa: ANN401 - of `_correct`
    remove_events(work)
    return lay_out(work, settled, clocks)


def _finish(  # noqa: PLR0913 - what the steps before gave
    job: Job,
    work: Work,
    settled: Settled,
    clocks: Any,  # noqa: ANN401 - of `_correct`
    laid: Laid,
    part: int,
) -> None:
    if work.columns.with_suffix("").exists():
        return  # they are joined
    with granted_memory(job.memory):
        finish_part(work, settled, clocks, laid, part)


def _share(  # noqa: PLR0913 - what the steps before gave
    job: Job,
    work: Work,
    settled: Settled,
    key: str,
    names: tuple[str, ...],
    lacking: str,
    part: int,
    _of: object,
) -> Made:
    """Make what a part has in some results; gives the file that holds it."""

    def make() -> dict[str, object]:
        trace = _trace(job, key)
        if names == _SUMS:
            own = part_trace(work, settled, trace, part)
            results = Results(own, Options(steps=job.steps), [])
            return {name: IN_PARTS[name].pack(results.make(name)) for name in names}
        own_part, made = part_of(work, settled, trace, part), dict[str, object]()
        for name in names:
            result = _results(job, key).share(name, own_part)
            result = _without_columns(job, key, name, own_part, result)
            made[name] = IN_PARTS[name].pack(result)
        return made

    file = _shares_file(job, work, names, lacking, 0, part)
    if any(IN_PARTS[name].columns for name in names):
        file = _store(job).folder / key / file.name  # it goes with the columns
    return _made_once(job, file, make)


def _made_once(job: Job, file: Path, make: Callable[[], object]) -> Made:
    with granted_memory(job.memory):
        try:
            once(file, make)
        except RefusedError as refusal:
            return str(refusal)
    return file


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
    """Give the columns of calls that a result has."""
    names = IN_PARTS[name].columns if result is not None else ()
    columns = {field: getattr(result, field) for field in names}
    return {field: column for field, column in columns.items() if column is not None}


def _column(job: Job, key: str, name: str, field: str) -> Path:
    """Name the file of a column: among those of the trace, where it stays."""
    return _store(job).folder / key / f"{name}.{field}-{_code():08x}.npy"


def _add_up(  # noqa: PLR0913 - what the steps before gave
    job: Job,
    work: Work,
    names: tuple[str, ...],
    lacking: str,
    level: int,
    number: int,
    files: list[Made],
) -> Made:
    """Join what some parts have in results, or what was joined of parts."""

    def make() -> dict[str, object]:
        parts = [told_by(Path(one), whole=True) for one in files]
        joined = {}
        for name in parts[0]:
            result = IN_PARTS[name]
            try:
                unpacked = [result.unpack(one[name], one.__getitem__) for one in parts]
            except DAMAGE_ERRORS as error:
                raise _damaged(job) from error
            joined[name] = result.pack(result.joined(unpacked, work.defined.regions))
        return joined

    refused = [one for one in files if isinstance(one, str)]
    if refused:
        return next(filter(None, refused), "")  # empty: it was told elsewhere
    file = _shares_file(job, work, names, lacking, level, number)
    return _made_once(job, file, make)


def _shares_file(  # noqa: PLR0913
    job: Job, work: Work, names: tuple[str, ...], lacking: str, level: int, number: int
) -> Path:
    name = f"sums-{_code():08x}-{job.steps}-{names[0]}{lacking}-{level}"
    return work.file(name, number)


def _lacking(job: Job, key: str, names: tuple[str, ...], _of: object) -> str:
    """Name what there is less of, for lack of memory, in what results are made of."""
    trace, results = _trace(job, key), ancestry(names[0], IN_PARTS)
    with granted_memory(job.memory):
        return "".join(
            f"-{of}" for of in sorted(results) if IN_PARTS[of].without(trace)
        )


def _code() -> int:
    """Give the number of the code that makes results: folders tell the reader's."""
    return zlib.crc32(code_version().encode())


def _enter(job: Job, key: str, file: Made) -> str:
    """Keep the joined results with the whole trace; tells why they are not made."""
    if isinstance(file, str):
        return file
    results = _results(job, key)
    with granted_memory(job.memory):
        for name, packed in told_by(file, whole=True).items():
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
    return ""


def _store(job: Job) -> Store:
    return Store(Path(job.folder) / "store", NO_LIMIT)


def _join(
    job: Job,
    work: Work,
    settled: Settled,
    clocks: Any,  # noqa: ANN401 - of `_correct`
    laid: Laid,
    _finished: object,
) -> str:
    """Enter the columns in the store as a trace; gives its key."""
    key, store = work.columns.with_suffix("").name, _store(job)
    if store.find(key) is not None:
        return key
    with granted_memory(job.memory):
        writer = begin_writing(store, key, silent, files_of(work, laid))
        if writer is None:
            return key
        try:
            trace = join_parts(
                work, settled, clocks, laid, writer.adopt, writer.allocate
            )
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


_kept_trace = lru_cache(maxsize=1)(_find_trace)
"""Maps the whole trace once in a worker: the system enters each page anew."""


def forget() -> None:
    """Let go of the files: as long as they are mapped they take room on the disk."""
    _kept_trace.cache_clear()


def _trace(job: Job, key: str) -> Trace:
    # what a worker has mapped is memory that it takes, by Dask's count
    small = _store(job).size(key) <= job.memory // 2
    return (_kept_trace if small else _find_trace)(job, key)


def _results(job: Job, key: str) -> Results:
    trace = _trace(job, key)
    caches = [ResultCache(_store(job), key)]
    return Results(trace, Options(steps=job.steps), caches, IN_PARTS)


def _make(job: Job, key: str, name: str, _of: object) -> str:
    """Make and keep a result of the whole trace; tells why it is not made."""
    results = _results(job, key)
    with granted_memory(job.memory):
        try:
            if not results.is_kept(name):
                results.keep_packed(name, IN_PARTS[name].pack(results.share(name)))
        except RefusedError as refusal:
            return str(refusal)
    return ""


def _write(job: Job, key: str, refused: list[str]) -> tuple[Any, ...]:
    results = _results(job, key)
    with granted_memory(job.memory):
        if not any(refused) and not all(map(results.find, NEEDED)):
            raise _damaged(job)
        digest = write_results(results, Path(job.output), refused=refused)
    return tuple(digest)


def _damaged(job: Job) -> TopoviewError:
    """Say that what was kept cannot be read: made again it would hide a broken disk."""
    return TopoviewError(
        f"what was made of {job.path} is damaged in {job.folder}: remove that folder, "
        "and give the command again"
    )
