"""Results of the pipeline that are kept with a trace in the store.

They are found again as long as the code that made them and the user's patterns are
the same.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from topoview.logical.listing import lines
from topoview.model import (
    CommunicationMatrix,
    MeasuredLines,
    Trace,
)
from topoview.store.keys import code_version
from topoview.store.results import ResultCache, result_cache_of
from topoview.topology.patterns.patterns import pattern_folder

if TYPE_CHECKING:
    from topoview.model import Analysis

_TOPOLOGY_RESULT: Final = "topology"
_LOGICAL_RESULT: Final = "logical"
_FIRST_LOOK: Final = "overview"
_MIN_ROWS_KEPT: Final = 1 << 20
"""Intervals, or messages, from which on the first look at a trace is kept: fewer are
looked through in milliseconds."""


@dataclass(frozen=True, slots=True)
class KeptResults:
    """What is kept of a trace's analysis, and where more goes.

    Attributes
    ----------
    shelf
        None: nothing is.
    patterns
        Digest of the user's patterns.
    """

    shelf: ResultCache | None
    patterns: str

    def with_first_look(self, known: "Analysis") -> "Analysis | None":
        """Add what has to be known before anything is shown; None if it is not kept."""
        if not _is_large(known.trace):
            return None
        found = self._find(_FIRST_LOOK)
        return None if found is None else replace(known, **found)

    def keep_first_look(self, known: "Analysis") -> None:
        """Keep what has to be known before anything is shown."""
        if _is_large(known.trace):
            names = ("overview", "message_index", "transfers")
            self._keep(_FIRST_LOOK, {name: getattr(known, name) for name in names})

    def with_topology(self, known: "Analysis") -> "Analysis | None":
        """Add all that does not need the logical trace; None if it is not kept."""
        found = self._find(_TOPOLOGY_RESULT)
        if found is None:
            return None
        moved = _matrix_of_columns(found["one_sided"])
        return replace(
            known,
            matrix=_matrix_of_columns(found["matrix"]) or moved,
            one_sided=moved,
            identification=found["identification"],
            profile=found["profile"],
        )

    def keep_topology(self, known: "Analysis") -> None:
        """Keep all that does not need the logical trace."""
        same = known.matrix is known.one_sided
        value = {
            "matrix": None if same else _matrix_columns(known.matrix),
            "one_sided": _matrix_columns(known.one_sided),
            "identification": known.identification,
            "profile": known.profile,
        }
        self._keep(_TOPOLOGY_RESULT, value)

    def with_logical(self, known: "Analysis") -> "Analysis | None":
        """Add the logical trace and what is measured by it; None if it is not kept."""
        found = self._find(_LOGICAL_RESULT)
        if found is None:
            return None
        trace, logical, waits = known.trace, found["logical"], found["waits"]
        every = lines(logical)
        return replace(
            known,
            logical=logical,
            measured=MeasuredLines(trace, logical, every, *found["measured"]),
            positions=found["positions"],
            waits=waits,
        )

    def keep_logical(self, known: "Analysis") -> None:
        """Keep the logical trace and what is measured by it."""
        measured = known.measured
        if measured is None:
            return
        value = {
            "logical": known.logical,
            "measured": (
                *(measured.statements, measured.loops, measured.loop_of),
                *(measured.shares, measured.metrics, measured.places),
            ),
            "positions": known.positions,
            "waits": known.waits,
        }
        self._keep(_LOGICAL_RESULT, value)

    def _find(self, name: str) -> dict[str, Any] | None:
        if self.shelf is None:
            return None
        made_of = (code_version(), self.patterns)
        found = self.shelf.find(name, made_of)
        return found if isinstance(found, dict) else None

    def _keep(self, name: str, value: object) -> None:
        if self.shelf is not None:
            made_of = (code_version(), self.patterns)
            self.shelf.keep(name, made_of, value)


def kept_results(trace: Trace, files: Iterable[Path] = ()) -> KeptResults:
    """Find where results of a trace are kept.

    Parameters
    ----------
    files
        Files of the user's patterns, beside those that are remembered.
    """
    shelf = result_cache_of(trace.timeline, trace.calls, trace.messages)
    return KeptResults(shelf, _patterns_digest(files) if shelf else "")


def _is_large(trace: Trace) -> bool:
    return max(len(trace.timeline.time), len(trace.messages)) >= _MIN_ROWS_KEPT


def _patterns_digest(files: Iterable[Path]) -> str:
    """Digest of patterns: another one may be found with others."""
    folder = pattern_folder()
    saved = sorted(folder.glob("*")) if folder.is_dir() else []
    digest = hashlib.sha256()
    for file in (*files, None, *saved):
        digest.update(f"{file and file.name}\n".encode())
        if file is not None and file.is_file():
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _matrix_columns(matrix: CommunicationMatrix | None) -> tuple[object, ...] | None:
    if matrix is None:
        return None
    calls, volume = matrix.calls, matrix.volume
    return (
        matrix.ranks,
        *(calls.indptr, calls.indices, calls.data),
        *(volume.indptr, volume.indices, volume.data),
        matrix.one_sided,
    )


def _matrix_of_columns(told: tuple[Any, ...] | None) -> CommunicationMatrix | None:
    """Make a matrix again: copies, since SciPy may sort them in place."""
    from scipy.sparse import csr_array

    if told is None:
        return None
    ranks, *columns, one_sided = told
    start, column, calls, own_start, own_column, volume = (a.copy() for a in columns)
    shape = (ranks, ranks)
    return CommunicationMatrix(
        csr_array((calls, column, start), shape),
        csr_array((volume, own_column, own_start), shape),
        one_sided,
    )
