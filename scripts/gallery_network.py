#!/usr/bin/env python3
"""Draw the network's pictures of the documentation: published cases, modelled.

    scripts/gallery_network.py [--amg TRACE] [NAME ...]

The cases of Gamblin, Schulz, Bremer, Levine and Pascucci, "Intuitive performance
visualization techniques for topological analysis on capability machines", on a torus of
8x8x8 nodes, and other networks; TRACE is one of AMG at 64 ranks whose levels are
regions. It needs no display. Look at the pictures before you commit them.
"""

import argparse
import math
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from scipy.sparse import csr_array

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "analysis"))

from patterns import Stage, run
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

import topoview
from topoview.analysis.network.mappings import RankLattice, map_ranks
from topoview.analysis.network.networks import dragonfly, fat_tree, grid
from topoview.analysis.network.traffic import link_loads
from topoview.live.network import NetworkTraffic
from topoview.model import (
    Analysis,
    Indices,
    LinkLoads,
    MachineChoice,
    MeasuredTraffic,
    Network,
    Placement,
    coordinates_of,
)
from topoview.scene.network_shape import network_shape
from topoview.session import Session
from topoview.topology import communication_matrix
from topoview.ui.panels.network.colours import COLOURS, Shown
from topoview.ui.panels.network.content import NetworkPicture, histograms
from topoview.ui.panels.network.panel import NetworkPanel
from topoview.ui.panels.network.view import NetworkView
from topoview.ui.panels.options import NetworkOptions
from topoview.ui.shell.app import application
from topoview.ui.widgets.theme import apply_theme

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"

SIZE = (620, 400)

MESSAGE = 64 * 1024 * 100
"""Bytes between neighbours: 64 KiB, 100 times."""


def halo(dims: tuple[int, ...], *, periodic: bool) -> csr_array:
    """Bytes that ranks of a grid, x fastest, send to their neighbours."""
    rank, stride = np.arange(math.prod(dims)), 1
    ends: list[np.ndarray] = []
    for extent in dims:
        place = rank // stride % extent
        for step in (1, -1):
            to = (place + step) % extent
            there = periodic | (to == place + step)
            ends.append(np.stack([rank, rank + (to - place) * stride])[:, there])
        stride *= extent
    one, other = np.concatenate(ends, 1)
    return csr_array((np.full(len(one), MESSAGE), (one, other)), (len(rank),) * 2)


def all_to_all(group: np.ndarray) -> csr_array:
    """Bytes of an Alltoall of 1 MiB a rank within each group; -1 is in none."""
    one, other = np.nonzero((group[:, None] == group) & (group >= 0))
    apart = one != other
    one, other = one[apart], other[apart]
    size = 2**20 // np.bincount(group[group >= 0])[group[one]]
    return csr_array((size, (one, other)), (len(group),) * 2)


def draw(
    name: str,
    network: Network,
    volume: csr_array,
    node: np.ndarray,
    share: float = 0.5,
) -> None:
    """Draw what goes over links, to a file."""
    placement = Placement(np.asarray(node, np.int32))
    draw_loads(name, link_loads(volume, network, placement), share)


def draw_loads(
    name: str, loads: LinkLoads, share: float = 0.5, colour: str = "load"
) -> None:
    """Draw loads of links, to a file."""
    network, nobody = (
        loads.network,
        cast("Any", None),
    )  # nothing is asked for by anybody
    shape = network_shape(network)
    session = Session()
    session.change(NetworkOptions, share=share)
    view = NetworkView(session)
    view.resize(*SIZE)
    traffic = NetworkTraffic(loads, nobody)
    shown = Shown(nobody, traffic, shape, lambda: nobody)
    picture = NetworkPicture(
        *(nobody, "", traffic, shape, COLOURS[colour][1](shown)),
        used=loads.placement.used,
        extent=shape.extent(),
        histograms=histograms(loads),
    )
    view.show_picture(picture)
    save(name, view)
    print(
        f"{name}: {loads.mean_hops:.2f} hops a byte, hottest link "
        f"{loads.hottest_bytes / 2**20:.2f}, mean {loads.mean_bytes / 2**20:.2f} MiB"
    )


def save(name: str, view: QWidget) -> None:
    """Write a picture of a view."""
    image = QImage(view.size(), QImage.Format.Format_RGB32)
    view.render(image)
    image.save(str(IMAGES / f"network-{name}.png"))


def draw_extents(free: np.ndarray, size: int) -> None:
    """Draw the panel for groups of ranks on the nodes of a slab with holes.

    Each has an Alltoall, which takes the longer the farther the group reaches in z.
    """
    rng, ranks = np.random.default_rng(3), len(free)
    wander = rng.normal(0, np.linspace(0, 80, ranks))  # of later groups farther
    free = free[np.argsort(np.arange(ranks) + wander)]
    groups = np.arange(ranks).reshape(-1, size)
    stages = [Stage(collective=True, communicator=k + 1) for k in range(len(groups))]
    trace, _ = run(ranks, stages, groups.tolist())
    parts, calls = trace.collectives, trace.calls
    leave, z = calls.leave.copy(), coordinates_of(free, (8, 8, 5))[:, 2]
    for k, group in enumerate(groups):
        own = parts.call[parts.communicator == k + 1]
        extent = int(np.ptp(z[group])) + 1
        leave[own] = calls.enter[own].max() + round(100 * (extent + rng.normal(0, 0.2)))
    trace = replace(trace, calls=replace(calls, leave=leave))
    session = Session()
    session.update(analysis=Analysis(trace, matrix=communication_matrix(trace)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "nodes.csv"
        rows = coordinates_of(free, (8, 8, 5)).tolist()
        told = (f"{k},{x},{y},{z}\n" for k, (x, y, z) in enumerate(rows))
        file.write_text("rank,x,y,z\n" + "".join(told))
        panel = NetworkPanel(session)
        panel.resize(760, 520)
        panel.show()
        panel.take_machine(MachineChoice(file=str(file)))
        how = {"listing": "communicators", "colour": "times", "extent": "z"}
        session.change(NetworkOptions, **how)
        while not panel.settled or panel.result is None:
            QApplication.processEvents()
    QApplication.processEvents()  # boxes take the room that their texts need
    save("extents", panel)
    panel.close()


def draw_levels(trace: Path) -> None:
    """Draw each level of a multigrid solver on a torus of 4x4x4."""
    for level in range(4):
        loads = topoview.network(
            trace, f'in "level {level}"', machine={"torus": "4x4x4"}
        )
        draw_loads(f"amg-{level}", loads)


def draw_measured() -> None:
    """Draw what is modelled divided by what counters would measure.

    Half of what is above the mean of a link has gone other ways.
    """
    cube, rank = grid((8, 8, 8)), np.arange(512)
    modelled = link_loads(
        halo((64, 4, 2), periodic=False), cube, Placement(rank.astype(np.int32))
    )
    over = np.maximum(modelled.bytes - modelled.mean_bytes, 0.0) / 2
    low = modelled.bytes < modelled.mean_bytes
    measured = modelled.bytes - over + low * (over.sum() / low.sum())
    none = np.full(cube.nodes, np.nan)
    counted = MeasuredTraffic(("bytes",), "bytes", none, measured)
    draw_loads("measured", replace(modelled, measured=counted), 0.1, "ratio")


def tiled(edges: csr_array, dims: tuple[int, ...]) -> Indices:
    """Find nodes of a torus of 8x8x8 for the ranks of a lattice, by tiling."""
    rank = np.arange(512)
    lattice = RankLattice(dims, coordinates_of(rank, dims))
    place = Placement(rank.astype(np.int32))
    found = map_ranks(edges, grid((8, 8, 8)), place, lattice)
    best = next(one for one in found.mappings if one.method.startswith("tiling"))
    return best.loads.placement.node


def free_nodes() -> Indices:
    """Choose nodes of a slab of 8x8x5 with holes: the others are of other jobs."""
    rng = np.random.default_rng(3)
    return np.flatnonzero(rng.random(320) > 0.2)[:256]


def cases() -> dict[str, Callable[[], None]]:
    """Give what draws each picture, by its name without "network-"."""
    cube, rank = grid((8, 8, 8)), np.arange(512)
    long = halo((64, 4, 2), periodic=False)  # 2x4x64, z fastest
    planes = all_to_all(rank // 64)
    drawn: dict[str, tuple[Network, csr_array, Callable[[], Indices]]] = {
        "cube": (cube, halo((8, 8, 8), periodic=True), lambda: rank),
        "long": (cube, long, lambda: rank),
        "long-tiled": (cube, long, lambda: tiled(long, (64, 4, 2))),
        "planes": (cube, planes, lambda: rank),
        "boxes": (cube, planes, lambda: tiled(planes, (8, 8, 8))),
        "slab": (cube, all_to_all(np.arange(256) // 32), free_nodes),
        "5d": (
            grid((4, 4, 4, 2, 2)),
            halo((16, 16), periodic=True),
            lambda: np.arange(256),
        ),
        "tree": (
            fat_tree((8, 4, 2), (1, 4, 4)),
            halo((8, 8), periodic=True),
            lambda: rank[:64],
        ),
        "dragonfly": (
            dragonfly(2, 4, 9),
            halo((9, 8), periodic=True),
            lambda: rank[:72],
        ),
    }

    def drawing(name: str) -> Callable[[], None]:
        network, edges, node = drawn[name]
        return lambda: draw(name, network, edges, node())

    made = {name: drawing(name) for name in drawn}
    made["measured"] = draw_measured
    made["extents"] = lambda: draw_extents(free_nodes(), 16)
    return made


def main() -> None:
    """Draw what is asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="such as network-cube")
    parser.add_argument("--amg", type=Path, help="trace of AMG", metavar="TRACE")
    args = parser.parse_args()
    application()
    apply_theme("light")
    if args.amg:
        draw_levels(args.amg)
    for name, made in cases().items():
        if not args.names or f"network-{name}" in args.names:
            made()


if __name__ == "__main__":
    main()
