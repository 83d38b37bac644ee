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
    """What was found about a part of a trace.

    Attributes
    ----------
    subject
        What it is about: ``files``, ``events``, ``messages``, ``clocks``.
    verdict
        A `HealthVerdict`: whether all is there as recorded, was repaired, or lacks.
    text
        One sentence.
    """

    subject: str
    verdict: str
    text: str


@dataclass(frozen=True, slots=True)
class LeftOutRecords:
    """Records of messages that are in no message of the trace.

    Attributes
    ----------
    records
        ``sends`` or ``receives``.
    count
        How many.
    reason
        Why, in a few words.
    """

    records: str
    count: int
    reason: str


@dataclass(frozen=True, slots=True)
class FileLoss:
    """A file of a location in which something is wrong, or that is missing.

    Attributes
    ----------
    file
        Its name.
    location, rank
        Whose it is: the trace's own identifier, and the rank.
    fault
        ``missing``, ``cut short``, ``damaged``, ...
    lost
        Events that it announces, but that could not be read; None where that is not
        known.
    """

    file: str
    location: int
    rank: int
    fault: str
    lost: int | None


@dataclass(frozen=True, slots=True)
class Health:
    """What reading a trace accounted for.

    Attributes
    ----------
    events, events_lost
        Event records that were read, and those that the files announce besides.
    damaged_files
        Files in which something is wrong, or that are missing.
    sends, receives
        Records of messages that were sent, and whose receive completed.
    matched
        Messages of which both are recorded; `loosely` of them were matched though
        the receive names another communicator (EZTrace).
    inferred_receives, inferred_sends
        Messages of which only the send, or only the receive, is recorded: the
        other rank is known from it.
    dropped
        Records of messages that are left out: their partner does not exist.
    send_records, receive_records
        Records of sends, and of receives that completed, in the files: `sends` and
        `receives` together with those in `left_out`.
    left_out
        Those that are in no message, by reason.
    losses
        What is wrong with files of locations, by rank.
    violations, worst_seconds
        Messages received before they were sent; by how much at most.
    findings
        The same in words.
    """

    events: int
    events_lost: int
    damaged_files: int
    sends: int
    receives: int
    matched: int
    loosely: int
    inferred_receives: int
    inferred_sends: int
    dropped: int
    violations: int
    worst_seconds: float
    findings: tuple[HealthFinding, ...]
    send_records: int = 0
    receive_records: int = 0
    left_out: tuple[LeftOutRecords, ...] = ()
    losses: tuple[FileLoss, ...] = ()

    @property
    def verdict(self) -> str:
        """The worst of all findings."""
        found = {finding.verdict for finding in self.findings}
        for verdict in (HealthVerdict.INCOMPLETE, HealthVerdict.REPAIRED):
            if verdict in found:
                return verdict.value
        return HealthVerdict.EXACT.value
