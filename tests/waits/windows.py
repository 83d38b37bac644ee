"""One-sided records of traces written by hand, as Score-P writes them.

Transfers and requests for locks are recorded where a call begins, all else where it
ends.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from handmade import handmade

from topoview.model import EventRecords, Ints, Trace

WINDOW = 7
BARRIER, MEMORY_AND_PROCESS, PROCESS, NO_ROOT = 0, 3, 1, 2**32 - 1
ALL_TARGETS = 2**32 - 1
EXCLUSIVE, SHARED = 0, 1

FIELDS: dict[str, tuple[str, ...]] = {
    "RmaWinCreate": ("window",),
    "RmaCollectiveEnd": (
        *("operation", "sync_level", "window"),
        *("root", "bytes_sent", "bytes_received"),
    ),
    "RmaGroupSync": ("sync_level", "window", "group"),
    "RmaRequestLock": ("window", "remote", "lock", "type"),
    "RmaReleaseLock": ("window", "remote", "lock"),
    "RmaPut": ("window", "remote", "bytes", "matching"),
    "RmaGet": ("window", "remote", "bytes", "matching"),
}
AT_BEGIN = frozenset({"RmaRequestLock", "RmaPut", "RmaGet"})
FIRST_GROUP = 100
"""Identifiers below are those of communicators."""


def fence() -> tuple[str, tuple[int, ...]]:
    return "RmaCollectiveEnd", (BARRIER, MEMORY_AND_PROCESS, WINDOW, NO_ROOT, 0, 0)


def lock(target: int, kind: int = EXCLUSIVE) -> tuple[str, tuple[int, ...]]:
    return "RmaRequestLock", (WINDOW, target, 0, kind)


def unlock(target: int) -> tuple[str, tuple[int, ...]]:
    return "RmaReleaseLock", (WINDOW, target, 0)


def put(target: int) -> tuple[str, tuple[int, ...]]:
    return "RmaPut", (WINDOW, target, 64, 0)


def sync(*group: int, level: int = PROCESS) -> tuple[str, tuple[int, ...]]:
    """Begin or end an epoch with a group."""
    return "RmaGroupSync", (level, WINDOW, *group)


Call = tuple[str, int, int, tuple[str, tuple[int, ...]] | None]
"""Operation, when it is entered and left, and its record."""


def on_window(ranks: Sequence[Sequence[Call]]) -> Trace:
    """Make a trace of calls at given times with their records on one window.

    Parameters
    ----------
    ranks
        Of each rank the operations, when they are entered and left, and the record.
    """
    trace = handmade([[call[:3] for call in own] for own in ranks])
    groups: dict[tuple[int, ...], int] = {}
    rows: dict[str, list[tuple[int, int, tuple[int, ...]]]] = {}
    for rank, own in enumerate(ranks):
        for _, enter, leave, record in own:
            if record is None:
                continue
            name, values = record
            if name == "RmaGroupSync":
                members = values[2:]
                number = groups.setdefault(members, FIRST_GROUP + len(groups))
                values = (*values[:2], number)
            rows.setdefault(name, []).append(
                (rank, enter if name in AT_BEGIN else leave, values)
            )
    further = []
    for name, some in rows.items():
        counts = np.bincount([rank for rank, *_ in some], minlength=len(ranks))
        further.append(
            EventRecords(
                name,
                FIELDS[name],
                np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
                np.array([time for _, time, _ in some], np.int64),
                np.array([values for *_, values in some], np.int64),
            )
        )
    # other objects, or what is known of the trace's calls would be taken for it
    return replace(
        trace,
        calls=replace(trace.calls),
        further=tuple(further),
        groups={
            number: np.array(members, np.int32) for members, number in groups.items()
        },
    )


def halo_of_puts(ranks: int, turns: int, seed: int) -> tuple[Trace, dict[str, Ints]]:
    """Let the ranks of a ring put to both neighbours, and then take turns with a lock.

    Returns
    -------
    Trace, and the ticks that each rank waited, by kind
    """
    noise = np.random.default_rng(seed)
    calls: list[list[Call]] = [[] for _ in range(ranks)]
    waited = {
        kind: np.zeros(ranks, np.int64)
        for kind in ("late_post", "early_wait", "lock_contention")
    }
    groups = [tuple(sorted({(r - 1) % ranks, (r + 1) % ranks})) for r in range(ranks)]
    now = np.full(ranks, 10)

    def call(rank: int, name: str, record: tuple, until: int = 0) -> int:  # type: ignore[type-arg]
        """Enter a call, leave it a tick later or after some time; tell when entered."""
        enter, leave = int(now[rank]), max(int(now[rank]) + 1, until + 1)
        calls[rank].append((name, enter, leave, record))
        now[rank] = leave + 1
        return enter

    for _ in range(turns):
        now += noise.integers(5, 60, ranks)
        posted = [call(r, "Win_post", sync(*groups[r])) for r in range(ranks)]
        for rank, group in enumerate(groups):
            call(rank, "Win_start", sync(*group))
            for target in group:
                call(rank, "Put", put(target))
        last = [max(posted[r] for r in group) for group in groups]
        end = [sync(*group, level=MEMORY_AND_PROCESS) for group in groups]
        completed = [call(r, "Win_complete", end[r], last[r]) for r in range(ranks)]
        waited["late_post"] += np.maximum(np.subtract(last, completed), 0)
        last = [max(completed[r] for r in group) for group in groups]
        waits = [call(r, "Win_wait", end[r], last[r]) for r in range(ranks)]
        waited["early_wait"] += np.maximum(np.subtract(last, waits), 0)
        free = 0
        for rank in np.argsort(now, kind="stable").tolist():
            asked = call(rank, "Win_lock", lock(0), free)
            waited["lock_contention"][rank] += max(free - asked, 0)
            call(rank, "Win_unlock", unlock(0))
            free = calls[rank][-1][2]
    end_of_all = int(now.max()) + 5
    for rank in range(ranks):
        calls[rank].append(("Finalize", int(now[rank]), end_of_all, None))
    return on_window(calls), waited


def random_epochs(ranks: int, seed: int) -> tuple[Trace, Ints]:
    """Let rank 0 reach the others in epochs in which MPI waits anywhere, or nowhere.

    Calls end whenever they like, so that any of them may return before the posts.

    Returns
    -------
    Trace, and the ticks that rank 0 waited for posts: what Scalasca calls Late Post
    """
    noise = np.random.default_rng(seed)
    calls: list[list[Call]] = [[] for _ in range(ranks)]
    waited, now = 0, 1
    group = tuple(range(1, ranks))
    end = sync(*group, level=MEMORY_AND_PROCESS)
    for _ in range(8):
        posted = (now + noise.integers(0, 60, ranks)).tolist()
        reached = int(noise.integers(1, ranks))
        for name, record, needed in (
            ("Win_start", sync(*group), max(posted[1:])),
            ("Put", put(reached), posted[reached]),
            ("Win_complete", end, max(posted[1:])),
        ):
            enter = now + int(noise.integers(1, 10))
            leave = enter + 1 + int(noise.integers(0, 40))
            waited += needed - enter if enter < needed < leave else 0
            calls[0].append((name, enter, leave, record))
            now = leave
        now = max(now, *posted) + 2
        end_of_wait = sync(0, level=MEMORY_AND_PROCESS)
        for rank in group:
            post = ("Win_post", posted[rank], posted[rank] + 1, sync(0))
            calls[rank] += [post, ("Win_wait", now, now + 1, end_of_wait)]
        now += 2
    return on_window(calls), np.array([waited, *[0] * (ranks - 1)])
