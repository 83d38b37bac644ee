"""What commands printed, in the folders of the traces that they were asked of.

An answer is a file beside the results, ``KEY.printed``, and goes with them. Nothing
that is imported here needs NumPy: that takes longer than to print an answer again.
"""

import contextlib
import hashlib
import json
import os
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Final

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
from topoview.store.keys import answer_version, pattern_folder

_SUFFIX: Final = ".printed"
_MOST_BYTES: Final = 1 << 26
"""Bytes of all answers of a trace: those that were printed last stay."""

Said = Sequence[tuple[bool, str]]
"""What was printed, in order: whether on stderr, and the text."""


class Answer:
    """What a command printed of a trace.

    Parameters
    ----------
    key
        Of the trace in the store.
    asked
        All that the answer depends on besides the code, as `repr` tells it.
    paths
        Of the traces.
    """

    def __init__(self, key: str, *asked: object, paths: Sequence[Path] = ()) -> None:
        patterns = pattern_folder()
        saved = patterns.glob("*") if patterns.is_dir() else ()
        states = sorted((file.name, file.stat().st_mtime_ns) for file in saved)
        made_of = repr((key, asked, states, answer_version()))
        self._name = f"{hashlib.sha256(made_of.encode()).hexdigest()[:32]}{_SUFFIX}"
        self._key, self.paths = key, list(paths)

    def _folder(self) -> Path | None:
        """Find the trace's folder: one in which nobody else can have written."""
        if not cache_is_off():
            for name in (TRACES, OF_SHARED):
                store = cache_folder() / name
                if (store / self._key).is_dir() and not foreign_fault(store):
                    return store / self._key
        return None

    def find(self) -> Said:
        """Find what was printed; empty if it is not kept, or damaged."""
        folder = self._folder()
        if folder is None:
            return ()
        with contextlib.suppress(OSError, *DAMAGE_ERRORS):
            payload = json.loads(unseal(read_private(folder / self._name)))
            said = [(bool(aside), str(text)) for aside, text in payload["said"]]
            if payload["of"] == f"{self._key}/{self._name}":
                for file in (folder / self._name, folder / MANIFEST):
                    with contextlib.suppress(OSError):
                        os.utime(file)  # used now: others go first
                return said
        return ()

    def keep(self, said: Said) -> None:
        """Keep what was printed, as far as there is room; nobody is told if not."""
        folder = self._folder()
        if folder is None or sum(len(text) for _, text in said) > _MOST_BYTES:
            return
        payload = {"of": f"{self._key}/{self._name}", "said": list(said)}
        sealed = seal(json_text(payload).encode())
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
