"""What the store holds: not too much, nothing foreign, and nothing when cleared."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from writer import write_trace

from topoview.io.archive import finding as archive
from topoview.model import Subset, Trace
from topoview.store import arrays as store_arrays
from topoview.store import traces as store
from topoview.store.encoding import decode_value, encode_value
from topoview.store.integrity import seal, unseal
from topoview.store.results import read_kept, write_kept
from topoview.store.traces import Store, cache_record, cache_text
from topoview.worker import read_in_process, results_of


def test_those_not_used_for_longest_go_first(
    simulated: Callable[..., Trace], tmp_path: Path, kept: Store
) -> None:
    anchors = [
        write_trace(simulated("torus", (n, 3)), tmp_path / str(n)) for n in (3, 4, 5)
    ]
    for anchor in anchors:
        read_in_process(anchor)
    for age, anchor in enumerate((anchors[2], anchors[1], anchors[0])):
        key = archive.store_key(anchor, Subset())
        when = time.time() - 100 * (age + 1)
        os.utime(kept.folder / key / store.MANIFEST, (when, when))
    read_in_process(anchors[0])  # used now
    sizes = {entry.trace: entry.size for entry in kept.entries()}
    kept.set_limit(sum(sizes.values()) - 1)
    # the worker that read the last one may look at it once more, a moment later
    assert {entry.trace for entry in kept.entries()} == {
        str(anchors[0]),
        str(anchors[2]),
    }


def test_what_is_larger_than_the_limit_is_told(
    anchor: Path, kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there as long as the process that has it open, and no longer."""
    monkeypatch.setenv("TOPOVIEW_CACHE_LIMIT", "1K")
    program = (
        "import sys, topoview\n"
        "trace = topoview.open(sys.argv[1])\n"
        "print(trace.warnings[-1], max(trace.timeline.state))"
    )
    told = subprocess.run(
        [sys.executable, "-c", program, anchor],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "topoview cache --limit" in told.stdout
    assert not told.stderr
    assert not kept.entries()


def test_one_row_for_a_trace_however_it_is_spelled(
    anchor: Path, kept: Store, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(anchor.parent)
    for path in (anchor, anchor.parent, link, link / anchor.name):
        read_in_process(path)
    (entry,) = kept.entries()
    assert entry.trace == str(anchor.resolve())
    assert not entry.stale


def test_what_was_replaced_is_removed(
    anchor: Path, kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Older code, changed files: of each part only the latest is kept."""
    read_in_process(anchor)
    read_in_process(anchor, subset=Subset(begin=0.0, end=1e-4))
    for manifest in list(kept.folder.glob("*/trace.json")):  # as if read by other code
        told = json.loads(unseal(manifest.read_bytes()))
        told["version"], told["key"] = "other", f"{manifest.parent.name[:-1]}z"
        manifest.write_bytes(seal(json.dumps(told).encode()))
        manifest.parent.rename(kept.folder / told["key"])
    assert all(entry.stale for entry in kept.entries())
    assert cache_text(kept).count("read by another version") == 2
    assert [told["stale"] for told in cache_record(kept)["traces"]] == [True, True]
    read_in_process(anchor)
    stale = {entry.part: entry.stale for entry in kept.entries()}
    assert len(stale) == len(kept.entries()) == 2
    assert stale.pop("all") is False
    assert list(stale.values()) == [True]
    os.utime(anchor, (1, 1))
    read_in_process(anchor)
    assert [entry.part for entry in kept.entries()].count("all") == 1
    stored = kept.size(kept.entries()[0].key)
    monkeypatch.setenv("TOPOVIEW_CACHE_LIMIT", str(stored + 1))
    kept.trim()
    assert [entry.stale for entry in kept.entries()] == [False]


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
        store_arrays.write_array(file, array)
        np.testing.assert_array_equal(np.load(file), array)
        found = store_arrays.load_array(file)
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)


def test_only_the_model_is_stored() -> None:
    with pytest.raises(TypeError):
        encode_value(Path("x"), lambda _, array: array)
    with pytest.raises((TypeError, KeyError, ValueError)):
        decode_value({"Path": ["x"]}, lambda told: told)


@pytest.mark.parametrize("count", [3, 5000])
def test_columns_of_many_ranks_are_kept_as_they_were(
    tmp_path: Path, count: int
) -> None:
    numbers = tuple(range(-1, count - 1))
    large = (1 << 63, *numbers[1:])
    huge = (1 << 80, *numbers[1:])
    names = tuple(f"node {n // 3}" for n in range(count))
    mixed = (True, *numbers[1:])
    value = {"of": (numbers, large, huge, names, ("",) * count, mixed)}
    write_kept(tmp_path / "value", value)
    again = read_kept(tmp_path / "value")
    assert again == value
    kinds = [list(map(type, column)) for column in again["of"]]
    assert kinds == [list(map(type, column)) for column in value["of"]]


def test_what_is_larger_than_the_limit_sends_no_other_away(
    simulated: Callable[..., Trace], tmp_path: Path, kept: Store
) -> None:
    small, large = (
        write_trace(simulated("torus", dims), tmp_path / str(dims[0]))
        for dims in ((3, 3), (12, 12))
    )
    results_of(read_in_process(small), ["profile"])
    kept.set_limit(2 * kept.entries()[0].size)
    trace = read_in_process(large)
    assert kept.size(archive.store_key(large, Subset())) > kept.limit
    assert results_of(trace, ["profile"])["profile"] is not None
    assert str(small) in [entry.trace for entry in kept.entries()]
