"""Common records, which are taken and counted in ways of their own, over chunks."""

import random
from pathlib import Path

import numpy as np
import pytest
from event_files import Event, Order, library_columns, write_definitions, write_file
from traces import simulated
from writer import EVENT_CHUNK, write_trace

from topoview.model import Trace
from topoview.worker import open_trace

REQUESTS = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a trace of six ranks, of which one has other events then."""
    run = tmp_path_factory.mktemp("quick") / "run"
    write_trace(simulated("grid", (3, 2)), run)
    return run


def program(seed: int, calls: int, rare: float) -> list[Event]:
    """Make events of messages in MPI calls; some are not as they mostly are."""
    rng = random.Random(seed)
    operation = simulated("grid", (3, 2)).regions.operation
    call, region = int(np.argmax(operation >= 0)), int(np.argmin(operation))
    found, time = [Event(1000, 12, (region,))], 1000
    for _ in range(calls):
        time += rng.randrange(1, 300)
        is_call = rng.random() >= rare
        found.append(Event(time, 12, (call if is_call else region,)))
        for _ in range(rng.randrange(4)):
            partner = rng.randrange(6) if rng.random() >= rare else 1 << 30
            tag = rng.choice([0, 3, 300, 1 << 20])
            fields = (partner, 0, tag, rng.randrange(1 << 30))
            request = rng.randrange(REQUESTS)
            kind = rng.choice([14, 15, 16, 17, 18, 19])
            if kind in (14, 18):
                found.append(Event(time, kind, fields))
            elif kind in (15, 19):
                found.append(Event(time, kind, (*fields, request + 50 * (kind == 15))))
            else:
                found.append(Event(time, kind, (request + 50 * (kind == 16),)))
        if rng.random() < rare:
            found.append(Event(time, 23, (1, 0, 0, 8, 8)))
        time += rng.randrange(2)
        found.append(Event(time, 13, (call if is_call else region,)))
    return [*found, Event(time + 1, 13, (region,))]


def read(folder: Path, events: list[Event], order: Order) -> Trace:
    data = write_file(events, order)
    (folder / "traces" / "2.evt").write_bytes(data)
    (folder / "traces" / "2.def").write_bytes(write_definitions(order, {}, []))
    return open_trace(folder)


@pytest.mark.parametrize(("calls", "rare"), [(2000, 0.1), (14_000, 4e-4)])
def test_common_records_are_what_the_library_reads(
    folder: Path, calls: int, rare: float
) -> None:
    events = program(calls, calls, rare)
    trace = read(folder, events, "little")
    size = (folder / "traces" / "2.evt").stat().st_size
    assert (size > 2 * EVENT_CHUNK) == (calls > 2000)
    assert np.diff(trace.calls.offsets)[2] > calls * (0.9 - rare)
    assert library_columns(folder) == []


@pytest.mark.parametrize("seed", range(4))
def test_both_byte_orders_are_the_same(folder: Path, seed: int) -> None:
    """Numbers in the other byte order are never taken in the quick way."""
    events = program(seed, 1000, 0.05)
    one, other = (read(folder, events, order) for order in ("little", "big"))
    for table in ("timeline", "calls", "messages", "collectives"):
        mine, theirs = getattr(one, table), getattr(other, table)
        for name in mine.__dataclass_fields__:
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
