"""How completely a trace was read, and what was repaired."""

from dataclasses import dataclass
from enum import StrEnum


class HealthVerdict(StrEnum):
    """What is to be said of a part of a trace."""

    EXACT = "exact"
    REPAIRED = "repaired"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """What was found about a part of a trace."""

    subject: str
    """What it is about: ``files``, ``events``, ``messages``, ``clocks``."""
    verdict: str
    """A `HealthVerdict`: whether all is there as recorded, was repaired, or lacks."""
    text: str
    """One sentence."""


@dataclass(frozen=True, slots=True)
class LeftOutRecords:
    """Records of messages that are in no message of the trace."""

    records: str
    """``sends`` or ``receives``."""
    count: int
    """How many."""
    reason: str
    """Why, in a few words."""


@dataclass(frozen=True, slots=True)
class FileLoss:
    """A file of a location in which something is wrong, or that is missing."""

    file: str
    """Its name."""
    location: int
    rank: int
    """`location` and `rank`: whose it is: the trace's own identifier, and the rank."""
    fault: str
    """``missing``, ``cut short``, ``damaged``, ..."""
    lost: int | None
    """Events that it announces, but that could not be read; None where that is not
    known."""


@dataclass(frozen=True, slots=True)
class Health:
    """What reading a trace accounted for."""

    events: int
    events_lost: int
    """`events` and `events_lost`: event records that were read, and those that the
    files announce besides."""
    damaged_files: int
    """Files in which something is wrong, or that are missing."""
    sends: int
    receives: int
    """`sends` and `receives`: records of messages that were sent, and whose receive
    completed."""
    matched: int
    """Messages of which both are recorded; `loosely` of them were matched though the
    receive names another communicator (EZTrace)."""
    loosely: int
    inferred_receives: int
    inferred_sends: int
    """`inferred_receives` and `inferred_sends`: messages of which only the send, or
    only the receive, is recorded: the other rank is known from it."""
    dropped: int
    """Records of messages that are left out: their partner does not exist."""
    violations: int
    worst_seconds: float
    """`violations` and `worst_seconds`: messages received before they were sent; by how
    much at most."""
    findings: tuple[HealthFinding, ...]
    """The same in words."""
    send_records: int = 0
    receive_records: int = 0
    """`send_records` and `receive_records`: records of sends, and of receives that
    completed, in the files: `sends` and `receives` together with those in
    `left_out`."""
    left_out: tuple[LeftOutRecords, ...] = ()
    """Those that are in no message, by reason."""
    losses: tuple[FileLoss, ...] = ()
    """What is wrong with files of locations, by rank."""

    @property
    def verdict(self) -> str:
        """The worst of all findings."""
        verdicts = {finding.verdict for finding in self.findings}
        for verdict in (HealthVerdict.INCOMPLETE, HealthVerdict.REPAIRED):
            if verdict in verdicts:
                return verdict.value
        return HealthVerdict.EXACT.value
