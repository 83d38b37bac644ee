"""The steps of a trace that is read in parts: what they exchange are files."""

from typing import Final

from topoview.io.clocks.correction import ClockCorrection
from topoview.io.reading.clocks import correct_clocks
from topoview.io.reading.decoding import decode_part, remove_events
from topoview.io.reading.graph import Steps
from topoview.io.reading.joining import Laid, finish_part, lay_out
from topoview.io.reading.matching import complete_part, groups_between, match_part
from topoview.io.reading.settling import Settled, settle
from topoview.io.reading.work import Work
from topoview.store.integrity import claim_folder


def _parts(work: Work) -> int:
    return len(work.parts)


def _groups(settled: Settled) -> int:
    return len(settled.groups)


def _joined(work: Work, between: tuple[tuple[int, int], ...]) -> Work:
    remove_events(work)
    folder = work.folder / "joined"
    claim_folder(folder)
    return work._replace(folder=folder, defined=work.defined.joined(between))


def _lay_out(work: Work, settled: Settled, clocks: ClockCorrection | None) -> Laid:
    remove_events(work)
    return lay_out(work, settled, clocks)


def _finish(
    work: Work,
    settled: Settled,
    clocks: ClockCorrection | None,
    laid: Laid,
    part: int,
) -> None:
    if not work.columns.with_suffix("").exists():  # else they are joined
        finish_part(work, settled, clocks, laid, part)


def _not_joined(*_placed: object) -> None:
    """Leave parts apart: whoever has a store replaces this step."""


IN_PARTS: Final[Steps[Work, Settled, ClockCorrection | None, Laid, object]] = Steps(
    parts=_parts,
    decode=decode_part,
    settle=settle,
    groups=_groups,
    match=match_part,
    between=groups_between,
    joined=_joined,
    complete=complete_part,
    correct=correct_clocks,
    lay_out=_lay_out,
    finish=_finish,
    join=_not_joined,
)
"""The steps of a trace that is read in parts, but for the last one."""
