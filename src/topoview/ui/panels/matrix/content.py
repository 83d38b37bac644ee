"""What the matrix shows of a state: asked for in one thread, made in another."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from topoview.base.text import tr
from topoview.live.call_facts import pairs_of_call
from topoview.live.picking.selection import selected_matrix
from topoview.live.tables.pairs import binary_pairs, counted_matrix
from topoview.live.tables.parts.parts import phases_of
from topoview.live.tables.scope import with_length
from topoview.model import Analysis, CommunicationMatrix, Indices, Match
from topoview.scene.flat import matrix_pixels
from topoview.scene.flat.timeline_pixels import Pixels
from topoview.scene.palette import THEMES
from topoview.session import NO_CALLS, CallFilter, State
from topoview.ui.panels.options import MatrixOptions, MatrixPart
from topoview.ui.panels.selected_calls import call_filter
from topoview.ui.widgets.latest_only import LastMade

ONE_SIDED = "moved"
"""The amount that is the bytes of one-sided transfers."""

AMOUNT_TEXTS = {
    "calls": tr("Messages"),
    "bytes": tr("Bytes"),
    "calls/s": "Messages/s",
    "bytes/s": "Bytes/s",
    "mean": tr("Mean size"),
    "wait": tr("Wait"),
    ONE_SIDED: tr("One-sided"),
}
TRANSFER_TEXTS = {
    "calls": tr("Transfers"),
    "bytes": tr("Bytes"),
    "calls/s": "Transfers/s",
    "bytes/s": "Bytes/s",
    "mean": tr("Mean size"),
}
"""Where there are no messages."""


def each_text(size: str, matrix: CommunicationMatrix) -> str:
    """Write bytes of each message or transfer: ``1.37 KiB a message``."""
    if matrix.one_sided:
        return tr("{size} a one-sided transfer", size=size)
    return tr("{size} a message", size=size)


NumbersKey = tuple[object, ...]
_ALL = MatrixPart()


@dataclass(frozen=True, slots=True)
class MatrixRequest:
    """What a picture of the matrix is made from; equal ones look equal."""

    analysis: Analysis
    match: Match | None
    """`known` and `match`: what is known, and the match whose places and edges
    count."""
    scope: str
    window: tuple[int, int] | None
    ranks: tuple[int, ...]
    """`scope`, `window` and `ranks`: which messages count: all, as of the
    ``exchange``, those of the window, of the ranks and calls that are ``selected``."""
    wanted: CallFilter
    """Calls that are selected: they count alone, or stand out."""
    amount: str
    arrangement: str
    theme: str
    """`amount`, `arrangement` and `theme`: as in the session's view."""
    extract: matrix_pixels.MatrixExtract
    """What of it is shown; None for all."""
    lines: int
    """Device pixels along a side."""
    call: int | None = None
    """A selected call, whose pairs are framed; None for none."""
    part: MatrixPart = _ALL
    """Which of these messages."""

    @property
    def counted(self) -> NumbersKey:
        """What the numbers depend on."""
        alone = self.wanted if self.scope == "selected" else None
        part, waits = replace(self.part, level=None), self.unit == "wait"
        some = self.window, self.ranks, alone, self.one_sided
        return (self.analysis, *some, part, waits)

    @property
    def one_sided(self) -> bool:
        """Whether one-sided transfers are counted, not messages."""
        analysis = self.analysis
        only = analysis.matrix is not None and analysis.matrix.one_sided
        return only or (self.amount == ONE_SIDED and analysis.one_sided is not None)

    @property
    def unit(self) -> str:
        """What numbers are: an amount of `matrix_amounts`."""
        if self.amount == "wait" and not self.one_sided:
            has_waits = (
                self.analysis.waits is not None and self.analysis.trace.digest is None
            )
            return "wait" if has_waits else "calls"
        return "bytes" if self.amount in (ONE_SIDED, "wait") else self.amount


@dataclass(frozen=True, slots=True, eq=False)
class MatrixPicture:
    """A picture of the matrix."""

    request: MatrixRequest
    """What it is a picture of."""
    matrix: CommunicationMatrix
    arrangement: matrix_pixels.MatrixOrder
    """`matrix` and `arrangement`: all numbers, and the order of the ranks."""
    cells: matrix_pixels.MatrixCells
    pixels: Pixels
    """`cells` and `pixels`: numbers and colours of what is shown."""
    framed: Indices
    """int32, shape (pairs, 2): senders and receivers of the selected call's
    messages."""
    numbers: csr_array
    """Those of all pairs: bytes of mean sizes."""
    cut: str = ""
    """Which pairs a binary matrix has, in words; empty: it is a full one."""


def matrix_request(
    state: State, extract: matrix_pixels.MatrixExtract, lines: int
) -> MatrixRequest | None:
    """Gather what a state wants to see of the matrix; None before there is one."""
    analysis = state.analysis
    if analysis is None or analysis.matrix is None:
        return None
    options, chosen = state.of(MatrixOptions), state.selection
    scope, window = effective_scope(state), scope_window(state)
    some = chosen.ranks or chosen.edge or ()
    part = state.of(MatrixPart)
    if part.phase is not None:
        window = _within_phase(analysis, part.phase, window)
    return MatrixRequest(
        analysis=analysis,
        match=state.derived.match,
        scope=scope,
        window=window,
        ranks=some if scope == "selected" else (),
        wanted=call_filter(state),
        amount=options.amount,
        arrangement=options.order,
        theme=state.theme,
        extract=extract,
        lines=lines,
        call=chosen.call,
        part=part,
    )


def _within_phase(
    analysis: Analysis, number: int, window: tuple[int, int] | None
) -> tuple[int, int] | None:
    """Keep what a window has of a phase."""
    phases = phases_of(analysis)
    if not 0 <= number < len(phases):
        return window
    begin, end = phases[number].begin, phases[number].end
    if window is not None:
        begin, end = max(begin, window[0]), min(end, window[1])
    return begin, max(begin, end)


def effective_scope(state: State) -> str:
    """Return what is counted: all of a digest, or if nothing is selected."""
    analysis, chosen = state.analysis, state.selection
    is_digest = analysis is not None and analysis.trace.digest is not None
    something = chosen.ranks or chosen.edge or chosen.window or call_filter(state)
    if is_digest and state.scope not in WHOLE:
        return "exchange"
    if state.scope == "loop" and (analysis is None or analysis.profile_of_loop is None):
        return "exchange"
    return "exchange" if state.scope == "selected" and not something else state.scope


def scope_remark(state: State) -> str:
    """Explain why all is counted where less was chosen; empty where it is not so."""
    analysis = state.analysis
    if analysis is None or effective_scope(state) == state.scope:
        return ""
    digest = analysis.trace.digest is not None
    why = tr("a digest") if digest else tr("nothing is selected")
    if state.scope == "loop" and not digest:
        why = tr("no loop")
    return tr("{why}: the exchange is counted", why=why)


WHOLE = frozenset({"exchange", "run"})
"""Scopes in which all messages are counted."""


def scope_window(state: State) -> tuple[int, int] | None:
    """Return the ticks that count; None for all that is exchanged."""
    scope, analysis = effective_scope(state), state.analysis
    if scope == "loop" and analysis is not None and analysis.profile_of_loop:
        return analysis.profile_of_loop.span.window
    return {"window": state.window, "selected": state.selection.window}.get(scope)


class MatrixMaker:
    """Makes pictures; keeps the numbers and the order until others are asked for.

    It belongs to the thread that makes them.
    """

    def __init__(self) -> None:
        self._keep = LastMade()

    def picture(self, request: MatrixRequest, _: object = None) -> MatrixPicture:
        """Compute the picture; a long computation that releases the GIL."""
        trace, match = request.analysis.trace, request.match
        matrix = self._keep("matrix", request.counted, lambda: _count_matrix(request))
        order = self._keep(
            "order",
            (trace, match, request.arrangement),
            lambda: matrix_pixels.order_matrix(request.arrangement, trace, match),
        )
        extra = None
        if match is not None and match.extra:
            extra = self._keep(
                "extra",
                (trace, match),
                lambda: matrix_pixels.edge_matrix(match.extra_edges, trace.ranks),
            )
        numbers, per = matrix_pixels.matrix_amounts(matrix, request.unit)
        words = ""
        if request.part.level is not None:
            numbers, words = binary_pairs(matrix, request.part.level)
            per = None
        shown = matrix_pixels.extract_cells(
            numbers, order, request.extract, request.lines, extra, per
        )
        stands = None
        if request.wanted and request.scope != "selected":
            own = self._keep(
                "own",
                (trace, request.analysis.logical, request.wanted, request.one_sided),
                lambda: _count_selected(request),
            )
            stands = matrix_pixels.stored_cells(
                own.calls, order, request.extract, request.lines
            )
        pixels = matrix_pixels.cell_pixels(shown, THEMES[request.theme], stands)
        framed = self._keep(
            "framed", (trace, request.call), lambda: _pairs_of_call(request)
        )
        return MatrixPicture(
            request=request,
            matrix=matrix,
            arrangement=order,
            cells=shown,
            pixels=pixels,
            framed=framed,
            numbers=numbers,
            cut=words,
        )


def _count_matrix(request: MatrixRequest) -> CommunicationMatrix:
    """Count the messages, or transfers, that a request means."""
    analysis = request.analysis
    alone = request.wanted if request.scope == "selected" else None
    if not request.one_sided:
        return counted_matrix(
            analysis,
            wanted=alone or NO_CALLS,
            window=request.window,
            ranks=request.ranks,
            communicator=request.part.communicator,
            collectives=request.part.collectives,
            waits=request.unit == "wait",
        )
    if request.window is None and not request.ranks and not alone:
        matrix = (
            analysis.one_sided if analysis.one_sided is not None else analysis.matrix
        )
        assert matrix is not None
    else:
        matrix = selected_matrix(
            analysis,
            wanted=alone,
            window=request.window,
            ranks=request.ranks,
            one_sided=True,
        )
    return with_length(analysis, matrix, request.window)


def _count_selected(request: MatrixRequest) -> CommunicationMatrix:
    """Count those of the selected calls alone."""
    return selected_matrix(
        request.analysis, wanted=request.wanted, one_sided=request.one_sided
    )


def _pairs_of_call(request: MatrixRequest) -> Indices:
    """Find the pairs of the selected call."""
    if request.call is None:
        return np.zeros((0, 2), np.int32)
    return pairs_of_call(request.analysis, request.call)
