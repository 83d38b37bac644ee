"""What commands printed and wrote, in the folders of the traces they were asked of.

An answer is a file beside the results, ``KEY.printed``, and goes with them. Nothing
that is imported here needs NumPy: that takes longer than to print an answer again.
"""

import contextlib
import hashlib
import json
import os
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from topoview.base.text import json_text
from topoview.store.integrity import (
    DAMAGE_ERRORS,
    MANIFEST,
    OF_SHARED,
    TRACES,
    cache_folder,
    cache_is_off,
    foreign_fault,
    read_private,
    seal,
    unseal,
    write_private,
)
from topoview.store.keys import (
    answer_version,
    drawing_version,
    packages,
    pattern_folder,
)

_SUFFIX: Final = ".printed"
_MOST_BYTES: Final = 1 << 26
"""Bytes of all answers of a trace: those that were printed last stay."""

MOST_BYTES_WRITTEN: Final = 1 << 24
"""Bytes of the files of one answer: to write larger ones takes as long as all else."""

Said = Sequence[tuple[bool, str]]
"""What was printed, in order: whether on stderr, and the text."""


class Kept(NamedTuple):
    """An answer that is kept."""

    said: Said
    files: Sequence[tuple[str, bytes]]
    """Files that were written: their names, as the words have them, and all of each."""


class Answer:
    """What a command printed of a trace, and the files that it wrote.

    Parameters
    ----------
    key
        Of the trace in the store.
    asked
        All that the answer depends on besides the code, as `repr` tells it.
    paths
        Of the traces.
    writes
        Whether it may write files, such as pictures: more code draws them.
    """

    def __init__(
        self,
        key: str,
        *asked: object,
        paths: Sequence[Path] = (),
        writes: bool = False,
    ) -> None:
        patterns = pattern_folder()
        saved = patterns.glob("*") if patterns.is_dir() else ()
        states = sorted((file.name, file.stat().st_mtime_ns) for file in saved)
        code = (drawing_version(), packages()) if writes else answer_version()
        made_of = repr((key, asked, states, code))
        self._name = f"{hashlib.sha256(made_of.encode()).hexdigest()[:32]}{_SUFFIX}"
        self._key, self.paths, self.writes = key, list(paths), writes

    def _folder(self) -> Path | None:
        """Find the trace's folder: one in which nobody else can have written."""
        if not cache_is_off():
            for name in (TRACES, OF_SHARED):
                store = cache_folder() / name
                if (store / self._key).is_dir() and not foreign_fault(store):
                    return store / self._key
        return None

    def find(self) -> Kept | None:
        """Find what was printed and written; None if it is not kept, or damaged."""
        folder = self._folder()
        if folder is None:
            return None
        with contextlib.suppress(OSError, *DAMAGE_ERRORS):
            head, _, data = unseal(read_private(folder / self._name)).partition(b"\n")
            payload = json.loads(head)
            said = [(bool(aside), str(text)) for aside, text in payload["said"]]
            files, begin = [], 0
            for name, size in payload["files"]:
                files.append((str(name), data[begin : begin + size]))
                begin += size
            if payload["of"] == f"{self._key}/{self._name}" and begin == len(data):
                for file in (folder / self._name, folder / MANIFEST):
                    with contextlib.suppress(OSError):
                        os.utime(file)  # used now: others go first
                return Kept(said, files)
        return None

    def keep(
        self,
        said: Said,
        files: Sequence[Path] = (),
        are_same: Callable[[], bool] = lambda: True,
    ) -> None:
        """Keep what was printed and written, as far as there is room.

        Nobody is told if not. `are_same` is asked when the files have been read:
        whether they are still those that were written.
        """
        folder = self._folder()
        if folder is None or sum(len(text) for _, text in said) > _MOST_BYTES:
            return
        try:
            if sum(path.stat().st_size for path in files) > MOST_BYTES_WRITTEN:
                return
            written = [(str(path), path.read_bytes()) for path in files]
        except OSError:
            return
        if not are_same():
            return
        payload = {
            "of": f"{self._key}/{self._name}",
            "said": list(said),
            "files": [(name, len(data)) for name, data in written],
        }
        head = json_text(payload).encode()
        sealed = seal(b"\n".join([head, b"".join(data for _, data in written)]))
        beside = folder / f"{uuid.uuid4().hex}.writing"
        try:
            write_private(beside, sealed)
            beside.replace(folder / self._name)
        except OSError:
            with contextlib.suppress(OSError):
                beside.unlink()
            return
        with contextlib.suppress(OSError):
            states = [(file.stat(), file) for file in folder.glob(f"*{_SUFFIX}")]
            room = _MOST_BYTES
            for state, file in sorted(states, key=lambda one: -one[0].st_mtime):
                room -= state.st_size
                if room < 0:
                    file.unlink(missing_ok=True)
            from topoview.store.traces import Store

            Store(folder.parent).trim(spare=self._key, written=len(sealed))
