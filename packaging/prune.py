"""Leaves out of a folder of installed packages what topoview never loads.

Run as ``python packaging/prune.py FOLDER``, it removes

- of Qt and VTK: modules that topoview does not use, and then libraries and plugins
  that nothing kept links to;
- of all packages: what is there for their developers (tests, stubs, headers), and
  symbols for debuggers.

What is used of Qt is what the sources import. pyvista imports parts of VTK when they
are first used, so `VTK` is measured, with the demo and the tests of the window; what is
missing there shows in `packaging/check`, which has the package draw all that it can.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

VTK: Final = """
    ChartsCore CommonColor CommonCore CommonDataModel CommonExecutionModel CommonMath
    CommonMisc CommonSystem CommonTransforms FiltersCore FiltersGeneral FiltersPython
    FiltersSources IOCore IOImage ImagingCore ImagingMath ImagingSources
    InteractionStyle InteractionWidgets ParallelCore PythonContext2D
    RenderingAnnotation RenderingContext2D RenderingContextOpenGL2 RenderingCore
    RenderingFreeType RenderingHyperTreeGrid RenderingLabel RenderingMatplotlib
    RenderingOpenGL2 RenderingUI RenderingVolume RenderingVolumeOpenGL2
    ViewsContext2D ViewsCore
"""
"""Modules of VTK that are loaded, without the ``vtk`` before their names."""

PLATFORM: Final = {
    "libQt6DBus.so.6",
    "libQt6OpenGL.so.6",
    "libQt6WaylandClient.so.6",
    "libQt6WlShellIntegration.so.6",
    "libQt6XcbQpa.so.6",
}
"""What plugins may link to besides the modules: it joins Qt to the desktop."""

DEVELOPERS: Final = (
    *("**/tests", "**/*.pyi", "**/*.h", "**/*.hpp", "**/*.c", "**/*.pxd", "**/*.pyx"),
    "**/*.a",
    *("PySide6/Qt/qml", "PySide6/Qt/libexec", "PySide6/Qt/metatypes"),
    *("PySide6/typesystems", "PySide6/include", "PySide6/scripts", "PySide6/glue"),
)
"""What is for who develops with a package."""

UNUSED: Final = (
    # of Qt: texts of its programs and of languages that topoview does not speak
    *("PySide6/Qt/translations/[!q]*", "PySide6/Qt/translations/qt[!b]*"),
    "PySide6/Qt/translations/qtbase_[!d]*",
    # of pyvista: its own commands and samples, and what only they use
    *("pyvista/_cli", "pyvista/examples", "pyvista/ext", "pyvista/trame"),
    *("cyclopts*", "docstring_parser*", "markdown_it*", "mdurl*", "pygments*"),
    *("rich*", "attr", "attrs*"),
    # of matplotlib, whose colours pyvista uses: fonts of other programs, samples
    *("matplotlib/mpl-data/fonts/[ap]*", "matplotlib/mpl-data/fonts/ttf/[!D]*"),
    *("matplotlib/mpl-data/sample_data", "fontTools/[!_am]*"),
    # of pooch, with which pyvista fetches samples
    *("certifi*", "charset_normalizer*", "idna*", "requests*", "urllib3*"),
    # of Pillow: pictures that nobody makes with it here
    *("PIL/_avif*.so", "PIL/_imagingtk*.so"),
    # of SciPy: packages that those which are used do not import
    *("scipy/datasets", "scipy/differentiate", "scipy/fftpack", "scipy/integrate"),
    *("scipy/io", "scipy/misc", "scipy/ndimage", "scipy/odr", "scipy/signal"),
    "scipy/stats",
)
"""Parts of packages that topoview never loads."""


def needed(path: Path) -> set[str]:
    """Names of the libraries that one links to."""
    from elftools.elf.dynamic import DynamicSection
    from elftools.elf.elffile import ELFFile

    with path.open("rb") as file:
        found = ELFFile(file).get_section_by_name(".dynamic")
        if not isinstance(found, DynamicSection):
            return set()
        tags = found.iter_tags("DT_NEEDED")
        return {tag.needed for tag in tags}


def linked(roots: set[Path], libraries: Path) -> set[Path]:
    """Find what is linked to, directly or not, in a folder of libraries."""
    seen: set[Path] = set()
    waiting = set(roots)
    while waiting:
        path = waiting.pop()
        seen.add(path)
        there = {libraries / name for name in needed(path)}
        waiting |= {one for one in there if one.exists()} - seen
    return seen


def of_no_use(folder: Path) -> Iterator[Path]:
    """Find what is for developers, or never loaded, but no part of a skeleton."""
    written = folder / "topoview" / "resources"
    for pattern in (*DEVELOPERS, *UNUSED):
        for path in folder.glob(pattern):
            if not path.is_relative_to(written):
                yield path


def unused_of_vtk(folder: Path) -> Iterator[Path]:
    """Modules and libraries of VTK that are not loaded."""
    root = folder / "vtkmodules"
    kept = {next(root.glob(f"vtk{name}.*.so")) for name in VTK.split()}
    kept = linked(kept, root)
    yield from (path for path in root.glob("*.so*") if path not in kept)


def unused_of_qt(folder: Path) -> Iterator[Path]:
    """Modules, libraries, plugins and programs of Qt that are not loaded."""
    sources = (path.read_text("utf-8") for path in (folder / "topoview").rglob("*.py"))
    modules = {
        name for text in sources for name in re.findall(r"PySide6\.(Qt\w+)", text)
    }
    root = folder / "PySide6"
    libraries = root / "Qt" / "lib"
    kept = {root / f"{name}.abi3.so" for name in modules}
    kept = linked(kept | set(root.glob("libpyside6.abi3.so*")), libraries)
    known = {path.name for path in kept} | PLATFORM
    for plugin in root.glob("Qt/plugins/**/*.so"):
        if {name for name in needed(plugin) if name.startswith("libQt6")} <= known:
            kept |= linked({plugin}, libraries)
    everything = {*root.glob("*.so*"), *libraries.glob("*.so*")}
    everything |= set(root.glob("Qt/plugins/**/*.so"))
    yield from everything - kept
    for path in root.iterdir():
        if (
            path.is_file()
            and path.read_bytes()[:4] == b"\x7fELF"
            and ".so" not in path.name
        ):
            yield path  # a program, such as Designer


def strip(path: Path) -> None:
    """Leave out symbols that only debuggers read.

    What patchelf has worked on may come out of it in parts that cannot be mapped:
    such a library stays as it is.
    """
    from elftools.elf.elffile import ELFFile

    made = path.with_name(f".{path.name}")
    subprocess.run(["strip", "--strip-unneeded", "-o", made, path], check=True)
    with made.open("rb") as file:
        parts = list(ELFFile(file).iter_segments("PT_LOAD"))
        sound = all((p["p_offset"] - p["p_vaddr"]) % p["p_align"] == 0 for p in parts)
    made.replace(path) if sound else made.unlink()


def unlinked(folder: Path) -> Iterator[Path]:
    """Libraries that came with a package and nothing of it links to any more."""
    for libraries in folder.glob("*.libs"):
        modules = (folder / libraries.name.removesuffix(".libs")).rglob("*.so")
        if libraries.name == "pillow.libs":
            modules = (folder / "PIL").glob("*.so")
        kept = linked(set(modules), libraries)
        yield from (path for path in libraries.iterdir() if path not in kept)


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def main(folder: Path) -> None:
    """Prune, and say what that brings."""
    before = size(folder)
    for find in (of_no_use, unused_of_vtk, unused_of_qt, unlinked):
        for path in list(find(folder)):
            remove(path)
    between = size(folder)
    for path in list(folder.rglob("*.so*")):
        if path.is_file() and not path.is_symlink():
            strip(path)
    print(
        f"{before} MB, {between} MB without what is not used, {size(folder)} stripped"
    )


def size(folder: Path) -> int:
    """Megabytes of all files of a folder."""
    files = (path for path in folder.rglob("*") if not path.is_symlink())
    return sum(path.stat().st_size for path in files if path.is_file()) // 1_000_000


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
