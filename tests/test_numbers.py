"""Numbers out of any range, in every option of every command: one line, never more."""

import argparse
import contextlib
import io
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from simulation import Program, simulate
from traces import shape, slow_tests_run
from writer import write_trace

from topoview.__main__ import _parser, main
from topoview.cli.commands import COMMANDS
from topoview.errors import UsageError

ABSURD = ("nan", "inf", "1e400", "1e300", "1" + "0" * 20, "-1", "")
FORMS = {
    "torus": "{0}x2", "mesh": "{0}x2", "fat_tree": "{0}x2", "dragonfly": "{0}x2x2",
    "range": "{0}-{0}", "explode": "x={0}", "slice": "x={0}:{0}", "window": "{0}:{0}",
    "size": "{0}x{0}", "find": "> {0} ms", "ranks": "{0}", "per_node": "{0}",
}  # fmt: skip
"""How an option has numbers that is not one number."""

OUTPUTS = {
    "digest": "o.topoview", "fetch": "o.topoview", "render": "o.png",
    "movie": "o.mp4", "report": "o.html", "export": "o.csv", "skeleton": "o.c",
}  # fmt: skip
DRAWN = "nothing is drawn in this test"


def parser_of(command: str) -> argparse.ArgumentParser:
    return _parser(command, import_module(f"topoview.cli.{COMMANDS[command].file}"))


def is_number(option: argparse.Action) -> bool:
    """Tell whether an option has numbers: what it takes no letters for."""
    if option.dest in FORMS:
        return True
    if option.type is None or option.type is Path or option.nargs == 0:
        return False
    try:
        option.type("no number at all")  # type: ignore[operator]
    except (argparse.ArgumentTypeError, ValueError):
        return True
    return False


ALWAYS = ("info", "network")
"""Commands that also run where no slow tests do: a second for each number taken."""


def is_taken(line: list[str]) -> bool:
    """Tell whether the options of a line are understood: a trace is read then."""
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            parser_of(line[0]).parse_args(line[1:])
        except UsageError:
            return False
    return True


def lines_of(command: str, anchor: Path) -> Iterator[list[str]]:
    """Give lines of a command, of which each has one absurd number."""
    line = [command]
    if COMMANDS[command].reads:
        line += [str(anchor)] * (1 + (command in ("compare", "scaling")))
    if command in OUTPUTS:
        line += ["--output", OUTPUTS[command]]
    options = [o for o in parser_of(command)._actions if o.option_strings]
    for option in filter(is_number, options):
        for number in ABSURD:
            text = FORMS.get(option.dest, "{0}").format(number)
            yield [*line, f"{option.option_strings[-1]}={text}"]


@pytest.fixture(scope="module")
def anchor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = Program(shape("torus", (3, 2)), iterations=2)
    return write_trace(simulate(program), tmp_path_factory.mktemp("run"))


def test_options_with_numbers_are_seen() -> None:
    """The walk below does not go past what it is for."""
    numbers = {
        option.option_strings[-1]
        for command in COMMANDS
        for option in parser_of(command)._actions
        if option.option_strings and is_number(option)
    }
    wanted = {
        "--from",
        "--read-to",
        "--limit",
        "--level",
        "--memory",
        "--torus",
        "--steps",
    }
    wanted |= {
        "--per-node",
        "--workers",
        "--width",
        "--spacing",
        "--rate",
        "--calls-of",
    }
    wanted |= {"--threshold", "--burst", "--loops-above", "--expand", "--scale"}
    assert wanted <= numbers


@pytest.mark.usefixtures("one_store", "qapp")  # commands that draw would make another
@pytest.mark.parametrize("command", COMMANDS)
def test_absurd_numbers_are_one_line(
    command: str,
    anchor: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from topoview.errors import TopoviewError

    def drawn(*_: object, **__: object) -> None:
        raise TopoviewError(DRAWN)

    monkeypatch.chdir(tmp_path)
    for name in ("picture.save_scene", "film.render_film"):
        monkeypatch.setattr(f"topoview.ui.export.{name}", drawn)
    for line in lines_of(command, anchor):
        if not (command in ALWAYS or slow_tests_run()) and is_taken(line):
            continue
        try:
            code = main(line)
        except SystemExit as end:
            code = int(end.code or 0)
        told = capsys.readouterr().err
        said = [text for text in told.splitlines() if text.startswith("topoview")]
        assert code in (0, 1, 2), line
        assert code != 1 or DRAWN in told or "is no digest" in told, (line, told)
        assert len(said) == (code != 0), (line, told)
