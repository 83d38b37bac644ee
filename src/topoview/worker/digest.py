"""Digests: made here or on a cluster, and taken into the store; windows of events."""

import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from topoview.analysis.digest import KEPT, NEEDED, STEPS, condense
from topoview.base.platform import apart, child_environment
from topoview.base.progress import Report, silent
from topoview.base.text import plural, size_text
from topoview.errors import RefusedError, TopoviewError
from topoview.pipeline import RESULTS, Options, Results
from topoview.store.digest import read_results, write_digest
from topoview.worker.process import lines_of, run_in_background
from topoview.worker.results import granted_results_of

_SECONDS_TO_GIVE_UP: Final = 20.0
"""Seconds that a command may take to end when it is interrupted."""

_PROGRESS: Final = re.compile(r"(.+) (\d+)%")


class DigestMade(NamedTuple):
    """A digest that was written."""

    path: str
    """The file."""
    size: int
    """Its bytes."""
    ranks: int
    events: int
    """`ranks` and `events`: of the trace."""
    notes: tuple[str, ...]
    """What is not in it, and why, a sentence each."""

    @property
    def words(self) -> str:
        """Return it in a line."""
        text = f"{plural(self.events, 'event')} of {plural(self.ranks, 'rank')}"
        return f"{self.path}: {text} in {size_text(self.size)}"


def make_digest(
    path: str | Path, output: str | Path, steps: int = STEPS, report: Report = silent
) -> DigestMade:
    """Read a trace by a worker of this machine, and write its digest.

    Parameters
    ----------
    path
        As for `topoview.worker.open_trace`.
    output
        The file to write.
    steps
        Steps of time in which sums of states are kept.

    Raises
    ------
    TopoviewError
        If the trace cannot be read, or the file not be written.
    Cancelled
        From `report`.
    """
    options = Options(steps=steps)
    results = granted_results_of(Path(path).absolute(), NEEDED, options, report)
    if results.trace.digest is not None:
        raise TopoviewError(f"{path} is a digest already: copy it")
    return write_results(results, Path(output), report)


def digest_in_process(
    path: str,
    output: str,
    options: Sequence[str],
    report: Report,
    command: str = "digest",
) -> None:
    """Run a command that makes a file of a trace, beside this process.

    Parameters
    ----------
    path, output, options
        As the command takes them.
    command
        ``digest``, or ``fetch`` for a part of the trace that a digest is of.

    Raises
    ------
    TopoviewError
        If it is not made: what the command said.
    Cancelled
        From `report`; the command is interrupted, and what it did is kept.
    """
    arguments = [command, path, "-o", output, *options]
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "topoview", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**child_environment(), "TOPOVIEW_PROGRESS": "lines"},
        **apart(),
    )
    assert child.stderr is not None
    stage, done, said = "starting", 0.0, ""
    try:
        for said_now in lines_of(child.stderr):
            line = (said_now or b"").decode(errors="replace").strip()
            progress = _PROGRESS.fullmatch(line)
            if progress:
                stage, done = progress[1], int(progress[2]) / 100
            elif line:
                said = line
            report(stage, done)
    except BaseException:
        child.send_signal(signal.SIGINT)
        run_in_background(lambda: _wait_for(child))
        raise
    status = child.wait()
    child.stderr.close()
    if status:
        why = said if status > 0 else ""
        raise TopoviewError(
            why.removeprefix("topoview: ")
            or f"{output} was not made: the process that did it ended early; open it "
            "again to go on"
        )
    if not Path(output).exists():
        raise TopoviewError(
            f"{output} was written there, and is not to be seen here: copy it, and "
            "open the copy"
        )


def _wait_for(child: subprocess.Popen[bytes]) -> None:
    """Wait for a command that was interrupted, and kill it where it does not end."""
    try:
        child.communicate(timeout=_SECONDS_TO_GIVE_UP)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()


def write_results(
    results: Results, output: Path, report: Report = silent
) -> DigestMade:
    """Write the digest of a trace; results that are not there are made."""
    contents, notes = {}, dict[str, None]()
    for name in NEEDED:
        try:
            contents[name] = results.make(name, report)
        except RefusedError as refusal:
            notes[str(refusal)] = None
    full_trace = results.trace
    trace, condensed = condense(full_trace, contents, results.options.steps, report)
    report("writing the digest", 0.0)
    packed = {name: RESULTS[name].pack(value) for name, value in condensed.items()}
    write_digest(output, trace, packed)
    report("writing the digest", 1.0)
    size = output.stat().st_size
    return DigestMade(
        str(output), size, full_trace.ranks, full_trace.events, tuple(notes)
    )


def enter_results(results: Results, path: Path) -> None:
    """Enter the results of a digest into the store where its trace is kept.

    Raises `TraceError` if the digest is damaged.
    """
    if all(results.is_kept(name) for name in KEPT if name in _ALWAYS):
        return
    for name, packed in read_results(path).items():
        if name in RESULTS:
            results.keep_packed(name, packed)


_ALWAYS = frozenset({"matrix", "identification", "profile", "overview"})
"""Results that every digest has."""
