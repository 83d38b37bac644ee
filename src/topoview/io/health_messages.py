"""Sends and receives accounted for: matched, inferred, left out, and why."""

from typing import Final

from topoview.io.recorded import Recorded
from topoview.model import Finding, Indices, LeftOut, Verdict

_SENDS: Final = ("MpiSend", "MpiIsend")
_RECEIVES: Final = ("MpiRecv", "MpiIrecv", "MpiMrecv", "MpiImrecv")

_TO_NOBODY: Final = "to nobody (MPI_PROC_NULL)"
_FROM_NOBODY: Final = "from nobody (MPI_PROC_NULL)"
_OR_DAMAGED: Final = f"{_TO_NOBODY}, or hold numbers that are none"
_UNKNOWN: Final = "with a partner that is not in their communicator"
_FROM_SELF: Final = "from the own rank, which sent none"
_UNSET: Final = "without a message: EZTrace read a status that the program ignores"
_NO_RECEIVES: Final = "ends of sends, as EZTrace writes for persistent ones, or damaged"

_VERDICTS: Final = {
    _TO_NOBODY: Verdict.EXACT,
    _FROM_NOBODY: Verdict.EXACT,
    _FROM_SELF: Verdict.REPAIRED,
    _UNSET: Verdict.REPAIRED,
    _NO_RECEIVES: Verdict.REPAIRED,
}


def left_out(found: Recorded, matched: int) -> tuple[LeftOut, ...]:
    """Tell which records of messages made no message, and why.

    What has no other reason is what the files hold more than that.
    """
    tally, counts = found.tally, dict(found.counts)
    unknown = tally.unknown_partners - tally.unknown_senders
    sends = sum(counts.get(name, 0) for name in _SENDS)
    receives = sum(counts.get(name, 0) for name in _RECEIVES)
    told = tally.unknown_senders + tally.null_receives + tally.from_self + tally.unset
    nowhere = _OR_DAMAGED if found.spoilt else _TO_NOBODY
    parts = (
        ("sends", unknown, _UNKNOWN),
        ("sends", sends - matched - tally.no_receive - unknown, nowhere),
        ("receives", tally.unknown_senders, _UNKNOWN),
        ("receives", tally.null_receives, _FROM_NOBODY),
        ("receives", tally.from_self, _FROM_SELF),
        ("receives", tally.unset, _UNSET),
        ("receives", receives - matched - tally.no_send - told, _NO_RECEIVES),
    )
    return tuple(
        LeftOut(records, count, reason) for records, count, reason in parts if count > 0
    )


def message_findings(
    found: Recorded, matched: int, out: tuple[LeftOut, ...], is_eztrace: bool
) -> list[Finding]:
    """Say which sends and receives are matched, inferred or left out, and why."""
    tally = found.tally
    if not len(found.messages) and not out:
        return []
    told = []
    if not tally.no_receive and not tally.no_send:
        text = f"All {matched} sends and receives are matched with each other."
        told.append(Finding("messages", Verdict.EXACT.value, text))
    else:
        text = (
            f"{matched} sends are matched with their receives, "
            f"{tally.no_receive} have none, {tally.no_send} receives have no send."
        )
        is_usual = (is_eztrace or found.unread > 0) and not found.lost
        verdict = Verdict.REPAIRED if is_usual else Verdict.INCOMPLETE
        told.append(Finding("messages", verdict.value, text))
    if tally.no_receive:
        why = _why_no_receive(found, is_eztrace)
        text = f"{tally.no_receive} receives are inferred from their sends: {why}."
        told.append(Finding("receives", Verdict.REPAIRED.value, text))
    if tally.no_send:
        why = _why_no_send(found)
        text = f"{tally.no_send} sends are inferred from their receives: {why}."
        told.append(Finding("sends", Verdict.REPAIRED.value, text))
    if tally.loosely:
        text = (
            f"{tally.loosely} receives name a communicator in which nothing was sent; "
            "they are matched by tag and rank in any communicator."
        )
        told.append(Finding("receives", Verdict.REPAIRED.value, text))
    told += [
        Finding(
            "partners",
            _VERDICTS.get(part.reason, Verdict.INCOMPLETE).value,
            f"{part.count} records of {part.records} are left out: they are "
            f"{part.reason}.",
        )
        for part in out
    ]
    return told


def _why_no_receive(found: Recorded, is_eztrace: bool) -> str:
    messages = found.messages
    missing = found.tally.no_receive
    silent = _silent(messages.receiver[messages.receive_time < 0], found)
    whys = []
    if silent:
        whys.append(f"{silent} went to ranks without events")
    if silent < missing:
        if found.unread:
            whys.append("they may complete behind what was read")
        elif found.lost:
            or_so = ", or EZTrace recorded none" if is_eztrace else ""
            whys.append(f"events were lost{or_so}")
        elif is_eztrace:
            whys.append("EZTrace records none in programs in C that wait for them")
        else:
            whys.append("they did not complete before the recording ended")
    return ", ".join(whys)


def _why_no_send(found: Recorded) -> str:
    messages = found.messages
    silent = _silent(messages.sender[messages.send_time < 0], found)
    whys = []
    if silent:
        whys.append(f"{silent} came from ranks without events")
    if silent < found.tally.no_send:
        if found.lost:
            whys.append("events were lost")
        elif found.unread:
            whys.append("the rest was not read")
        else:
            whys.append("the trace was cut, or begins later")
    return ", ".join(whys)


def _silent(ranks: Indices, found: Recorded) -> int:
    """Count messages of which the other end is a rank of which nothing was read."""
    # Rows of main threads are numbered as ranks.
    return int((found.last[ranks] < 0).sum())
