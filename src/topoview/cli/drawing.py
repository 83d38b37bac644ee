"""The subcommands that draw: render, movie, demo, and the window itself."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from topoview import model
from topoview.base.extras import EXTRAS
from topoview.base.resources import DEMOS, demo_trace
from topoview.cli.options import (
    add_flags,
    add_pattern,
    add_written,
    count,
    picture_size,
    positive,
    rank_number,
    seconds,
)
from topoview.cli.printing import analysis, progress, put
from topoview.errors import ExportError, TopoviewError, UsageError
from topoview.topology.layout import LAYOUTS

if TYPE_CHECKING:
    from topoview.model import Analysis, Machine
    from topoview.session import ColourSpan, SceneOptions
    from topoview.ui.export.render_spec import RenderSpec

# Options about the arrangement of the ranks, and the geometry that they ask for.


def add_shape(parser: argparse.ArgumentParser) -> None:
    """Add the options about the arrangement of the ranks."""
    add = parser.add_argument_group("arrangement of the ranks").add_argument
    general = (name for name, one in LAYOUTS.items() if one.free and not one.needs)
    names = (
        f"{', '.join(general)}; nodes or places if the trace or a placement file has "
        "them; or one of the topology's own, such as flat"
    )
    add("--layout", default="", metavar="NAME", help=names)
    add(
        "--width",
        type=count,
        default=0,
        metavar="N",
        help="ranks in a row of the layout",
    )
    order = "order of the ranks in it: by rank, or by place in the topology (rank)"
    add("--order", choices=model.RANK_ORDERS, default="rank", help=order)
    least, most = model.SPACING_RANGE
    apart = f"distance of neighbours, from {least:g} to {most:g} (1)"
    add("--spacing", type=float, default=1.0, metavar="X", help=apart)
    size = "size of ranks that compute in a block, from "
    size += f"{model.SHRINK_RANGE[0]:g} to {model.SHRINK_RANGE[1]:g} (0.55)"
    add("--shrink", type=float, default=0.55, metavar="X", help=size)
    faint = "strength of diagonal edges, from 0 to 1 (0.5)"
    add("--diagonals", type=float, default=0.5, metavar="X", help=faint)
    gaps = "gaps between node, socket or communicator"
    add("--gaps", default="", metavar="LEVEL", help=gaps)
    file = "table of ranks and their nodes or places: rank,node or rank,x,y,z"
    add("--placement", type=Path, metavar="F.csv", help=file)
    add(
        "--wrap",
        choices=model.WRAP_STYLES,
        default="stubs",
        help="how wrap-around edges are drawn (stubs)",
    )
    add("--copies", action="store_true", help="draw copies around a periodic grid")
    part = "show coordinates A to B of a dimension only, such as x=2:5; repeatable"
    add("--slice", action="append", default=[], metavar="D=A:B", help=part)
    add(
        "--outside",
        choices=model.OUTSIDE_STYLES,
        default="dimmed",
        help="what becomes of all others (dimmed)",
    )
    layers = "draw the layers of a dimension apart, such as z=2"
    add("--explode", default="", metavar="D=X", help=layers)
    fold = "axis of space of each dimension in turn, such as xyxy"
    add("--fold", default="", metavar="AXES", help=fold)


def chosen_geometry(args: argparse.Namespace, analysis: "Analysis") -> model.Geometry:
    """Return how the ranks are arranged.

    Raises `UsageError`: something that was asked for does not exist.
    """
    from topoview.live.machine import machine_of

    placement = str(args.placement.absolute()) if args.placement else ""
    machine = machine_of(analysis.trace, placement)
    _check_options(args, analysis, machine)
    explode, apart = -1, model.Geometry().apart
    if args.explode:
        explode, words = _dimension(args.explode)
        apart = _distance(words, args.explode)
    return model.Geometry(
        width=args.width,
        order=args.order,
        spacing=args.spacing,
        gaps=args.gaps,
        placement=placement,
        wrap=args.wrap,
        copies=args.copies,
        ranges=tuple(sorted(map(_coordinate_range, args.slice))),
        outside=args.outside,
        explode=explode,
        apart=apart,
        fold=_fold_axes(args.fold),
        shrink=args.shrink,
        diagonals=args.diagonals,
    )


def _check_options(
    args: argparse.Namespace, analysis: "Analysis", machine: "Machine"
) -> None:
    from topoview.topology import further_layouts, layout_names

    for name, given, (least, most) in (
        ("spacing", args.spacing, model.SPACING_RANGE),
        ("shrink", args.shrink, model.SHRINK_RANGE),
        ("diagonals", args.diagonals, (0.0, 1.0)),
    ):
        if not least <= given <= most:
            raise UsageError(
                f"--{name} {given:g} is out of range: choose one from "
                f"{least:g} to {most:g}"
            )
    if args.gaps and args.gaps not in machine.partings:
        there = ", ".join(machine.partings) or "none; give a --placement"
        raise UsageError(
            f"{analysis.trace.name} does not record the {args.gaps} of each rank: "
            f"gaps can be between {there}"
        )
    if analysis.identification is None:
        return
    match = analysis.identification.shown_first
    names = (*layout_names(match), *further_layouts(match, machine))
    if args.layout and args.layout not in names:
        raise UsageError(
            f"{analysis.trace.name} has no layout {args.layout}: choose one of "
            f"{', '.join(names)}"
        )


def _dimension(text: str) -> tuple[int, str]:
    """Split ``x=2:5`` into the number of a dimension and what is said of it."""
    from topoview.model import AXES

    name, equals, rest = text.partition("=")
    if not equals or len(name) != 1 or name not in AXES:
        raise UsageError(f"{text!r} names no dimension: write such as x=2:5 or z=2")
    return AXES.index(name), rest


def _coordinate_range(text: str) -> tuple[int, int, int]:
    axis, rest = _dimension(text)
    first, _, last = rest.partition(":")
    last = last or first
    if not (first.isdecimal() and last.isdecimal() and int(first) <= int(last)):
        raise UsageError(f"{text!r} is no range: write such as x=2:5, or z=3")
    return axis, int(first), int(last)


def _distance(text: str, whole: str) -> float:
    try:
        result = float(text)
    except ValueError:
        result = -1.0
    if not 0 <= result <= 100:
        raise UsageError(f"{whole!r} is no distance: write such as z=2")
    return result


def _fold_axes(text: str) -> tuple[int, ...]:
    if set(text) - set("xyz"):
        raise UsageError(f"--fold {text} has other axes than x, y and z")
    return tuple("xyz".index(axis) for axis in text)


def render(args: argparse.Namespace) -> None:
    """Write a picture of the 3D scene."""
    from topoview.live.waits.delays import first_view
    from topoview.pipeline import Options
    from topoview.ui.export.picture import save_scene
    from topoview.ui.export.render_spec import RenderSpec, read_render_spec
    from topoview.ui.panels.scene.plotter import require_opengl

    spec = read_render_spec(args.like) if args.like else None
    require_opengl()  # else it would be said only once the trace has been analysed
    analysed = analysis(args, Options(patterns=tuple(args.pattern)))
    trace = analysed.trace
    if spec is None:
        length = trace.clock.seconds(trace.clock.length)
        time = args.time
        if time is None:
            time = trace.clock.seconds(first_view(analysed).time)
        if not 0 <= time <= length:
            raise UsageError(
                f"{trace.name} has no time {time:g} s: it lasts {length:.6g} s"
            )
        spec = RenderSpec(
            trace.clock.ticks(time),
            (0, trace.clock.length),
            args.size,
            footer=not args.no_footer,
            scene=_view(args, analysed),
            scale=args.scale,
            transparent=args.transparent,
            key=not args.no_key,
            theme=args.theme,
        )
        if args.timeline:
            spec = _with_timeline(spec, analysed)
        if args.paper:
            spec = _for_paper(spec, args)
    save_scene(analysed, spec, args.output)
    record = {
        "path": str(args.output),
        "time": trace.clock.seconds(spec.time),
        "size": [side * spec.scale for side in spec.size],
    }
    put(args, lambda: record, lambda: str(args.output), trace)


def _for_paper(spec: "RenderSpec", args: argparse.Namespace) -> "RenderSpec":
    """Lay a picture out for paper, as the window does."""
    from topoview.ui.export.picture_choice import PAPER, WIDTHS_CM, PictureChoice

    choice = PictureChoice(
        suffix=args.output.suffix.lower() or ".png",
        size=PAPER,
        width_cm=args.paper,
        transparent=spec.transparent,
        footer=spec.footer,
        key=spec.key,
        timeline=args.timeline,
    )
    if not choice.sound:
        least, most = WIDTHS_CM
        raise UsageError(
            f"--paper {args.paper:g} is out of range: choose {least:g} to {most:g} cm"
        )
    return choice.apply(spec)


def _with_timeline(spec: "RenderSpec", analysis: "Analysis") -> "RenderSpec":
    """Add the timeline as the window shows it first, with the delay and its rank."""
    from topoview.live.waits.delays import changes_at_first
    from topoview.session import State

    state = State(analysis)
    state = replace(state, **changes_at_first(state))
    return replace(
        spec,
        window=state.window,
        rows=state.timeline,
        delay=state.delay,
        selection=state.selection,
    )


def _view(args: argparse.Namespace, analysis: "Analysis") -> "SceneOptions":
    """Return the options of the scene.

    Raises `TopoviewError`: the trace has no numbers for the colouring.
    """
    from topoview.live.colourings.table import check_colouring, row_of
    from topoview.session import SceneOptions
    from topoview.ui.widgets.formats import parse_range

    for name in (args.colour, args.outline, args.size_by):
        if name not in ("", "trail"):
            check_colouring(analysis, name)
    span: ColourSpan = "data" if args.stretch else ""
    low, high = 0.0, 0.0
    if args.range:
        row = row_of(args.colour, analysis)
        unit = "" if row is None else row.unit
        try:
            low, high = parse_range(args.range, unit)
        except ValueError as error:
            raise UsageError(str(error)) from error
        span = "fixed"
    return SceneOptions(
        layout=args.layout,
        geometry=chosen_geometry(args, analysis),
        colouring=args.colour,
        span=span,
        low=low,
        high=high,
        steps="log" if args.log else "",
        outline=args.outline,
        size=args.size_by,
        translucent=args.fade_computing,
        message_colour=args.messages_by,
        trails=args.trails,
        chains=args.chains,
        traffic=args.traffic,
        pulse=args.pulse,
    )


def render_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `render`."""
    also = ": PNG, SVG or PDF"
    _drawing_options(parser, "F.png", also)
    add = parser.add_argument
    when = "seconds from the trace's beginning (what the window shows first)"
    add("--time", type=seconds, metavar="S", help=when)
    larger = "dots along each side for each pixel of the size, 1 to 8 (1)"
    add("--scale", type=int, choices=range(1, 9), default=1, metavar="N", help=larger)
    help_text = "lay it out so wide on paper, with text of 7 points"
    add("--paper", type=float, metavar="CM", help=help_text)
    flags = {
        "--transparent": "leave the background transparent",
        "--no-footer": "leave out the line below the scene",
        "--no-key": "leave out the key of colours and lines",
        "--timeline": "draw the timeline below the scene, as the window shows it first",
    }
    add_flags(add, flags)


def _drawing_options(
    parser: argparse.ArgumentParser, name: str, also: str = ""
) -> None:
    """Add what all drawing commands take."""
    from topoview.live.colourings.table import COLOURINGS, STATE

    names = (STATE, *COLOURINGS)
    add = parser.add_argument
    add_written(parser, name, f"the file that is written{also}")
    add(
        "--like",
        type=Path,
        metavar="F.png",
        help="use the settings of that picture or film",
    )
    size = "size in pixels (1280x800)"
    add("--size", type=picture_size, default=(1280, 800), metavar="WxH", help=size)
    add(
        "--theme",
        choices=["light", "dark"],
        default="light",
        help="colours of background and text (light)",
    )
    means = f"colour ranks by: {', '.join(names)}"
    means += ", or counter-M-P"
    add("--colour", "--color", default="state", metavar="NAME", help=means)
    help_text = "what colours span, such as '0 - 20 ms' or '10 - 50 %%'"
    add("--range", default="", metavar="A-B", help=help_text)
    flags = {
        "--stretch": "stretch colours from the least to the greatest number",
        "--log": "let colours follow the logarithm",
    }
    add_flags(add, flags)
    add_pattern(parser)
    _further_options(parser)
    add_shape(parser)


def _further_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of what is drawn beside the colours of ranks."""
    from topoview.scene.palette import MESSAGE_COLOURING_TEXTS

    add = parser.add_argument
    outlines = "colouring of the outlines, or trail for the previous state"
    add("--outline", default="", metavar="NAME", help=outlines)
    sizes = "colouring whose numbers the ranks' sizes show"
    add("--size-by", default="", metavar="NAME", help=sizes)
    looks = f"colour messages by: {', '.join(MESSAGE_COLOURING_TEXTS)}"
    add(
        "--messages-by",
        choices=["", *MESSAGE_COLOURING_TEXTS],
        default="",
        metavar="NAME",
        help=looks,
    )
    flags = {
        "--fade-computing": "make computing ranks translucent",
        "--trails": "draw messages with full trails",
        "--chains": "draw wait chains",
        "--traffic": "draw edges by their bytes in the window",
        "--pulse": "grow ranks in collectives",
    }
    add_flags(add, flags)


def movie(args: argparse.Namespace) -> None:
    """Write a film of the 3D scene."""
    from topoview.live.picking.navigation import Pace, busiest
    from topoview.live.waits.delays import first_view
    from topoview.pipeline import Options
    from topoview.ui.export.film import FilmSpec, film_window, render_film
    from topoview.ui.export.render_spec import RenderSpec, read_render_spec

    spec = read_render_spec(args.like) if args.like else None
    analysed = analysis(args, Options(patterns=tuple(args.pattern)))
    trace = analysed.trace
    begin, end = film_window(analysed, args.first, args.last)
    if spec is None:
        spec = RenderSpec(
            first_view(analysed).time,
            (begin, end),
            args.size,
            scene=_view(args, analysed),
            theme=args.theme,
        )
    rank = busiest(trace) if args.calls_of is None else args.calls_of
    if not 0 <= rank < trace.ranks:
        raise UsageError(
            f"{trace.name} has no rank {rank}: its ranks are 0 to {trace.ranks - 1}"
        )
    pace = Pace(args.seconds, args.calls or 0.0, rank, args.skip)
    film = FilmSpec(begin, end, pace, args.rate)
    render_film(analysed, spec, film, args.output, progress(args))
    record = {
        "path": str(args.output),
        "begin": trace.clock.seconds(begin),
        "end": trace.clock.seconds(end),
        "frames": len(film.times(trace)),
        "size": list(spec.size),
    }
    put(args, lambda: record, lambda: str(args.output), trace)


def movie_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `movie`."""
    _drawing_options(parser, "F.mp4", ": MP4 or GIF")
    add = parser.add_argument
    first = "seconds from the trace's beginning (where communication begins)"
    add("--begin", dest="first", type=seconds, metavar="S", help=first)
    last = "seconds from the trace's beginning (where communication ends)"
    add("--end", dest="last", type=seconds, metavar="S", help=last)
    length = "length of the film (10)"
    add("--seconds", type=positive, default=10.0, metavar="N", help=length)
    calls = "MPI calls a second instead, of the rank that makes most of them"
    add("--calls", type=positive, metavar="N", help=calls)
    whose = "rank whose calls these are"
    add("--calls-of", type=rank_number, metavar="RANK", help=whose)
    rest = "skip idle periods (not with --calls)"
    add("--skip", action="store_true", help=rest)
    rate = "frames a second (25; a GIF has at most 12.5)"
    add("--rate", type=positive, default=25.0, metavar="N", help=rate)


def demo(args: argparse.Namespace) -> None:
    """Open a sample trace; without a display draw it to files."""
    from topoview.desktop import has_display

    anchor = demo_trace(args.name)
    if args.output is not None:
        anchor = _unpack_demo(args, anchor)
        if args.pictures is None:
            put(args, lambda: {"trace": str(anchor)}, lambda: str(anchor))
            return
    if args.pictures is None and has_display():
        sys.exit(window([anchor]))
    from topoview.ui.shell.screenshots import draw_pictures

    pictures = args.pictures or Path("topoview-demo")
    drawn = draw_pictures(anchor, pictures, progress(args))
    put(args, lambda: drawn.record, lambda: drawn.text)


def _unpack_demo(args: argparse.Namespace, archive: Path) -> Path:
    """Unpack a sample trace for who wants its files; returns its anchor."""
    from topoview.io.archive.finding import anchors_in, locate_anchor
    from topoview.io.archive.unpacking import unpack

    folder: Path = args.output
    if anchors_in(folder):
        raise ExportError(
            f"{folder} holds a trace already: choose another folder, or remove it"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(
            f"{folder} cannot be made: {error.strerror}; name another folder"
        ) from error
    return locate_anchor(unpack(archive, folder, progress(args)))


def demo_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `demo`."""
    add = parser.add_argument
    names = "; ".join(f"{name}: {title.lower()}" for name, title in DEMOS.items())
    add("name", nargs="?", default=next(iter(DEMOS)), choices=tuple(DEMOS), help=names)
    add(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="unpack the trace into this folder; open no window",
    )
    add(
        "--pictures",
        type=Path,
        metavar="FOLDER",
        help="draw pictures into this folder; open no window",
    )


def window(paths: Sequence[Path], *, draws: bool = True, language: str = "") -> int:
    """Open the window on traces, with a scene or without; returns the exit status."""
    from topoview.desktop import has_display

    opens = has_display() and not EXTRAS["window"].missing
    if not opens and paths and not paths[0].exists():
        raise UsageError(
            f"{paths[0]} is neither a command nor a trace: see topoview --help"
        )
    from topoview.ui import run

    if not opens:
        raise TopoviewError(
            "there is no display to open a window on: use one of the commands "
            "info, identify, logical, profile, render, or run under xvfb-run"
        )
    return run([str(path) for path in paths], draws=draws, language=language)
