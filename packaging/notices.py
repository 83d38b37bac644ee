"""Tells what topoview is given away with: licences, and a bill of materials.

    python packaging/notices.py PACKAGES FOLDER

writes for a folder of installed packages, which the Debian package is made of, the
licences of all of them (``copyright``) and a bill of materials (``topoview.cdx.json``,
CycloneDX 1.6). It refuses what has no licence, and what is under the GPL alone. A
wheel's bill is written by ``hatch_build.py``: of the fonts that ``THIRD_PARTY.md``
lists, as a wheel has none of the packages.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
LICENCE_FILES: Final = re.compile(r"(?i)licen[cs]e|copying|notice|authors")
LGPL: Final = re.compile(r"\bLGPL")
GPL: Final = re.compile(r"(?<!L)GPL|GNU General Public")
SOURCES: Final = {
    "pyside6_essentials": "https://download.qt.io/official_releases/QtForPython/pyside6/"
    " and, of Qt, https://download.qt.io/official_releases/qt/",
    "shiboken6": "https://download.qt.io/official_releases/QtForPython/shiboken6/",
}
"""Where the sources are of what is under the LGPL, in the version that is named."""

HEAD: Final = """\
topoview is under the licence that follows. The package holds libraries of others, each
as its authors publish it for Python; their names, licences and texts come after it.
Qt and PySide are used under the GNU Lesser General Public License 3: they are files of
their own below /usr/lib/topoview, which may be replaced by others. The texts of the
LGPL 3 and the GPL 3, which it refers to, are in /usr/share/common-licenses. What VTK
and Qt hold of others is listed by Debian, in the files vtk and qt beside this one.
"""


def licence_of(package: Distribution) -> str:
    """Name a package's licence: an SPDX expression if its authors give one."""
    fields = package.metadata
    short = fields.get("License-Expression") or fields.get("License") or ""
    if not short or "\n" in short or len(short) > 60:  # none, or a whole text
        classes = fields.get_all("Classifier", [])
        short = ", ".join(
            line.rpartition(" :: ")[2] for line in classes if "License ::" in line
        )
    return short


def texts_in(info: Path) -> Iterator[tuple[str, str]]:
    """Find the licences that came with a package: their names and texts."""
    for path in sorted(info.rglob("*")):
        name = str(path.relative_to(info))
        if path.is_file() and LICENCE_FILES.search(name):
            yield name, path.read_text("utf-8", "replace")


def fault_of(package: Distribution) -> str:
    """Say why a package must not be given away with topoview; empty if it may."""
    licence = licence_of(package)
    if not licence:
        return "has no licence"
    if GPL.search(licence) and not LGPL.search(licence):
        return f"is under the {licence}"
    return ""


def component(name: str, version: str, licence: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - of JSON
    """Describe a part as CycloneDX has it."""
    part = {
        "type": "library",
        "name": name,
        "licenses": [{"license": {"name": licence}}],
    }
    return {**part, **({"version": version} if version else {}), **more}


def packages_in(folder: Path) -> list[tuple[Distribution, Path]]:
    """List what is installed in a folder, and where that is described."""
    infos = sorted(folder.glob("*.dist-info"), key=lambda info: info.name.lower())
    packages = [(Distribution.at(info), info) for info in infos]
    return [(package, info) for package, info in packages if package.name != "topoview"]


def libraries_of(folder: Path, name: str) -> list[dict[str, Any]]:
    """Describe the libraries that a package was given by who built it."""
    return [
        component(
            path.name.partition("-")[0],
            "",
            "see the package",
            hashes=[
                {
                    "alg": "SHA-256",
                    "content": hashlib.sha256(path.read_bytes()).hexdigest(),
                }
            ],
        )
        for path in sorted(folder.glob(f"{name}.libs/*"))
    ]


def carried() -> list[dict[str, Any]]:
    """Describe what lies in the source tree itself, as ``THIRD_PARTY.md`` lists it."""
    rows = re.findall(
        r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$",
        (ROOT / "THIRD_PARTY.md").read_text("utf-8"),
        re.MULTILINE,
    )
    return [
        component(what.partition(" (")[0], "", licence.partition(", ")[0])
        for what, where, licence in rows
        if where.startswith("`resources")
    ]


def bill(version: str, folder: Path | None = None) -> str:
    """Write a bill of materials: of a wheel, or with a folder's packages."""
    parts = carried()
    for package, _ in packages_in(folder) if folder else []:
        name = re.sub(r"[-_.]+", "-", package.name.lower())
        purl = f"pkg:pypi/{name}@{package.version}"
        inner = libraries_of(folder, package.name.lower()) if folder else []
        more = {
            "bom-ref": purl,
            "purl": purl,
            **({"components": inner} if inner else {}),
        }
        parts.append(
            component(package.name, package.version, licence_of(package), **more)
        )
    whole = component("topoview", version, "BSD-3-Clause") | {"type": "application"}
    record = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": whole},
        "components": parts,
    }
    return json.dumps(record, indent=1) + "\n"


def copyright_text(folder: Path) -> str:
    """Write the licences of topoview and of all packages in a folder."""
    own = [ROOT / "LICENSE", ROOT / "THIRD_PARTY.md"]
    own += sorted(ROOT.glob("resources/fonts/LICENCE-*.txt"))
    parts = [HEAD, *(path.read_text("utf-8") for path in own)]
    for package, info in packages_in(folder):
        name, licence = package.name, licence_of(package)
        head = f"{name} {package.version}\nLicence: {licence}"
        if source := SOURCES.get(name.lower()):
            head += f"\nSource: {source}"
        parts += [
            head,
            *(f"{name}, {path}:\n\n{text}" for path, text in texts_in(info)),
        ]
    return f"\n{'-' * 78}\n\n".join(part.strip() + "\n" for part in parts)


def main(folder: Path, there: Path) -> None:
    """Write both, or say what must not be given away."""
    faults = {package.name: fault_of(package) for package, _ in packages_in(folder)}
    if lines := [f"{name} {fault}" for name, fault in faults.items() if fault]:
        sys.exit("; ".join(lines))
    (version,) = (p.version for p in distributions(path=[str(folder)], name="topoview"))
    (there / "copyright").write_text(copyright_text(folder), "utf-8")
    (there / "topoview.cdx.json").write_text(bill(version, folder), "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
