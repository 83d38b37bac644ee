"""Finding the anchor file of a trace, in a folder or in an archive."""

from pathlib import Path
from typing import Final, NamedTuple

from topoview.errors import TraceError
from topoview.progress import Report

ANCHOR: Final = ".otf2"
_USUAL: Final = frozenset({"traces", "eztrace_log"})
_MOST_NAMES: Final = 5


class Anchor(NamedTuple):
    """The anchor file of a trace.

    Attributes
    ----------
    given
        What the user opened.
    file
        The anchor file.
    shown
        The anchor file as the user knows it.
    name
        Short name of the trace.
    """

    given: Path
    file: Path
    shown: Path
    name: str


def find_anchor(path: Path, scratch: Path, report: Report) -> Anchor:
    """Find the anchor file that a path leads to, unpacked where it has to be."""
    from topoview.io.inflate import without_compression

    if is_loose(path):
        file = locate(path)
        anchor = Anchor(path, file, file, name_of(path, file))
    else:
        from topoview.io.unpack import unpack

        anchor = _in_folder(path, unpack(path, scratch, report))
    return without_compression(anchor, scratch, report)


def is_loose(path: Path) -> bool:
    """Tell whether a path leads to the files of a trace, not to an archive of them.

    Raises
    ------
    TraceError
        If there is nothing.
    """
    if path.is_dir():
        return True
    if not path.exists():
        raise TraceError(f"{path} does not exist: check the name")
    return path.suffix == ANCHOR


def locate(path: Path) -> Path:
    """Find the anchor file that a folder holds, or that a path is."""
    return _in_folder(path, path).file if path.is_dir() else path


def _in_folder(given: Path, folder: Path) -> Anchor:
    """Find the one anchor file in a folder or below it, the nearest first."""
    found = sorted(folder.glob(f"*{ANCHOR}")) or sorted(folder.rglob(f"*{ANCHOR}"))
    found = [file for file in found if file.is_file()]
    if not found:
        beside = given.absolute().with_name(f"{given.absolute().name}{ANCHOR}")
        if beside.is_file():
            raise TraceError(f"{given} is a part of a trace; open {beside} instead")
        raise TraceError(
            f"{given} holds no OTF2 trace: no file in it ends in {ANCHOR}; open the "
            "folder that the measurement wrote"
        )
    shown = [given / file.relative_to(folder) for file in found]
    if len(found) > 1:
        names = ", ".join(str(file.relative_to(given)) for file in shown[:_MOST_NAMES])
        more = f" and {len(found) - _MOST_NAMES} more" * (len(found) > _MOST_NAMES)
        raise TraceError(
            f"{given} holds {len(found)} traces: {names}{more}; open one of them"
        )
    return Anchor(given, found[0], shown[0], name_of(given, found[0]))


def name_of(given: Path, file: Path) -> str:
    """Name of the folder or archive; of the anchor file if that says more."""
    name = given.absolute().name
    if given.is_file():
        name = name.removesuffix(given.suffix)
        for suffix in (".tar", ANCHOR):
            name = name.removesuffix(suffix)
    if given == file:
        parent = given.absolute().parent.name
        return parent if file.stem in _USUAL and parent else file.stem
    return name or file.stem
