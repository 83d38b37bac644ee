"""All kernels that Python calls are compiled beforehand."""

import ast
import importlib
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

from topoview.__main__ import main

LIBRARY = "formats that only libotf2 reads"
PARAMETERS = "parameters of functions"
RARE = {
    "topoview.logical.functions.parameter_ranges._join_levels": PARAMETERS,
    "topoview.logical.functions.parameters._looked_up": PARAMETERS,
    "topoview.logical.functions.parameters.extend_paths": PARAMETERS,
    "topoview.logical.functions.parameters.levels_at": PARAMETERS,
    "topoview.analysis.call_sites._take": "calls with the line they are made in",
    "topoview.logical.calls.one_sided._calls_around": "one-sided calls",
    "topoview.io.callbacks._long": LIBRARY,
    "topoview.io.callbacks._see": LIBRARY,
    "topoview.io.callbacks._short": LIBRARY,
    "topoview.io.chunks._count_events": "a last chunk that is cut off",
    "topoview.io.decoder.local.tabulate": "streams with regions of their own numbering",
    "topoview.io.decoder.seek.move_channels": "locations with hundreds of channels",
    "topoview.logical.calls.wildcards._operation_before": "receives of the first",
    "topoview.logical.merge.sequences._first_places": "groups folded in other orders",
    "topoview.logical.assembly._table_cells": "sizes that change from turn to turn",
    "topoview.live.timeline.raster.add_state_ticks": "very many ranks of few intervals",
    "topoview.io.events.begin": LIBRARY,
    "topoview.io.events.copy_records": LIBRARY,
    "topoview.io.events.end": LIBRARY,
    "topoview.io.events.replay": LIBRARY,
    "topoview.io.events.resolve_requests": LIBRARY,
    "topoview.io.fallback.settle_intervals": LIBRARY,
    "topoview.io.messages._fill": LIBRARY,
    "topoview.io.messages.in_order": LIBRARY,
    "topoview.io.reader._merge_samples": "samples of calling contexts",
    "topoview.io.selection._select": LIBRARY,
}
"""Kernels that are left to who meets what they are for, which few traces have."""


def _called_from_python(path: Path) -> set[str]:
    """Names that code outside of kernels uses."""
    found = set()

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef) and any(
                "njit" in ast.dump(mark) for mark in child.decorator_list
            ):
                continue
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
                found.add(child.id)
            visit(child)

    visit(ast.parse(path.read_text()))
    return found


@pytest.mark.slow
def test_no_kernel_is_left_to_the_first_user() -> None:
    _draw(compile_kernels())
    left = set()
    for path in sorted(HERE.rglob("*.py")):
        folder = path.relative_to(HERE).parts[0]
        if folder in ("ui", "__main__.py", "__init__.py") or path.stem == "__init__":
            continue
        name = ".".join(["topoview", *path.relative_to(HERE).with_suffix("").parts])
        module = importlib.import_module(name)
        for called in _called_from_python(path):
            kernel = getattr(module, called, None)
            if isinstance(kernel, Dispatcher) and not kernel.signatures:
                left.add(f"{name}.{called}")
    assert left == set(RARE)


@pytest.mark.usefixtures("qapp")  # or it would make one that knows no widgets
def test_the_command_tells_what_takes_long_and_that_it_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOPOVIEW_PROGRESS", "lines")
    assert main(["compile"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("All that topoview compiles is there after ")
    assert "compiling, once" in told.err
