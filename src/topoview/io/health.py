"""What reading a trace accounted for: numbers and sentences."""

from typing import Final

from topoview.io.health_losses import loss_findings, losses
from topoview.io.health_messages import left_out, message_findings
from topoview.io.recorded import Recorded
from topoview.memory import size_words
from topoview.model import Clock, Finding, Health, LeftOut, Trace, Verdict

_SOUND_SECONDS: Final = 100e-6
"""Violations that the producer's own correction of clocks leaves."""


def examine(
    found: Recorded, trace: Trace, definitions_whole: bool, is_eztrace: bool
) -> Health:
    """Account for what was read.

    Parameters
    ----------
    found
        The events, with clocks as they are shown.
    """
    tally, messages, clock = found.tally, found.messages, trace.clock
    lost = losses(found, trace.locations)
    matched = len(messages) - tally.no_receive - tally.no_send
    out = left_out(found, matched)
    files = sum(len(names) for names in found.faults.values())
    worst = clock.seconds(tally.worst)
    findings = (
        _files(files + (not definitions_whole), definitions_whole),
        *loss_findings(lost),
        _events(found),
        *message_findings(found, matched, out, is_eztrace),
        *_clocks(found, clock, matched) * (trace.ranks > 1),
    )
    return Health(
        events=found.count,
        events_lost=found.lost,
        damaged_files=files + (not definitions_whole),
        sends=matched + tally.no_receive,
        receives=matched + tally.no_send,
        matched=matched,
        loosely=tally.loosely,
        inferred_receives=tally.no_receive,
        inferred_sends=tally.no_send,
        dropped=tally.unknown_partners,
        violations=tally.backwards,
        worst_seconds=worst,
        findings=findings,
        send_records=_sum(matched, tally.no_receive, out, "sends"),
        receive_records=_sum(matched, tally.no_send, out, "receives"),
        left_out=out,
        losses=lost,
    )


def _sum(matched: int, alone: int, out: tuple[LeftOut, ...], records: str) -> int:
    return matched + alone + sum(part.count for part in out if part.records == records)


def _files(damaged: int, definitions_whole: bool) -> Finding:
    if not damaged:
        return Finding("files", Verdict.EXACT.value, "All files are whole.")
    which = "" if definitions_whole else "; the definitions were read in part"
    are = "1 file is" if damaged == 1 else f"{damaged} files are"
    return Finding(
        "files", Verdict.INCOMPLETE.value, f"{are} missing or damaged{which}."
    )


def _events(found: Recorded) -> Finding:
    if found.lost:
        return Finding(
            "events",
            Verdict.INCOMPLETE.value,
            f"{found.count} of {found.count + found.lost} events that the files "
            "announce were read; the others cannot be.",
        )
    bad = sum(len(files) for (kind, _), files in found.faults.items() if kind == "evt")
    if bad:
        return Finding(
            "events",
            Verdict.INCOMPLETE.value,
            f"{found.count} events were read; how many the missing or damaged files "
            "held besides is not known.",
        )
    if found.spoilt or found.astray:
        return Finding(
            "events",
            Verdict.REPAIRED.value,
            f"All {found.count} events were read; {found.spoilt} hold numbers that "
            f"are none and are left out, {found.astray} are outside of any MPI call "
            "and belong to the call before.",
        )
    if found.unread:
        return Finding(
            "events",
            Verdict.EXACT.value,
            f"{found.count} events were read: as many as the files' chunks announce, "
            f"for every location. The rest of the files, {size_words(found.unread)}, "
            "is before or behind the stretch of time that was asked for.",
        )
    return Finding(
        "events",
        Verdict.EXACT.value,
        f"All {found.count} events were read: as many as the files' chunks announce, "
        "for every location.",
    )


def _clocks(found: Recorded, clock: Clock, matched: int) -> list[Finding]:
    tally, done = found.tally, found.alignment
    if not found.aligned:
        text = (
            "The clocks of ranks are not aligned: too little is recorded to do so. "
            "Do not compare times of different ranks."
        )
        return [Finding("clocks", Verdict.INCOMPLETE.value, text)]
    if done is not None:
        before = (
            f": {done.before} of {matched} messages were received before they were "
            f"sent, now {done.after}"
        )
        text = (
            f"The clocks of ranks were aligned to within {clock.words(done.widest)} "
            f"({clock.words(done.typical)} for half of them){before * (matched > 0)}."
        )
        if done.unbounded:
            text += f" Nothing bounds the clocks of {done.unbounded} ranks."
        return [Finding("clocks", Verdict.REPAIRED.value, text)]
    if not matched:
        return []
    if not tally.backwards:
        text = "No message was received before it was sent."
        return [Finding("clocks", Verdict.EXACT.value, text)]
    text = (
        f"{tally.backwards} of {matched} messages were received before they were "
        f"sent, by up to {clock.words(tally.worst)}, by the producer's clocks."
    )
    is_sound = clock.seconds(tally.worst) <= _SOUND_SECONDS
    verdict = Verdict.EXACT if is_sound else Verdict.INCOMPLETE
    return [Finding("clocks", verdict.value, text)]
