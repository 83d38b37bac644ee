"""Networks by their formula: torus, mesh, fat tree, dragonfly; and any graph."""

import math
import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from topoview.errors import UsageError
from topoview.model import Bools, Indices, Ints, Network, distinct
from topoview.model.topology import AXES

MAX_NODES: Final = 1 << 20
"""Nodes of the largest network that is made."""


def grid(dims: Sequence[int], periodic: bool | Sequence[bool] = True) -> Network:
    """Build a torus or a mesh of any dimension.

    Parameters
    ----------
    dims
        Extents, x first; x changes fastest with the number of the node.
    periodic
        Whether all dimensions, or each one, wrap. Of two nodes that wrap there is one
        cable, as of those that do not.

    Raises
    ------
    UsageError
        There is no such network.
    """
    dims = _checked("network", dims)
    wraps = [periodic] * len(dims) if isinstance(periodic, bool) else list(periodic)
    if len(wraps) != len(dims):
        raise UsageError(f"{len(dims)} dimensions cannot wrap in {len(wraps)} ways")
    nodes, node = math.prod(dims), np.arange(math.prod(dims))
    ends, slots, stride = [], [], 1
    for axis, extent in enumerate(dims):
        place = node // stride % extent
        for sign, step in enumerate((1, -1)):
            there = place + step
            inside: Bools = (there >= 0) & (there < extent)
            if wraps[axis] and extent > 2:
                inside = np.ones(nodes, bool)
            own = node[inside]
            target = own + ((there[inside] % extent) - place[inside]) * stride
            ends.append(np.stack([own, target], 1))
            slots.append((2 * axis + sign) * nodes + own)
        stride *= extent
    slot = np.concatenate(slots)
    wrapped = tuple(wraps)
    kind = "torus" if any(wrapped) else "mesh"
    name = f"{len(dims)}D {kind} {'x'.join(map(str, dims))}"
    if any(wrapped) and not all(wrapped):
        periodic_axes = "".join(AXES[a] for a, wrap in enumerate(wrapped) if wrap)
        name = (
            f"{len(dims)}D mesh {'x'.join(map(str, dims))}, periodic in {periodic_axes}"
        )
    return Network(
        kind=kind,
        name=name,
        dims=tuple(dims),
        nodes=nodes,
        vertices=nodes,
        links=np.concatenate(ends).astype(np.int32),
        direction=(slot // nodes).astype(np.int32),
        directions=tuple(
            f"{AXES[axis]}{sign}" for axis in range(len(dims)) for sign in "+-"
        ),
        slot=slot,
        periodic=wrapped,
    )


def fat_tree(children: Sequence[int], parents: Sequence[int] = ()) -> Network:
    """Build a fat tree: an extended generalised one, XGFT(h; m1..mh; w1..wh).

    Parameters
    ----------
    children
        m: children of a switch, level by level from the nodes; those of the first
        level are nodes.
    parents
        w: parents of a node, of a switch of the first level, and so on. Empty: one of
        a node, and of a switch as many as it has children, so that nothing narrows.

    Raises
    ------
    UsageError
        There is no such network.

    References
    ----------
    S. R. Öhring, M. Ibel, S. K. Das and M. J. Kumar, "On generalized fat trees",
    IPPS 1995.
    """
    children = _checked("fat tree", children)
    up = _checked("fat tree", parents or (1, *children[:-1]))
    if len(up) != len(children):
        raise UsageError(
            f"a fat tree of {len(children)} levels has parents on as many: write "
            "16x8/1x16 for 16 nodes a switch and 16 uplinks each"
        )
    nodes, height = math.prod(children), len(children)
    sizes = [_level_size(children, up, level) for level in range(height + 1)]
    first = np.cumsum([0, *sizes])
    ends, direction = [], []
    for level in range(height):
        child = np.repeat(np.arange(sizes[level]), up[level])
        port = np.tile(np.arange(up[level]), sizes[level])
        above = parent_switch(children, up, level, child, port)
        pair = np.stack([first[level] + child, first[level + 1] + above], 1)
        ends += [pair, pair[:, ::-1]]
        direction += [np.full(len(pair), 2 * level), np.full(len(pair), 2 * level + 1)]
    spec = "x".join(map(str, children))
    if parents:
        spec += "/" + "x".join(map(str, up))
    links = np.concatenate(ends).astype(np.int32)
    return Network(
        kind="fat tree",
        name=f"fat tree {spec}" if height > 1 else f"{nodes} nodes on one switch",
        dims=tuple(children),
        nodes=nodes,
        vertices=int(first[-1]),
        links=links,
        direction=np.concatenate(direction).astype(np.int32),
        directions=tuple(
            f"{way} {n}" for n in range(1, height + 1) for way in ("up", "down")
        ),
        slot=np.arange(len(links), dtype=np.int64),
        parents=tuple(up),
    )


def _level_size(children: Sequence[int], parents: Sequence[int], level: int) -> int:
    return math.prod(children[level:]) * math.prod(parents[:level])


def parent_switch(
    children: Sequence[int], parents: Sequence[int], level: int, child: Ints, port: Ints
) -> Ints:
    """Find the switch above a node or switch of a level, on one of its ports.

    A switch of level l is numbered ``t * W + w``: w says by which ports it is reached
    from below (W = w1 * ... * wl of them), t which subtree it is in.
    """
    ways = math.prod(parents[:level])
    tree, way = child // ways, child % ways
    return tree // children[level] * (ways * parents[level]) + port * ways + way


def dragonfly(nodes: int, routers: int, groups: int) -> Network:
    """Build a dragonfly: a cable joins any two routers of a group, and any two groups.

    Router ``b % routers`` of group a has the cable to group b.

    Parameters
    ----------
    nodes
        On a router.
    routers
        In a group.
    groups
        Of routers.

    Raises
    ------
    UsageError
        There is no such network.

    References
    ----------
    J. Kim, W. J. Dally, S. Scott and D. Abts, "Technology-driven, highly-scalable
    dragonfly topology", ISCA 2008.
    """
    dims = _checked("dragonfly", (nodes, routers, groups))
    count, every = math.prod(dims), routers * groups
    node, router = np.arange(count), np.arange(every)
    up = np.stack([node, count + node // nodes], 1)
    near = np.stack(
        [
            np.repeat(router, routers),
            np.repeat(router // routers * routers, routers)
            + np.tile(np.arange(routers), every),
        ],
        1,
    )
    near = near[near[:, 0] != near[:, 1]]
    one, other = (part.ravel() for part in np.indices((groups, groups)))
    one, other = one[one != other], other[one != other]
    far = np.stack([one * routers + other % routers, other * routers + one % routers])
    parts = (up, up[:, ::-1], count + near, count + far.T)
    links = np.concatenate(parts).astype(np.int32)
    lengths = [len(part) for part in parts]
    return Network(
        kind="dragonfly",
        name=f"dragonfly {'x'.join(map(str, dims))}",
        dims=tuple(dims),
        nodes=count,
        vertices=count + every,
        links=links,
        direction=np.repeat(np.arange(4), lengths).astype(np.int32),
        directions=("node up", "node down", "local", "global"),
        slot=np.arange(len(links), dtype=np.int64),
    )


def graph(nodes: int, cables: Indices, names: Sequence[str], what: str = "") -> Network:
    """Build a network of any cables, each of which is a link both ways.

    Parameters
    ----------
    nodes
        Vertices that ranks can be on: the first ones.
    cables : int32, shape (cables, 2)
        Pairs of vertices; those that stand there several times are one.
    names
        Of all vertices.
    what
        Name shown; empty: how large it is.
    """
    vertices = len(names)
    both = np.concatenate([cables, cables[:, ::-1]]).astype(np.int64)
    both = both[both[:, 0] != both[:, 1]]
    key = distinct(both[:, 0] * vertices + both[:, 1])
    links = np.stack([key // max(vertices, 1), key % max(vertices, 1)], 1)
    return Network(
        kind="graph",
        name=what or f"graph of {vertices} vertices and {len(key) // 2} cables",
        dims=(),
        nodes=nodes,
        vertices=vertices,
        links=links.astype(np.int32),
        direction=np.zeros(len(key), np.int32),
        directions=("link",),
        slot=key,
        names=tuple(names),
    )


def parse_dims(text: str) -> tuple[int, ...]:
    """Read extents such as ``4x4x4``.

    Raises
    ------
    UsageError
        They are none.
    """
    if not re.fullmatch(r"\d{1,9}(x\d{1,9})*", text):
        raise UsageError(f"{text!r} are no extents: write 4x4x4")
    return tuple(int(part) for part in text.split("x"))


def assumed_network(kind: str, text: str) -> Network:
    """Build a network as it is written on a command line or in a dialog.

    Parameters
    ----------
    kind
        ``torus``, ``mesh``, ``fat tree`` or ``dragonfly``.
    text
        ``8x8x8``; of a fat tree with few uplinks ``16x8/1x4``.

    Raises
    ------
    UsageError
        There is no such network.
    """
    if kind == "fat tree":
        down, _, up = text.partition("/")
        return fat_tree(parse_dims(down), parse_dims(up) if up else ())
    dims = parse_dims(text)
    if kind == "dragonfly":
        if len(dims) != 3:
            raise UsageError(
                f"{text} is no dragonfly: write nodes on a router, routers in a group "
                "and groups, as 4x8x33"
            )
        return dragonfly(*dims)
    return grid(dims, kind == "torus")


def _checked(what: str, dims: Sequence[int]) -> tuple[int, ...]:
    result = tuple(int(extent) for extent in dims)
    if not result or min(result) < 1 or math.prod(result) > MAX_NODES:
        raise UsageError(
            f"there is no {what} {'x'.join(map(str, result))}: extents are at least 1, "
            f"and nodes at most {MAX_NODES}"
        )
    if len(result) > len(AXES):
        raise UsageError(f"a {what} has at most {len(AXES)} dimensions")
    return result
