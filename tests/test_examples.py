"""Examples in docstrings of the Python API run, and each function has one."""

import doctest
import inspect
from types import FunctionType

import pytest

import topoview
from topoview import api
from topoview.model import Table, Trace

FUNCTIONS = [
    function
    for name in topoview.PUBLIC
    if isinstance(function := getattr(api, name, None), FunctionType)
]

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Checker(doctest.OutputChecker):
    """Takes a thin space between thousands for a blank."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        thin = got.replace("\N{THIN SPACE}", " ").replace(
            "\N{NARROW NO-BREAK SPACE}", " "
        )
        return super().check_output(want, thin, optionflags)


@pytest.fixture(scope="module")
def demo() -> Trace:
    return topoview.demo()


@pytest.mark.usefixtures("few_moves")
@pytest.mark.parametrize(
    "shown",
    [topoview, *FUNCTIONS, Table.to_xarray],
    ids=lambda shown: shown.__name__,
)
def test_examples_run(shown: object, demo: Trace) -> None:
    pytest.importorskip("xarray")
    pytest.importorskip("duckdb")
    shown = inspect.unwrap(shown) if callable(shown) else shown
    names = {"topoview": topoview, "trace": demo}
    finder = doctest.DocTestFinder(recurse=False)
    (test,) = finder.find(shown, shown.__name__, globs=names)  # type: ignore[attr-defined]
    assert test.examples
    said: list[str] = []
    doctest.DocTestRunner(Checker(), optionflags=FLAGS).run(test, out=said.append)
    assert not said, "".join(said)


def test_all_public_functions_are_shown() -> None:
    assert {function.__name__ for function in FUNCTIONS} == {
        name for name in topoview.PUBLIC if not name.startswith("_")
    }
