"""Compiles what traces may need that nothing has needed so far.

Run as ``python -m topoview.warm_up`` by a window, once it shows a trace: at the lowest
priority, one at a time, and only if that was not done before by this installation. It
tells how far it is, a fraction a line, and ends when its standard input does. What it
does are small examples of what users do.
"""

import fcntl
import hashlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np

    from topoview.model import Analysis, CommunicationMatrix, Topology

_LEAST_PRIORITY: Final = 19


def main() -> None:
    """Compile, unless somebody does or has done it."""
    os.nice(_LEAST_PRIORITY)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    for fraction in compile_once(_steps):
        os.write(sys.stdout.fileno(), f"{fraction:.3f}\n".encode())


def compile_once(steps: Callable[[], Iterator[float]]) -> Iterator[float]:
    """Take steps, and remember that; none if somebody does or has done so.

    Yields
    ------
    float
        What the steps yield: how much is done.
    """
    with _record().open("a+") as record:
        try:
            fcntl.flock(record, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return
        record.seek(0)
        installed = _installed()
        if record.read() == installed:
            return
        yield from steps()
        record.truncate(0)
        record.write(installed)


def _end_with_parent() -> None:
    """Wait until the other end of the standard input is closed, and leave."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(0)


def _record() -> Path:
    """File that tells for which installation all this was done; it is locked."""
    from topoview.base.kernels import place_for

    folder = place_for(Path(__file__))
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "topoview.warm_up"


def _installed() -> str:
    """Digest of what is installed, by the times of its files."""
    root = Path(__file__).parent
    files = [(str(path), path.stat().st_mtime_ns) for path in root.rglob("*.py")]
    told = (sys.version, version("numba"), sorted(files))
    return hashlib.sha256(repr(told).encode()).hexdigest()


def _steps() -> Iterator[float]:
    """Do small examples of what users do; how much is done."""
    yield 0.0
    import numpy as np

    from topoview.base.resources import demo_trace
    from topoview.pipeline import analyse
    from topoview.topology import (
        binomial_tree,
        cg,
        complete_tree,
        lattice,
        star,
    )
    from topoview.topology.kinds.butterfly import butterfly
    from topoview.topology.kinds.complete import rook
    from topoview.topology.kinds.composite import copies, product
    from topoview.topology.kinds.mesh import hexagonal
    from topoview.topology.kinds.sphere import sphere_of_triangles, sphere_of_vertices
    from topoview.topology.lattices.lattice import STENCILS, plain
    from topoview.topology.lattices.partial import partial_lattice
    from topoview.worker import open_trace

    *_, known = analyse(open_trace(demo_trace()))
    whole = [
        lattice((5, 5), (True, True), STENCILS["6-point"](2)),
        lattice((6, 5), (False, False), STENCILS["box"](2)),
        lattice((5, 4, 4), (True,) * 3, STENCILS["19-point"](3)),
        complete_tree(15, 2),
        binomial_tree(32),
        star(8, 2),
        rook((4, 3)),
        cg(32),
        cg(512),
        lattice((70, 60), (True, False)),
        lattice((9, 7), (True, True), ((1, 0), (0, 1), (2, 1))),
        partial_lattice((8, 7), (False, False), plain(2), np.arange(56) != 19),
        butterfly(3),
        hexagonal(3, 2),
        sphere_of_triangles(2),
        sphere_of_vertices(2),
        copies(4, lattice((6,), (True,))),
        product(lattice((6,), (True,)), star(4)),
    ]
    with_noise = [
        lattice((12, 12), (True, True)),
        lattice((12, 12), (True, True), STENCILS["6-point"](2)),
        lattice((6, 6, 6), (True,) * 3),
        lattice((10, 10), (False, False), STENCILS["box"](2)),
        complete_tree(31, 2),
    ]
    steps: list[Callable[[], None]] = [
        partial(_select, known),
        partial(_colour, known),
        _cast,
        *(partial(_identify, shape.vertices, shape.edges) for shape in whole),
        *(partial(_identify, t.vertices, _changed(t)) for t in with_noise),
        partial(_identify, 60, _any_pairs(60)),
    ]
    for done, step in enumerate(steps, 1):
        step()
        yield done / len(steps)


def _select(known: "Analysis") -> None:
    """Select a statement and an operation, and profile a window."""
    import numpy as np

    from topoview.live.call_facts import awaited_partners, messages_of_call
    from topoview.live.moments.film_times import idle_periods
    from topoview.live.moments.window_sums import profile_within
    from topoview.live.picking.selection import selected_messages, selected_spans
    from topoview.session import CallFilter

    trace = known.trace
    window = (0, trace.clock.length)
    for wanted in (CallFilter((0,)), CallFilter(operation="Isend")):
        spans = selected_spans(trace, known.logical, wanted)
        selected_messages(trace, known.logical, wanted=wanted, ranks=(0,))
        profile_within(trace, window, spans)
    selected_messages(trace, None, window=window)
    profile_within(trace, window)
    messages_of_call(known, int(trace.messages.send_call[0]))
    first = trace.calls.offsets[: trace.ranks]
    awaited_partners(known, np.arange(trace.ranks), first, 0)
    idle_periods(trace.timeline, window, 100, 1.0)


def _colour(known: "Analysis") -> None:
    """Colour ranks in each way."""
    from topoview.live.colourings.scales import ColouringRequest
    from topoview.live.colourings.table import COLOURINGS, ColouringValues

    length = known.trace.clock.length
    values = ColouringValues()
    for name in COLOURINGS:
        values.of(name, ColouringRequest(known, length // 2, (0, length)))


def _cast() -> None:
    """Draw very many ranks."""
    from topoview.scene.ranks.impostors import load_rays

    load_rays()


def _identify(ranks: int, edges: "np.ndarray") -> None:
    """Identify a topology, and lay it out in each way."""
    from topoview.topology import identify, lay_out, layout_names
    from topoview.topology.identification.explanation import explain

    matrix = _matrix(ranks, edges)
    found = identify(matrix)
    explain(matrix, found, spectrum=True)
    for name in layout_names(found.best):
        lay_out(found.best, matrix, name)


def _matrix(ranks: int, edges: "np.ndarray") -> "CommunicationMatrix":
    """Make the matrix of one message each way along edges, randomly numbered."""
    import numpy as np
    from scipy.sparse import coo_array

    from topoview.model import CommunicationMatrix

    ends = np.random.default_rng(1).permutation(ranks)[edges]
    both = np.concatenate((ends, ends[:, ::-1])).T
    calls = coo_array((np.ones(both.shape[1], np.int64), both), (ranks, ranks)).tocsr()
    return CommunicationMatrix(calls, 4096 * calls)


def _changed(topology: "Topology") -> "np.ndarray":
    """Leave out two edges, and add one."""
    import numpy as np

    kept = np.delete(topology.edges, [3, 40 % len(topology.edges)], axis=0)
    return np.concatenate((kept, [[0, topology.vertices // 2 + 1]]))


def _any_pairs(ranks: int) -> "np.ndarray":
    import numpy as np

    pairs = np.random.default_rng(5).integers(0, ranks, (4 * ranks, 2))
    return np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)


if __name__ == "__main__":
    main()
