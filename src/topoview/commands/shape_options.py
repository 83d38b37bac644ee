"""Options about the arrangement of the ranks, and the geometry that they ask for."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from topoview.errors import UsageError
from topoview.model import ORDERS, OUTSIDE, SPACING, WRAPS, Geometry

if TYPE_CHECKING:
    from topoview.analysis import Analysis
    from topoview.model import Machine


def add_shape(parser: argparse.ArgumentParser) -> None:
    """Add the options about the arrangement of the ranks."""
    add = parser.add_argument_group("arrangement of the ranks").add_argument
    names = (
        "line, circle, grid, tube, torus, sphere, cube, helix, ranks; nodes or places "
        "if the trace or a placement file has them; or one of the topology's own, "
        "such as flat"
    )
    add("--layout", default="", metavar="NAME", help=names)
    add("--width", type=int, default=0, metavar="N", help="ranks in a row of it")
    order = "ranks in it by number (rank) or by place in the topology"
    add("--order", choices=ORDERS, default="rank", help=order)
    apart = f"distance of neighbours, from {SPACING[0]:g} to {SPACING[1]:g} (1)"
    add("--spacing", type=float, default=1.0, metavar="X", help=apart)
    gaps = "gaps between node, socket or communicator"
    add("--gaps", default="", metavar="LEVEL", help=gaps)
    file = "table of ranks and their nodes or places: rank,node or rank,x,y,z"
    add("--placement", type=Path, metavar="F.csv", help=file)
    add("--wrap", choices=WRAPS, default="stubs", help="wrap-around edges (stubs)")
    add("--copies", action="store_true", help="copies around a periodic grid")
    part = "show coordinates A to B of a dimension only, such as x=2:5; repeatable"
    add("--slice", action="append", default=[], metavar="D=A:B", help=part)
    add("--outside", choices=OUTSIDE, default="ghosts", help="what others become")
    layers = "draw the layers of a dimension apart, such as z=2"
    add("--explode", default="", metavar="D=X", help=layers)
    fold = "axis of space of each dimension in turn, such as xyxy"
    add("--fold", default="", metavar="AXES", help=fold)


def chosen_geometry(args: argparse.Namespace, known: "Analysis") -> Geometry:
    """Say how the ranks are arranged.

    Raises
    ------
    UsageError
        Something that was asked for does not exist.
    """
    from topoview.analysis.machine import machine_of

    placement = str(args.placement.absolute()) if args.placement else ""
    machine = machine_of(known.trace, placement)
    _check(args, known, machine)
    explode, apart = -1, Geometry().apart
    if args.explode:
        explode, words = _dimension(args.explode)
        apart = _number(words, args.explode)
    return Geometry(
        width=args.width,
        order=args.order,
        spacing=args.spacing,
        gaps=args.gaps,
        placement=placement,
        wrap=args.wrap,
        copies=args.copies,
        ranges=tuple(sorted(map(_range, args.slice))),
        outside=args.outside,
        explode=explode,
        apart=apart,
        fold=_fold(args.fold),
    )


def _check(args: argparse.Namespace, known: "Analysis", machine: "Machine") -> None:
    from topoview.topology import further_layouts, layout_names

    if not SPACING[0] <= args.spacing <= SPACING[1]:
        raise UsageError(
            f"--spacing {args.spacing:g} is out of range: choose one from "
            f"{SPACING[0]:g} to {SPACING[1]:g}"
        )
    if args.width < 0:
        raise UsageError(
            f"--width {args.width} is no number of ranks: choose 1 or more"
        )
    if args.gaps and args.gaps not in machine.partings:
        there = ", ".join(machine.partings) or "none; give a --placement"
        raise UsageError(
            f"{known.trace.name} does not tell the {args.gaps} of each rank: "
            f"gaps can be between {there}"
        )
    if known.identification is None:
        return
    match = known.identification.best
    names = (*layout_names(match), *further_layouts(match, machine))
    if args.layout and args.layout not in names:
        raise UsageError(
            f"{known.trace.name} has no layout {args.layout}: choose one of "
            f"{', '.join(names)}"
        )


def _dimension(text: str) -> tuple[int, str]:
    """Split ``x=2:5`` into the number of a dimension and what is said of it."""
    from topoview.topology.lattice import AXES

    name, equals, rest = text.partition("=")
    if not equals or len(name) != 1 or name not in AXES:
        raise UsageError(f"{text!r} names no dimension: write such as x=2:5 or z=2")
    return AXES.index(name), rest


def _range(text: str) -> tuple[int, int, int]:
    axis, rest = _dimension(text)
    first, _, last = rest.partition(":")
    last = last or first
    if not (first.isdecimal() and last.isdecimal() and int(first) <= int(last)):
        raise UsageError(f"{text!r} is no range: write such as x=2:5, or z=3")
    return axis, int(first), int(last)


def _number(text: str, whole: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 100:
        raise UsageError(f"{whole!r} is no distance: write such as z=2")
    return found


def _fold(text: str) -> tuple[int, ...]:
    if set(text) - set("xyz"):
        raise UsageError(f"--fold {text} has other axes than x, y and z")
    return tuple("xyz".index(axis) for axis in text)
