"""Opening a trace on a cluster: its digest is made there, and shown here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLineEdit, QWidget

from topoview.ui.widgets import dialogs
from topoview.ui.widgets import save_dialog as asking

if TYPE_CHECKING:
    from topoview.progress import Report
    from topoview.ui.actions.action import Context
    from topoview.ui.settings import Settings

SCHEDULER, HERE = "scheduler", "here"

CLUSTERS = {SCHEDULER: "of a Dask scheduler", HERE: "processes of this machine"}

MAX_PROCESSES = 1024

MAX_GIB = 4096.0

DIGEST_SUFFIX = ".topoview"

_SETTINGS_KEY = "cluster"


@dataclass(frozen=True, slots=True)
class ClusterChoice:
    """What is opened on which cluster; remembered from one to the next.

    Attributes
    ----------
    cluster
        Key of `CLUSTERS`.
    address
        Of the scheduler.
    processes
        On this machine.
    trace, digest
        Paths as the workers see them; an empty digest is beside the trace.
    memory
        GiB that a worker may take; 0: what the cluster gives it.
    """

    cluster: str = SCHEDULER
    address: str = ""
    processes: int = 2
    trace: str = ""
    digest: str = ""
    memory: float = 0.0

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
            return "Give the scheduler's address, such as tcp://node17:8786."
        if not self.trace.startswith("/") or not PurePosixPath(self.trace).name:
            return "Give the trace's full path, as the workers see it."
        if self.trace.endswith(DIGEST_SUFFIX):
            return "That is a digest already: open it with File > Open trace."
        if not self.output.startswith("/"):
            return "Give the digest's full path, as the workers see it."
        if not self.output.endswith(DIGEST_SUFFIX):
            return f"A digest's name ends in {DIGEST_SUFFIX}."
        return ""

    @property
    def options(self) -> list[str]:
        """The options of the command that makes the digest."""
        found = ["--scheduler", self.address]
        if self.cluster == HERE:
            found = ["--workers", str(self.processes)]
        memory = ["--memory", f"{round(self.memory * 1024)}M"]
        return [*found, *(memory if self.memory else [])]


class ClusterDialog(asking.SaveDialog):
    """Asks for a trace on a cluster, and for the cluster."""

    def __init__(self, c: Context, parent: QWidget | None = None) -> None:
        super().__init__("Open on cluster", parent)
        self._context = c
        last = last_cluster_choice(c.settings)
        self.cluster = self.choose("Cluster", CLUSTERS, last.cluster)
        self.address = self._line("Address", last.address, "tcp://node17:8786")
        self.processes = self.number(1, MAX_PROCESSES, last.processes)
        self.form.addRow("Processes", self.processes)
        self.trace = self._line("Trace", last.trace, "/scratch/run/traces.otf2")
        self.digest = self._line("Digest", last.digest, "")
        self.memory = self.decimal((0.0, MAX_GIB), last.memory, " GiB a worker")
        self.memory.setSpecialValueText("as much as the cluster gives a worker")
        self.form.addRow("Memory", self.memory)
        self.browse = self.button("Choose trace…")
        self.browse.clicked.connect(self._choose_trace)
        self.browse.setAutoDefault(False)
        self.save.setText("Open")
        self.on_save(self._take)
        self.cluster.currentIndexChanged.connect(self._tell)
        for field in (self.address, self.trace, self.digest):
            field.textChanged.connect(self._tell)
        self._tell()

    def _line(self, label: str, text: str, example: str) -> QLineEdit:
        made = QLineEdit(text, self)
        made.setPlaceholderText(example)
        made.setMinimumHeight(asking.FIELD_HEIGHT)
        self.form.addRow(label, made)
        return made

    def choice(self) -> ClusterChoice:
        """Return what is entered."""
        return ClusterChoice(
            list(CLUSTERS)[self.cluster.currentIndex()],
            self.address.text().strip(),
            self.processes.value(),
            self.trace.text().strip(),
            self.digest.text().strip(),
            self.memory.value(),
        )

    def _choose_trace(self) -> None:
        chosen = dialogs.ask_for_trace(
            self, self._context.settings.folder, folder=False
        )
        if chosen:
            self.trace.setText(chosen)

    def _tell(self) -> None:
        """Tell what is missing, or what will be done."""
        choice = self.choice()
        self.form.setRowVisible(self.address, choice.cluster == SCHEDULER)
        self.form.setRowVisible(self.processes, choice.cluster == HERE)
        self.save.setEnabled(not choice.fault)
        self.digest.setPlaceholderText(choice.output if choice.trace else "")
        self.note.setText(
            choice.fault
            or "The digest is made there, written beside the trace unless another "
            "place is given, and opened here."
        )

    def _take(self) -> None:
        choice = self.choice()
        asking.keep_choice(self._context.settings, _SETTINGS_KEY, choice)
        self.accept()
        make = partial(_make, choice)
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
