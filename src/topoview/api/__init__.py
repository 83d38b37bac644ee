"""The functions of the Python API, which `topoview` hands out.

Everything is made once, in a process of its own, and kept: it costs milliseconds the
next time, here, in the window and on the command line. Each function imports what it
needs: whoever only lists messages does not pay for drawing.
"""

from collections.abc import Callable
from dataclasses import fields

from topoview.api.drawing import figure as figure
from topoview.api.drawing import plot as plot
from topoview.api.drawing import write_movie as write_movie
from topoview.api.opening import demo as demo
from topoview.api.opening import open as open  # noqa: A004
from topoview.api.structure import compare as compare
from topoview.api.structure import identify as identify
from topoview.api.structure import logical as find_logical  # the room has its name
from topoview.api.structure import logical as logical
from topoview.api.structure import map as map  # noqa: A004
from topoview.api.structure import matrix as matrix
from topoview.api.structure import network as network
from topoview.api.structure import scaling as scaling
from topoview.api.tables import account as account
from topoview.api.tables import calls as calls
from topoview.api.tables import communicators as communicators
from topoview.api.tables import delays as delays
from topoview.api.tables import efficiency as efficiency
from topoview.api.tables import iterations as iterations
from topoview.api.tables import messages as messages
from topoview.api.tables import phases as phases
from topoview.api.tables import profile as profile
from topoview.api.tables import query as query
from topoview.api.tables import regions as regions
from topoview.api.tables import statistics as statistics
from topoview.api.tables import table as table
from topoview.api.tables import waits as waits
from topoview.api.writing import advice as advice
from topoview.api.writing import export as export
from topoview.api.writing import info as info
from topoview.api.writing import report_writer as report_writer
from topoview.api.writing import write_digest as write_digest
from topoview.api.writing import write_report as write_report
from topoview.api.writing import write_skeleton as write_skeleton


def _methods() -> tuple[Callable[..., object], ...]:
    """Let traces have the functions; the model itself knows nothing above it."""
    from topoview import PUBLIC
    from topoview.model import Trace

    no_methods = {
        "__version__",
        "demo",
        "open",
        "scaling",
        *(f.name for f in fields(Trace)),
    }
    functions = tuple(globals()[name] for name in PUBLIC if name not in no_methods)
    for function in functions:
        setattr(Trace, function.__name__, function)
    return functions


METHODS = _methods()
"""Functions that are methods of traces, too: ``trace.identify()``. `calls`, `messages`,
`communicators` and `regions` are columns and definitions there: `table` has these."""
