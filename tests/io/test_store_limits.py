"""What the store holds: not too much, nothing foreign, and nothing when cleared."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from topoview.io import read_in_process, store, store_arrays, store_key, write_trace
from topoview.io.store import Store
from topoview.io.store_format import decode, encode
from topoview.model import MPIState, Subset, Trace


def test_those_not_used_for_longest_go_first(
    simulated: Callable[..., Trace], tmp_path: Path, kept: Store
) -> None:
    anchors = [
        write_trace(simulated("torus", (n, 3)), tmp_path / str(n)) for n in (3, 4, 5)
    ]
    for anchor in anchors:
        read_in_process(anchor)
    for age, anchor in enumerate((anchors[1], anchors[2], anchors[0])):
        key = store_key.store_key(anchor, Subset())
        when = time.time() - 100 * (age + 1)
        os.utime(kept.folder / key / store.MANIFEST, (when, when))
    read_in_process(anchors[0])  # used now
    sizes = {entry.trace: entry.size for entry in kept.entries()}
    kept.set_limit(sum(sizes.values()) - 1)
    assert [entry.trace for entry in kept.entries()] == [
        str(anchors[0]),
        str(anchors[1]),
    ]


def test_what_is_larger_than_the_limit_is_told(
    anchor: Path, kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPOVIEW_CACHE_LIMIT", "1K")
    trace = read_in_process(anchor)
    assert "topoview cache --limit" in trace.warnings[-1]
    assert trace.timeline.state[0] in list(MPIState)
    assert not kept.entries()


def test_clearing_removes_all(anchor: Path, kept: Store) -> None:
    read_in_process(anchor)
    count, size = kept.clear()
    assert (count, size > 1000) == (1, True)
    assert not list(kept.folder.iterdir())


def test_arrays_are_plain_npy_files(tmp_path: Path) -> None:
    for number, array in enumerate(
        (np.arange(7, dtype=np.uint8), np.zeros((3, 4)), np.zeros(0, np.int32))
    ):
        file = tmp_path / f"{number}.npy"
        store_arrays.write(file, array)
        np.testing.assert_array_equal(np.load(file), array)
        found = store_arrays.load(file)
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)


def test_only_the_model_is_stored() -> None:
    with pytest.raises(TypeError):
        encode(Path("x"), lambda _, array: array)
    with pytest.raises((TypeError, KeyError, ValueError)):
        decode({"Path": ["x"]}, lambda told: told)
