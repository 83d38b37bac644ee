"""Work folders of digests: nothing in them runs, and nobody else's is used."""

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import traces
from same import assert_same

from topoview.__main__ import main
from topoview.base.tasks import Here
from topoview.errors import TopoviewError
from topoview.pipeline import IN_PARTS, Options, Results
from topoview.store.integrity import open_private
from topoview.store.results import read_kept, write_kept
from topoview.worker.graph import Job, forget, make_on

NAME = "sp-rowcol-6x4"
STEPS = ("call_sums", "call_facts", "ranks_compared", "program")
NOBODY = 65534


@pytest.mark.parametrize(
    "name",
    [
        NAME,
        "ez-cg-8",
        "app-pennant-12",  # whose receives do not tell from whom
        "sp-threads-halo",
        "public-apex",  # parameters in call paths
        pytest.param("app-amg-12", marks=pytest.mark.slow),
    ],
)
def test_what_stands_between_steps_is_kept_whole(name: str, tmp_path: Path) -> None:
    results = Results(traces.read_real(name), Options(), [], IN_PARTS)
    for step in STEPS:
        made = results.make(step)
        write_kept(tmp_path / step, IN_PARTS[step].pack(made))
        again = IN_PARTS[step].unpack(read_kept(tmp_path / step), results.__getitem__)
        assert_same(again, IN_PARTS[step].unpack(IN_PARTS[step].pack(made), {}.get))
        assert type(again) is type(made)
        assert again is not made


class Runs:
    """Makes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        """Say what is to be run."""
        return os.mkdir, (str(self.file),)


@pytest.mark.parametrize("step", STEPS)
def test_a_planted_pickle_does_not_run(step: str, tmp_path: Path) -> None:
    """Such as by who had the folder before, in place of what is between two steps."""
    job = Job(
        str(traces.real_path(NAME)), str(tmp_path / "f.topoview"), str(tmp_path / "w"),
        2, 1, 1 << 32, 512,
    )  # fmt: skip
    make_on(Here(), job)
    ran = tmp_path / "ran"
    planted = np.frombuffer(pickle.dumps(Runs(ran)), np.uint8)
    pickle.loads(planted.tobytes())
    ran.rmdir()  # so a pickle would be noticed
    shares = list((tmp_path / "w").rglob(f"sums-*-{step}-*.kept"))
    kept = list((tmp_path / "w").rglob(f"store/*/{step}-*.kept"))
    assert kept
    for file, value in (
        *((one, {step: planted}) for one in shares),
        (kept[0], planted),
    ):
        file.unlink()
        write_kept(file, value)
    for behind in (*STEPS[STEPS.index(step) + 1 :], "ranks_told", "logical"):
        for file in (tmp_path / "w").rglob(f"*{behind}-*.kept"):
            file.unlink()
    forget()
    with pytest.raises(TopoviewError, match=r"is damaged in .*: remove that folder"):
        make_on(Here(), job)
    assert not ran.exists()


def given_away(folder: Path) -> None:
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)


def open_to_all(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)


def link(folder: Path) -> None:
    (folder.parent / "elsewhere").mkdir()
    folder.symlink_to(folder.parent / "elsewhere")


def dangling_link(folder: Path) -> None:
    folder.symlink_to(folder.parent / "nowhere")


@pytest.mark.parametrize(
    ("made", "why"),
    [
        pytest.param(
            given_away,
            "it belongs to another user",
            marks=pytest.mark.skipif(os.getuid() != 0, reason="only root gives away"),
        ),
        (open_to_all, "others may write to it"),
        (link, "it is a link"),
        (dangling_link, "it is a link"),
    ],
)
def test_a_work_folder_that_is_not_the_users_own_is_refused(
    made: Callable[[Path], None],
    why: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "f.topoview.work"
    made(folder)
    before = folder.lstat()
    output = str(tmp_path / "f.topoview")
    trace = str(traces.real_path(NAME))
    assert main(["digest", "--workers", "1", "-o", output, trace]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.endswith(
        f"{folder} is not used: {why}; remove it, or write to another folder"
    )
    assert folder.lstat().st_mode == before.st_mode
    assert not folder.exists() or not list(folder.iterdir())
    assert not Path(output).exists()


def test_a_file_that_others_may_write_to_is_not_read(tmp_path: Path) -> None:
    """One that came while the folder was open to them."""
    file = tmp_path / "parts-0.kept"
    write_kept(file, (1, 2))
    assert read_kept(file) == (1, 2)
    file.chmod(0o666)
    with pytest.raises(PermissionError, match="others may write to it"):
        open_private(file)
    if os.getuid() == 0:
        file.chmod(0o600)
        os.chown(file, NOBODY, NOBODY)
        with pytest.raises(PermissionError, match="it belongs to another user"):
            open_private(file)
