#!/usr/bin/env python3
"""Run the examples of docs/examples, and write what they say and draw into the pages.

Below each block of Python is its output as text, of an axes or a plotter a picture. A
test runs the blocks again, and compares the texts.
"""

import ast
import contextlib
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs" / "examples").glob("*.md"))

BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n.*?^```\n)?(?:\n!\[[^\n]*\n)?",
    re.M | re.S,
)
"""A block, and what was written below it before."""

WIDTH, HEIGHT = 800, 500
"""Pixels of pictures of the scene."""


def outputs(text: str) -> Iterator[tuple[re.Match[str], str, Any]]:
    """Run the blocks of a page: each, what it prints and shows, and its value."""
    names: dict[str, Any] = {}
    for block in BLOCK.finditer(text):
        *lines, last = ast.parse(block["code"]).body
        said, value = io.StringIO(), None
        with contextlib.redirect_stdout(said):
            exec(compile(ast.Module(lines, []), "page", "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "page", "eval"), names)
                if value is not None and not picture_of(value):
                    print(repr(value))
            else:
                exec(compile(ast.Module([last], []), "page", "exec"), names)
        yield block, re.sub(r"[ \t]+$", "", said.getvalue(), flags=re.M), value


def picture_of(value: object) -> str:
    """Return what kind of picture a value is; empty for none."""
    return {"Axes": "figure", "ScenePlotter": "scene"}.get(type(value).__name__, "")


def written(page: Path) -> str:
    """Write a page with its outputs, and its pictures beside those of the manual."""
    text = page.read_text("utf-8")
    result, end = [], 0
    for number, (block, said, value) in enumerate(outputs(text), 1):
        result += [text[end : block.start()], f"```python\n{block['code']}```\n"]
        if said:
            result.append(f"\n```text\n{said}```\n")
        if kind := picture_of(value):
            name = f"example-{page.stem}-{number}.png"
            path = ROOT / "docs" / "images" / name
            if kind == "scene":
                value.screenshot(path)
            else:
                value.figure.set_size_inches(7, 3.5)
                value.figure.savefig(path, dpi=100)
            result.append(f"\n![{kind} drawn by the lines above](../images/{name})\n")
        end = block.end()
    return "".join((*result, text[end:]))


def main() -> None:
    """Write the pages."""
    import matplotlib as mpl
    import pyvista

    mpl.use("agg")
    pyvista.OFF_SCREEN = True
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        for page in PAGES:
            print(page.name, file=sys.stderr)
            page.write_text(written(page), "utf-8")


if __name__ == "__main__":
    main()
