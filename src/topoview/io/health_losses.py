"""What damaged files cost each location."""

from typing import Final

from topoview.io.recorded import Recorded
from topoview.model import Finding, Location, Loss, Verdict

_TOLD: Final = 6
"""Files that are told one by one."""


def losses(found: Recorded, locations: tuple[Location, ...]) -> tuple[Loss, ...]:
    """List the files of locations in which something is wrong, by rank."""
    place = {str(location.id): location for location in locations}
    told = [
        Loss(
            file,
            place[file.rpartition(".")[0]].id,
            place[file.rpartition(".")[0]].rank,
            fault,
            found.lost_in.get(file) if kind == "evt" else 0,
        )
        for (kind, fault), files in found.faults.items()
        for file in files
    ]
    return tuple(sorted(told, key=lambda loss: (loss.rank, loss.location, loss.file)))


def loss_findings(found: tuple[Loss, ...]) -> list[Finding]:
    """Say what is lost of each location, of the first few."""
    texts = [_words(loss) for loss in found[:_TOLD]]
    if len(found) > _TOLD:
        texts.append(f"{len(found) - _TOLD} further files are missing or damaged.")
    return [Finding("files", Verdict.INCOMPLETE.value, text) for text in texts]


def _words(loss: Loss) -> str:
    what = f"{loss.file} of rank {loss.rank} is {loss.fault}"
    if loss.file.endswith(".def"):
        return f"{what}: it holds local definitions."
    if loss.lost is None:
        return f"{what}: how many events are lost is not known."
    return f"{what}: {loss.lost} event{'s are' if loss.lost != 1 else ' is'} lost."
