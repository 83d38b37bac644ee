"""A window of a digest's trace that is fetched is that window of the trace."""

import errno
import json
import resource
from dataclasses import replace
from pathlib import Path

import pytest
import traces
from same import assert_same
from writer import write_trace

from topoview.__main__ import main
from topoview.errors import TopoviewError
from topoview.io.archive.finding import open_trace
from topoview.model import Subset
from topoview.pipeline import Results
from topoview.store.digest import read_digest
from topoview.worker.cluster import _read, _sentences
from topoview.worker.digest import make_digest, write_results
from topoview.worker.fetching import fetch_window

NAME = "sp-rowcol-6x4"

pytestmark = pytest.mark.usefixtures("one_store")


@pytest.fixture(scope="module")
def digest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the digest of a real trace that is named from its own folder."""
    file = tmp_path_factory.mktemp("digest") / "run.topoview"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(traces.real_path(NAME).parent)
        make_digest(traces.real_path(NAME).name, file)
    return file


def parts_of(length: float) -> list[Subset]:
    return [
        Subset(length * 0.4, length * 0.6),
        Subset(None, length * 0.1),
        Subset(length * 0.9),
        Subset(length * 0.3, length * 0.7, ((2, 5), (9, 9))),
        Subset(ranks=((0, 11),)),
    ]


@pytest.mark.parametrize("number", range(5))
def test_a_fetched_window_is_that_of_the_trace(
    number: int, digest: Path, tmp_path: Path
) -> None:
    whole = read_digest(digest)
    part = parts_of(whole.clock.seconds(whole.clock.length))[number]
    file = tmp_path / "window.topoview"
    made = fetch_window(digest, file, part)
    found, expected = read_digest(file), open_trace(traces.real_path(NAME), subset=part)
    assert_same(replace(found, path=expected.path), expected)
    assert (made.ranks, made.events) == (expected.ranks, expected.events)
    assert made.size == file.stat().st_size


@pytest.mark.parametrize(
    "name",
    [
        "ez-cg-8",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in [*traces.BUNDLED_NAMES, *traces.MORE_NAMES]
            if name != "ez-cg-8"
        ),
    ],
)
def test_what_a_worker_sends_is_that_window(name: str, tmp_path: Path) -> None:
    path, file = traces.real_path(name), tmp_path / "window.topoview"
    whole = traces.read_real(name)
    part = parts_of(whole.clock.seconds(whole.clock.length))[0]
    file.write_bytes(_read(str(path), part))
    assert_same(read_digest(file), open_trace(path, subset=part))


def test_results_of_a_window_are_those_of_that_part(
    digest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the commands, as they are typed."""
    file, trace = str(tmp_path / "window.topoview"), str(traces.real_path(NAME))
    part = ["--from", "0.02", "--to", "0.05"]
    assert main(["fetch", str(digest), *part, "-o", file]) == 0
    assert file in capsys.readouterr().out

    def said(*arguments: str) -> dict[str, object]:
        assert main([*arguments, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        return {k: v for k, v in told.items() if k not in ("seconds", "path", "name")}

    read = ["--read-from", "0.02", "--read-to", "0.05"]
    for command in ("info", "identify", "profile", "waits"):
        assert said(command, file) == said(command, trace, *read)


def test_what_cannot_be_fetched_is_said(
    digest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "window.topoview")
    trace = str(traces.real_path(NAME))
    for told, status, words in (
        ([str(digest)], 2, "say which part is wanted: --from and --to"),
        ([str(digest), "--from", "1e6"], 2, "has nothing after"),
        ([str(digest), "--ranks", "3-99"], 2, "has no rank 99"),
        ([trace, "--from", "0.01"], 1, "is no digest: all its events are in it"),
    ):
        assert main(["fetch", *told, "-o", file]) == status
        assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_another_trace_in_its_place_is_noticed(digest: Path, tmp_path: Path) -> None:
    whole, file = read_digest(digest), tmp_path / "of-another.topoview"
    assert whole.digest is not None
    results = Results(traces.simulated("grid", (3, 2)))
    write_results(results, file)
    other = read_digest(file)
    assert other.digest is not None
    from topoview.store.digest import write_digest

    own = replace(other, digest=replace(other.digest, trace=whole.digest.trace))
    write_digest(file, own, {})
    kept = tmp_path / "window.topoview"
    kept.write_text("as it was")
    with pytest.raises(TopoviewError, match=r"is another trace than .* is of"):
        fetch_window(file, kept, Subset(0.0, 0.01, ((0, 1),)))
    assert kept.read_text() == "as it was"


def test_a_full_disk_is_said_of_the_file_that_was_asked_for(
    digest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "window.topoview"
    monkeypatch.setattr("topoview.store.digest.put_digest", no_room)
    with pytest.raises(TopoviewError) as told:
        fetch_window(digest, file, Subset(0.02, 0.05))
    assert str(told.value).startswith(f"{file} cannot be written (No space left")
    assert "make room" in str(told.value)
    assert not list(tmp_path.iterdir())


def no_room(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_worker_needs_no_disk_for_what_it_sends(tmp_path: Path) -> None:
    anchor = write_trace(traces.simulated("grid", (3, 2)), tmp_path / "run")
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, most[1]))
    try:
        sent = _read(str(anchor), Subset())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
    file = tmp_path / "window.topoview"
    file.write_bytes(sent)
    assert_same(
        replace(read_digest(file), path=""), replace(open_trace(anchor), path="")
    )


def test_a_full_disk_of_a_worker_is_a_sentence() -> None:
    with (
        pytest.raises(TopoviewError, match="the disk for temporary files of a worker"),
        _sentences("run.otf2", "", "tcp://node17:8786"),
    ):
        no_room()
