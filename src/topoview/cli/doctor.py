"""What topoview is made of (``--version``), and what it lacks here (``--doctor``)."""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, metadata
from itertools import chain

from topoview import __version__
from topoview.base.extras import EXTRAS
from topoview.base.platform import child_environment
from topoview.base.text import one_line, size_text
from topoview.errors import TopoviewError

LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
"""System libraries that Qt and VTK load, and their packages on Debian and Ubuntu."""

OPTIONAL = {"pymetis": "mappings of ranks by METIS"}
"""Python packages that serve one purpose each."""

INSTALLERS = {
    "uv": "uv pip install --python {python} {packages}",
    "dpkg": "no part of the Debian package: pipx install {packages}",
}
"""How packages are added, by who has installed topoview; pip if it is not here."""

MAX_PROBE_SECONDS = 60
MIN_FREE_BYTES = 1 << 30
"""Below it a large trace is likely not to be kept."""

_WINDOW_PROBE = """
from topoview.ui.shell.app import application
from PySide6.QtGui import QFontDatabase, QGuiApplication
application()
families = {"Inter", "JetBrains Mono"} & set(QFontDatabase.families())
print(QGuiApplication.platformName(), len(families))
"""
_DRAWING_PROBE = """
from topoview.ui.panels.scene.plotter import make_view
window = make_view((64, 64)).window
window.Render()
print(window.ReportCapabilities())
"""


@dataclass(frozen=True, slots=True)
class Check:
    """Something that topoview needs."""

    name: str
    state: str
    """`name` and `state`: what it is, and what there is of it."""
    advice: str = ""
    """What to type or do about it; empty if nothing is missing."""
    needed: bool = True
    """Whether topoview cannot do without."""


def parts() -> list[tuple[str, str, str]]:
    """List the packages that topoview uses here: name, version and licence."""
    rows = []
    for name in chain(_requirements(), *map(_requirements, EXTRAS)):
        try:
            package = metadata(name)
        except PackageNotFoundError:
            continue
        rows.append((package["Name"], package["Version"], _licence(name)))
    return sorted(rows, key=lambda part: part[0].lower())


def version_text() -> str:
    """Write versions and licences of topoview and its parts, one a line."""
    python = ".".join(map(str, sys.version_info[:3]))
    own = (f"topoview {__version__}", "BSD-3-Clause")
    others = ((f"{name} {version}", licence) for name, version, licence in parts())
    rows = [own, (f"Python {python}", "PSF-2.0"), *others]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {licence}" for name, licence in rows)


def _requirements(extra: str = "") -> list[str]:
    """Name the packages that topoview is always installed with, or an extra's."""
    try:
        requirements = distribution("topoview").requires or []
    except PackageNotFoundError:  # run from a source tree that is not installed
        return []
    result = []
    for line in requirements:
        package, _, condition = line.partition(";")
        of = re.search(r"""extra == ["'](.+?)["']""", condition)
        if (of.group(1) if of else "") == extra:
            result.append(re.split(r"[^\w.-]", package)[0])
    return result


def _licence(name: str) -> str:
    """Name a package's licence, as short as its author has written it."""
    package = metadata(name)
    fields = package.get_all("License-Expression", []) or package.get_all("License", [])
    text = fields[0] if fields else ""
    classes = [
        line.rpartition(" :: ")[2]
        for line in package.get_all("Classifier", [])
        if line.startswith("License :: ") and line.count(" :: ") > 1
    ]
    first = text.strip().partition("\n")[0]
    if len(first) > 60 or not first:  # a whole licence, or nothing
        first = ", ".join(classes)
    return first or "see its own files"


def checks() -> Iterator[Check]:
    """Look at all that topoview needs; the last ones draw, which takes a second."""
    yield _python()
    yield _packages()
    yield _decoder()
    yield _cache()
    yield from _shared_cache()
    yield from map(_extra, EXTRAS)
    yield from (_optional(name, serves) for name, serves in OPTIONAL.items())
    if EXTRAS["window"].missing != EXTRAS["window"].modules:
        yield _libraries()
        yield _ffmpeg()
        yield from _window()
        yield _drawing()


def _python() -> Check:
    number = ".".join(map(str, sys.version_info[:3]))
    return Check("Python", f"{number}, {sys.executable}")


def _packages() -> Check:
    wanted = _requirements()
    missing = {name: name for name in wanted if not _is_installed(name)}
    there = f"all {len(wanted)}, see topoview --version"
    return _all_of("packages", missing, there, _to_install)


def _extra(name: str) -> Check:
    """Look at the packages of an extra: some of the window's are no window."""
    wanted = EXTRAS[name].modules
    missing = EXTRAS[name].missing
    if not missing:
        return Check(name, f"all {len(wanted)} packages")
    none = missing == wanted
    status = "not installed" if none else f"missing: {', '.join(missing)}"
    package = f'"topoview[{name}]"'
    advice = f"for {EXTRAS[name].purpose}: {_to_install(package)}"
    return Check(name, status, advice, needed=name == "window" and not none)


def _to_install(packages: str) -> str:
    """Return what to type to install further packages of Python."""
    try:
        installer = distribution("topoview").read_text("INSTALLER") or ""
    except PackageNotFoundError:
        installer = ""
    form = INSTALLERS.get(installer.strip(), "{python} -m pip install {packages}")
    return form.format(python=sys.executable, packages=packages)


def _all_of(
    name: str, missing: dict[str, str], there: str, to_install: Callable[[str], str]
) -> Check:
    """Check that all packages are there; else name what is missing or to install."""
    if not missing:
        return Check(name, there)
    advice = to_install(" ".join(missing.values()))
    return Check(name, f"missing: {', '.join(missing)}", advice)


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _decoder() -> Check:
    try:
        from topoview.io.decoder.library import load_decoder

        load_decoder()
    except (OSError, ImportError, TopoviewError) as error:
        return Check("decoder", one_line(str(error)), "install topoview again")
    return Check("decoder", "works")


def _libraries() -> Check:
    missing = {n: package for n, package in LIBRARIES.items() if not _can_load(n)}
    there = f"all {len(LIBRARIES)} of Qt and VTK"
    return _all_of("libraries", missing, there, "sudo apt-get install {}".format)


def _ffmpeg() -> Check:
    program = shutil.which("ffmpeg")
    advice = "" if program else "for films as MP4: sudo apt-get install ffmpeg"
    return Check("ffmpeg", program or "not installed", advice, needed=False)


def _can_load(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _optional(name: str, serves: str) -> Check:
    if _is_installed(name):
        return Check(name, metadata(name)["Version"], needed=False)
    advice = f"for {serves}: {_to_install(name)}"
    return Check(name, "not installed", advice, needed=False)


def _cache() -> Check:
    from topoview.store.traces import user_store

    try:
        store = user_store()
        if store is None:
            return Check(
                "cache",
                "switched off by TOPOVIEW_CACHE=off",
                "unset TOPOVIEW_CACHE, and traces open faster the second time",
                needed=False,
            )
        limit, folder = store.limit, store.folder
    except TopoviewError as error:
        return Check("cache", str(error), "see the sentence", needed=False)
    there = next(p for p in (folder, *folder.parents) if p.exists())
    if not os.access(there, os.W_OK):
        advice = f"chmod u+rwx {there}, or set TOPOVIEW_CACHE to another folder"
        return Check("cache", f"{folder} cannot be written", advice, needed=False)
    free = shutil.disk_usage(there).free
    status = f"{folder}, at most {size_text(limit)}, {size_text(free)} free on the disk"
    advice = "topoview cache --clear, or free some disk space"
    return Check("cache", status, advice if free < MIN_FREE_BYTES else "", needed=False)


def _shared_cache() -> Iterator[Check]:
    """Check whether the cache that is only read can be used, if one is named."""
    from topoview.store.integrity import foreign_fault
    from topoview.store.traces import shared_store

    store = shared_store()
    if store is None:
        return
    fault = foreign_fault(store.folder)
    if not (store.folder.is_dir() and os.access(store.folder, os.R_OK | os.X_OK)):
        fault = "it cannot be read"
    advice = "name a folder that was a TOPOVIEW_CACHE; its owner: chmod -R a+rX,go-w"
    status = f"{store.folder}{', ' * bool(fault)}{fault}"
    yield Check("shared", status, advice if fault else "", needed=False)


def _window() -> Iterator[Check]:
    said, fault = _probe(_WINDOW_PROBE)
    if fault:
        display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        status = f"{display} cannot be opened: {fault}" if display else "there is none"
        advice = "log in with ssh -X; topoview render and report work without"
        yield Check("display", status, advice, needed=bool(display))
        return
    platform, families = said.split()[-2:]
    yield Check("display", f"works ({platform})")
    advice = "" if families == "2" else "install topoview again: its fonts are missing"
    yield Check("fonts", f"{families} of 2 of its own", advice, needed=False)


def _drawing() -> Check:
    said, fault = _probe(_DRAWING_PROBE)
    if fault:
        return Check(
            "OpenGL",
            f"cannot draw: {fault}",
            "sudo apt-get install libgl1-mesa-dri libegl1, try "
            "LIBGL_ALWAYS_SOFTWARE=1 topoview, or topoview --no-3d",
        )
    properties = dict(re.findall(r"OpenGL (\w+)(?: string)?: *(.+)", said))
    status = ", ".join(
        properties[key] for key in ("version", "renderer") if key in properties
    )
    return Check("OpenGL", status or "works")


def _probe(code: str) -> tuple[str, str]:
    """Run code in a process of its own: what it printed, and what went wrong."""
    command = [sys.executable, "-P", "-c", code]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=MAX_PROBE_SECONDS,
            check=False,
            env=child_environment(),
        )
    except subprocess.TimeoutExpired:
        return "", f"no answer in {MAX_PROBE_SECONDS} s"
    if done.returncode < 0:
        return "", f"it ended by {signal.Signals(-done.returncode).name}"
    lines = done.stderr.strip().splitlines()
    if done.returncode:
        return "", one_line(lines[-1] if lines else f"exit status {done.returncode}")
    return done.stdout, ""


def doctor() -> int:
    """Print what is there and what is missing, and what to type; the exit status."""
    lacking = notes = 0
    for check in checks():
        sign = "ok" if not check.advice else "MISSING" if check.needed else "note"
        print(one_line(f"{sign:<8}{check.name:<11}{check.state}"), flush=True)
        if check.advice:
            print(one_line(f"{'':<8}{'':<11}-> {check.advice}"), flush=True)
        lacking += bool(check.advice) and check.needed
        notes += bool(check.advice) and not check.needed
    well = f"nothing necessary is missing; notes: {notes}" if notes else ""
    print(f"{lacking} missing" if lacking else well or "nothing is missing")
    return 1 if lacking else 0
