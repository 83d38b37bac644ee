"""Constants of kernels have the same value in C (``.pxd``) as in Python (``.py``)."""

import re
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

from topoview.build import PACKAGE, kernels

ASSIGNED = re.compile(r"\b([A-Z][A-Z0-9_]*) = ([^#]+)")


def constants(text: str) -> dict[str, float]:
    """Read what C calls by names in capitals: enumerations and ``static const``."""
    found = map(ASSIGNED.search, re.split(r"[;,\n]", text))
    return {match[1]: eval(match[2]) for match in found if match}


def uncompiled(path: Path) -> ModuleType:
    """Run a file of kernels as Python does."""
    name = ".".join(("uncompiled", *path.relative_to(PACKAGE).with_suffix("").parts))
    loader = SourceFileLoader(name, str(path))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", kernels(), ids=lambda path: path.stem)
def test_constants_are_the_same_in_c_and_in_python(path: Path) -> None:
    in_c = constants(path.with_suffix(".pxd").read_text(encoding="utf-8"))
    module = uncompiled(path)
    assert in_c == {name: getattr(module, name) for name in in_c}


def test_all_constants_are_read() -> None:
    text = """cdef enum:
    FEW = -1
    MANY = 2 # why
    static const double PART = 0.8, SLOPE = 1e-9; static const long long ALL = 0x7f;
"""
    expected = {"FEW": -1, "MANY": 2, "PART": 0.8, "SLOPE": 1e-9, "ALL": 0x7F}
    assert constants(text) == expected
