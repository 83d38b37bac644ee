"""Questions of analysts to the tools for assistants: right answers, known beforehand.

What is right is in ``tests/data/README.md`` and ``tests/io/test_cases.py``: it is what
the programs do, not what topoview said once.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from topoview.__main__ import main
from topoview.cli import mcp as tools

if TYPE_CHECKING:
    from mcp.types import CallToolResult

DATA = Path(__file__).parent / "data"
JACOBI = "sp-jacobi2d-8x4-periodic-idlewave"

QUESTIONS = [
    ("How many ranks ran?", JACOBI, "open_trace", {}, r"\nranks +32\n"),
    ("What wrote the trace?", JACOBI, "open_trace", {}, r"\nproducer +Score-P 8\.4\n"),
    ("Which shape has it?", JACOBI, "identify", {}, r"\n2D torus 4x8\n"),
    (
        "Which rank made the others wait most?",
        JACOBI,
        "findings",
        {},
        r"\nCaused by\n +time +share\nrank 5 ",
    ),
    (
        "In which iteration did others wait most for rank 5?",
        JACOBI,
        "query",
        {
            "sql": "select iteration, sum(waited) as waited from calls "
            "where waited_for = 5 group by 1 order by 2 desc limit 1"
        },
        r"\n +9 +2[34]\d ms\n",
    ),
    (
        "Whom does rank 12 send to, and how often?",
        JACOBI,
        "query",
        {
            "sql": "select receiver, count(*) as n from messages where sender = 12 "
            "group by 1 order by 1"
        },
        r"\n +8 +60\n +13 +60\n +15 +60\n +16 +60\n",
    ),
    (
        "Which calls waited longest?",
        JACOBI,
        "table",
        {"name": "calls", "sort": "waited", "limit": 2},
        r"(\n *\d+ +\d+ +Waitall .*){2}",
    ),
    (
        "How many messages are there?",
        JACOBI,
        "query",
        {"sql": "select count(*) as n from messages"},
        r"\n7\D?680\n",
    ),
    ("What does each rank do?", JACOBI, "logical_trace", {}, r"Isend .*NORTH"),
    ("Is there a master?", "sp-masterworker-24", "identify", {}, r"\nstar 24\n"),
    (
        "Which topology has NAS CG on 8?",
        "ez-cg-8",
        "identify",
        {"why": True},
        r"the same graph as CG 4x2",
    ),
    (
        "Which communicators are there?",
        "sp-rowcol-6x4",
        "table",
        {"name": "communicators"},
        r"\n.* 6 .*",
    ),
    (
        "Which phases has the run?",
        "sp-twophase-6x6-user-metrics",
        "table",
        {"name": "phases"},
        r"(?s)(halo +2D torus 6x6 .*transpose +transpose 6x6 .*){4}",
    ),
    (
        "Why does the program hang?",
        "cases/deadlock",
        "findings",
        {},
        r"wait for each other",
    ),
    (
        "What disturbed rank 1?",
        "cases/flush",
        "table",
        {"name": "profile"},
        r"\nmeasurement +other +580 µs",
    ),
    (
        "How long was waited in collective I/O?",
        "cases/io-collective",
        "findings",
        {},
        r"(?i)wait at I/O +\d+ µs|600 µs",
    ),
    (
        "How much waiting is in the Waitall?",
        "cases/nbc",
        "findings",
        {},
        r"together waited 15[78] µs",
    ),
    (
        "How efficient is it?",
        JACOBI,
        "table",
        {"name": "efficiency"},
        r"\nparallel efficiency +[56]\d",
    ),
    (
        "Does it differ from itself?",
        JACOBI,
        "compare",
        {"other": JACOBI},
        r"(?i)same",
    ),
    (
        "How many columns have calls?",
        JACOBI,
        "query",
        {"sql": "select nothing from calls"},
        r'Referenced column "nothing" not found',
    ),
]


@contextmanager
def in_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[None]:
    """Run the commands here: a process for each costs its imports."""

    async def run(arguments: list[str]) -> tuple[int, str, str]:
        try:
            status = main([*arguments, "--quiet"])
        except SystemExit as error:  # argparse's
            status = int(error.code or 0)
        written = capsys.readouterr()
        return status, written.out, written.err

    monkeypatch.setattr(tools, "run_command", run)
    yield


def ask(name: str, arguments: dict[str, Any]) -> CallToolResult:
    """Ask a tool as an assistant does."""
    from mcp import Client  # loads for long: no other file of tests waits for it

    async def act() -> CallToolResult:
        async with Client(tools.server()) as client:
            return await client.call_tool(name, arguments)

    return anyio.run(act)


def words(result: CallToolResult) -> str:
    """Join the texts of an answer."""
    return "\n".join(part.text for part in result.content if part.type == "text")


def test_questions_are_answered_rightly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = []
    with in_process(monkeypatch, capsys):
        for question, trace, name, arguments, right in QUESTIONS:
            given = {
                key: f"{DATA / value}.tar.xz" if key == "other" else value
                for key, value in arguments.items()
            }
            answer = words(ask(name, {"trace": f"{DATA / trace}.tar.xz", **given}))
            if not re.search(right, answer):
                wrong.append(f"{question}\n{answer[:2000]}")
    assert not wrong, "\n\n".join(wrong)


def test_an_answer_begins_with_the_command_that_prints_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = str(DATA / f"{JACOBI}.tar.xz")
    with in_process(monkeypatch, capsys):
        asked = {"trace": trace, "name": "calls", "find": "rank 5", "limit": 3}
        line, _, printed = words(ask("table", asked)).partition("\n")
    assert line.startswith("$ topoview calls ")
    assert main(shlex.split(line)[2:]) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.usefixtures("qapp")  # else a window of another test has none
def test_a_picture_is_handed_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("vtkmodules")
    with in_process(monkeypatch, capsys):
        answer = ask("picture", {"trace": str(DATA / f"{JACOBI}.tar.xz")})
    (picture,) = (part for part in answer.content if part.type == "image")
    assert picture.mime_type == "image/png"


def test_no_file_is_written_over(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text("mine")
    trace = str(DATA / f"{JACOBI}.tar.xz")
    for output in (f"{file}", f"{file}/", f"{file}/."):
        answer = ask("report", {"trace": trace, "output": output})
        assert answer.is_error
        assert "already" in words(answer)
        assert file.read_text() == "mine"
    file.rename(tmp_path / "mine")
    link = tmp_path / "link.html"
    link.symlink_to(file)  # which is not there
    answer = ask("report", {"trace": trace, "output": str(link)})
    assert answer.is_error
    assert not file.exists()


@pytest.mark.parametrize("trace", ["a\0b", "x" * (1 << 20)])
def test_words_that_no_command_takes_are_refused(trace: str) -> None:
    answer = ask("open_trace", {"trace": trace})
    assert answer.is_error
    assert "no command has such words" in words(answer)


def test_the_command_serves_on_its_own_input() -> None:
    from mcp import ClientSession, StdioServerParameters, stdio_client

    line = ["-P", "-m", "topoview", "mcp"]
    program = StdioServerParameters(command=sys.executable, args=line)

    async def act() -> tuple[set[str], CallToolResult]:
        async with (
            stdio_client(program, errlog=sys.__stderr__) as (read, write),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            listed = await session.list_tools()
            answer = await session.call_tool("open_trace", {"trace": "-nowhere"})
            return {tool.name for tool in listed.tools}, answer

    names, answer = anyio.run(act)
    assert names == {tool.__name__ for tool in tools.TOOLS}
    assert answer.is_error
    assert "-nowhere" in words(answer)
