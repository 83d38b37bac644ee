#!/usr/bin/env python3
"""Write the catalogues of the window's texts anew, and compile them for Qt.

``resources/translations/topoview_LANGUAGE.ts`` holds all texts that stand in calls of
`tr`, `mark` and `plural` (`topoview.base.text`), with what was translated before; Qt's
Linguist edits it. Texts that are in the source no longer are dropped. A test fails if
a catalogue differs from what this script writes. To add a language: give its name.
"""

import argparse
import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "translations"

CONTEXT = "topoview"
"""Name of the one context, in Qt's sense, that all texts have."""

SHOWN = ("live", "model", "report", "scene", "topology", "ui")
"""Packages whose texts the window shows; those of others are English."""

COUNTED = ("message", "one-sided transfer", "cell", "call", "visit", "rank")
"""Nouns that are counted under a name."""


PLACES = {"tr": 0, "mark": 0, "plural": 1}
"""Place of the text among the arguments of each function that says one."""

COLUMNS = """
calls messages operations ranks function state size direction communicator tag
collective rank row plane node balance bytes wait spread time mean median min max
most share shape name topology begin end iteration iterations duration visits phase
region parameter value
"""
"""Names of columns of tables, which are their titles, too."""

FOUND = (
    *("Phases", "Communicators", "Components", "Tags", "Sizes", "Call sites"),
    *("Files", "Events", "Messages", "Receives", "Sends", "Partners", "Clocks"),
    *("exact", "repaired", "incomplete", "Exact", "Repaired", "Incomplete"),
    *("Load balance", "Serialisation", "Transfer"),
    *("Idle wave on a torus", "Hidden transpose", "Bad mapping"),
)
"""Parts of a run, of a trace's quality, and samples, as they are named elsewhere."""


def texts() -> list[str]:
    """Find all texts of the source, sorted."""
    texts = {*(f"%n {noun}" for noun in COUNTED), *COLUMNS.split(), *FOUND}
    source = ROOT / "src" / "topoview"
    for path in (p for name in SHOWN for p in (source / name).rglob("*.py")):
        code = path.read_text("utf-8")
        if any(f"{call}(" in code for call in PLACES):
            texts.update(_texts_in(ast.parse(code)))
    return sorted(texts)


def _texts_in(tree: ast.AST) -> Iterator[str]:
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        name = call.func.id
        if name not in PLACES or len(call.args) <= PLACES[name]:
            continue
        text = call.args[PLACES[name]]
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield f"%n {text.value}" if name == "plural" else text.value


def read_catalogue(path: Path) -> dict[str, tuple[str, ...]]:
    """Read a catalogue: texts and their translations; empty if there is none.

    Texts that begin with ``%n`` are counted nouns: they have a form for each number
    that the language tells apart. Other texts have one form.
    """
    if not path.exists():
        return {}
    catalogue = {}
    for message in ElementTree.parse(path).getroot().iter("message"):
        translation = message.find("translation")
        assert translation is not None
        forms = translation.findall("numerusform") or [translation]
        text = message.findtext("source") or ""
        catalogue[text] = tuple(form.text or "" for form in forms)
    return catalogue


def catalogue_text(language: str, catalogue: Mapping[str, tuple[str, ...]]) -> str:
    """Write a catalogue: all texts of the source, with their translations so far."""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!DOCTYPE TS>",
        f'<TS version="2.1" language={quoteattr(language)} sourcelanguage="en">',
        f"<context>\n    <name>{CONTEXT}</name>",
    ]
    for text in texts():
        forms = catalogue.get(text, ("",))
        done = "" if all(forms) else ' type="unfinished"'
        counted = text.startswith("%n ")
        each = "".join(
            f"\n            <numerusform>{escape(form)}</numerusform>"
            for form in (forms if len(forms) > 1 else forms * 2)
        )
        translation = f"{each}\n        " if counted else escape(forms[0])
        lines += [
            '    <message numerus="yes">' if counted else "    <message>",
            f"        <source>{escape(text)}</source>",
            f"        <translation{done}>{translation}</translation>",
            "    </message>",
        ]
    return "\n".join((*lines, "</context>\n</TS>\n"))


def compile_catalogue(path: Path, compiled: Path) -> None:
    """Compile a catalogue by Qt's ``lrelease``."""
    tool = Path(sys.executable).with_name("pyside6-lrelease")
    subprocess.run([tool, "-silent", path, "-qm", compiled], check=True)


def main() -> None:
    """Write and compile the catalogues; says what is not translated."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("language", nargs="*", help="language to add, such as fr")
    FOLDER.mkdir(exist_ok=True)
    there = {path.stem.partition("_")[2] for path in FOLDER.glob("topoview_*.ts")}
    for language in sorted(there | set(parser.parse_args().language)):
        path = FOLDER / f"topoview_{language}.ts"
        catalogue = read_catalogue(path)
        path.write_text(catalogue_text(language, catalogue), "utf-8")
        compile_catalogue(path, path.with_suffix(".qm"))
        left = [text for text, forms in read_catalogue(path).items() if not all(forms)]
        print(f"{path.name}: {len(catalogue)} texts before, {len(left)} to translate")
        for text in left:
            print("  ", text)


if __name__ == "__main__":
    main()
