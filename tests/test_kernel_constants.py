"""Constants of kernels have the same value in C (``.pxd``) as in Python (``.py``)."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from topoview.build import PACKAGE, kernels

ASSIGNED = re.compile(r"\b([A-Z][A-Z0-9_]*) = ([^#]+)")

UNCOMPILED = """
import importlib, json, sys
import kernel_builds  # kernels run as Python
values = {}
for module, names in json.loads(sys.argv[1]).items():
    constants = vars(importlib.import_module(module))
    values[module] = {name: constants[name] for name in names}
print(json.dumps(values, default=lambda number: number.item()))
"""


def constants(text: str) -> dict[str, float]:
    """Read what C calls by names in capitals: enumerations and ``static const``."""
    found = map(ASSIGNED.search, re.split(r"[;,\n]", text))
    return {match[1]: eval(match[2]) for match in found if match}


def test_constants_are_the_same_in_c_and_in_python() -> None:
    in_c = {}
    for path in kernels():
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        in_c[name] = constants(path.with_suffix(".pxd").read_text(encoding="utf-8"))
    done = subprocess.run(
        [sys.executable, "-c", UNCOMPILED, json.dumps(in_c)],
        env={**os.environ, "TOPOVIEW_KERNELS": "python"},
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    assert json.loads(done.stdout) == in_c


def test_all_constants_are_read() -> None:
    text = """cdef enum:
    FEW = -1
    MANY = 2 # why
    static const double PART = 0.8, SLOPE = 1e-9; static const long long ALL = 0x7f;
"""
    expected = {"FEW": -1, "MANY": 2, "PART": 0.8, "SLOPE": 1e-9, "ALL": 0x7F}
    assert constants(text) == expected
