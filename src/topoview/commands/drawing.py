"""The subcommands that draw: render, movie, demo, and the window itself."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from topoview.commands.options import (
    add_pattern,
    picture_size,
    positive,
    rank_number,
    seconds,
)
from topoview.commands.printing import progress, put, read
from topoview.commands.shape_options import add_shape, chosen_geometry
from topoview.errors import TopoviewError, UsageError

if TYPE_CHECKING:
    from topoview.analysis import Analysis
    from topoview.session import View


def render(args: argparse.Namespace) -> None:
    """Write a picture, or a model, of the 3D scene."""
    from topoview.analysis import analyse
    from topoview.analysis.interest import interesting_times
    from topoview.session import Selection
    from topoview.ui.export import save
    from topoview.ui.recipe import Recipe, read_recipe

    recipe = read_recipe(args.like) if args.like else None
    trace = read(args)
    *_, known = analyse(trace, progress(), args.pattern)
    if recipe is None:
        length = trace.clock.seconds(trace.clock.length)
        time = args.time
        if time is None:
            time = trace.clock.seconds(interesting_times(trace)[1])
        if not 0 <= time <= length:
            raise UsageError(
                f"{trace.name} has no time {time:g} s: it lasts {length:.6g} s"
            )
        recipe = Recipe(
            trace.clock.ticks(time),
            (0, trace.clock.length),
            args.size,
            footer=not args.no_footer,
            view=replace(_view(args, known), theme=args.theme),
            selection=Selection(),
            pose=None,
            scale=args.scale,
            transparent=args.transparent,
            key=not args.no_key,
        )
    save(known, recipe, args.output)
    record = {
        "path": str(args.output),
        "time": trace.clock.seconds(recipe.time),
        "size": [side * recipe.scale for side in recipe.size],
    }
    put(args, lambda: record, lambda: str(args.output))


def _view(args: argparse.Namespace, known: "Analysis") -> "View":
    """Say how things are shown.

    Raises
    ------
    TopoviewError
        The trace has no numbers for the colouring.
    """
    from topoview.analysis.colourings.general import offered, row_of
    from topoview.session import View
    from topoview.ui.formats import parse_range

    for name in (args.colour, args.rim, args.size_by):
        if name not in ("", "trail", *offered(known)):
            raise UsageError(
                f"{known.trace.name} has nothing for the colouring {name}: "
                f"choose one of {', '.join(offered(known))}"
            )
    span, low, high = "data" if args.stretch else "", 0.0, 0.0
    if args.range:
        row = row_of(args.colour, known)
        unit = "" if row is None else row.unit
        try:
            low, high = parse_range(args.range, unit)
        except ValueError as error:
            raise UsageError(str(error)) from error
        span = "fixed"
    return View(
        layout=args.layout,
        geometry=chosen_geometry(args, known),
        colouring=args.colour,
        span=span,
        low=low,
        high=high,
        steps="log" if args.log else "",
        rim=args.rim,
        size=args.size_by,
        faded=args.see_through,
        message_colour=args.messages_by,
        comets=args.comets,
        chains=args.chains,
        traffic=args.traffic,
        pulse=args.pulse,
    )


def render_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `render`."""
    also = ": PNG, SVG, PDF, or GLB for a glTF model"
    _drawing_options(parser, "F.png", also)
    add = parser.add_argument
    when = "seconds from the trace's beginning (within a rank's longest wait)"
    add("--time", type=seconds, metavar="S", help=when)
    larger = "dots along each side for each pixel of the size, 1 to 8 (1)"
    add("--scale", type=int, choices=range(1, 9), default=1, metavar="N", help=larger)
    add("--transparent", action="store_true", help="with nothing behind the scene")
    add("--no-footer", action="store_true", help="without the line below")
    add("--no-key", action="store_true", help="without what colours and lines mean")


def _drawing_options(
    parser: argparse.ArgumentParser, name: str, also: str = ""
) -> None:
    """Add what all drawing commands take."""
    from topoview.analysis.colourings.general import COLOURINGS, STATE

    names = (STATE, *COLOURINGS)
    add = parser.add_argument
    where = f"the file that is written{also}"
    add("-o", "--output", type=Path, required=True, metavar=name, help=where)
    add("--like", type=Path, metavar="F.png", help="as that picture or film was made")
    size = "in pixels (1280x800)"
    add("--size", type=picture_size, default=(1280, 800), metavar="WxH", help=size)
    add("--theme", choices=["light", "dark"], default="light", help="(light)")
    means = f"what colours mean: {', '.join(names)}"
    means += ", or counter-M-P"
    add("--colour", default="state", metavar="NAME", help=means)
    add("--stretch", action="store_true", help="stretch colours to the numbers")
    told = "what colours span, such as '0 - 20 ms' or '10 - 50 %%'"
    add("--range", default="", metavar="A-B", help=told)
    add("--log", action="store_true", help="let colours follow the logarithm")
    add_pattern(parser)
    _further_options(parser)
    add_shape(parser)


def _further_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of what is drawn beside the colours of ranks."""
    from topoview.scene.channel_names import LOOK_TEXTS

    add = parser.add_argument
    rims = "what rims tell: a colouring, or trail for the state before"
    add("--rim", default="", metavar="NAME", help=rims)
    sizes = "the colouring whose numbers the ranks' sizes tell"
    add("--size-by", default="", metavar="NAME", help=sizes)
    through = "see through ranks that compute"
    add("--see-through", action="store_true", help=through)
    looks = f"what messages' colours tell: {', '.join(LOOK_TEXTS)}"
    add(
        "--messages-by",
        choices=["", *LOOK_TEXTS],
        default="",
        metavar="NAME",
        help=looks,
    )
    add("--comets", action="store_true", help="messages trail all of their way")
    add("--chains", action="store_true", help="draw who waits for whom")
    add("--traffic", action="store_true", help="edges by the window's traffic")
    add("--pulse", action="store_true", help="ranks in collectives swell")


def movie(args: argparse.Namespace) -> None:
    """Write a film of the 3D scene."""
    from topoview.analysis import analyse
    from topoview.analysis.interest import interesting_times
    from topoview.analysis.navigation import working_window
    from topoview.analysis.pace import Pace, busiest
    from topoview.session import Selection
    from topoview.ui.film import Reel, shoot
    from topoview.ui.recipe import Recipe, read_recipe

    recipe = read_recipe(args.like) if args.like else None
    trace = read(args)
    *_, known = analyse(trace, progress(), args.pattern)
    window = working_window(trace)
    begin, end = (
        default if given is None else trace.clock.ticks(given)
        for given, default in zip((args.first, args.last), window, strict=True)
    )
    if not 0 <= begin < end <= max(trace.clock.length, 1):
        raise UsageError(
            f"{trace.name} has no such stretch of time: it lasts from 0 to "
            f"{trace.clock.seconds(trace.clock.length):.6g} s"
        )
    if recipe is None:
        view = replace(_view(args, known), theme=args.theme)
        middle = interesting_times(trace)[1]
        span = (begin, end)
        recipe = Recipe(middle, span, args.size, True, view, Selection(), None)
    rank = busiest(trace) if args.calls_of is None else args.calls_of
    if not 0 <= rank < trace.ranks:
        raise UsageError(
            f"{trace.name} has no rank {rank}: its ranks are 0 to {trace.ranks - 1}"
        )
    pace = Pace(args.seconds, args.calls or 0.0, rank, args.skip)
    reel = Reel(begin, end, pace, args.rate)
    shoot(known, recipe, reel, args.output, progress())
    record = {
        "path": str(args.output),
        "begin": trace.clock.seconds(begin),
        "end": trace.clock.seconds(end),
        "frames": len(reel.times(trace)),
        "size": list(recipe.size),
    }
    put(args, lambda: record, lambda: str(args.output))


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
    calls = "in place of that: MPI calls a second of the rank that makes most"
    add("--calls", type=positive, metavar="N", help=calls)
    whose = "rank whose calls these are"
    add("--calls-of", type=rank_number, metavar="RANK", help=whose)
    rest = "leave out what nothing happens in (not with --calls)"
    add("--skip", action="store_true", help=rest)
    rate = "frames a second (25; a GIF has at most 12.5)"
    add("--rate", type=positive, default=25.0, metavar="N", help=rate)


def demo(args: argparse.Namespace) -> None:
    """Write the sample trace and open it; without a display draw it to files."""
    from topoview.analysis.demo import write_demo
    from topoview.ui.display import has_display

    anchor = write_demo(args.output)
    if args.pictures is None and has_display():
        sys.exit(window([anchor]))
    from topoview.ui.pictures import draw_pictures

    pictures = args.pictures or Path("topoview-demo")
    found = draw_pictures(anchor, pictures, progress())
    put(args, lambda: found.record, lambda: found.text)


def demo_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `demo`."""
    add = parser.add_argument
    add("--output", type=Path, metavar="FOLDER", help="where the trace is written")
    add("--pictures", type=Path, metavar="FOLDER", help="draw to files, open no window")


def window(paths: Sequence[Path]) -> int:
    """Open the window on traces; returns the exit status."""
    from topoview.ui.display import has_display

    if not has_display():
        if paths and not paths[0].exists():
            raise UsageError(
                f"{paths[0]} is neither a command nor a trace: see topoview --help"
            )
        raise TopoviewError(
            "there is no display to open a window on: use one of the commands "
            "info, identify, logical, profile, render, or run under xvfb-run"
        )
    from topoview.ui import run

    return run([str(path) for path in paths])
