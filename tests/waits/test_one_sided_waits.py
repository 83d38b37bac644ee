"""Wait states of one-sided communication, by Scalasca's definitions."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_wait_states import suffered, sums_of
from traces import results_of_small
from windows import (
    ALL_TARGETS,
    MEMORY_AND_PROCESS,
    SHARED,
    fence,
    halo_of_puts,
    lock,
    on_window,
    put,
    random_epochs,
    sync,
    unlock,
)
from writer import write_trace

import topoview
from topoview.model import Trace
from topoview.pipeline import analyse
from topoview.report.write import page_text
from topoview.session import Picked, State
from topoview.ui.panels.picked.words import page_of


def end(*group: int) -> tuple[str, tuple[int, ...]]:
    return sync(*group, level=MEMORY_AND_PROCESS)


def held_up(trace: Trace) -> list[int]:
    return sums_of(trace).held_up.sum(axis=0).tolist()


def test_late_post_in_the_start() -> None:
    """MPI may let the start wait until the target posts."""
    trace = on_window(
        [
            [
                ("Win_start", 10, 45, sync(1)),
                ("Put", 46, 47, put(1)),
                ("Win_complete", 50, 52, end(1)),
            ],
            [("Win_post", 40, 41, sync(0)), ("Win_wait", 60, 61, end(0))],
        ]
    )
    assert suffered(trace) == {"late_post": [30, 0]}
    assert held_up(trace) == [0, 30]


def test_late_post_in_a_transfer() -> None:
    trace = on_window(
        [
            [
                ("Win_start", 10, 12, sync(1)),
                ("Put", 20, 45, put(1)),
                ("Win_complete", 50, 52, end(1)),
            ],
            [("Win_post", 40, 41, sync(0)), ("Win_wait", 60, 61, end(0))],
        ]
    )
    assert suffered(trace) == {"late_post": [20, 0]}


def test_late_post_in_the_complete_until_the_last_of_the_group() -> None:
    trace = on_window(
        [
            [
                ("Win_start", 10, 11, sync(1, 2)),
                ("Put", 12, 13, put(1)),
                ("Win_complete", 20, 75, end(1, 2)),
            ],
            [("Win_post", 40, 41, sync(0)), ("Win_wait", 80, 81, end(0))],
            [("Win_post", 70, 71, sync(0)), ("Win_wait", 80, 81, end(0))],
        ]
    )
    assert suffered(trace) == {"late_post": [50, 0, 0]}
    assert held_up(trace) == [0, 0, 50]


def test_a_start_that_returned_before_the_last_post_has_not_waited() -> None:
    trace = on_window(
        [
            [("Win_start", 10, 60, sync(1, 2)), ("Win_complete", 80, 82, end(1, 2))],
            [("Win_post", 40, 41, sync(0)), ("Win_wait", 90, 91, end(0))],
            [("Win_post", 70, 71, sync(0)), ("Win_wait", 90, 91, end(0))],
        ]
    )
    assert suffered(trace) == {}


def test_a_complete_that_returned_before_the_post_has_not_waited() -> None:
    """MPI may keep what is put and send it later (MPI 4.1, section 12.5.2)."""
    trace = on_window(
        [
            [
                ("Win_start", 10, 11, sync(1)),
                ("Put", 12, 13, put(1)),
                ("Win_complete", 14, 30, end(1)),
            ],
            [("Win_post", 40, 41, sync(0)), ("Win_wait", 60, 61, end(0))],
        ]
    )
    assert suffered(trace) == {}


@pytest.mark.parametrize("seed", range(8))
def test_late_post_is_what_scalasca_defines(seed: int) -> None:
    trace, waited = random_epochs(4, seed)
    assert waited[0]
    assert suffered(trace) == {"late_post": waited.tolist()}


def test_early_wait_of_which_a_part_is_late_complete() -> None:
    """Until 50 rank 0 puts, then it does something else before it completes."""
    trace = on_window(
        [
            [
                ("Win_start", 10, 11, sync(1)),
                ("Put", 45, 50, put(1)),
                ("Win_complete", 70, 75, end(1)),
            ],
            [("Win_post", 5, 6, sync(0)), ("Win_wait", 20, 77, end(0))],
        ]
    )
    assert suffered(trace) == {"early_wait": [0, 50]}
    assert sums_of(trace).late_complete.tolist() == [0, 20]
    assert held_up(trace) == [50, 0]


def test_without_transfers_all_of_an_early_wait_is_late_complete() -> None:
    trace = on_window(
        [
            [("Win_start", 10, 11, sync(1)), ("Win_complete", 70, 75, end(1))],
            [("Win_post", 5, 6, sync(0)), ("Win_wait", 20, 77, end(0))],
        ]
    )
    assert suffered(trace) == {"early_wait": [0, 50]}
    assert sums_of(trace).late_complete.tolist() == [0, 50]


def test_epochs_of_a_pair_belong_together_in_order() -> None:
    """The second epoch is late, not the first; with others in between."""
    trace = on_window(
        [
            [
                *(("Win_start", 10, 11, sync(1)), ("Win_complete", 20, 22, end(1))),
                *(("Win_start", 23, 24, sync(2)), ("Win_complete", 25, 26, end(2))),
                *(("Win_start", 30, 31, sync(1)), ("Win_complete", 32, 65, end(1))),
            ],
            [
                *(("Win_post", 5, 6, sync(0)), ("Win_wait", 24, 25, end(0))),
                *(("Win_post", 60, 61, sync(0)), ("Win_wait", 70, 71, end(0))),
            ],
            [("Win_post", 5, 6, sync(0)), ("Win_wait", 30, 31, end(0))],
        ]
    )
    assert suffered(trace) == {"late_post": [28, 0, 0]}


def test_a_test_that_fails_ends_no_epoch() -> None:
    trace = on_window(
        [
            [("Win_start", 10, 11, sync(1)), ("Win_complete", 40, 41, end(1))],
            [
                ("Win_post", 5, 6, sync(0)),
                ("Win_test", 20, 21, sync(0, level=0)),
                ("Win_wait", 30, 42, end(0)),
            ],
        ]
    )
    assert suffered(trace) == {"early_wait": [0, 10]}


def test_transfers_to_a_rank_in_a_fence_are_early_fence() -> None:
    """Rank 1 waits in the fence from 20 to 60; rank 0 puts into it until 50."""
    trace = on_window(
        [
            [
                ("Win_fence", 0, 5, fence()),
                ("Put", 40, 50, put(1)),
                ("Win_fence", 60, 62, fence()),
            ],
            [("Win_fence", 0, 5, fence()), ("Win_fence", 20, 62, fence())],
        ]
    )
    assert suffered(trace) == {"wait_at_fence": [0, 40]}
    assert sums_of(trace).early_fence.tolist() == [0, 30]


@pytest.mark.parametrize("waits_in", ["Win_lock", "Win_unlock"])
def test_lock_contention(waits_in: str) -> None:
    """Rank 1 has the lock until 50: rank 2 waits for it where MPI lets it."""
    late = {
        "Win_lock": [("Win_lock", 20, 51, lock(0)), ("Win_unlock", 60, 61, unlock(0))],
        "Win_unlock": [
            ("Win_lock", 15, 16, lock(0)),
            ("Win_unlock", 20, 51, unlock(0)),
        ],
    }
    trace = on_window(
        [
            [("Barrier", 0, 1, None)],
            [("Win_lock", 5, 6, lock(0)), ("Win_unlock", 48, 50, unlock(0))],
            late[waits_in],
        ]
    )
    assert suffered(trace) == {"lock_contention": [0, 0, 30]}
    assert held_up(trace) == [0, 30, 0]


def test_the_card_of_a_wait_says_which_end_of_which_call_ended_it() -> None:
    """A lock is there when the call that gives it back ends; a post when it begins."""
    trace = on_window(
        [
            [
                ("Win_start", 10, 45, sync(1)),
                ("Win_complete", 50, 52, end(1)),
                ("Win_lock", 70, 91, lock(1)),
                ("Win_unlock", 95, 96, unlock(1)),
            ],
            [
                *(("Win_post", 40, 41, sync(0)), ("Win_wait", 60, 61, end(0))),
                *(("Win_lock", 65, 66, lock(1)), ("Win_unlock", 88, 90, unlock(1))),
                ("Barrier", 91, 92, None),
            ],
        ]
    )
    *_, known = analyse(trace)
    state = State(analysis=known, window=(0, 100))
    told = {}
    for call in (0, 2):
        page = page_of(replace(state, picked=Picked("call", call)))
        assert page is not None
        told[call] = next(
            line for line in page_text(page).splitlines() if "until" in line
        )
    assert "rank 1, until its Win_post at " in told[0]
    assert "rank 1, until the end of its Win_unlock at " in told[2]


def test_who_shares_a_lock_does_not_wait_for_others_who_share_it() -> None:
    trace = on_window(
        [
            [("Barrier", 0, 1, None)],
            [("Win_lock", 5, 6, lock(0, SHARED)), ("Win_unlock", 48, 50, unlock(0))],
            [("Win_lock", 20, 21, lock(0, SHARED)), ("Win_unlock", 45, 52, unlock(0))],
        ]
    )
    assert suffered(trace) == {}


def test_an_exclusive_lock_waits_for_all_who_locked_all() -> None:
    trace = on_window(
        [
            [
                ("Win_lock_all", 5, 6, lock(ALL_TARGETS, SHARED)),
                ("Win_unlock_all", 48, 50, unlock(ALL_TARGETS)),
            ],
            [("Win_lock", 20, 51, lock(2)), ("Win_unlock", 55, 56, unlock(2))],
            [
                ("Win_lock_all", 30, 57, lock(ALL_TARGETS, SHARED)),
                ("Win_unlock_all", 60, 61, unlock(ALL_TARGETS)),
            ],
        ]
    )
    assert suffered(trace) == {"lock_contention": [0, 30, 26]}
    assert held_up(trace) == [30, 26, 0]


def test_locks_of_other_targets_do_not_contend() -> None:
    trace = on_window(
        [
            [("Win_lock", 5, 6, lock(0)), ("Win_unlock", 48, 50, unlock(0))],
            [("Win_lock", 20, 51, lock(1)), ("Win_unlock", 55, 56, unlock(1))],
        ]
    )
    assert suffered(trace) == {}


def test_a_chain_of_locks_is_due_to_its_first_holder() -> None:
    """Each is let in when the one before gives the lock back: in its unlock."""
    trace = on_window(
        [
            [("Win_lock", 20, 21, lock(0)), ("Win_unlock", 21, 55, unlock(0)), LAST],
            [("Win_lock", 10, 11, lock(0)), ("Win_unlock", 11, 53, unlock(0)), LAST],
            [("Win_lock", 1, 2, lock(0)), ("Win_unlock", 50, 51, unlock(0)), LAST],
        ]
    )
    assert suffered(trace) == {"lock_contention": [32, 40, 0]}
    results = results_of_small(trace)
    found = results.make("delays")
    assert found.of_rank.sum() == found.waiting == 72
    assert found.of_rank[2] > found.of_rank[:2].sum()
    path = results.make("critical_path")
    assert path.rank.tolist() == [2, 1, 0]
    assert path.begin[1:].tolist() == [51, 53]


LAST = ("Finalize", 90, 100, None)


def test_what_was_done_before_the_last_epoch_is_no_cause() -> None:
    """Rank 1 computes long before the first epoch, and a little before the second."""
    trace = on_window(
        [
            [
                *(("Win_start", 10, 11, sync(1)), ("Win_complete", 20, 105, end(1))),
                *(("Win_start", 110, 111, sync(1)), ("Win_complete", 112, 145, end(1))),
            ],
            [
                *(("Win_post", 100, 101, sync(0)), ("Win_wait", 106, 107, end(0))),
                *(("Win_post", 140, 141, sync(0)), ("Win_wait", 150, 151, end(0))),
            ],
        ]
    )
    assert suffered(trace) == {"late_post": [108, 0]}
    found = results_of_small(trace).make("delays")
    assert found.of_rank.tolist() == [0, 108]


@pytest.mark.parametrize("seed", range(3))
def test_waits_of_a_program_are_those_that_it_was_made_with(seed: int) -> None:
    trace, waited = halo_of_puts(7, 6, seed)
    expected = {kind: own.tolist() for kind, own in waited.items()}
    assert suffered(trace) == expected
    assert all(sum(own) for own in expected.values())
    found = results_of_small(trace).make("delays")
    assert found.waiting == sum(map(sum, expected.values()))
    assert found.of_rank.sum() == pytest.approx(found.waiting, abs=trace.ranks)


def test_what_is_read_of_an_archive_is_the_same(tmp_path: Path) -> None:
    trace = on_window(
        [
            [
                ("Win_start", 10, 12, sync(1, 2)),
                ("Put", 20, 45, put(1)),
                ("Win_complete", 50, 75, end(1, 2)),
                ("Win_lock", 80, 81, lock(1)),
                ("Win_unlock", 95, 96, unlock(1)),
                ("Win_fence", 100, 130, fence()),
            ],
            [
                ("Win_post", 40, 41, sync(0)),
                ("Win_wait", 60, 76, end(0)),
                ("Win_fence", 110, 130, fence()),
            ],
            [
                ("Win_post", 70, 71, sync(0)),
                ("Win_wait", 78, 79, end(0)),
                ("Win_lock", 85, 97, lock(1)),
                ("Win_unlock", 98, 99, unlock(1)),
                ("Win_fence", 120, 130, fence()),
            ],
        ]
    )
    expected = suffered(trace)
    assert expected == {
        "wait_at_fence": [20, 10, 0],
        "late_post": [20 + 20, 0, 0],
        "lock_contention": [0, 0, 11],
    }
    read = topoview.open(write_trace(trace, tmp_path / "run"))
    assert suffered(read) == expected
    assert sorted(read.groups) == sorted(trace.groups)
    for number, members in trace.groups.items():
        assert np.array_equal(read.groups[number], members)
