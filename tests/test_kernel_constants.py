"""Constants of kernels have the same value in C (``.pxd``) as in Python (``.py``)."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from topoview.build import PACKAGE, kernels

ASSIGNED = re.compile(r"\b([A-Z][A-Z0-9_]*) = ([^#]+)")


def constants(text: str) -> dict[str, float]:
    """Read what C calls by names in capitals: enumerations and ``static const``."""
    found = map(ASSIGNED.search, re.split(r"[;,\n]", text))
    return {match[1]: eval(match[2]) for match in found if match}


def of_python(path: Path) -> dict[str, object]:
    """Read the constants that a file has when it is not compiled, without running it.

    It cannot be run by itself: compiled files beside it do not hand out what only
    kernels call.
    """
    found: dict[str, object] = {}
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for node in [n for p in body for n in (p.body if isinstance(p, ast.If) else [p])]:
        if isinstance(node, ast.Import):
            for name in node.names:
                found[name.asname or name.name] = importlib.import_module(name.name)
        elif isinstance(node, ast.ImportFrom):
            module = importlib.import_module(str(node.module))
            found.update({n.name: getattr(module, n.name, None) for n in node.names})
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            (target,) = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]
            if all(map(str.isupper, names)):
                value = eval(ast.unparse(node.value), found)
                values = [value] if isinstance(target, ast.Name) else list(value)
                found.update(zip(names, values, strict=True))
    return found


@pytest.mark.parametrize(
    "path", kernels(), ids=lambda path: str(path.relative_to(PACKAGE).with_suffix(""))
)
def test_constants_are_the_same_in_c_and_in_python(path: Path) -> None:
    in_c = constants(path.with_suffix(".pxd").read_text(encoding="utf-8"))
    in_python = of_python(path)
    assert in_c == {name: in_python.get(name) for name in in_c}


def test_words_of_programs_are_handed_to_python() -> None:
    module = importlib.import_module("topoview.logical.loops.kernels")
    path = PACKAGE / "logical" / "loops" / "kernels.pxd"
    words = constants(path.read_text(encoding="utf-8"))
    assert len(words) == 9
    assert words == {name: getattr(module, name) for name in words}


def test_all_constants_are_read() -> None:
    text = """cdef enum:
    FEW = -1
    MANY = 2 # why
    static const double PART = 0.8, SLOPE = 1e-9; static const long long ALL = 0x7f;
"""
    expected = {"FEW": -1, "MANY": 2, "PART": 0.8, "SLOPE": 1e-9, "ALL": 0x7F}
    assert constants(text) == expected
