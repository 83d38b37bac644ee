"""Write a trace of very many ranks as one file, which the window opens as any trace.

Run: ``python benchmarks/many_ranks.py FILE.topoview [RANKS]``. An iteration of a halo
exchange on a grid is simulated (of up to 100,000 ranks three), and written with all its
events as `topoview fetch` writes a part of a trace: OTF2 has files for each rank.
"""

import resource
import sys
from pathlib import Path
from time import process_time

from topoview.store.digest import write_digest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation import grid_program, simulate


def main() -> None:
    """Write a trace where the command line says."""
    path, ranks = Path(sys.argv[1]), int(*sys.argv[2:] or [1_000_000])
    trace = simulate(grid_program(ranks))
    simulated = process_time()
    write_digest(path, trace, {})
    print(
        f"{path}: {ranks} ranks, {trace.events} events, "
        f"{path.stat().st_size / 2**20:.0f} MiB; simulated in {simulated:.0f} s of the "
        f"processor, written in {process_time() - simulated:.0f} s, "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GB at most"
    )


if __name__ == "__main__":
    main()
