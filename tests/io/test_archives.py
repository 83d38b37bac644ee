"""Anchor files, folders and archives; and those that are refused."""

import gzip
import io
import os
import random
import shutil
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from topoview.errors import TraceError
from topoview.io.archive import unpacking
from topoview.model import Trace
from topoview.worker import open_trace


@pytest.fixture
def folder(simulated: Callable[..., Trace], tmp_path: Path) -> Path:
    """Write a folder that holds one trace."""
    from writer import write_trace

    return write_trace(simulated("grid", (3, 2)), tmp_path / "run").parent


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where archives are unpacked; empty again after each test."""
    place = tmp_path / "scratch"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


def same(one: Trace, other: Trace) -> bool:
    return one.events == other.events > 0 and one.ranks == other.ranks == 6


def test_anchor_and_folder(folder: Path) -> None:
    trace = open_trace(folder / "traces.otf2")
    assert same(trace, open_trace(folder))
    assert trace.name == "run"
    assert same(trace, open_trace(str(folder.parent / "run")))


def test_the_folder_above(folder: Path) -> None:
    outer = folder.parent / "outer"
    outer.mkdir()
    folder.rename(outer / "inner")
    assert open_trace(outer).name == "outer"


@pytest.mark.parametrize("suffix", ["tar", "tar.gz", "tgz", "tar.bz2", "tar.xz", "zip"])
def test_archives(folder: Path, scratch: Path, suffix: str) -> None:
    path = folder.parent / f"my.run.{suffix}"
    if suffix == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for file in folder.rglob("*"):
                archive.write(file, file.relative_to(folder.parent))
    else:
        kind = {"tgz": "gz", "tar": ""}.get(suffix, suffix.rpartition(".")[2])
        with tarfile.open(path, f"w:{kind}") as archive:
            archive.add(folder, "run")
    trace = open_trace(path)
    assert same(trace, open_trace(folder))
    assert trace.name == "my.run"
    assert trace.path == str(path)
    assert not list(scratch.iterdir())


def refused(path: Path, *words: str) -> None:
    with pytest.raises(TraceError) as caught:
        open_trace(path)
    text = str(caught.value)
    assert "\n" not in text
    for word in (str(path), *words):
        assert word in text


def tar_with(path: Path, *members: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w") as archive:
        for member in members:
            member.size = 4 if member.isfile() else 0
            archive.addfile(member, io.BytesIO(b"evil"))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


@pytest.mark.parametrize(
    "name",
    ["../traces.otf2", "/abs/traces.otf2", "a/../../traces.otf2", "..", "a\\..\\b.evt"],
)
def test_no_path_leaves_the_folder(tmp_path: Path, name: str) -> None:
    refused(tar_with(tmp_path / "a.tar", member(name)), "leads out of the folder")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, "evil")
    refused(tmp_path / "a.zip", "leads out of the folder")
    assert not (tmp_path / "traces.otf2").exists()


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE]
)
def test_links_and_devices_are_refused(tmp_path: Path, kind: bytes) -> None:
    path = tar_with(tmp_path / "a.tar", member("a/traces.otf2", kind, "/etc/passwd"))
    refused(path, "is a link or a device")


def test_links_in_zip_are_refused(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("traces.otf2")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    refused(tmp_path / "a.zip", "is a link or a device")


def test_two_files_of_one_name(tmp_path: Path) -> None:
    path = tar_with(tmp_path / "a.tar", member("x.otf2"), member("x.otf2"))
    refused(path, "is there twice")


def bomb(path: Path, *members: tuple[str, int]) -> Path:
    """Write a tar archive of zeros, packed small."""
    with tarfile.open(path, "w:gz") as archive:
        for name, size in members:
            info = tarfile.TarInfo(name)
            info.size = size
            archive.addfile(info, Zeros(size))
    return path


class Zeros(io.RawIOBase):
    def __init__(self, size: int) -> None:
        self._left = size

    def read(self, size: int = -1) -> bytes:
        size = self._left if size < 0 else min(size, self._left)
        self._left -= size
        return bytes(size)


@pytest.fixture
def low_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "_ANY_RATIO_BELOW_BYTES", 1 << 20)


@pytest.mark.usefixtures("low_bounds")
@pytest.mark.parametrize("name", ["run/traces/0.evt", "run/unwanted.txt"])
def test_what_unpacks_to_too_much_is_refused_before(
    tmp_path: Path, scratch: Path, name: str
) -> None:
    path = bomb(tmp_path / "a.tar.gz", ("run/traces.otf2", 9), (name, 1 << 23))
    refused(path, "would take more than 1 MiB", "unpack it yourself")
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, bytes(1 << 23))
    refused(tmp_path / "a.zip", "would take more than 1 MiB")
    assert not list(scratch.iterdir())


def test_too_many_members_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "_MAX_MEMBERS", 10)
    many = [(f"run/traces/{i}.evt", 0) for i in range(11)]
    refused(bomb(tmp_path / "a.tar.gz", *many), "more than 10 members")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, _ in many:
            archive.writestr(name, "")
    refused(tmp_path / "a.zip", "more than 10 members")


def test_what_has_no_room_is_refused_before_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    told = usage._replace(free=1 << 20)
    monkeypatch.setattr(unpacking.shutil, "disk_usage", lambda _: told)
    path = bomb(tmp_path / "a.tar.gz", ("run/traces.otf2", 1 << 20))
    refused(path, "not enough room", "set TMPDIR")


def test_progress_comes_for_members_that_are_not_wanted(tmp_path: Path) -> None:
    many = [(f"run/{i}.txt", 1000) for i in range(50)]
    path = bomb(tmp_path / "a.tar.gz", *many)
    told = []
    with pytest.raises(TraceError, match="holds no OTF2 trace"):
        open_trace(path, lambda stage, _: told.append(stage))
    assert told.count("unpacking") > 50


def test_a_cut_archive(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder, "run")
    os.truncate(path, path.stat().st_size // 2)
    refused(path, "damaged")


def test_no_such_file(tmp_path: Path) -> None:
    refused(tmp_path / "nothing.otf2", "does not exist")


def test_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", "holds no OTF2 trace")


def test_several_traces(tmp_path: Path) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for i in range(7):
        (many / f"run{i}.otf2").touch()
    refused(many, "7 traces", "run0.otf2", "and 2 more", "open one of them")


def test_no_trace_in_an_archive(tmp_path: Path) -> None:
    refused(tar_with(tmp_path / "a.tar", member("notes.txt")), "no OTF2 trace")


def test_another_file(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    refused(tmp_path / "notes.txt", "is no OTF2 trace")


def header(kind: bytes, size: int, content: bytes = b"") -> bytes:
    """Write the header of a member, and some content that follows."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512)


def pax_record(text: bytes) -> bytes:
    """Write an attribute, headed by its length."""
    size = len(text) + 3
    while len(b"%d %s\n" % (size, text)) != size:
        size += 1
    return b"%d %s\n" % (size, text)


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE])
def test_no_header_is_read_whole_that_is_too_long(tmp_path: Path, kind: bytes) -> None:
    """It says that its name has 3 GiB; so many zeros would be packed to 3 MB."""
    path = tmp_path / "a.tar.gz"
    with gzip.open(path, "wb", compresslevel=1) as archive:
        archive.write(header(kind, 3 << 30))
        for _ in range(64):
            archive.write(bytes(1 << 20))
    tracemalloc.start()
    refused(path, "has a name, or attributes, too long")
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()


def test_many_headers_of_one_member_are_refused(tmp_path: Path) -> None:
    """Python reads each by a call within that of the one before."""
    attribute = pax_record(b"comment=x")
    (tmp_path / "a.tar").write_bytes(
        3000 * header(tarfile.XHDTYPE, len(attribute), attribute) + bytes(1024)
    )
    refused(tmp_path / "a.tar", "too long")


def test_numbers_in_attributes_have_few_digits(tmp_path: Path) -> None:
    """Python before 3.11.10 needs the square of them: a second for 20,000."""
    digits = b"0" * 60_000
    begin = time.process_time()
    for number, size in enumerate((10, 1)):
        content = digits[: len(digits) // size]
        path = tmp_path / f"{number}.tar"
        path.write_bytes(header(tarfile.XHDTYPE, len(content), content) + bytes(1024))
        refused(path, "has a number too long")
    assert time.process_time() - begin < 1.0


def test_usual_attributes_are_read(folder: Path, tmp_path: Path) -> None:
    deep = folder.parent / ("d" * 200) / ("e" * 200)
    deep.mkdir(parents=True)
    folder.rename(deep / "run")
    path = tmp_path / "a.tar"
    notes = {"SCHILY.xattr.user.note": "x" * 4000}
    form = tarfile.PAX_FORMAT
    with tarfile.open(path, "w", format=form, pax_headers=notes) as archive:
        archive.add(deep, "d" * 200 + "/" + "e" * 200)
    assert same(open_trace(path), open_trace(deep / "run"))


@pytest.mark.parametrize("name", ["x/" * 2000 + "a.otf2", "n" * 300 + ".otf2"])
def test_names_that_no_disk_takes_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(member(name))
    with pytest.raises(TraceError, match="has too long a name") as caught:
        open_trace(path)
    assert "TMPDIR" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_zstandard(folder: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.add(folder, "run")
    packed = unpacking.zstd.compress((tmp_path / "a.tar").read_bytes())
    (tmp_path / "b.tar.zst").write_bytes(packed)
    assert same(open_trace(tmp_path / "b.tar.zst"), open_trace(folder))
    (tmp_path / "c.tar.zst").write_bytes(packed[: len(packed) // 2])
    refused(tmp_path / "c.tar.zst", "is damaged")


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_other_bytes_within_are_damage(folder: Path, tmp_path: Path, kind: str) -> None:
    """Also where no file is that is wanted: the checksum is that of all."""
    path = tmp_path / f"a.tar.{kind}"
    with tarfile.open(path, f"w:{kind}") as archive:  # type: ignore[call-overload]
        info = tarfile.TarInfo("run/notes.txt")
        info.size = 1 << 20
        archive.addfile(info, io.BytesIO(random.Random(1).randbytes(1 << 20)))
        archive.add(folder, "run")
    data = bytearray(path.read_bytes())
    at = len(data) * 7 // 8
    data[at : at + 4000] = bytes(4000)
    path.write_bytes(data)
    refused(path, "damaged")


def test_what_cannot_be_read_is_no_lack_of_room() -> None:
    if not Path("/proc/self/mem").exists():
        pytest.skip("there is no file whose bytes cannot be read")
    refused(Path("/proc/self/mem"), "cannot be read", "check its rights")


def test_a_part_of_a_trace(folder: Path) -> None:
    refused(folder / "traces.def", "part of a trace", "traces.otf2")


def test_an_anchor_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.otf2").write_text("hello " * 20)
    refused(tmp_path / "a.otf2", "damaged")
