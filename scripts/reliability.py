#!/usr/bin/env python3
"""Try what must not break: damage, hostile input, kills, full disks, too little of all.

    scripts/reliability.py [--minutes 10] [--tries 3] [--seed N] [GROUP ...]

Run before a release, with the Python that topoview is installed for. Every program gets
a home, a cache and a temporary folder of its own. What is tried is to end in time, with
exit status 0 or, in one line that says what to do, 1 or 2; without a traceback, without
a crash, and with nothing left behind. Printed is a line for each group: how many tries
ended how, and the slowest; below it what went wrong. Exit status 1 if anything did.
Without root the full disk is a limit to the size of files.
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
REAL_TRACES = sorted((ROOT / "tests" / "data").glob("*.tar.xz"))
PATIENCE = 120.0
"""Seconds after which a program is taken to hang."""

FORK_PATIENCE = 60
FEWEST = 3
"""Tries of a group that has no time left."""

TRIALS = ROOT / "scripts" / "window_trials.py"
MIB = 1 << 20
MOST_BYTES = 20
MOST_FILES = 3
LATEST = 1e3
MOST_SECONDS = 5.0
"""Processor time that a look at something damaged may take."""
EVIL = "b\x1b[31m\x9b\u202e"


@dataclass
class Tally:
    """How the tries of a group ended.

    Attributes
    ----------
    ends
        Tries by how they ended.
    wrong
        What went wrong.
    slowest
        Seconds of the slowest one.
    """

    ends: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slowest: float = 0.0

    def add(self, end: str, seconds: float = 0.0, wrong: str = "") -> None:
        """Count a try."""
        self.ends[end] += 1
        self.slowest = max(self.slowest, seconds)
        if wrong:
            self.wrong.append(wrong)

    def require(self, right: bool, what: str) -> None:
        """Note what is not as it has to be."""
        if not right:
            self.wrong.append(what)


@dataclass
class End:
    """How a program ended; the status of one that hung is None."""

    status: int | None
    out: str
    err: str
    seconds: float

    @property
    def fault(self) -> str:
        """What is wrong with it, empty if nothing is."""
        lines = [line for line in self.err.splitlines() if line.startswith("topoview")]
        if self.status is None:
            return "hang"
        if "Traceback" in self.err:
            return f"traceback: {self.err.strip().splitlines()[-1]}"
        if self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}"
        if self.status not in (0, 1, 2):
            return f"exit status {self.status}"
        if self.status == 1 and len(lines) != 1:
            return f"exit status 1 with {len(lines)} lines: {self.err[-300:]!r}"
        if any(c in self.out + self.err for c in ("\x1b", "\u202e", "\0")):
            return "control characters reach the terminal"
        return ""

    @property
    def words(self) -> str:
        """How it ended, for the count."""
        if self.fault:
            return self.fault.partition(":")[0]
        return {0: "done", 1: "refused in one line", 2: "wrong usage"}[self.status or 0]


class Laboratory:
    """Folders in which programs run, and how they are started.

    Parameters
    ----------
    folder
        Where everything lies.
    seed
        Of what is random.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.rng = folder, random.Random(seed)
        self.traces = folder / "traces"
        for packed in REAL_TRACES:
            shutil.unpack_archive(packed, self.traces)
        self.names = sorted(path.name for path in self.traces.iterdir())
        self.deadline, self.wanted = float("inf"), FEWEST
        self.home = self.fresh_home()

    def tries(self) -> Iterator[int]:
        """Count tries as long as the group has time, as many as wanted in any case."""
        number = 0
        while number < self.wanted or time.monotonic() < self.deadline:
            yield number
            number += 1

    def fresh_home(self) -> Path:
        """Give the programs a home in which nothing is."""
        self.home = Path(tempfile.mkdtemp(dir=self.folder, prefix="home-"))
        for name in ("cache", "config", "tmp"):
            (self.home / name).mkdir(mode=0o700)
        return self.home

    def environment(self, **changes: str | None) -> dict[str, str]:
        """Make the environment of a program; None takes a variable away."""
        known: dict[str, str | None] = {
            **{k: v for k, v in os.environ.items() if not k.startswith("TOPOVIEW")},
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "TMPDIR": str(self.home / "tmp"),
            **changes,
        }
        return {k: v for k, v in known.items() if v is not None}

    def start(
        self,
        *line: str | Path,
        limits: Callable[[], None] | None = None,
        changes: dict[str, str | None] | None = None,
        out: Any = subprocess.PIPE,  # noqa: ANN401 - as Popen takes it
    ) -> subprocess.Popen[str]:
        """Start topoview, as the leader of a group of processes."""
        return subprocess.Popen(
            [sys.executable, "-m", "topoview", *map(os.fspath, line)],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            errors="backslashreplace",
            preexec_fn=limits,
            env=self.environment(**(changes or {})),
            start_new_session=True,
        )

    def run(self, *line: str | Path, **options: Any) -> End:  # noqa: ANN401 - of `start`
        """Run topoview to its end."""
        begin = time.monotonic()
        process = self.start(*line, **options)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            for child in (process.pid, *children(process.pid)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            out, err = process.communicate()
            return End(None, out or "", err, time.monotonic() - begin)
        seconds = time.monotonic() - begin
        return End(process.returncode, out or "", err, seconds)

    def copy(self, name: str) -> Path:
        """Copy a trace, to be damaged."""
        there = self.folder / "copy" / name
        shutil.rmtree(there.parent, ignore_errors=True)
        shutil.copytree(self.traces / name, there)
        return there

    def left_behind(self) -> list[str]:
        """List what lies where nothing should when no program runs any more."""
        store = self.home / "cache" / "topoview" / "traces"
        left = [path.name for path in (self.home / "tmp").iterdir()]
        left = [name for name in left if "topoview" in name]
        for pattern in ("*.lock", "*.partial", "trash-*", "*/*.writing"):
            left += [path.name for path in store.glob(pattern)]
        return left


def children(process: int) -> list[int]:
    """List the processes that one has started."""
    found = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(text) for text in path.read_text().split()]
    return found


def are_gone(processes: list[int]) -> bool:
    """Wait until processes have ended; tells whether they have."""
    end = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{process}/exe").exists() for process in processes):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def count(tally: Tally, what: str, end: End, *allowed: int) -> None:
    """Count how a program ended; told are the statuses that are right here."""
    fault = end.fault
    if not fault and allowed and end.status not in allowed:
        fault = f"exit status {end.status}: {end.err[-200:]!r}"
    tally.add(end.words, end.seconds, f"{what}: {fault}" if fault else "")


# Damaged traces


def damage(path: Path, files: list[Path], rng: random.Random) -> None:
    """Flip bytes of a file, cut it, or something worse."""
    data = bytearray(path.read_bytes()) if path.exists() else bytearray()
    if not data:
        return
    kind = rng.random()
    if kind < 0.7:
        for _ in range(rng.randrange(1, MOST_BYTES)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    elif kind < 0.85:
        del data[rng.randrange(len(data)) :]
    elif kind < 0.9:
        at = rng.randrange(len(data))
        data[at:at] = rng.randbytes(rng.randrange(1, MOST_BYTES))
    elif kind < 0.94:
        data = bytearray()
    elif kind < 0.97:
        other = rng.choice(files)
        data = bytearray(other.read_bytes() if other.exists() else b"")
    else:
        path.unlink()
        return
    path.write_bytes(data)


def damaged_trace(lab: Laboratory) -> Path:
    """Damage some files of a copy of a trace."""
    run = lab.copy(lab.rng.choice(lab.names))
    files = sorted(path for path in run.rglob("*") if path.is_file())
    chosen = min(lab.rng.randrange(1, MOST_FILES + 1), len(files))
    for path in lab.rng.sample(files, chosen):
        damage(path, files, lab.rng)
    return run


def in_fork(work: Callable[[], Any], patience: int = FORK_PATIENCE) -> tuple[Any, str]:
    """Do some work in a copy of this process, which has so many processor seconds.

    It has ten times as many by the clock: other programs may have the processors.

    Returns what it gives, as JSON, or None; and the signal that ended the copy.
    """
    listening, telling = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(10 * patience)
        resource.setrlimit(resource.RLIMIT_CPU, (patience, patience + 5))
        with os.fdopen(telling, "w") as pipe:
            json.dump(work(), pipe)
        os._exit(0)
    os.close(telling)
    with os.fdopen(listening) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return None, signal.Signals(os.WTERMSIG(status)).name
    return json.loads(text), ""


def read_and_describe(path: Path, subset: Any) -> str:  # noqa: ANN401 - a Subset
    """Read a trace and describe it; how that ended."""
    from topoview.errors import TraceError
    from topoview.report.info import info_page, info_record
    from topoview.report.write import page_text
    from topoview.worker import open_trace

    try:
        trace = open_trace(path, subset=subset)
        page_text(info_page(trace))
        json.dumps(info_record(trace))
    except TraceError as error:
        lines = "\n" in str(error)
        return "refused in several lines" if lines else "refused in one line"
    except BaseException as error:  # noqa: BLE001 - that is what is looked for
        return f"traceback: {error!r}"
    return "read and told" if trace.warnings else "read"


def read_in_fork(path: Path, subset: Any) -> tuple[str, str]:  # noqa: ANN401 - a Subset
    """Read and describe a trace in a copy of this process; how that ended."""
    told, name = in_fork(lambda: read_and_describe(path, subset))
    if told is None:
        hangs = name in ("SIGALRM", "SIGXCPU")
        return ("hang" if hangs else f"crash ({name})"), name
    wrong = told if told.startswith(("traceback", "refused in several")) else ""
    return told.partition(":")[0], wrong


def mutations(lab: Laboratory, tally: Tally) -> None:
    """Damaged traces, or parts of them: read and described in a copy of the process."""
    from topoview.model import Subset

    for _ in lab.tries():
        state = lab.rng.getstate()[1][:2]
        run, subset = damaged_trace(lab), None
        if lab.rng.random() < 0.3:
            begin = lab.rng.choice([None, lab.rng.uniform(0, 1) ** 4])
            end = lab.rng.choice([None, (begin or 0) + lab.rng.random() ** 6 * LATEST])
            ranks = lab.rng.choice([(), ((0, 1),), ((1, 3),)])
            with contextlib.suppress(ValueError):
                subset = Subset(begin, end, ranks)
        started = time.monotonic()
        end_, wrong = read_in_fork(run, subset)
        if wrong:
            saved = keep_evidence(run)
            wrong = f"{wrong} with {subset}, {state}, kept in {saved}"
        tally.add(end_, time.monotonic() - started, wrong)


def keep_evidence(run: Path) -> Path:
    """Keep a trace with which something went wrong."""
    there = Path(tempfile.mkdtemp(prefix="topoview-fault-"))
    shutil.copytree(run, there / run.name)
    return there


def commands(lab: Laboratory, tally: Tally) -> None:
    """Damaged traces through the command line, analyses and all."""
    for _ in lab.tries():
        run = damaged_trace(lab)
        command = lab.rng.choice(["info", "identify", "logical", "profile"])
        json_ = ["--json"] * (lab.rng.random() < 0.5)
        end = lab.run(command, run, *json_)
        what = f"{command} of a damaged {run.name}"
        if end.fault:
            what += f", kept in {keep_evidence(run)}"
        count(tally, what, end, 0, 1)
        if json_ and end.status == 0:
            json.loads(end.out)
    tally.require(not lab.left_behind(), f"left behind: {lab.left_behind()}")


# Hostile archives, and what is no file


class Zeros(io.RawIOBase):
    """So many zeros."""

    def __init__(self, size: int) -> None:
        self._left = size

    def read(self, size: int = -1) -> bytes:
        """Give some."""
        size = self._left if size < 0 else min(size, self._left)
        self._left -= size
        return bytes(size)


def member(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> tarfile.TarInfo:
    """Make the head of a member of an archive."""
    made = tarfile.TarInfo(name)
    made.type, made.size, made.linkname = kind, size, "/etc/passwd"
    return made


def hostile_archives(folder: Path) -> Iterator[tuple[Path, int]]:
    """Make hostile archives; each with the exit status that is right for it."""
    names = ["../traces.otf2", "/tmp/pwned.otf2", "a/../../pwned.evt", "a\\..\\b.evt"]
    names += ["x/" * 300 + "a.otf2", "n" * 300 + ".otf2", f"{EVIL}/../x.otf2"]
    kinds = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE]
    heads = [[member(name)] for name in names]
    heads += [[member("a/traces.otf2", kind)] for kind in kinds]
    heads += [
        [member("x.otf2"), member("x.otf2")],
        [member("a.otf2"), member("a.otf2/b.evt")],
    ]
    heads += [[member("run/a.evt", size=1 << 31)], [member("run/a.txt", size=1 << 31)]]
    heads += [[member(f"run/a/{i}.evt") for i in range(300_000)]]
    for number, members in enumerate(heads):
        path = folder / f"{number}.tar.gz"
        with tarfile.open(path, "w:gz", compresslevel=1) as archive:
            for one in members:
                archive.addfile(one, Zeros(one.size))
        yield path, 1
    for number, name in enumerate(names[:4]):
        with zipfile.ZipFile(folder / f"{number}.zip", "w") as zipped:
            zipped.writestr(name, "evil")
        yield folder / f"{number}.zip", 1
    (folder / "huge.tar").write_bytes(
        member("a.otf2", size=1 << 60).tobuf() + bytes(1024)
    )
    yield folder / "huge.tar", 1
    for suffix in ("tar", "zip", "tar.gz", "tar.xz", "otf2"):
        (folder / f"noise.{suffix}").write_bytes(random.Random(1).randbytes(5000))
        yield folder / f"noise.{suffix}", 1


def archives(lab: Laboratory, tally: Tally) -> None:
    """Try archives that lead out, link, repeat, or unpack to far too much."""
    folder = lab.folder / "hostile"
    folder.mkdir()
    for path, status in hostile_archives(folder):
        lab.fresh_home()
        count(tally, path.name, lab.run("info", path), status)
        tally.require(not lab.left_behind(), f"{path.name} left {lab.left_behind()}")
        path.unlink()
    for path in (Path("/tmp/pwned.otf2"), folder.parent / "pwned.evt"):
        tally.require(not path.exists(), f"{path} was written")


def special_files(lab: Laboratory, tally: Tally) -> None:
    """Pipes, devices, sockets and circles in place of the files of a trace."""

    def bind(path: Path) -> None:
        with socket.socket(socket.AF_UNIX) as made:
            here = Path.cwd()
            os.chdir(path.parent)  # a socket's name is short
            made.bind(path.name)
            os.chdir(here)

    makers: dict[str, Callable[[Path], None]] = {
        "pipe": os.mkfifo,
        "device": lambda path: path.symlink_to("/dev/zero"),
        "socket": bind,
        "circle": lambda path: path.symlink_to(path.name),
    }
    for kind, make in makers.items():
        folder = lab.folder / kind
        folder.mkdir()
        for name in ("p.otf2", "p.tar", "p.zip", "p"):
            make(folder / name)
            count(tally, f"{kind} {name}", lab.run("info", folder / name), 1)
        for pattern in ("*.otf2", "*.def", "*/*.evt", "*/*.def"):
            run = lab.copy(lab.names[0])
            path = sorted(run.glob(pattern))[0]
            path.unlink()
            make(path)
            end = lab.run("info", run)
            lost = kind == "circle"  # a file that is not there may be one that is lost
            count(tally, f"{kind} {pattern}", end, *((0, 1) if lost else (1,)))
    for name in (
        "/dev/zero",
        "/dev/stdin",
        "/proc/self/mem",
        "/",
        "x" * 300,
        "x/" * 3000,
    ):
        count(tally, name[:20], lab.run("info", name), 1)
    count(tally, "an empty name", lab.run("info", ""), 2)


# Kills, and too little of everything


def answer(lab: Laboratory, path: Path, **options: Any) -> End:  # noqa: ANN401
    """Ask what a trace holds, as JSON."""
    return lab.run("info", path, "--json", **options)


def same_but_notes(one: str, other: str) -> bool:
    """Tell whether two answers differ in notes only."""
    with contextlib.suppress(ValueError):
        records = [json.loads(text) for text in (one, other)]
        for record in records:
            for name in ("path", "warnings", "health", "seconds"):
                record.pop(name, None)
        return bool(records[0] == records[1])
    return False


def kills(lab: Laboratory, tally: Tally) -> None:
    """Kill the command, or what works for it, at random moments; then ask again."""
    path = REAL_TRACES[-1]
    lab.fresh_home()
    right = answer(lab, path)
    usual = right.seconds
    for _ in lab.tries():
        lab.fresh_home()
        command = lab.rng.choice(["info", "logical"])
        process = lab.start(command, path, "--json")
        time.sleep(lab.rng.uniform(0, 1.5 * usual))
        who = lab.rng.choice(["command", "worker"])
        workers = children(process.pid)  # nobody's children once it is killed
        victims = [process.pid] if who == "command" else workers
        hit = process.poll() is None and bool(victims)
        for victim in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        workers += children(process.pid)
        _, err = process.communicate(timeout=PATIENCE)
        if who == "worker" and hit:
            tally.require(
                "Traceback" not in err, f"the worker was killed: {err[-300:]}"
            )
        tally.require(are_gone(workers), f"{workers} outlived the command")
        again = answer(lab, path)
        tally.require(
            same_but_notes(again.out, right.out), f"{command}: another answer"
        )
        count(tally, "after a kill", again, 0)
        tally.require(not lab.left_behind(), f"left behind: {lab.left_behind()}")
        tally.add(f"{who} killed" if hit else "too late")


def signals(lab: Laboratory, tally: Tally) -> None:
    """SIGTERM, SIGINT and SIGHUP while a trace is read."""
    kinds = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    for turn in lab.tries():
        number = kinds[turn % len(kinds)]
        lab.fresh_home()
        process = lab.start("logical", REAL_TRACES[-1])
        time.sleep(lab.rng.uniform(0.2, 1.5))
        begin = time.monotonic()
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
        seconds = time.monotonic() - begin
        quiet = "Traceback" not in err or number == signal.SIGINT
        tally.add(number.name, seconds, "" if quiet else f"{number.name}: {err[-300:]}")
        count(tally, "after it", answer(lab, REAL_TRACES[-1]), 0)


@contextlib.contextmanager
def small_disk(lab: Laboratory, size: int) -> Iterator[Path | None]:
    """Have a file system of so many bytes; None without the right to mount."""
    place = Path(tempfile.mkdtemp(dir=lab.folder, prefix="disk-"))
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "none", place]
    if (
        os.getuid()
        or subprocess.run(command, capture_output=True, check=False).returncode
    ):
        yield None
        return
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=False)


def full_disks(lab: Laboratory, tally: Tally) -> None:
    """Put the cache, or temporary files, on a disk that is full."""
    path = REAL_TRACES[-1]
    right = answer(lab, path)
    for kib in (8, 64, 512, 1024, 2048, 16384):
        lab.fresh_home()
        with small_disk(lab, kib << 10) as disk:
            if disk is None:
                size = kib << 10

                def limit(size: int = size) -> None:
                    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

                count(
                    tally, f"files of {kib} KiB", answer(lab, path, limits=limit), 0, 1
                )
                continue
            cache: dict[str, str | None] = {"TOPOVIEW_CACHE": str(disk)}
            for command in ("info", "logical"):
                end = lab.run(command, path, "--json", changes=cache)
                count(tally, f"{command}, cache of {kib} KiB", end, 0)
                if command == "info":
                    same = same_but_notes(end.out, right.out)
                    tally.require(same, f"cache of {kib} KiB: another answer")
            partial = list(disk.rglob("*.partial"))
            tally.require(not partial, f"{partial} on a full disk")
            temporary: dict[str, str | None] = {"TMPDIR": str(disk)}
            end = answer(lab, path, changes=temporary | {"TOPOVIEW_CACHE": "off"})
            count(tally, f"TMPDIR of {kib} KiB", end, 0, 1)
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            count(tally, "output on a full disk", lab.run("info", path, out=full), 1)


def homes(lab: Laboratory, tally: Tally) -> None:
    """Homes, caches and temporary folders that are not there or cannot be written."""
    path = lab.traces / lab.names[0]
    (lab.folder / "file").write_text("no folder")
    file = str(lab.folder / "file")
    closed = lab.folder / "closed"
    closed.mkdir(mode=0o500)
    shared = lab.folder / "shared"
    (shared / "traces").mkdir(parents=True)
    (shared / "traces").chmod(0o777)
    changes: list[dict[str, str | None]] = [
        {"HOME": str(closed), "XDG_CACHE_HOME": None, "XDG_CONFIG_HOME": None},
        {"HOME": None, "XDG_CACHE_HOME": None, "XDG_CONFIG_HOME": None},
        {"HOME": "/nowhere", "XDG_CACHE_HOME": None, "XDG_CONFIG_HOME": None},
        {"XDG_CACHE_HOME": "relative"},
        {"XDG_CACHE_HOME": file},
        {"TOPOVIEW_CACHE": "/proc/nowhere"},
        {"TOPOVIEW_CACHE": file},
        {"TOPOVIEW_CACHE": str(shared)},
        {"TOPOVIEW_CACHE": "off"},
        {"TMPDIR": "/nowhere"},
    ]
    for change in changes:
        for command in ("info", "logical"):
            end = lab.run(command, path, changes=change)
            count(tally, f"{command} with {change}", end, 0)
    tally.require(not list((shared / "traces").iterdir()), "a shared cache was used")


def too_little(lab: Laboratory, tally: Tally) -> None:
    """Few descriptors, small files, little memory."""
    path = REAL_TRACES[-1]
    limits = [(resource.RLIMIT_NOFILE, n) for n in (20, 64)]
    limits += [(resource.RLIMIT_FSIZE, 100_000)]
    limits += [(resource.RLIMIT_AS, n << 20) for n in (300, 600, 1000, 2000)]
    limits += [(resource.RLIMIT_NPROC, 1)]
    for kind, value in limits:
        for command in ("info", "logical"):
            lab.fresh_home()

            def limit(kind: int = kind, value: int = value) -> None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(kind, (value, value))

            end = lab.run(command, path, limits=limit)
            if (
                kind == resource.RLIMIT_AS
                and value < 1000 << 20
                and "topoview:" not in end.err
            ):
                tally.add("Python had no room", end.seconds)
                continue
            count(tally, f"{command} with limit {kind} of {value}", end, 0, 1)


# The cache


# What is kept, damaged: it is found as it was written, or not at all

BATCH = 100
"""Tries of a copy of this process, which a crash would end."""

ALL_RESULTS_EVERY = 40
"""Tries of which one looks at all results that are kept; the others only at those
whose files are damaged."""

BYTES: dict[str, Callable[[bytes, int, random.Random], bytes]] = {
    "flip": lambda data, at, rng: (
        data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    ),
    "cut": lambda data, at, _: data[:at],
    "absurd": lambda data, at, _: data[:at] + len(data[at:]) // 4 * b"\xff\xff\xff\x7f",
    "more": lambda data, _, rng: data + rng.randbytes(rng.randrange(1, MOST_BYTES)),
    "empty": lambda *_: b"",
    "version": lambda data, *_: re.sub(
        rb"[0-9a-f]{32}|\"version\": 2", b"0" * 32, data, count=1
    ),
}
"""Other bytes than those of a file, from a place on."""

INSTEAD: dict[str, Callable[[Path], object]] = {
    "gone": lambda _: None,
    "link": lambda path: path.symlink_to(f"{path}.moved"),
    "dangling": lambda path: path.symlink_to("/nowhere"),
    "folder": lambda path: path.mkdir(),
    "pipe": lambda path: os.mkfifo(path),
}
"""What is there instead of a file that was moved beside."""

STATUS: dict[str, Callable[[Path], object]] = {
    "owner": lambda path: os.getuid() or os.chown(path, 65534, -1),  # type: ignore[func-returns-value]
    "rights": lambda path: path.chmod(0o666),
    "clock": lambda path: os.utime(path, (0, 0)),
    "later": lambda path: os.utime(path, (1 << 33, 1 << 33)),
}
"""What is not in a file, but known of it."""

OTHERS: dict[str, Callable[[Path, Path], object]] = {
    "swap": lambda path, other: other.replace(path),
    "another's": lambda path, other: shutil.copyfile(other, path),
}
"""What another file does to it."""


def spoil(path: Path, other: Path, rng: random.Random) -> str:
    """Damage a file in some way; tells in which."""
    kind = rng.choice([*BYTES, *INSTEAD, *STATUS, *OTHERS])
    if kind in INSTEAD:
        path.rename(f"{path}.moved")
        INSTEAD[kind](path)
    elif kind in STATUS:
        STATUS[kind](path)
    elif kind in OTHERS:
        if path != other:
            OTHERS[kind](path, other)
    elif data := path.read_bytes():
        path.write_bytes(BYTES[kind](data, rng.randrange(len(data)), rng))
    return kind


def print_of(value: object) -> str:
    """Tell one value of the model from another, arrays and all."""
    from topoview.store.encoding import encode_value

    def put(_: str, array: Any) -> str:  # noqa: ANN401 - an array
        whole = f"{array.dtype.str} {array.shape}".encode() + array.tobytes()
        return hashlib.sha256(whole).hexdigest()

    encoded = json.dumps(encode_value(value, put), default=repr)
    return hashlib.sha256(encoded.encode()).hexdigest()


@dataclass
class Kept:
    """Something that is kept, and what is found in it.

    Attributes
    ----------
    folder
        Where its files are; it is put back after each try.
    look
        Prints of what is found, by name: of the trace, and of such results. What is
        refused in one line, or is not there, is left out.
    """

    name: str
    folder: Path
    look: Callable[[Collection[str]], dict[str, str]]


def kept_things(lab: Laboratory) -> list[Kept]:
    """Make an entry of the cache, a digest and a session."""
    from topoview.errors import SessionError, TopoviewError, TraceError
    from topoview.pipeline import RESULTS, Results
    from topoview.session import State
    from topoview.store.digest import read_results
    from topoview.store.results import ResultCache
    from topoview.store.traces import user_store
    from topoview.ui.session_file import load_session, session_text
    from topoview.worker import open_trace
    from topoview.worker.results import shown_of

    path = lab.traces / lab.names[-1]
    os.environ["TOPOVIEW_CACHE"] = str(lab.folder / "cache")
    analysis = shown_of(path)
    store = user_store()
    assert store is not None
    (entry,) = store.entries()

    def look_at_cache(names: Collection[str]) -> dict[str, str]:
        trace = store.find(entry.key)
        if trace is None:
            return {}
        found = {"trace": print_of(replace(trace, path="", name=""))}
        results = Results(trace, caches=[ResultCache(store, entry.key)])
        for name in names:
            with contextlib.suppress(TopoviewError):
                if RESULTS[name].is_step or not results.is_kept(name):
                    continue
                if results.find(name):
                    packed = RESULTS[name].pack(results[name])
                    found[name] = print_of((packed,))
        return found

    digest = lab.folder / "digest" / "d.topoview"
    digest.parent.mkdir()
    lab.run("digest", path, "--output", digest, "--steps", "100")

    def look_at_digest(names: Collection[str]) -> dict[str, str]:
        with contextlib.suppress(TraceError):
            found = {"trace": print_of(replace(open_trace(digest), path="", name=""))}
            if names:
                results = read_results(digest)
                found |= {name: print_of((value,)) for name, value in results.items()}
            return found
        return {}

    session = lab.folder / "session" / "s.json"
    session.parent.mkdir()
    session.write_text(session_text(State(analysis=analysis, time=1)))

    def look_at_session(_: Collection[str]) -> dict[str, str]:
        # it has no checksum, as users write sessions: another view is none that lies
        with contextlib.suppress(SessionError):
            load_session(session, analysis)
            return {"session": "a view"}
        return {}

    return [
        Kept("cache", store.folder / entry.key, look_at_cache),
        Kept("digest", digest.parent, look_at_digest),
        Kept("session", session.parent, look_at_session),
    ]


def put_back(kept: Kept, whole: Path) -> None:
    """Have the files again that were there before any damage."""
    shutil.rmtree(kept.folder, ignore_errors=True)
    shutil.copytree(whole, kept.folder)
    kept.folder.chmod(0o700)


def try_damages(
    kept: Kept, whole: Path, right: dict[str, str], tries: range, seed: int
) -> tuple[Counter[str], list[str]]:
    """Damage something again and again, and look at it."""
    ends: Counter[str] = Counter()
    wrong: list[str] = []
    names = sorted(file.name for file in whole.iterdir())
    for number in tries:
        rng = random.Random(f"{seed} {kept.name} {number}")
        put_back(kept, whole)
        files = [kept.folder / name for name in names]
        path = files[number % len(files)]
        other = rng.choice(files)
        kind = spoil(path, other, rng)
        what = f"{kept.name}, {path.name}, {kind}, try {number}"
        begin = time.process_time()
        try:
            hit = {file.name.partition("-")[0] for file in (path, other)}
            every = number % ALL_RESULTS_EVERY == 0 or len(files) == 1
            looked = right.keys() if every else hit
            found = kept.look(looked & right.keys() - {"trace", "session"})
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            wrong.append(f"{what}: {error!r}")
            ends["traceback"] += 1
            continue
        lies = [name for name, value in found.items() if value != right[name]]
        wrong += [f"{what}: another {name}, untold" for name in lies]
        wrong += [f"{what}: takes long"] * (time.process_time() - begin > MOST_SECONDS)
        lacks = (looked | {"trace", "session"}) & right.keys() - found.keys()
        end = "another, untold" if lies else "made again" if lacks else "as it was"
        ends[f"{kept.name} {end}"] += 1
    return ends, wrong


def damages(lab: Laboratory, tally: Tally) -> None:
    """Files of a cache, a digest and a session, damaged: the truth, or nothing."""
    from topoview.pipeline import RESULTS

    things = kept_things(lab)
    wholes = []
    for kept in things:
        wholes.append(lab.folder / f"whole-{kept.name}")
        shutil.copytree(kept.folder, wholes[-1])
    rights = [kept.look(RESULTS) for kept in things]
    for right, kept in zip(rights, things, strict=True):
        tally.require(bool(right), f"{kept.name}: nothing is found in it")
    seed = lab.rng.randrange(1 << 30)
    for turn in lab.tries():
        if turn * BATCH >= lab.wanted and time.monotonic() > lab.deadline:
            break
        which = (0, 0, 0, 1, 2)[turn % 5]  # a cache has most files
        tries = range(turn * BATCH, (turn + 1) * BATCH)
        arguments = things[which], wholes[which], rights[which], tries, seed
        told, name = in_fork(
            lambda given=arguments: try_damages(*given), BATCH * FORK_PATIENCE // 10
        )
        if told is None:
            tally.add("crash", 0.0, f"{things[which].name}, {tries}: ended by {name}")
            continue
        ends, wrong = told
        tally.ends.update(ends)
        tally.wrong += wrong


def at_once(lab: Laboratory, tally: Tally) -> None:
    """Several processes open the same trace for the first time at once."""
    for path in (REAL_TRACES[-1], lab.traces / lab.names[0]):
        lab.fresh_home()
        together = [lab.start("info", path, "--json") for _ in range(4)]
        ends = [process.communicate(timeout=PATIENCE) for process in together]
        for process, (_, err) in zip(together, ends, strict=True):
            wrong = f"exit status {process.returncode}: {err[-300:]}"
            tally.add("done", 0.0, wrong if process.returncode else "")
        tally.require(len({out for out, _ in ends}) == 1, "different answers")
        store = lab.home / "cache" / "topoview" / "traces"
        kept = [entry for entry in store.iterdir() if entry.is_dir()]
        tally.require(len(kept) == 1, f"{len(kept)} entries of one trace")
        tally.require(not lab.left_behind(), f"left behind: {lab.left_behind()}")


OPENINGS = """
import gc, os, sys
from topoview.__main__ import main
counts = []
for turn in range(4):
    for path in sys.argv[1:]:
        for command in ("identify", "logical"):
            sys.stdout = open(os.devnull, "w")
            assert main([command, path]) == 0
            sys.stdout.close()
            sys.stdout = sys.__stdout__
    gc.collect()
    maps = open("/proc/self/maps").read().count("/topoview/traces/")
    counts.append((len(os.listdir("/proc/self/fd")), maps))
print(counts)
"""


def openings(lab: Laboratory, tally: Tally) -> None:
    """Many openings in one process: neither descriptors nor mapped files add up."""
    paths = [str(lab.traces / name) for name in lab.names[:5]]
    begin = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-c", OPENINGS, *paths],
        capture_output=True,
        text=True,
        env=lab.environment(),
        check=False,
    )
    tally.ends["opened"] += 4 * len(paths)
    tally.slowest = time.monotonic() - begin
    tally.require(run.returncode == 0, run.stderr[-500:])
    if run.returncode == 0:
        counts = json.loads(run.stdout.replace("(", "[").replace(")", "]"))
        tally.require(counts[-1][0] <= counts[0][0] + 2, f"descriptors: {counts}")
        tally.require(counts[-1][1] <= counts[0][1] + 2, f"mapped files: {counts}")


# The window


def in_window(lab: Laboratory, tally: Tally, kind: str, *paths: Path) -> None:
    """Do something to a window, as often as wanted; it has to stay level."""
    seconds = str(int(min(max(lab.deadline - time.monotonic(), 20), 3600)))
    screen = "-screen 0 1920x1200x24 +extension GLX"
    trial = [sys.executable, TRIALS, kind, seconds, str(lab.wanted)]
    command = ["xvfb-run", "-a", "-s", screen, *trial]
    begin = time.monotonic()
    run = subprocess.run(
        [*command, *paths],
        capture_output=True,
        text=True,
        env=lab.environment(),
        check=False,
    )
    tally.slowest = time.monotonic() - begin
    tally.require(run.returncode == 0, f"status {run.returncode}: {run.stderr[-500:]}")
    if run.returncode:
        return
    record = json.loads(run.stdout.splitlines()[-1])
    memory, descriptors = zip(*record["measured"], strict=True)
    tally.ends[f"{kind}, {max(memory)} MiB, {max(descriptors)} descriptors"] = record[
        "done"
    ]
    tally.wrong += record["wrong"]
    first = len(memory) // 3 + 1  # until then everything was shown once
    tally.require(memory[-1] <= 1.1 * max(memory[:first]) + 16, f"memory: {memory}")
    tally.require(
        descriptors[-1] <= max(descriptors[:first]) + 4, f"descriptors: {descriptors}"
    )


def window_opens(lab: Laboratory, tally: Tally) -> None:
    """Trace after trace in one window."""
    in_window(lab, tally, "opens", *(lab.traces / name for name in lab.names[:5]))


def window_actions(lab: Laboratory, tally: Tally) -> None:
    """Random actions in one window."""
    in_window(lab, tally, "actions", *(lab.traces / name for name in lab.names[:2]))


def window_damages(lab: Laboratory, tally: Tally) -> None:
    """Damaged digests and sessions in one window."""
    trace, digest = lab.traces / lab.names[-1], lab.folder / "window.topoview"
    count(tally, "digest", lab.run("digest", trace, "--output", digest), 0)
    in_window(lab, tally, "damaged", digest, trace)


def opengl(lab: Laboratory, tally: Tally) -> None:
    """No driver of OpenGL, none on the display, a display that does not let one in."""
    without: dict[str, str | None] = {
        "LIBGL_DRIVERS_PATH": "/nowhere",
        "GALLIUM_DRIVER": "nowhere",
        "__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere",
        "DISPLAY": None,
        "WAYLAND_DISPLAY": None,
    }
    trace, out = lab.traces / lab.names[0], lab.folder / "drawn"
    for name in ("render a.png", "render a.pdf", "report a.html", "movie a.gif"):
        command, _, file = name.partition(" ")
        end = lab.run(command, trace, "-o", out.with_name(file), changes=without)
        end.err = "\n".join(line for line in end.err.splitlines() if "EGL" not in line)
        count(tally, f"{name} without OpenGL", end, 0, 1)
        tally.require(
            bool(end.status) != out.with_name(file).exists(), f"{name}: a part is left"
        )


# Traces that grow, and many of something


def growing(lab: Laboratory, tally: Tally) -> None:
    """Read a trace while its files are written: less is read, and said, or refused."""
    for _ in lab.tries():
        run = lab.copy(lab.rng.choice(lab.names))
        files = sorted(path for path in run.rglob("*") if path.is_file())
        whole = {path: path.read_bytes() for path in files}
        for path, data in whole.items():
            path.write_bytes(data[: lab.rng.randrange(len(data) + 1)])
        process = lab.start(lab.rng.choice(["info", "identify"]), run, "--json")
        while process.poll() is None:
            path = lab.rng.choice(files)
            size = path.stat().st_size
            with path.open("ab") as file:
                file.write(whole[path][size : size + 4096])
            time.sleep(0.02)
        out, err = process.communicate()
        end = End(process.returncode, out, err, 0.0)
        count(tally, f"a growing {run.name}", end, 0, 1)
        for path, data in whole.items():
            path.write_bytes(data)
        again = answer(lab, run)
        right = answer(lab, lab.traces / run.name)
        same = same_but_notes(again.out, right.out)
        tally.require(same, f"{run.name}: another answer once it was whole")


def communicators(lab: Laboratory, tally: Tally) -> None:
    """Read a million communicators, which most programs have a dozen of."""
    sys.path.append(str(ROOT / "tests"))
    from traces import simulated
    from writer import write_trace

    trace = simulated("torus", (4, 3))
    many = trace.communicators + trace.communicators[:1] * 10**6
    anchor = write_trace(replace(trace, communicators=many), lab.folder / "many")
    for command in ("info", "identify", "communicators"):
        end = lab.run(command, anchor, "--json")
        count(tally, f"{command} of 10^6 communicators", end, 0, 1)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    tally.ends[f"MiB at most in {len(many)} communicators"] = most


# What is printed, and where


def output(lab: Laboratory, tally: Tally) -> None:
    """Names that a terminal would obey, narrow encodings, displays that are gone."""
    run = lab.copy(lab.names[0])
    evil = run.rename(run.with_name(EVIL))
    lines: list[list[str | Path]] = [["info", evil], ["cache"], ["profile", evil]]
    lines += [["info", f"{evil}-nowhere"], ["logical", evil]]
    for line in lines:
        end = lab.run(*line)
        count(tally, str(line[0]), end, 0, 1)
    narrow: dict[str, str | None] = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    broken = os.fsdecode(os.fsencode(evil.parent) + b"/\xff\xfe")
    evil.rename(broken)
    for command in ("info", "logical", "identify"):
        for change in (narrow | {"LC_ALL": "C"}, {"PYTHONIOENCODING": "latin-1"}):
            end = lab.run(command, broken, changes=dict(change))
            count(tally, f"{command} with {change}", end, 0)
    shown = {name: None for name in os.environ if "DISPLAY" in name}
    displays: list[dict[str, str | None]] = [{}, {"DISPLAY": ":4242"}]
    displays += [{"DISPLAY": "nonsense"}, {"WAYLAND_DISPLAY": "wayland-4242"}]
    for display in displays:
        change = {**shown, "QT_QPA_PLATFORM": None, **display}
        count(tally, f"a window on {display}", lab.run(changes=change), 1)


GROUPS: dict[str, tuple[Callable[[Laboratory, Tally], None], float]] = {
    "mutations": (mutations, 5),
    "commands": (commands, 3),
    "archives": (archives, 0),
    "special_files": (special_files, 0),
    "kills": (kills, 3),
    "signals": (signals, 0),
    "full_disks": (full_disks, 0),
    "homes": (homes, 0),
    "too_little": (too_little, 0),
    "damages": (damages, 2),
    "at_once": (at_once, 0),
    "openings": (openings, 0),
    "opengl": (opengl, 0),
    "communicators": (communicators, 0),
    "growing": (growing, 1),
    "window_opens": (window_opens, 4),
    "window_actions": (window_actions, 4),
    "window_damages": (window_damages, 2),
    "output": (output, 0),
}
"""Groups, with their shares of the time; 0: a list that is tried once."""


def main() -> None:
    """Print a line for each group."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--minutes", type=float, default=10.0, help="about so long")
    parser.add_argument(
        "--tries", type=int, default=FEWEST, help="so many of a group in any case"
    )
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    arguments = parser.parse_args()
    chosen = arguments.groups or list(GROUPS)
    unknown = [name for name in chosen if name not in GROUPS]
    if unknown:
        parser.error(f"there is no group {unknown[0]}: {', '.join(GROUPS)}")
    shares = sum(GROUPS[name][1] for name in chosen) or 1.0
    end = time.monotonic() + 60 * arguments.minutes
    print(f"seed {arguments.seed}", flush=True)
    faults = 0
    with tempfile.TemporaryDirectory(prefix="topoview-reliability-") as folder:
        Path(folder).chmod(stat.S_IRWXU)
        lab = Laboratory(Path(folder), arguments.seed)
        lab.wanted = arguments.tries
        for name in sorted(chosen, key=lambda name: GROUPS[name][1]):  # lists first
            group, share = GROUPS[name]
            left = max(end - time.monotonic(), 20.0)
            lab.deadline = time.monotonic() + left * share / shares
            shares -= share if shares > share else 0
            tally = Tally()
            lab.fresh_home()
            group(lab, tally)
            ends = ", ".join(f"{n} {what}" for what, n in tally.ends.most_common())
            print(f"{name:<14} {ends}; {tally.slowest:.1f} s the slowest", flush=True)
            for what in tally.wrong:
                print(f"    {what}", flush=True)
            faults += len(tally.wrong)
    print(f"{faults} faults" if faults else "nothing broke")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
