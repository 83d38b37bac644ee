"""topoview: the communication topology of MPI programs, from their OTF2 traces.

>>> import topoview
>>> trace = topoview.demo()  # or topoview.open("run/traces.otf2")
>>> topoview.identify(trace).best.topology.name
'2D torus 24x12'
>>> topoview.waits(trace).to_pandas()  # doctest: +SKIP
>>> topoview.plot(trace, time=0.06).show()  # doctest: +SKIP

The functions are those of `topoview.api`.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from topoview.base.lazy import on_first_use
from topoview.version import __version__

if (Path(__file__).parents[2] / "hatch_build.py").is_file():
    # a source checkout: what is installed is compiled, and has no `build`
    from topoview.build import compile_stale

    compile_stale()

if TYPE_CHECKING:
    from topoview.api import (
        account,
        advice,
        calls,
        communicators,
        compare,
        delays,
        demo,
        efficiency,
        export,
        figure,
        identify,
        info,
        iterations,
        logical,
        matrix,
        messages,
        network,
        phases,
        plot,
        profile,
        query,
        regions,
        scaling,
        statistics,
        table,
        waits,
        write_digest,
        write_movie,
        write_report,
        write_skeleton,
    )
    from topoview.api import map as map  # noqa: A004
    from topoview.api import open as open  # noqa: A004

__all__ = [
    "__version__",
    "account",
    "advice",
    "calls",
    "communicators",
    "compare",
    "delays",
    "demo",
    "efficiency",
    "export",
    "figure",
    "identify",
    "info",
    "iterations",
    "logical",
    "matrix",
    "messages",
    "network",
    "phases",
    "plot",
    "profile",
    "query",
    "regions",
    "scaling",
    "statistics",
    "table",
    "waits",
    "write_digest",
    "write_movie",
    "write_report",
    "write_skeleton",
]

PUBLIC = (*__all__, "map", "open")
"""What the package hands out; ``from topoview import *`` leaves Python's own alone."""

__getattr__ = on_first_use(__name__, dict.fromkeys((*PUBLIC, "find_logical"), "api"))


def __dir__() -> tuple[str, ...]:
    return PUBLIC
