"""The benchmark that prints lengths of logical traces, which a page has as a table."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from traces import real_path

TREE = Path(__file__).parents[2]


def test_lengths_are_those_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    """CG on 8 ranks: calls that differ, loops alone, blocks written once, lines."""
    spec = spec_from_file_location("loops", TREE / "benchmarks" / "loops.py")
    assert spec is not None
    assert spec.loader is not None
    loops = module_from_spec(spec)
    spec.loader.exec_module(loops)
    loops.lengths([real_path("ez-cg-8")])
    name, _, distinct, plain, _, blocks, uses, lines, _ = (
        capsys.readouterr().out.splitlines()[-1].split()
    )
    assert name == "ez-cg-8"
    page = (TREE / "docs" / "methods" / "loops.md").read_text()
    row = f"| {distinct} | {plain} | {blocks} | {int(blocks) + int(uses)} | {lines} |"
    assert f"| CG, 8 ranks | 1659 {row}" in page
