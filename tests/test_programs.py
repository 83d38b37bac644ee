"""Small MPI programs that are traced here and now: what topoview tells is what they do.

They write down themselves what each rank sends; ``tests/programs/runs.toml`` tells the
rest. ``scripts/try_programs.py`` compiles, traces and asks.
"""

import importlib.util
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).parent
SCRIPT = HERE.parent / "scripts" / "try_programs.py"

QUICK = (
    "halo blocking natural star 4x3",
    "master static",
    "trees binomial 5",
)
"""Runs that are always tried; the others take minutes."""

SHORT = {
    "master dynamic": "who comes when is another one each time",
    "master two": "names ranks one by one",
    "sparse fixed": "more statements, as messages come",
    "tripole 6 4": "names ranks one by one",
}
"""Runs of which too little is found as yet, and what that is."""


def _cases() -> list[Any]:
    found = []
    for run in tomllib.loads((HERE / "programs" / "runs.toml").read_text())["run"]:
        marks = [] if run["run"] in QUICK else [pytest.mark.slow]
        if run["run"] in SHORT:
            marks.append(pytest.mark.xfail(reason=SHORT[run["run"]], strict=False))
        for ranks in run["ranks"]:
            name = f"{run['run']} on {ranks}"
            found.append(pytest.param(run, ranks, id=name, marks=marks))
    return found


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    """Load the script that tries programs."""
    spec = importlib.util.spec_from_file_location(SCRIPT.stem, SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, SCRIPT.stem, module)
        spec.loader.exec_module(module)
        yield module


@pytest.mark.parametrize(("run", "ranks"), _cases())
def test_what_is_told_of_a_traced_program_is_what_it_does(
    script: ModuleType, run: dict[str, Any], ranks: int, tmp_path: Path
) -> None:
    assert script.try_run(run, ranks, tmp_path / "run")
