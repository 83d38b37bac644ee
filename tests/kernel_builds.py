"""Runs tests with kernels that are compiled otherwise, or not at all.

``TOPOVIEW_KERNELS=checked pytest ...``: an index outside of an array, or a division by
zero, is an error. ``TOPOVIEW_KERNELS=python``: their Python runs, for coverage and
debugging. Processes that tests start run what they always do. It is chosen when this is
imported, before anything that imports kernels.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from importlib.machinery import ExtensionFileLoader, ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np

from topoview.build import PACKAGE, build_kernels, kernels

CHOICE = os.environ.get("TOPOVIEW_KERNELS", "compiled")


class _Finder:
    """Finds the kernels of a folder before those that lie beside their sources."""

    def __init__(self, folder: Path, suffix: str) -> None:
        self.paths = {}
        for path in kernels():
            place = path.relative_to(PACKAGE.parent).with_suffix("")
            self.paths[".".join(place.parts)] = (folder.parent / place).with_suffix(
                suffix
            )

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As `importlib.abc.MetaPathFinder` says."""
        del path, target
        file = self.paths.get(name)
        if file is None:
            return None
        kind = SourceFileLoader if file.suffix == ".py" else ExtensionFileLoader
        return spec_from_file_location(name, file, loader=kind(name, str(file)))


def _choose_kernels() -> None:
    """Load kernels as the environment says from now on."""
    if CHOICE == "python":
        np.seterr(over="ignore")  # integers wrap, as those of C do
        sys.meta_path.insert(0, _Finder(PACKAGE, ".py"))
    elif CHOICE == "checked":
        folder = PACKAGE.parents[1] / "build" / "checked" / "src" / PACKAGE.name
        made = build_kernels(_copy(folder), checked=True)
        suffix = "".join(made[0].suffixes)
        sys.meta_path.insert(0, _Finder(folder, suffix))


def _copy(folder: Path) -> Path:
    """Copy kernels; those that only kernels call hand errors on, too."""
    for path in (*PACKAGE.rglob("*.pxd"), *kernels()):
        text = path.read_text(encoding="utf-8")
        text = text.replace(" noexcept nogil", " except * nogil")
        to = folder / path.relative_to(PACKAGE)
        to.parent.mkdir(parents=True, exist_ok=True)
        if not to.exists() or to.read_text(encoding="utf-8") != text:
            to.write_text(text, encoding="utf-8")
        for above in to.relative_to(folder).parents:
            (folder / above / "__init__.py").touch()
    shutil.copy(PACKAGE / "build.py", folder)
    return folder


_choose_kernels()  # of what is imported from now on
