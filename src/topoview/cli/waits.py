"""Subcommands about waiting: waits, idle-waves, efficiency."""

import argparse
from typing import Any

from topoview.cli.printing import put, results
from topoview.errors import TopoviewError


def waits(args: argparse.Namespace) -> None:
    """Tell who waited, how long, and who was the cause."""
    from topoview.report.waits import waits_record, waits_text

    found = results(args, ["wait_sums", "delays"])
    told = (found.trace, aligned(found, "wait_sums"), found["delays"], found["logical"])
    put(args, lambda: waits_record(*told), lambda: waits_text(*told), found.trace)


def idle_waves(args: argparse.Namespace) -> None:
    """Tell the delays of single ranks, costliest first, and how they travelled."""
    from topoview.report.waits import delays_record, delays_text

    found = results(args, ["waits", "delays"])
    aligned(found, "waits")
    told = found.trace, found["delays"]
    put(args, lambda: delays_record(*told), lambda: delays_text(*told), found.trace)


def efficiency(args: argparse.Namespace) -> None:
    """Tell the efficiencies of POP."""
    from topoview.analysis.waits.efficiency import efficiency_of
    from topoview.report.waits import efficiency_record, efficiency_text

    found = results(args, ["waits", "parts"] if args.phase else ["waits"])
    known = aligned(found, "waits")
    window = phase_window(found["parts"], args.phase) if args.phase else None
    told = efficiency_of(found.trace, known, window)
    put(
        args,
        lambda: dict(efficiency_record(told)),
        lambda: efficiency_text(told),
        found.trace,
    )


def efficiency_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `efficiency`."""
    told = "of this phase only, named as `identify` names it"
    parser.add_argument("--phase", metavar="NAME", help=told)


def aligned(found: Any, name: str) -> Any:  # noqa: ANN401 - of results
    """Give a result that there is only if the clocks are aligned.

    Raises
    ------
    TopoviewError
        If they are not.
    """
    if found[name] is None:
        raise TopoviewError(
            f"{found.trace.name} does not tell who waits: the clocks of its ranks "
            "cannot be aligned"
        )
    return found[name]


def phase_window(parts: Any, name: str) -> tuple[int, int]:  # noqa: ANN401 - results
    """Find the window of a phase.

    Raises
    ------
    TopoviewError
        If no phase is called so.
    """
    phases = {part.name: part for part in parts.parts if part.by == "phase"}
    if name not in phases:
        known = ", ".join(phases) or "none was found"
        raise TopoviewError(f"there is no phase {name!r}: phases are {known}")
    return phases[name].begin, phases[name].end
