#!/usr/bin/env python3
"""Draw the network's pictures of the documentation: published cases, modelled.

    scripts/gallery_network.py

The cases of Gamblin, Schulz, Bremer, Levine and Pascucci, "Intuitive performance
visualization techniques for topological analysis on capability machines", on a torus of
8x8x8 nodes, and other networks. It needs no display. Look at the pictures before you
commit them.
"""

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QImage

from topoview.analysis.network.mappings import RankLattice, map_ranks
from topoview.analysis.network.networks import dragonfly, fat_tree, grid
from topoview.analysis.network.traffic import link_loads
from topoview.live.network import NetworkTraffic
from topoview.model import Network, Placement, coordinates_of
from topoview.scene.network_shape import FIRST_SIDES, USUAL, network_shape
from topoview.session import Session
from topoview.ui.panels.network.colours import COLOURS, Shown
from topoview.ui.panels.network.content import (
    NetworkPicture,
    first_extent,
    histograms,
)
from topoview.ui.panels.network.view import NetworkView
from topoview.ui.panels.options import NetworkOptions
from topoview.ui.shell.app import application

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
    **options: float,
) -> None:
    """Draw what goes over links, to a file."""
    placement = Placement(np.asarray(node, np.int32))
    loads = link_loads(volume, network, placement)
    shape = network_shape(network)
    session = Session()
    azimuth, elevation = FIRST_SIDES.get(network.kind, USUAL)
    seen = {"azimuth": azimuth, "elevation": elevation, **options}
    session.change(NetworkOptions, share=share, **seen)
    view = NetworkView(session)
    view.resize(*SIZE)
    traffic = NetworkTraffic(loads, volume)
    nobody: Any = None  # nothing was asked for in a window, of no trace
    shown = Shown(nobody, traffic, shape, lambda: nobody)
    picture = NetworkPicture(
        *(nobody, "", traffic, shape, COLOURS["load"][1](shown), placement.used),
        extent=first_extent(shape, network.kind),
        histograms=histograms(loads),
    )
    view.show_picture(picture)
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    view.render(image)
    path = IMAGES / f"network-{name}.png"
    image.save(str(path))
    print(
        f"{path.name}: {loads.mean_hops:.2f} hops a byte, hottest link "
        f"{loads.hottest_bytes / 2**20:.2f}, mean {loads.mean_bytes / 2**20:.2f} MiB"
    )


def main() -> None:
    """Draw all."""
    application()
    cube, rank = grid((8, 8, 8)), np.arange(512)
    draw("cube", cube, halo((8, 8, 8), periodic=True), rank)
    long = halo((64, 4, 2), periodic=False)  # 2x4x64, z fastest
    draw("long", cube, long, rank)
    lattice = RankLattice((64, 4, 2), coordinates_of(rank, (64, 4, 2)))
    found = map_ranks(long, cube, Placement(rank.astype(np.int32)), lattice)
    best = next(one for one in found.mappings if one.method.startswith("tiling"))
    draw("long-tiled", cube, long, best.loads.placement.node)
    draw("planes", cube, all_to_all(rank // 64), rank)
    lattice = RankLattice((8, 8, 8), coordinates_of(rank, (8, 8, 8)))
    planes = all_to_all(rank // 64)
    found = map_ranks(planes, cube, Placement(rank.astype(np.int32)), lattice)
    best = next(one for one in found.mappings if one.method.startswith("tiling"))
    draw("boxes", cube, planes, best.loads.placement.node)
    # a slab of 8x8x5 with holes: nodes of other jobs
    rng = np.random.default_rng(3)
    free = np.flatnonzero(rng.random(320) > 0.2)[:256]
    draw("slab", cube, all_to_all(np.arange(256) // 32), free)
    wide = grid((4, 4, 4, 2, 2))
    draw("5d", wide, halo((16, 16), periodic=True), np.arange(256))
    tree = fat_tree((8, 4, 2), (1, 4, 4))
    draw("tree", tree, halo((8, 8), periodic=True), rank[:64])
    groups = dragonfly(2, 4, 9)
    draw("dragonfly", groups, halo((9, 8), periodic=True), rank[:72])


if __name__ == "__main__":
    main()
