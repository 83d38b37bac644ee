"""Registers topoview with one user's desktop: double-click, icons, menu entry.

Installed for one user with pipx, uv or from a source tree, the files that a
desktop reads lie where it does not look. `install_desktop` copies them to where
it does, with the program's own path in them (freedesktop.org: Desktop Entry
Specification 1.5, Shared MIME-info Database, Base Directory Specification).
"""

import ctypes
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from topoview.base.extras import need
from topoview.base.platform import LINUX
from topoview.base.resources import resource
from topoview.errors import DesktopError

CATALOGUES = {
    "mime": "update-mime-database",
    "applications": "update-desktop-database",
}
"""Folders whose files take effect once a program has listed them."""

PACKAGES = {
    "update-mime-database": "shared-mime-info",
    "update-desktop-database": "desktop-file-utils",
}
"""The Debian package that holds such a program."""


def install_desktop(program: Path | None = None) -> list[str]:
    """Let a double-click on a trace open topoview, for this user.

    Parameters
    ----------
    program
        What the desktop starts; by default the topoview that is running.

    Returns
    -------
    list of str
        Lines to print: what was done, and what hinders its effect.

    Raises
    ------
    DesktopError
        If no desktop entry can name the program, or a file cannot be written.
    ExtraError
        If topoview is installed without its window.
    """
    need("window")
    program = _this_program() if program is None else program.absolute()
    home = data_home()
    exec_argument(str(program))  # refuses before anything is written
    try:
        for source, target in _files(home):
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.suffix == ".desktop":
                entry = _entry(source.read_text("utf-8"), str(program))
                target.write_text(entry, "utf-8")
            else:
                shutil.copyfile(source, target)
    except OSError as error:
        raise DesktopError(f"cannot write {error.filename}: {error.strerror}") from None
    return [
        f"a double-click on an OTF2 trace opens {program}",
        f"registered in {home}; topoview --remove-desktop undoes it",
        *_update_catalogues(home),
    ]


def remove_desktop() -> list[str]:
    """Undo `install_desktop`; returns lines to print.

    Raises `DesktopError` if a file cannot be removed.
    """
    home = data_home()
    present = [target for _, target in _files(home) if target.exists()]
    if not present:
        return [f"topoview is not registered in {home}"]
    try:
        for target in present:
            target.unlink()
    except OSError as error:
        raise DesktopError(
            f"cannot remove {error.filename}: {error.strerror}"
        ) from None
    return [f"topoview is no longer registered in {home}", *_update_catalogues(home)]


def data_home() -> Path:
    """Where a user's desktop looks for data files."""
    named = Path(os.environ.get("XDG_DATA_HOME", ""))
    # The specification ignores relative paths.
    return named if named.is_absolute() else Path.home() / ".local" / "share"


def exec_argument(program: str) -> str:
    r"""Quote a program's path for the ``Exec`` key of a desktop entry.

    A quoted argument escapes ``"``, `````, ``$`` and ``\`` with a backslash, and
    then every backslash is doubled because the value is a string (Desktop Entry
    Specification 1.5, "The Exec key").

    Raises
    ------
    DesktopError
        If the path has a character that no entry can hold.

    Examples
    --------
    >>> print(exec_argument("/opt/my programs/topoview"))
    "/opt/my programs/topoview"
    >>> print(exec_argument("/opt/$5/topoview"))
    "/opt/\\$5/topoview"
    """
    if "%" in program or not program.isprintable():
        raise DesktopError(
            f"a desktop entry cannot start {program!r}: its path has a '%' or a "
            "control character; move or link the program to another folder"
        )
    return '"' + re.sub(r'(["`$\\])', r"\\\1", program).replace("\\", "\\\\") + '"'


def _entry(template: str, program: str) -> str:
    """Put a program's path into a desktop entry."""
    keys = {
        "Exec": f"{exec_argument(program)} %f",
        "TryExec": program.replace("\\", "\\\\"),
    }
    lines = []
    for line in template.splitlines():
        key, equals, _ = line.partition("=")
        lines.append(f"{key}={keys[key]}" if equals and key in keys else line)
    return "\n".join(lines) + "\n"


def _this_program() -> Path:
    """Path of the topoview that is running, as it was called."""
    called = Path(sys.argv[0])
    beside = Path(sysconfig.get_path("scripts")) / "topoview"
    on_path = shutil.which("topoview")
    for path in (called, Path(sys.executable), beside, Path(on_path or "")):
        if path.name == "topoview" and os.access(path, os.X_OK):
            return path.absolute()
    raise DesktopError(
        "cannot find the topoview program that a double-click is to start: "
        "install topoview, then run topoview --install-desktop"
    )


def _files(home: Path) -> Iterator[tuple[Path, Path]]:
    """Every file that a desktop reads, and its place in a data folder."""
    share = resource("share")
    for source in sorted(share.rglob("*")):
        if source.is_file():
            yield source, home / source.relative_to(share)


def _update_catalogues(home: Path) -> Iterator[str]:
    for folder, tool in CATALOGUES.items():
        if (home / folder).is_dir():
            yield from _update(tool, home / folder)
    icons = home / "icons" / "hicolor"
    if (icons / "icon-theme.cache").exists():  # else the folders are searched
        yield from _update("gtk-update-icon-cache", icons, "--ignore-theme-index")


def _update(tool: str, folder: Path, *options: str) -> Iterator[str]:
    if shutil.which(tool) is None:
        package = PACKAGES.get(tool, tool)
        yield f"{tool} is missing: install {package}, then run this command again"
        return
    done = subprocess.run(
        [tool, *options, str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        yield f"{tool} failed: {done.stderr.strip()}"


_CONNECTIONS: list[ctypes.c_void_p] = []


def has_display() -> bool:
    """Return whether a window can be shown here: a display that is named may be gone.

    Qt would end the process with a signal where it finds none.
    """
    if not LINUX:
        return True
    return _has_wayland() or _has_x11()


def _has_wayland() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY")
    if not name:
        return False
    place = Path(os.environ.get("XDG_RUNTIME_DIR", ""), name)
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(place)) == 0


def _has_x11() -> bool:
    """Ask the X server that `DISPLAY` names, through the library that Qt uses."""
    if not os.environ.get("DISPLAY"):
        return False
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # Qt tells what is missing
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    fault = xcb.xcb_connection_has_error(connection)
    # A server that is run for one program resets itself when its last client goes, and
    # refuses the next one meanwhile: this connection lasts until the next question.
    while _CONNECTIONS:
        xcb.xcb_disconnect(_CONNECTIONS.pop())
    _CONNECTIONS.append(connection)
    return not fault
