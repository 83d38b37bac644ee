"""Compiling: the decoder, which is C, and kernels, which are Python (Cython).

That is done when a wheel is built; in a source checkout in place, when something
changed. Run as a program (``python build.py``), by `hatch_build.py`, and by topoview
itself in a source checkout: it imports nothing of topoview, and what compiling needs
only where something is compiled.

A kernel file is a Python file beside a ``.pxd`` of the same name, which has the C types
of what it defines. It is compiled for Python's limited API, so that one file serves all
Pythons from 3.11 on; Python prefers it to the ``.py`` beside it.
"""

import os
import re
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, Final

PACKAGE: Final = Path(__file__).resolve().parent
DECODER: Final = PACKAGE / "io" / "decoder"
LIBRARY: Final = "decoder.so"

_SHARED: Final = "_memoryviews"
"""What all kernels take of Cython: compiled once for all of them."""

_FREE_THREADED: Final = "t" in getattr(sys, "abiflags", "")
_SUFFIX: Final = EXTENSION_SUFFIXES[0] if _FREE_THREADED else ".abi3.so"

_OPTIONS: Final = ("-O3", "-fPIC", "-shared", "-fvisibility=hidden")
_DECODER_OPTIONS: Final = ("-std=c11", "-Wall", "-Wextra")
_KERNEL_OPTIONS: Final = (
    # integers wrap as NumPy's do; floats are the same on all machines
    "-fwrapv",
    "-ffp-contract=off",
    "-Wno-unreachable-code",
    # whatever is marked `inline` is: gcc stops where a file grows by two fifths, and
    # a call of a kernel copies 200 bytes for each array
    "--param=inline-unit-growth=300",
    *(() if _FREE_THREADED else ("-DPy_LIMITED_API=0x030B0000",)),
)
_PLACE: Final = re.compile(r"(?!warning: ).*\.(py|pxd):\d+:\d+: ")
"""How Cython says what is wrong."""

_DIRECTIVES: Final = {
    "language_level": "3",
    "infer_types": True,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": False,
    "cpow": True,
    "auto_pickle": False,
    "binding": False,
    "embedsignature": False,
    "freethreading_compatible": True,
}


class BuildError(OSError):
    """Something cannot be compiled; says why in one line."""


def build() -> list[Path]:
    """Compile what changed, in place; returns all that is compiled.

    Raises
    ------
    BuildError
        If there is no compiler, or it fails.
    """
    return [build_decoder(), *build_kernels(PACKAGE)]


def compile_stale() -> None:
    """Compile what changed since: in a source checkout nothing stale is ever run.

    Raises
    ------
    ImportError
        If it cannot be compiled.
    """
    if _is_stale():
        try:
            build()
        except BuildError as error:
            raise ImportError(str(error)) from error


def _is_stale() -> bool:
    """Return whether something is not compiled, or older than its source."""
    definitions = _definitions(PACKAGE)
    sources = _kernels_of(definitions)
    try:
        newest = max(map(_changed, [Path(__file__), *definitions, *sources]))
        if newest > min(map(_changed, map(_compiled, sources))):
            return True
        return max(map(_changed, DECODER.glob("c/*.[ch]"))) > _changed(
            DECODER / LIBRARY
        )
    except FileNotFoundError:
        return True


def _changed(path: Path) -> int:
    return path.stat().st_mtime_ns


# The decoder.


def build_decoder(folder: Path = DECODER, options: Sequence[str] = ()) -> Path:
    """Compile the decoder to a folder, unless that is newer than its sources.

    Parameters
    ----------
    folder
        Where the library goes.
    options
        Further ones of the compiler; with some it is always compiled.
    """
    made = folder / LIBRARY
    inputs = [Path(__file__), *DECODER.glob("c/*.[ch]")]
    if not options and made.exists() and _changed(made) >= max(map(_changed, inputs)):
        return made
    sources = sorted(DECODER.glob("c/*.c"))
    _compile(sources, made, [*_DECODER_OPTIONS, *options], ["-lm"])
    return made


# Kernels.


def kernels(package: Path = PACKAGE) -> list[Path]:
    """Return the files of kernels, in an order that is always the same."""
    return _kernels_of(_definitions(package))


def _kernels_of(definitions: Sequence[Path]) -> list[Path]:
    sources = [path.with_suffix(".py") for path in definitions]
    return [path for path in sources if path.stem != "kinds"]


def _definitions(package: Path = PACKAGE) -> list[Path]:
    names = ((folder, name) for folder, _, files in os.walk(package) for name in files)
    return sorted(Path(*place) for place in names if place[1].endswith(".pxd"))


def _compiled(path: Path) -> Path:
    return path.with_name(path.stem + _SUFFIX)


def build_kernels(
    package: Path = PACKAGE, options: Sequence[str] = (), *, checked: bool = False
) -> list[Path]:
    """Compile the kernels of which something changed, each beside its source.

    A digest of all that a kernel is made of is kept in ``build/`` beside the sources:
    what is unchanged is not compiled again, whatever the times of files say.

    Parameters
    ----------
    package
        Folder of the package, of this name.
    options
        Further ones of the compiler; with ``-g`` debuggers know lines of the sources.
    checked
        Whether an index outside of an array, or a division by zero, raises an error.
    """
    import hashlib

    directives = {**_DIRECTIVES, "boundscheck": checked}
    common = hashlib.sha256(repr((sorted(directives.items()), *options)).encode())
    for path in (Path(__file__), *_definitions(package)):
        common.update(path.read_bytes())
    notes = package.parents[1] / "build" / "kernels"
    notes.mkdir(parents=True, exist_ok=True)
    made, stale = [], []
    for source in (package / f"{_SHARED}.py", *kernels(package)):
        digest = common.copy()
        if source.exists():
            digest.update(source.read_bytes())
        note = notes / ".".join(source.relative_to(package).with_suffix("").parts)
        made.append(_compiled(source))
        if not made[-1].exists() or _text(note) != digest.hexdigest():
            stale.append((source, note, digest.hexdigest()))
        else:
            made[-1].touch()  # so that times say it, too
    if stale:
        _compile_kernels(package, stale, directives, options)
    return made


def _compile_kernels(
    package: Path,
    stale: Sequence[tuple[Path, Path, str]],
    directives: dict[str, object],
    options: Sequence[str],
) -> None:
    """Translate kernels one after the other; C compilers follow in threads."""
    import sysconfig
    import tempfile
    from concurrent.futures import ThreadPoolExecutor

    debugged = "-g" in options
    headers = Path(sysconfig.get_path("include"))
    if not (headers / "Python.h").exists():
        raise BuildError(
            f"kernels cannot be compiled without Python's headers in {headers}"
            f" (on Debian: apt install libpython3.{sys.version_info.minor}-dev)"
        )
    flags = [*_KERNEL_OPTIONS, *options, f"-I{headers}"]
    if not debugged:
        flags += ["-g0", "-s"]
    with (
        tempfile.TemporaryDirectory(prefix="topoview-kernels-") as scratch,
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        # code that names its file does so without the folder: builds are to be equal
        flags.append(f"-ffile-prefix-map={scratch}/=")
        running = []
        for source, note, _ in stale:
            written = Path(scratch) / f"{note.name}.c"
            _translate(package, source, written, directives, debugged=debugged)
            running.append(pool.submit(_compile, [written], _compiled(source), flags))
        for (_, note, digest), done in zip(stale, running, strict=True):
            done.result()
            note.write_text(digest, encoding="utf-8")


def _translate(
    package: Path,
    source: Path,
    written: Path,
    directives: dict[str, object],
    *,
    debugged: bool,
) -> None:
    """Write the C of a file of kernels, or of what all of them share."""
    import contextlib
    import importlib
    import io

    try:
        cython: Any = importlib.import_module("Cython.Compiler.Main")
        shared: Any = importlib.import_module("Cython.Build.SharedModule")
    except ImportError as error:
        raise BuildError(
            "kernels changed, and Cython is not installed: run scripts/setup"
        ) from error
    name = ".".join((package.name, *source.relative_to(package).with_suffix("").parts))
    settings: dict[str, Any] = {
        "compiler_directives": directives,
        "emit_linenums": debugged,
        "output_file": str(written),
        "include_path": [str(package.parent)],
    }
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        if source.stem == _SHARED:
            shared.generate_shared_module(
                cython.CompilationOptions(shared_c_file_path=str(written))
            )
            return
        settings["shared_utility_qualified_name"] = f"{package.name}.{_SHARED}"
        try:
            result = cython.compile(
                str(source),
                cython.CompilationOptions(**settings),
                full_module_name=name,
            )
            failed = result.num_errors
        except cython.CompileError as error:
            failed = 1
            said.write(str(error))
    if failed:
        lines = [line for line in said.getvalue().splitlines() if line.strip()]
        first = next(filter(_PLACE.match, lines), lines[-1])
        raise BuildError(f"{name} cannot be translated: {first}")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _compile(
    sources: Sequence[Path],
    made: Path,
    options: Sequence[str],
    last: Sequence[str] = (),
) -> None:
    """Compile C to a library.

    It is written beside its place and then renamed, so that several processes can do
    this at a time, and those that have loaded the old one keep it.
    """
    import shutil
    import subprocess
    import tempfile

    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        raise BuildError(
            "there is no C compiler (on Debian: apt install gcc libc6-dev)"
        )
    made.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent, prefix=".build-") as scratch:
        part = Path(scratch) / made.name
        command = [*compiler.split(), *_OPTIONS, *options, *map(str, sources), *last]
        done = subprocess.run(
            [*command, "-o", str(part)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["no reason given"]
            first = next((line for line in lines if "error" in line), lines[0])
            raise BuildError(f"{compiler} fails: {first}")
        part.replace(made)


if __name__ == "__main__":
    # build.py [decoder FOLDER [OPTION ...] | kernels PACKAGE [--checked] [OPTION ...]]
    if len(sys.argv) == 1:
        build()
    elif sys.argv[1] == "decoder":
        build_decoder(Path(sys.argv[2]), sys.argv[3:])
    else:
        further = [option for option in sys.argv[3:] if option != "--checked"]
        build_kernels(Path(sys.argv[2]), further, checked="--checked" in sys.argv)
