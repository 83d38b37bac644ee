"""The documentation: links lead somewhere, names exist, commands and code are right."""

import os
import re
import shlex
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from topoview.__main__ import _parser
from topoview.base.resources import DEMOS, demo_trace
from topoview.cli.commands import COMMANDS
from topoview.cli.options import window_parser
from topoview.errors import UsageError
from topoview.ui.panels.table import PARTS
from topoview.ui.widgets.manual import anchor_of, contents, page_of_panel

TREE = Path(__file__).parents[1]
SOURCE = TREE / "src" / "topoview"
DOCS = TREE / "docs"
PAGES = sorted((*DOCS.rglob("*.md"), TREE / "README.md"))

sys.path.insert(0, str(TREE / "scripts"))

import reference  # noqa: E402 - of scripts

every_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: str(page.relative_to(TREE))
)


def prose(page: Path) -> str:
    """Text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)


def anchors(page: Path) -> set[str]:
    return {anchor_of(title) for title in re.findall(r"^#+ (.*)$", prose(page), re.M)}


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    """To a page, a section, or a picture of the tree."""
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if link.startswith("http"):
            continue
        path, _, anchor = link.partition("#")
        there = (page.parent / path).resolve() if path else page
        inside = there.is_relative_to(DOCS) or page.parent == TREE
        if not (there.exists() and inside and (not anchor or anchor in anchors(there))):
            lost.append(link)
    assert lost == []


def test_no_page_and_no_picture_is_an_orphan() -> None:
    listed = [path for _, _, path in contents() if path]
    assert sorted(listed) == sorted(
        str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md")
    )
    words = "".join(page.read_text() for page in PAGES)
    assert [p.name for p in DOCS.glob("images/*") if p.name not in words] == []


@every_page
def test_pages_begin_with_what_they_are_for(page: Path) -> None:
    """A title, then a sentence: no list, no code, no picture. README has a picture."""
    title, blank, first = page.read_text().splitlines()[:3]
    assert title.startswith("# ")
    assert blank == ""
    assert page.name == "README.md" or first[0].isalpha() or first[0] in "`*"


def test_each_panel_has_a_page() -> None:
    """Or a section of one, which help opens by the panel's name."""
    places = [page_of_panel(name).partition("#") for name in PARTS]
    for path, _, section in places:
        assert (DOCS / path).is_file()
        assert not section or section in anchors(DOCS / path)
    assert len(set(places)) == len(PARTS)
    pages = {f"panels/{path.name}" for path in DOCS.glob("panels/*.md")}
    assert pages <= {path for path, _, _ in places}


def test_each_demo_has_a_tutorial() -> None:
    text = "".join(page.read_text() for page in DOCS.glob("tutorials/*.md"))
    commands = set(re.findall(r"^topoview demo(?: ([a-z]\w+))?$", text, re.M))
    assert commands == {"", *DEMOS} - {next(iter(DEMOS))}
    assert all(demo_trace(name).stat().st_size < 300 * 1024 for name in DEMOS)


@pytest.mark.parametrize("name", reference.PAGES)
def test_what_is_made_of_the_source_is_that(name: str) -> None:
    """Else run scripts/reference.py."""
    made = reference.PAGES[name]()
    assert (DOCS.parent / name).read_text() == made


def command_lines(page: Path) -> list[str]:
    """Lines that call topoview, as they are written, without remarks."""
    blocks = re.findall(r"^```(?:sh|console)\n(.*?)^```", page.read_text(), re.M | re.S)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    found = (re.match(r"(?:\$ )?(topoview .*)", line.strip()) for line in lines)
    return [match[1] for match in found if match]


@every_page
def test_commands_are_understood(page: Path) -> None:
    for line in command_lines(page):
        words = shlex.split(line, comments=True)[1:]
        words = words[: next((i for i, w in enumerate(words) if w in "|>;"), None)]
        words = [word.replace("$i", "1") for word in words]
        name = words[0] if words and words[0] in COMMANDS else ""
        parser = window_parser()
        if name:
            parser = _parser(name, import_module(f"topoview.cli.{COMMANDS[name].file}"))
            words = words[1:]
        try:
            parser.parse_args(words)
        except UsageError:
            pytest.fail(line)


@every_page
def test_options_that_are_named_exist(page: Path) -> None:
    """In the prose, of topoview or of the programs that it names."""
    known = set(
        re.findall(r"`(--[\w-]+)", (DOCS / "reference/commands.md").read_text())
    )
    known |= {"--help", *OTHERS}
    named = set(re.findall(r"`(--[a-z][\w-]*)", prose(page)))
    assert named - known == set()


OTHERS = {
    *("--fast", "--slow", "--keep", "--only", "--busy", "--speed", "--dims"),
    "--only-binary",
    "--names",
}
"""Options of scripts, of skeletons and the like."""


@every_page
def test_files_that_are_named_are_there(page: Path) -> None:
    """By their path in the tree, or in the source, or by name alone."""
    names = re.findall(r"`([\w/]+\.py)`", page.read_text())
    assert [n for n in names if not any(f.endswith(f"/{n}") for f in sources())] == []


@cache
def sources() -> list[str]:
    """List all files in Python."""
    some = ("", "[a-z]*/**/")
    return [str(path) for where in some for path in TREE.glob(where + "*.py")]


def test_the_site_is_whole_and_asks_for_nothing_else(tmp_path: Path) -> None:
    """Built strictly; no font, script or picture comes from elsewhere."""
    pytest.importorskip("material", reason="comes with the extra docs")
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    done = subprocess.run(
        [*build, "--site-dir", str(tmp_path)],
        cwd=TREE,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    asking = r"""(?:src=|<link[^>]* href=|url\(|@import )["']?(?:https?:)?//[^"')]+"""
    pages = [p for suffix in ("html", "css") for p in tmp_path.rglob(f"*.{suffix}")]
    assert len(pages) > len(PAGES) / 2
    assert [re.findall(asking, page.read_text()) for page in pages] == [[]] * len(pages)


def test_all_packages_are_listed() -> None:
    text = (DOCS / "developing.md").read_text()
    table = text.partition("| package |")[2].partition("\n\n")[0]
    first = "".join(re.findall(r"^\|(.*?)\|", table, re.M))
    listed = re.findall(r"`([\w.]+)/?`", first)
    there = [
        path.name
        for path in SOURCE.iterdir()
        if (path.is_dir() or path.suffix == ".py") and path.stem != "__init__"
    ]
    assert sorted(listed) == sorted(set(there) - {"__pycache__"})


def test_tests_that_pages_name_exist() -> None:
    texts = [path.read_text() for path in (TREE / "tests").rglob("test_*.py")]
    there = set(re.findall(r"^def (test_\w+)", "\n".join(texts), flags=re.M))
    for page in PAGES:
        named = set(re.findall(r"`(test_\w+)`", page.read_text()))
        assert named <= there, f"{page}: {named - there}"
