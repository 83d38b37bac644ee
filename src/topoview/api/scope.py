"""Parts of a run: parameters that name them, and the results that they need."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, TypeVar, Unpack, cast

from topoview.base.text import did_you_mean
from topoview.model import SpanName

if TYPE_CHECKING:
    import networkx as nx

    from topoview.base.progress import Report
    from topoview.live.tables.scope import Scope
    from topoview.model import Trace

    Source: TypeAlias = Trace | str | Path
    Pattern: TypeAlias = str | Path | nx.Graph
    Progress: TypeAlias = Callable[[str, float], None] | bool | None


class ScopeOptions(TypedDict, total=False):
    """Parameters that name a part of a run."""

    window: tuple[float | None, float | None] | None
    ranks: Iterable[int] | int | str | None
    communicator: str | None
    phase: str | int | None
    span: SpanName | None


class TrafficOptions(ScopeOptions, total=False):
    """Parameters of what a part of a run puts on the machine's links."""

    machine: str | Path | dict[str, Any] | None
    level: int | None
    collectives: bool | None


_Function = TypeVar("_Function", bound=Callable[..., Any])


def spelled(
    options: type | None = None, *, without: str = ""
) -> Callable[[_Function], _Function]:
    """Show fields of options as parameters of a function, which refuses others.

    Parameters
    ----------
    options
        A dataclass, or a TypedDict, all of which are None if they are not given; None:
        the function has no further ones.
    without
        A field that another parameter stands for.
    """
    defaults = dict.fromkeys(options.__annotations__ if options else ())
    if options is not None and is_dataclass(options):
        has = {one.name: one.default for one in fields(options)}
        defaults = {k: ... if v is MISSING else v for k, v in has.items()}

    def decorate(function: _Function) -> _Function:
        every = signature(function).parameters.values()
        before = [one for one in every if one.kind is not Parameter.VAR_KEYWORD]
        names = [*(one.name for one in before), without]
        further = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=default)
            for name, default in defaults.items()
            if name not in names
        ]
        taken = [one.name for one in (*before, *further)]

        @wraps(function)
        def checked(*args: object, **named: object) -> object:
            for name in named.keys() - set(taken):
                hint = did_you_mean(name, taken) or f": it has {', '.join(taken)}"
                raise TypeError(
                    f"topoview.{function.__name__} has no parameter {name!r}{hint}"
                )
            return function(*args, **named)

        shown = signature(function).replace(parameters=[*before, *further])
        checked.__signature__ = shown  # type: ignore[attr-defined]
        return cast("_Function", checked)

    return decorate


def reporter(progress: "Progress") -> "Report":
    """Return what is called as work goes on: a bar of tqdm for True."""
    from topoview.base.progress import silent

    if callable(progress):
        return progress
    if not progress:
        return silent
    from topoview.base.extras import need

    need("notebook", "tqdm")
    from tqdm.auto import tqdm

    form = "{desc} {percentage:3.0f} %|{bar}|"
    bar = tqdm(total=1.0, bar_format=form, leave=False, delay=1e-9)

    def show(stage: str, fraction: float) -> None:
        bar.set_description(stage, refresh=False)
        bar.n = fraction
        bar.refresh()

    return show


def find_scope(
    trace: "Source",
    progress: "Progress",
    find: str = "",
    wanted: str | tuple[str, ...] = "calls",
    default: SpanName | None = None,
    **scope: Unpack[ScopeOptions],
) -> "Scope":
    """Find a part of a run, and compute the results of it: see `needs`.

    `default` is the span that is meant where no time is named; None: all events.
    """
    from topoview.live.tables.scope import needs, scope_of
    from topoview.worker.results import shown_of

    phase, span = scope.get("phase"), scope.get("span")
    if scope.get("window") is None and phase is None:
        span = span or default
    part = span != default or scope.get("ranks") is not None
    names = needs(wanted, find, phase, span, part=part)
    scope["span"] = span
    return scope_of(shown_of(trace, reporter(progress), names), find, **scope)


def find_part(
    trace: "Source",
    progress: "Progress",
    wanted: str | tuple[str, ...],
    find: str = "",
    **scope: Unpack[ScopeOptions],
) -> "Scope":
    """As `find_scope`, of the exchange where no time is named."""
    return find_scope(trace, progress, find, wanted, "exchange", **scope)


def compute_results(
    trace: "Source",
    wanted: list[str],
    progress: "Progress",
    **options: Any,  # noqa: ANN401 - fields of Options
) -> Any:  # noqa: ANN401 - Results, whose import takes time
    """Compute results that are not kept; `options` are fields of `Options`."""
    from topoview.pipeline import Options
    from topoview.worker import results_of

    return results_of(trace, wanted, Options(**options), reporter(progress))


def pattern_files(patterns: "Sequence[Pattern]") -> tuple[Path, ...]:
    """Return the files of patterns; a graph is written to one."""
    from topoview.worker.results import pattern_file

    return tuple(
        Path(one) if isinstance(one, (str, Path)) else pattern_file(one)
        for one in patterns
    )
