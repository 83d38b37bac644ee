"""topoview: the communication topology of MPI programs, from their OTF2 traces.

>>> import topoview
>>> trace = topoview.open("run/traces.otf2")                # doctest: +SKIP
>>> topoview.identify(trace).best.topology.name             # doctest: +SKIP
'2D torus 8x4'
>>> topoview.profile(trace).to_pandas()                     # doctest: +SKIP
>>> topoview.plot(trace, time=1.2).show()                   # doctest: +SKIP

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
        efficiency,
        export,
        identify,
        info,
        iterations,
        logical,
        map_ranks,
        matrix,
        messages,
        network,
        open,  # noqa: A004 - topoview.open
        phases,
        plot,
        profile,
        query,
        regions,
        scaling,
        statistics,
        waits,
        write_digest,
        write_report,
    )

__all__ = [
    "__version__",
    "account",
    "advice",
    "calls",
    "communicators",
    "compare",
    "delays",
    "efficiency",
    "export",
    "identify",
    "info",
    "iterations",
    "logical",
    "map_ranks",
    "matrix",
    "messages",
    "network",
    "open",
    "phases",
    "plot",
    "profile",
    "query",
    "regions",
    "scaling",
    "statistics",
    "waits",
    "write_digest",
    "write_report",
]

__getattr__ = on_first_use(__name__, dict.fromkeys((*__all__, "find_logical"), "api"))


def __dir__() -> list[str]:
    return __all__
