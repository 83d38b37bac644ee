"""A trace on a cluster: its digest is made there, windows of it are fetched."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from topoview.base.text import tr
from topoview.model import DIGEST_SUFFIX
from topoview.ui.widgets import dialogs
from topoview.ui.widgets import save_dialog as asking

if TYPE_CHECKING:
    from collections.abc import Callable

    from topoview.base.progress import Report
    from topoview.model import Subset
    from topoview.ui.actions.action import Context
    from topoview.ui.settings import Settings

SCHEDULER, HERE = "scheduler", "here"

CLUSTERS = {SCHEDULER: tr("of a Dask scheduler"), HERE: tr("processes of this machine")}

MAX_PROCESSES = 1024

MAX_GIB = 4096.0

_SETTINGS_KEY = "cluster"


@dataclass(frozen=True, slots=True)
class ClusterChoice:
    """What is opened on which cluster; remembered from one to the next."""

    cluster: str = SCHEDULER
    """Key of `CLUSTERS`."""
    address: str = ""
    """Of the scheduler."""
    processes: int = 2
    """On this machine."""
    trace: str = ""
    digest: str = ""
    """`trace` and `digest`: paths as the workers see them; an empty digest is beside
    the trace."""
    memory: float = 0.0
    """GiB that a worker may take; 0: what the cluster gives it."""

    @property
    def sound(self) -> bool:
        """Whether it can be chosen."""
        some = 1 <= self.processes <= MAX_PROCESSES and 0 <= self.memory <= MAX_GIB
        return self.cluster in CLUSTERS and some

    @property
    def output(self) -> str:
        """The digest's path."""
        trace = PurePosixPath(self.trace)
        beside = trace.name.partition(".")[0] or trace.name
        return self.digest or str(trace.with_name(beside + DIGEST_SUFFIX))

    @property
    def fault(self) -> str:
        """What has to be changed before it can be opened; empty if nothing."""
        if self.cluster == SCHEDULER and "://" not in self.address:
            return tr("Give the scheduler's address, such as tcp://node17:8786.")
        if not self.trace.startswith("/") or not PurePosixPath(self.trace).name:
            return tr("Give the trace's full path, as the workers see it.")
        if self.trace.endswith(DIGEST_SUFFIX):
            return tr("That is a digest already: open it with File > Open trace.")
        if not self.output.startswith("/"):
            return tr("Give the digest's full path, as the workers see it.")
        if not self.output.endswith(DIGEST_SUFFIX):
            return tr(
                "A digest's name ends in {digest_suffix}.", digest_suffix=DIGEST_SUFFIX
            )
        return ""

    @property
    def options(self) -> list[str]:
        """The options of the command that makes the digest."""
        arguments = ["--scheduler", self.address]
        if self.cluster == HERE:
            arguments = ["--workers", str(self.processes)]
        memory = ["--memory", f"{round(self.memory * 1024)}M"]
        return [*arguments, *(memory if self.memory else [])]


class ClusterDialog(asking.SaveDialog):
    """Asks for a trace on a cluster, and for the cluster."""

    def __init__(self, c: Context, parent: QWidget | None = None) -> None:
        super().__init__(tr("Open on cluster"), parent)
        self._context = c
        last = last_cluster_choice(c.settings)
        self.cluster = self.choose(tr("Cluster"), CLUSTERS, last.cluster)
        self.address = self.line(tr("Address"), last.address, "tcp://node17:8786")
        self.processes = self.number(1, MAX_PROCESSES, last.processes)
        self.form.addRow(tr("Processes"), self.processes)
        self.trace = self.line(tr("Trace"), last.trace, "/scratch/run/traces.otf2")
        self.digest = self.line(tr("Digest"), last.digest, "")
        self.memory = self.decimal((0.0, MAX_GIB), last.memory, tr(" GiB a worker"))
        self.memory.setSpecialValueText(tr("as much as the cluster gives a worker"))
        self.form.addRow(tr("Memory"), self.memory)
        self.browse = self.button(tr("Choose trace…"))
        self.browse.clicked.connect(self._choose_trace)
        self.browse.setAutoDefault(False)
        self.save.setText(tr("Open"))
        self.on_save(self._take)
        self.cluster.currentIndexChanged.connect(self._tell)
        for field in (self.address, self.trace, self.digest):
            field.textChanged.connect(self._tell)
        self._tell()

    def choice(self) -> ClusterChoice:
        """Return what is entered."""
        return ClusterChoice(
            cluster=list(CLUSTERS)[self.cluster.currentIndex()],
            address=self.address.text().strip(),
            processes=self.processes.value(),
            trace=self.trace.text().strip(),
            digest=self.digest.text().strip(),
            memory=self.memory.value(),
        )

    def _choose_trace(self) -> None:
        chosen = dialogs.ask_for_trace(
            self, self._context.settings.folder, folder=False
        )
        if chosen:
            self.trace.setText(chosen)

    def _tell(self) -> None:
        """Show what is missing, or what will be done."""
        choice = self.choice()
        self.form.setRowVisible(self.address, choice.cluster == SCHEDULER)
        self.form.setRowVisible(self.processes, choice.cluster == HERE)
        self.save.setEnabled(not choice.fault)
        self.digest.setPlaceholderText(choice.output if choice.trace else "")
        self.note.setText(
            choice.fault
            or tr(
                "The digest is made there, written beside the trace unless another "
                "place is given, and opened here."
            )
        )

    def _take(self) -> None:
        choice = self.choice()
        if Path(choice.output).exists():
            dialogs.ask_about_existing(
                self, choice.output, self._make, partial(self._open, None)
            )
        else:
            self._make()

    def _make(self) -> None:
        self._open(partial(_make, self.choice()))

    def _open(self, make: Callable[[Report], None] | None) -> None:
        """Open the digest, which is made first unless it is taken as it is."""
        choice = self.choice()
        asking.keep_choice(self._context.settings, _SETTINGS_KEY, choice)
        self.accept()
        self._context.opener.open(choice.output, make=make)


def last_cluster_choice(settings: Settings) -> ClusterChoice:
    """Return the last choice that was made."""
    return asking.last_choice(settings, _SETTINGS_KEY, ClusterChoice())


def _make(choice: ClusterChoice, report: Report) -> None:
    from topoview.worker.digest import digest_in_process

    digest_in_process(choice.trace, choice.output, choice.options, report)


def ask_for_cluster(c: Context) -> None:
    """Ask what is to be opened on which cluster, and do it."""
    ClusterDialog(c, c.window).open()


class FetchDialog(asking.SaveDialog):
    """Asks for the cluster that sees the trace of a digest, and reads a part there.

    Parameters
    ----------
    trace
        Path of the trace there.
    subset
        What is read of it.
    """

    def __init__(
        self, c: Context, trace: str, subset: Subset, parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Fetch events"), parent)
        self._context, self._subset = c, subset
        address = last_cluster_choice(c.settings).address
        self.address = self.line(tr("Address"), address, "tcp://node17:8786")
        self.note.setText(
            tr(
                "{trace} is not on this machine. A worker of the cluster reads a part "
                "of it ({words}), which is opened here.",
                trace=trace,
                words=subset.words,
            )
        )
        self.save.setText(tr("Fetch"))
        self.address.textChanged.connect(self._check)
        self.on_save(self._take)
        self._check()

    def _check(self) -> None:
        self.save.setEnabled("://" in self.address.text())

    def _take(self) -> None:
        c, address = self._context, self.address.text().strip()
        choice = replace(last_cluster_choice(c.settings), address=address)
        asking.keep_choice(c.settings, _SETTINGS_KEY, choice)
        self.accept()
        analysis = c.state.analysis
        if analysis is None:
            return
        digest = Path(analysis.trace.path)
        output = digest.with_name(window_file(digest.stem, self._subset))
        options = [*self._subset.options(""), "--scheduler", address]
        make = partial(_fetch, str(digest), str(output), options)
        c.opener.open(str(output), make=make)


def window_file(stem: str, subset: Subset) -> str:
    """Name the file of a fetched window: of each its own, however alike they are."""
    words = subset.words.replace(" ", "-").replace(",", "")[:MAX_PART_WORDS]
    number = zlib.crc32(" ".join(subset.options()).encode())
    return f"{stem}-{words}-{number:08x}{DIGEST_SUFFIX}"


MAX_PART_WORDS = 80
"""Letters of a file's name that say what was fetched; ranks may be very many."""


def _fetch(digest: str, output: str, options: list[str], report: Report) -> None:
    from topoview.worker.digest import digest_in_process

    digest_in_process(digest, output, options, report, "fetch")


def fetch(c: Context, subset: Subset) -> None:
    """Read a part of the trace that the digest is of which is shown, and open it.

    Where the trace is not on this machine it is asked which cluster sees it.
    """
    analysis = c.state.analysis
    if analysis is None or analysis.trace.digest is None:
        return
    trace = analysis.trace.digest.trace
    if Path(trace).exists():
        c.opener.open(trace, subset=subset)
    else:
        FetchDialog(c, trace, subset, c.window).open()


def fetch_window(c: Context) -> None:
    """Fetch what the timeline shows of the trace that a digest is of.

    That is the selected stretch of time, or all that is seen, of the ranks that have
    rows.
    """
    from topoview.model import Subset

    analysis = c.state.analysis
    if analysis is None:
        return
    clock = analysis.trace.clock
    begin, end = c.state.selection.window or c.state.window
    ranks = ",".join(map(str, c.state.timeline.only))
    times = clock.seconds(max(begin, 0)), clock.seconds(min(end, clock.length))
    fetch(c, Subset.parse(*times, ranks))
