"""The documentation names files and packages that exist."""

import re
from pathlib import Path

import pytest

TREE = Path(__file__).parents[1]
SOURCE = TREE / "src" / "topoview"
PAGES = sorted((*TREE.glob("docs/*.md"), TREE / "README.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_that_are_named_are_there(page: Path) -> None:
    """By their path in the tree, or in the source, or by name alone."""
    names = re.findall(r"`([\w/]+\.py)`", page.read_text())
    files = [str(p) for where in ("", "[a-z]*/**/") for p in TREE.glob(where + "*.py")]
    assert [n for n in names if not any(f.endswith(f"/{n}") for f in files)] == []


def test_all_packages_are_listed() -> None:
    text = (TREE / "docs" / "developing.md").read_text()
    table = text.partition("| package |")[2].partition("\n\n")[0]
    first = "".join(re.findall(r"^\|(.*?)\|", table, re.M))
    listed = re.findall(r"`([\w.]+)/?`", first)
    there = [
        path.name
        for path in SOURCE.iterdir()
        if (path.is_dir() or path.suffix == ".py") and path.stem != "__init__"
    ]
    assert sorted(listed) == sorted(set(there) - {"__pycache__"})
