"""Compiled code is kept until its source changes, that of what it calls included.

numba looks at the file of a kernel alone: after a change of a kernel that it calls,
or of a constant that it takes from another file, it would run what was compiled of
the old one. `topoview` names the class here to numba before any kernel is made.
"""

import functools
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Protocol, Self

HERE = Path(__file__).parent

VARIABLE = "NUMBA_CACHE_LOCATOR_CLASSES"
"""Where numba looks for the names of such classes."""

KNOWN = "0.68."
"""Versions of numba of which it is known what they do before a kept kernel runs."""

_IMPORT = re.compile(r"^from topoview\.([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)


def keep_by_sources() -> None:
    """Have numba tell by all sources of a kernel whether what it kept still holds."""
    name = f"{__name__}.Locator"
    if os.environ.setdefault(VARIABLE, name) == name and "numba" in sys.modules:
        from numba.core import config

        vars(config)["CACHE_LOCATOR_CLASSES"] = name


class _Place(Protocol):
    """Where numba keeps the compiled code of one kernel."""

    def get_cache_path(self) -> str: ...
    def get_disambiguator(self) -> str: ...
    def ensure_cache_path(self) -> None: ...
    def get_source_stamp(self) -> object: ...


class Locator:
    """Where the compiled code of a kernel is kept, and what it was made of.

    Kernels of others are numba's own matter.
    """

    def __init__(self, inner: _Place, path: Path) -> None:
        self._path = path
        self.get_cache_path = inner.get_cache_path
        self.get_disambiguator = inner.get_disambiguator
        self.ensure_cache_path = inner.ensure_cache_path

    def get_source_stamp(self) -> str:
        """Digest of all that was compiled."""
        return sources_digest(self._path)

    @classmethod
    def from_function(
        cls, function: Callable[..., object], file: str
    ) -> Self | _Place | None:
        """Take the first of numba's own places that serves."""
        from numba.core.caching import CacheImpl

        _load_without_compiler()
        for place in CacheImpl._locator_classes:
            inner: _Place | None = place.from_function(function, file)  # type: ignore[attr-defined]
            if inner is not None:
                path = Path(file)
                return cls(inner, path) if path.is_relative_to(HERE) else inner
        return None


@functools.cache
def _load_without_compiler() -> None:
    """Have kept kernels loaded without what only compiling needs, half of the time.

    Before numba looks for what it kept it fills its tables of all that Python and NumPy
    can do; it does so once more before it compiles. What compiled code itself calls is
    in place without them, but for what counts references. With the code of its own
    functions it also loads the modules that they are written in, whose names nothing
    compiled asks for. Only of the numba that is known to be so: others load as they do.
    """
    if not version("numba").startswith(KNOWN):
        return
    from numba.core import environment
    from numba.core.caching import Cache
    from numba.core.runtime.nrt import rtsys

    numbas_own, numbas_rebuild = Cache.load_overload, environment._rebuild_env

    def load_overload(cache: Cache, signature: object, context: object) -> object:
        if not isinstance(cache._impl.locator, Locator):
            return numbas_own(cache, signature, context)  # type: ignore[no-untyped-call]
        rtsys.initialize(context)
        return cache._load_overload(signature, context)  # type: ignore[no-untyped-call]

    def rebuild(module: str, constants: object, name: str) -> object:
        if module in sys.modules:
            return numbas_rebuild(module, constants, name)  # type: ignore[no-untyped-call]
        found = environment.Environment._memo.get(name)
        if found is None:
            found = environment.Environment({"__name__": module})
            found.consts[:], found.env_name = constants, name
            environment.Environment._memo[name] = found
        return found

    Cache.load_overload = load_overload  # type: ignore[method-assign]
    environment._rebuild_env = rebuild


@functools.cache
def sources_digest(path: Path, root: Path = HERE) -> str:
    """Digest of a file and all that its kernels take from other files of a package.

    Parameters
    ----------
    path
        The file.
    root
        Folder of the package.
    """
    seen: dict[Path, bytes] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen[file] = _read(file)
            waiting += _taken_from(file, root)
    every = hashlib.sha256()
    for file in sorted(seen):
        every.update(hashlib.sha256(seen[file]).digest())
    return every.hexdigest()


@functools.cache
def _read(file: Path) -> bytes:
    return file.read_bytes() if file.exists() else b""


@functools.cache
def _taken_from(file: Path, root: Path) -> list[Path]:
    return list(_sources(_read(file).decode(errors="replace"), root))


def _sources(text: str, root: Path) -> Iterator[Path]:
    """Files of the package that kernels, or constants, are imported from."""
    for module, names in _IMPORT.findall(text):
        file = root.joinpath(*module.split(".")).with_suffix(".py")
        constants = any(
            name.lstrip("_").isupper() for name in re.findall(r"\w+", names)
        )
        if constants or b"numba.njit" in _read(file):
            yield file
