"""Pictures, figures and films."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from topoview.api.scope import ScopeOptions, find_part, reporter, spelled
from topoview.session import SceneOptions

if TYPE_CHECKING:
    import pyvista
    from matplotlib.axes import Axes

    from topoview.api.scope import Progress, Source
    from topoview.session import ThemeName


@spelled(SceneOptions, without="colouring")
def plot(  # noqa: PLR0913 - what can be asked for
    trace: "Source",
    time: float | None = None,
    *,
    colour: str = "state",
    size: tuple[int, int] = (1280, 800),
    theme: "ThemeName" = "light",
    progress: "Progress" = None,
    **how: Any,  # noqa: ANN401 - fields of SceneOptions
) -> "pyvista.Plotter":
    """Draw the ranks in the shape of their topology.

    Parameters
    ----------
    trace, progress
        As for `identify`.
    time
        Seconds from the trace's beginning; None: what the window shows first, the
        front of the costliest delay, else when states of the ranks differ most.
    colour
        What ranks are coloured by, as ``topoview render --colour`` takes it.
    size
        Width and height in pixels.
    theme
        ``light`` or ``dark``.
    how
        Fields of `topoview.session.SceneOptions`, such as ``layout="flat"``,
        ``messages=False`` or ``chains=True``.

    Returns
    -------
    pyvista.Plotter
        To show, change and save: ``plot(trace).show()``, ``.screenshot("f.png")``,
        ``.export_html("f.html")``.

    Raises
    ------
    topoview.errors.ExtraError
        If topoview is installed without its window.

    Examples
    --------
    >>> plotter = topoview.plot(trace, 0.06, colour="wait")
    >>> plotter.screenshot("scene.png")  # doctest: +SKIP
    """
    from topoview.ui.panels.scene.plotter import scene_plotter
    from topoview.worker.results import shown_of

    analysis = shown_of(trace, reporter(progress))
    return scene_plotter(analysis, time, size, theme, colouring=colour, **how)


@spelled(ScopeOptions)
def figure(
    trace: "Source",
    of: str = "timeline",
    ax: "Axes | None" = None,
    *,
    progress: "Progress" = None,
    **scope: Unpack[ScopeOptions],
) -> "Axes":
    """Draw a figure of two dimensions on axes of matplotlib.

    Parameters
    ----------
    trace, progress, scope
        As for `account`.
    of
        ``timeline``: states of ranks over time; ``time``: how many ranks are in each;
        ``matrix``: bytes by pairs of ranks; ``profile``: time by class;
        ``iterations``: how long each takes on each rank.
    ax
        Where it is drawn; None: in a figure of its own.

    Returns
    -------
    matplotlib.axes.Axes
        In seconds and numbers of ranks; a notebook shows its figure.

    Raises
    ------
    topoview.errors.ExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> axes = topoview.figure(trace, "matrix")
    >>> axes.get_xlabel()
    'receiver'
    """
    from topoview.base.extras import need
    from topoview.errors import UsageError

    need("notebook", "matplotlib")
    from topoview.scene.flat.figures import FIGURES

    if of not in FIGURES:
        raise UsageError(f"figures are of {', '.join(FIGURES)}: not of {of}")
    needed, draw = FIGURES[of]
    part = find_part(trace, progress, needed, **scope)
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(layout="constrained")[1]
    draw(ax, part)
    return ax


@spelled(SceneOptions, without="colouring")
def write_movie(  # noqa: PLR0913 - what can be asked for
    trace: "Source",
    path: str | Path,
    *,
    window: tuple[float | None, float | None] | None = None,
    seconds: float = 10.0,
    colour: str = "state",
    size: tuple[int, int] = (1280, 800),
    theme: "ThemeName" = "light",
    progress: "Progress" = None,
    **how: Any,  # noqa: ANN401 - fields of SceneOptions
) -> Path:
    """Write a film of the scene: MP4 or GIF, by the suffix.

    Parameters
    ----------
    trace, progress
        As for `identify`.
    path
        Where it is written.
    window
        Seconds from the trace's beginning between which it plays; None: while ranks
        communicate.
    seconds
        How long it lasts.
    colour, size, theme, how
        As for `plot`.

    Raises
    ------
    topoview.errors.ExportError
        If it cannot be drawn, encoded or written there.
    topoview.errors.UsageError
        If the trace has no such stretch of time.

    Examples
    --------
    >>> topoview.write_movie(trace, "run.mp4", window=(0.05, 0.1))  # doctest: +SKIP
    """
    from topoview.live.picking.navigation import Pace, busiest
    from topoview.live.waits.delays import first_view
    from topoview.ui.export.film import FilmSpec, film_window, render_film
    from topoview.ui.export.render_spec import RenderSpec
    from topoview.worker.results import shown_of

    analysis = shown_of(trace, reporter(progress))
    begin, end = film_window(analysis, *(window or (None, None)))
    spec = RenderSpec(
        first_view(analysis).time,
        (begin, end),
        size,
        scene=SceneOptions(colouring=colour, **how),
        theme=theme,
    )
    pace = Pace(seconds, 0.0, busiest(analysis.trace), skip=False)
    film = FilmSpec(begin, end, pace)
    render_film(analysis, spec, film, Path(path), reporter(progress))
    return Path(path)
