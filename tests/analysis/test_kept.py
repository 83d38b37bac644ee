"""What is computed of a trace in the store is there when it is opened again."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest
from writer import write_trace

from topoview import pipeline
from topoview.analysis import kernels, overview
from topoview.model import Analysis, Trace
from topoview.pipeline import Options, making
from topoview.store.traces import user_store
from topoview.worker import (
    analyse_in_process,
    open_trace,
    read_in_process,
    results,
    results_of,
)


@pytest.fixture
def anchor(simulated: Callable[..., Trace], tmp_path: Path) -> Path:
    return write_trace(simulated("torus", (4, 3)), tmp_path / "run")


def assert_alike(one: object, other: object, but: str = "trace") -> None:
    """Compare all that is known, but for the trace, and how long it took."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype  # type: ignore[attr-defined]
    elif hasattr(one, "indptr"):
        assert (one != other).nnz == 0  # type: ignore[attr-defined]
    elif is_dataclass(one):
        for field in fields(one):
            if field.name not in but.split():
                assert_alike(getattr(one, field.name), getattr(other, field.name), but)
    elif isinstance(one, dict):
        assert_alike(tuple(one.items()), tuple(other.items()), but)  # type: ignore[attr-defined]
    elif isinstance(one, tuple):
        assert len(one) == len(other)  # type: ignore[arg-type]
        for left, right in zip(one, other, strict=True):  # type: ignore[call-overload]
            assert_alike(left, right, but)
    else:
        assert one == other or (one != one and other != other)  # NaN


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("it is computed again")


def found(anchor: Path, files: tuple[Path, ...] = ()) -> list[Analysis]:
    return list(analyse_in_process(anchor, options=Options(patterns=files)))


def test_all_is_found_again_and_the_same(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No process is started for it."""
    first = found(anchor)
    monkeypatch.setattr(results, "start", refuse)
    again = found(anchor)
    assert len(again) == 1
    assert first[-1].measured is not None
    assert_alike(first[-1], again[-1])
    assert again[-1].measured is not None
    assert again[-1].measured.logical is again[-1].logical
    assert again[-1].waits is not None


def test_what_is_made_here_is_what_is_made_behind_the_wall(anchor: Path) -> None:
    *_, here = pipeline.analyse(open_trace(anchor))
    assert_alike(here, found(anchor)[-1], "trace seconds")


def test_other_patterns_and_other_code_are_asked_again(
    anchor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(anchor)
    pattern = tmp_path / "own.toml"
    pattern.write_text(
        'name = "own"\noffsets = [[1, 0], [0, 1]]\nperiodic = [true, true]\n'
    )
    other = found(anchor, (pattern,))
    assert len(other) > 1
    best = other[-1].identification
    assert best is not None
    assert "own" in best.best.topology.name
    monkeypatch.setattr(results, "start", refuse)
    assert_alike(found(anchor)[-1], found(anchor)[-1])  # the one before is there yet
    monkeypatch.setattr(making, "code_version", lambda: "another")
    with pytest.raises(AssertionError, match="computed again"):
        found(anchor)


@pytest.mark.parametrize(
    ("name", "changed", "same"),
    [
        ("identification", Options(threshold=0.5), Options(functions=True)),
        ("logical", Options(functions=True), Options(spectrum=True)),
        ("profile", None, Options(0.5, functions=True, spectrum=True)),
    ],
)
def test_options_are_part_of_the_key_of_what_they_change(
    anchor: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    changed: Options | None,
    same: Options,
) -> None:
    results_of(anchor, [name])
    monkeypatch.setattr(results, "start", refuse)
    results_of(anchor, [name], same)
    if changed is not None:
        with pytest.raises(AssertionError, match="computed again"):
            results_of(anchor, [name], changed)


def test_no_interval_or_message_is_looked_at_again(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = pipeline.first_look(read_in_process(anchor))
    monkeypatch.setattr(overview, "scan_timeline", refuse)
    monkeypatch.setattr(kernels, "summarise", refuse)
    again = pipeline.first_look(read_in_process(anchor))
    assert again.trace is not known.trace
    assert_alike(known.overview, again.overview)
    assert_alike(known.message_index, again.message_index)
    assert_alike(known.transfers, again.transfers)


def test_without_a_cache_all_is_kept_as_long_as_the_process_lives(
    anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPOVIEW_CACHE", "off")
    first = found(anchor)
    assert len(first) > 1
    assert first[-1].logical is not None
    assert not first[-1].trace.warnings
    monkeypatch.setattr(results, "start", refuse)
    assert_alike(found(anchor)[-1], first[-1])
    assert user_store() is None
