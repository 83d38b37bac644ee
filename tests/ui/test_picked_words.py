"""Pages about anything in any trace: real ones, known in part and in full."""

import re

import numpy as np
import pytest
import traces

from topoview.model import Analysis
from topoview.pipeline import analyse
from topoview.report.blocks import Fact, Facts, Link, Page, TableBlock
from topoview.report.write import card, page_html, page_markdown, page_text
from topoview.session import Picked, Selection, Session
from topoview.ui.panels.picked.words import page_of

COUNT = 25 if traces.slow_tests_run() else 10
"""Things of each kind that are looked at when all is known."""

COUNT_BEFORE = COUNT // 5
"""The same for each step until then."""


def things(known: Analysis, most: int) -> list[Picked]:
    """Choose some of all that can be clicked."""
    trace, random = known.trace, np.random.default_rng(11)

    def some(count: int) -> list[int]:
        return random.integers(0, count, min(most, count)).tolist() if count else []

    them, parts = trace.messages, trace.collectives
    found = [Picked("call", n) for n in some(len(trace.calls))]
    found += [Picked("message", n) for n in some(len(them))]
    found += [Picked("rank", n) for n in some(trace.ranks)]
    found += [Picked("communicator", n) for n in some(len(trace.communicators))]
    found += [Picked("collective", int(parts.call[n])) for n in some(len(parts))]
    if known.logical is not None:
        found += [Picked("statement", n) for n in some(known.logical.statements)]
    for n in some(len(them)):
        found.append(Picked("pair", int(them.sender[n]), int(them.receiver[n])))
    return found


@pytest.mark.parametrize(
    "name",
    [
        *("sp-rowcol-6x4", "sp-twophase-6x6-user-metrics"),
        *("ez-threads-halo", "public-casita-4_mpi_ls_barr"),
        "public-casita-2_cuda_simple",
    ],
)
def test_everything_has_a_page_whatever_is_known(name: str) -> None:
    steps = tuple(analyse(traces.read_real(name)))
    for known in steps:
        session = Session()
        length = max(known.trace.clock.length, 1)
        session.update(analysis=known, window=(0, length), time=length * 3 // 4)
        for picked in things(known, COUNT if known is steps[-1] else COUNT_BEFORE):
            session.update(picked=picked, selection=Selection())
            session.update(picked=picked)
            page = page_of(session.state)
            if page is None:
                assert picked.kind == "pair", picked
                continue
            html, text = page_html(page, "#111", "#222", "#333"), page_text(page)
            links = page.links
            numbers = re.findall(r'href="(\d+)"', html)
            assert numbers == [str(n) for n in range(len(links))]
            assert page.title in text
            written = page_markdown(page)
            assert written.startswith(f"## {page.title}\n")
            for fact in page.facts:
                assert fact.name in text
                assert fact.name in written
            assert card(page)
            for link in links:
                session.update(picked=link.to)
                assert page_of(session.state) is not None, (picked, link)


def test_names_of_a_trace_are_no_markup() -> None:
    """What a trace calls things is shown as it is."""
    link = Link("<i>MPI</i>", Picked("call", 1))
    row = (("<u>1</u>",), (link,))
    page = Page(
        "<b>Send</b>",
        "",
        (
            Facts((Fact("<b>", ("a & b", link)),)),
            TableBlock(name="", caption="<h1>", head=("<p>", "x"), rows=(row,)),
        ),
    )
    html = page_html(page, "#111", "#222", "#333")
    for tag in ("<b>Send", "<i>", "<u>", "<h1>", "<p>x"):
        assert tag not in html
    assert html.count("&lt;i&gt;MPI") == len(page.links) == 2
    assert "a &amp; b" in html
