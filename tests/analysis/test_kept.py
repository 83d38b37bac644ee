"""What is computed of a trace in the store is there when it is opened again."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest

from topoview import logical
from topoview.analysis import message_index as blocks
from topoview.analysis import overview
from topoview.model import Analysis, Trace
from topoview.pipeline import analyse, first_look, identification
from topoview.pipeline import kept_results as kept
from topoview.worker import read_in_process, write_trace


@pytest.fixture
def anchor(simulated: Callable[..., Trace], tmp_path: Path) -> Path:
    return write_trace(simulated("torus", (4, 3)), tmp_path / "run")


def assert_alike(one: object, other: object) -> None:
    """Compare all that is known, but for the trace."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype  # type: ignore[attr-defined]
    elif hasattr(one, "indptr"):
        assert (one != other).nnz == 0  # type: ignore[attr-defined]
    elif is_dataclass(one):
        for field in fields(one):
            if field.name != "trace":
                assert_alike(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, tuple):
        assert len(one) == len(other)  # type: ignore[arg-type]
        for left, right in zip(one, other, strict=True):  # type: ignore[call-overload]
            assert_alike(left, right)
    else:
        assert one == other


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("it is computed again")


def last(anchor: Path, files: tuple[Path, ...] = ()) -> tuple[Trace, list[Analysis]]:
    trace = read_in_process(anchor)
    return trace, list(analyse(trace, files=files))


def test_all_is_found_again_and_the_same(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, first = last(anchor)
    for module, name in (
        (identification, "identify_run"),
        (identification, "with_parts"),
        (logical, "logicalise"),
    ):
        monkeypatch.setattr(module, name, refuse)
    _, again = last(anchor)
    assert len(again) == 1
    assert first[-1].measured is not None
    assert_alike(first[-1], again[-1])
    assert again[-1].measured is not None
    assert again[-1].measured.logical is again[-1].logical
    assert again[-1].waits is not None


def test_other_patterns_and_other_code_are_asked_again(
    anchor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    last(anchor)
    pattern = tmp_path / "own.toml"
    pattern.write_text(
        'name = "own"\noffsets = [[1, 0], [0, 1]]\nperiodic = [true, true]\n'
    )
    _, found = last(anchor, (pattern,))
    assert len(found) > 1
    best = found[-1].identification
    assert best is not None
    assert "own" in best.best.topology.name
    monkeypatch.setattr(kept, "code_version", lambda: "another")
    _, found = last(anchor)
    assert len(found) > 1


def test_a_logical_trace_that_was_refused_is_made_once_it_may_be(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as small:
        small.setenv("TOPOVIEW_MEMORY", "1")
        _, found = last(anchor)
        assert found[-1].notes
        assert found[-1].logical is None
    _, found = last(anchor)
    assert found[-1].logical is not None
    monkeypatch.setenv("TOPOVIEW_MEMORY", "1")
    _, found = last(anchor)
    assert found[-1].notes


def test_no_interval_or_message_is_looked_at_again(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_MIN_ROWS_KEPT", 1)
    known = first_look(read_in_process(anchor))
    monkeypatch.setattr(overview, "scan_timeline", refuse)
    monkeypatch.setattr(blocks, "_summarise", refuse)
    again = first_look(read_in_process(anchor))
    assert again.trace is not known.trace
    assert_alike(known.overview, again.overview)
    assert_alike(known.message_index, again.message_index)
    assert_alike(known.transfers, again.transfers)


def test_a_trace_that_is_not_in_the_store_is_analysed_as_ever(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPOVIEW_CACHE", "off")
    for _ in range(2):
        _, found = last(anchor)
        assert len(found) > 1
        assert found[-1].logical is not None
