"""The functions of the Python API, which `topoview` hands out.

Everything is made once, in a process of its own, and kept: it costs milliseconds the
next time, here, in the window and on the command line. A module is imported when a
function of it is first used, and each function imports what it needs: whoever only
lists messages does not pay for drawing.
"""
# ruff: noqa: A004 - topoview.open and topoview.map

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from topoview.base.lazy import names_of_types, on_first_use
from topoview.model import Trace

if TYPE_CHECKING:
    from topoview.api.drawing import figure, plot, write_movie
    from topoview.api.opening import demo, open
    from topoview.api.structure import (
        compare,
        find_logical,
        identify,
        logical,
        map,
        matrix,
        network,
        scaling,
    )
    from topoview.api.tables import (
        account,
        calls,
        communicators,
        delays,
        efficiency,
        iterations,
        messages,
        phases,
        profile,
        query,
        regions,
        statistics,
        table,
        waits,
    )
    from topoview.api.writing import (
        advice,
        export,
        info,
        report_writer,
        write_digest,
        write_report,
        write_skeleton,
    )

_function = on_first_use(__name__, names_of_types(__file__))
__getattr__ = _function


class _Method:
    """A function that traces have as a method, imported when it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, trace: Trace | None, kind: type[Trace]) -> Callable[..., Any]:
        setattr(kind, self._name, _function(self._name))
        method: Callable[..., Any] = getattr(
            kind if trace is None else trace, self._name
        )
        return method


def _methods() -> tuple[str, ...]:
    """Add the functions to traces; the model itself knows nothing above it."""
    from topoview import PUBLIC

    no_methods = {
        "__version__",
        "demo",
        "open",
        "scaling",
        *(f.name for f in fields(Trace)),
    }
    names = tuple(name for name in PUBLIC if name not in no_methods)
    for name in names:
        setattr(Trace, name, _Method(name))
    return names


METHODS = _methods()
"""Functions that are methods of traces, too: ``trace.identify()``. `calls`, `messages`,
`communicators` and `regions` are columns and definitions there: `table` has these."""
