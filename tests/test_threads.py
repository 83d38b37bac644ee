"""Work that is cut into parts and done in threads."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.base import threads
from topoview.base.threads import equal_parts, in_parts, in_threads


@given(st.lists(st.integers(0, 100), max_size=60), st.integers(1, 20))
def test_parts_hold_everything_once(work: list[int], parts: int) -> None:
    before = np.append(0, np.cumsum(work, dtype=np.int64))
    found = equal_parts(before, parts)
    assert [k for part in found for k in range(part.start, part.stop)] == [
        *range(len(work))
    ]
    assert len(found) <= parts
    assert all(part.stop > part.start for part in found)
    share = sum(work) / parts
    for part in found[:-1]:  # the last one ends where all does
        assert before[part.stop] - before[part.start] <= share + max(work) + 1


def test_as_many_parts_as_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 3)
    assert equal_parts(7) == [slice(0, 2), slice(2, 4), slice(4, 7)]
    assert equal_parts(0) == []
    for items in range(40):
        assert equal_parts(items) == equal_parts(np.arange(items + 1))


@pytest.mark.parametrize("count", [1, 4])
def test_results_are_in_order(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(threads, "cores", lambda: count)
    assert in_parts(lambda k: k * k, range(50)) == [k * k for k in range(50)]


def test_a_failure_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 4)
    with pytest.raises(ZeroDivisionError):
        in_parts(lambda k: 1 // (k - 5), range(20))


@pytest.mark.parametrize("given", [0, 1])
def test_fewer_threads_do_all_of_it(
    monkeypatch: pytest.MonkeyPatch, given: int
) -> None:
    """As where a limit of processes is reached."""
    start, started, done = threads.start_new_thread, [], []

    def limited(run: Callable[[], None], none: tuple[()]) -> None:
        if len(started) >= given:
            raise RuntimeError("can't start new thread")
        started.append(run)
        start(run, none)

    monkeypatch.setattr(threads, "start_new_thread", limited)
    in_threads([lambda k=k: done.append(k) for k in range(9)], threads=4)
    assert sorted(done) == [*range(9)]


def test_work_does_not_wait_for_threads_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Callable[[], None]] = []
    late = lambda run, _: started.append(run)  # noqa: E731
    monkeypatch.setattr(threads, "start_new_thread", late)
    done: list[int] = []
    in_threads([lambda k=k: done.append(k) for k in range(9)], threads=4)
    assert done == [*range(9)]
    for run in started:
        run()
    assert len(done) == 9


def test_what_is_told_ends_the_work() -> None:
    stopped, done = threading.Event(), []

    def tell() -> None:
        raise KeyboardInterrupt

    def work() -> None:
        assert stopped.wait(60)
        done.append(1)

    with pytest.raises(KeyboardInterrupt):
        in_threads([work] * 4, tell, stopped.set, threads=2)
    assert 0 < len(done) <= 2, "what goes on ends, nothing else begins"
