"""All kernels that Python calls are compiled beforehand."""

import ast
import importlib
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

from topoview.analysis.compiling import compile_kernels
from topoview.commands.compiling import _draw
from topoview.kernel_cache import HERE

RARE = {
    "topoview.analysis.logical_metrics",
    "topoview.analysis.phases",
    "topoview.io.alignment",
    "topoview.io.assembly",
    "topoview.io.callbacks",
    "topoview.io.chunks",
    "topoview.io.clock_bounds",
    "topoview.io.clocks",
    "topoview.io.decoder_local",
    "topoview.io.decoder_squeeze",
    "topoview.io.events",
    "topoview.io.fallback",
    "topoview.io.messages",
    "topoview.io.selection",
    "topoview.logical.deduction",
    "topoview.logical.loops_tables",
    "topoview.logical.skeleton_build",
    "topoview.logical.skeleton_values",
    "topoview.topology.noise_fit",
}
"""Modules with kernels for traces that no example is like: clocks that are not
aligned, counters, formats that only the library reads, skeletons, ties of noise."""


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
    left = []
    for path in sorted(HERE.rglob("*.py")):
        folder = path.relative_to(HERE).parts[0]
        if folder in ("ui", "__main__.py", "__init__.py") or path.stem == "__init__":
            continue
        name = ".".join(["topoview", *path.relative_to(HERE).with_suffix("").parts])
        module = importlib.import_module(name)
        for called in sorted(_called_from_python(path)):
            kernel = getattr(module, called, None)
            if isinstance(kernel, Dispatcher) and not kernel.signatures:
                left.append((name, called))
    assert [(name, kernel) for name, kernel in left if name not in RARE] == []
