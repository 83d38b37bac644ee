"""Results computed side by side in threads are those computed in turn."""

import errno
import re
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import traces

from topoview.base.memory import granted_memory
from topoview.base.progress import Cancelled, Report, silent
from topoview.base.tasks import Executor, Graph, Here, Threads
from topoview.errors import RefusedError
from topoview.pipeline import RESULTS, STEPS, Results, results, results_at_once
from topoview.pipeline.results import Result
from topoview.store.results import write_kept

WANTED = [name for step in STEPS for name in step] + ["iterations"]


def test_as_many_at_once_as_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "cores", lambda: 3)
    trace = traces.simulated("torus", (4, 3))
    a_result = results._BYTES_A_CALL * len(trace.calls)
    for budget, count in ((0.1, 1), (1.9, 1), (2.1, 2), (50, 3)):
        with granted_memory(int(budget * a_result)):
            assert results_at_once(trace) == count


def made_of(name: str, threads: int, folder: Path) -> dict[str, bytes]:
    """Make all results of a trace, as files of the store, but for what they took."""
    results, refusals = Results(traces.read_real(name), None, []), dict[str, str]()
    if threads:
        with Threads(threads) as executor:
            results.make_all(WANTED, executor, executor.report, refusals.__setitem__)
    else:
        results.make_all(WANTED, Here(), silent, refusals.__setitem__)
    assert refusals == dict.fromkeys(WANTED, "")
    made = {}
    for result in WANTED:
        packed = RESULTS[result].pack(results[result])
        if result in ("identification", "parts", "logical"):
            packed = replace(packed, seconds=0.0)  # type: ignore[type-var]
        file = folder / f"{threads}-{result}"
        write_kept(file, packed, of=result)
        made[result] = file.read_bytes()
    return made


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("sp-jacobi2d-8x4-periodic-idlewave", (1, 2, 3, 7)),
        ("ez-cg-8", (2,)),
        pytest.param("ez-cg-8", (1, 3, 7), marks=pytest.mark.slow),
    ],
)
def test_results_are_the_same_by_any_number_of_threads(
    name: str, numbers: tuple[int, ...], tmp_path: Path
) -> None:
    wanted = made_of(name, 0, tmp_path)
    for threads in numbers:
        made = made_of(name, threads, tmp_path)
        for result in WANTED:
            assert made[result] == wanted[result], result


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_tasks_are_given_what_others_give(threads: int) -> None:
    with Threads(threads) as executor:
        graph = Graph(executor)
        shares = [graph.submit("a share", pow, base, 2) for base in range(30)]
        sums = [graph.submit("a sum", sum, shares[at : at + 3]) for at in (0, 12, 27)]
        last = graph.submit("a list", lambda *given: given, *sums, after=shares)
        assert graph.value(last) == (5, 509, 2354)


def test_independent_tasks_run_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=60)
    with Threads(2) as executor:
        waiting = [executor.submit("meeting", both.wait) for _ in range(2)]
        assert sorted(executor.value(one) for one in waiting) == [0, 1]


def test_only_the_first_task_is_reported() -> None:
    told: list[str] = []
    reported = threading.Event()

    def first() -> None:
        assert reported.wait(60)
        executor.report("first", 0.5)

    def second() -> None:
        executor.report("second", 0.5)
        reported.set()

    with Threads(2, lambda stage, _: told.append(stage)) as executor:
        tasks = [executor.submit("", first), executor.submit("", second)]
        for task in tasks:
            executor.value(task)
    assert told == ["first"]


def test_a_failure_is_raised_and_ends_the_others() -> None:
    begun, cancelled = threading.Event(), threading.Event()

    def go_on() -> None:
        begun.set()
        try:
            while True:
                executor.report("going on", 0.0)
                time.sleep(0.001)
        except Cancelled:
            cancelled.set()
            raise

    def fail() -> None:
        assert begun.wait(60)
        raise ZeroDivisionError

    with Threads(2) as executor:
        others = executor.submit("", go_on)
        executor.submit("", fail)
        never = executor.submit(
            "", lambda _: pytest.fail("it is given nothing"), others
        )
        with pytest.raises(ZeroDivisionError):
            executor.value(never)
    assert cancelled.is_set()


def test_what_the_report_raises_comes_out() -> None:
    trace = traces.read_real("ez-cg-8")

    def give_up(_stage: str, _fraction: float) -> None:
        raise Cancelled

    results = Results(trace, None, [])
    with Threads(2, give_up) as executor, pytest.raises(Cancelled):
        results.make_all(["waits", "logical"], executor, executor.report, print)


@pytest.mark.parametrize("threads", [0, 1, 2])
@pytest.mark.parametrize(
    ("error", "why"),
    [
        (RefusedError("too large"), "too large"),
        (OSError(errno.ENOSPC, "full"), "The large was not made: .* no room on the"),
    ],
)
def test_what_is_made_of_a_refused_result_is_refused(
    threads: int, error: Exception, why: str
) -> None:
    def refuse(*_: object) -> None:
        raise error

    def number(*_: object) -> int:
        return 7

    table = {
        "small": Result(number, ("trace",)),
        "step": Result(number, ("trace",), is_step=True),
        "large": Result(refuse, ("step",)),
        "larger": Result(number, ("large", "small")),
    }
    settled: list[tuple[str, str]] = []
    results = Results(traces.read_real("ez-cg-8"), None, [], table)

    def make(executor: Executor, report: Report) -> None:
        names = ["larger", "small"]
        results.make_all(names, executor, report, lambda *one: settled.append(one))

    if threads:
        with Threads(threads) as executor:
            make(executor, executor.report)
    else:
        make(Here(), silent)
    told = dict(settled)
    assert re.match(why, told.pop("larger"))
    assert told == {"small": ""}
    assert len(settled) == 2
    assert results["small"] == 7
    with pytest.raises(RefusedError, match=why):
        results.make("larger")
    assert not {"step", "large"} & results._results.keys()
