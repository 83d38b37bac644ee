"""What panels say about an analysis that goes on, or does not any more."""

from topoview.model import Analysis
from topoview.ui.panels.empty import why_no_logical, why_no_topology


def test_a_stopped_analysis_is_told_from_one_that_goes_on(torus: Analysis) -> None:
    begun = Analysis(torus.trace)
    for why in (why_no_topology, why_no_logical):
        assert why(begun, going_on=True)[0].endswith("…")
        assert "stopped" in why(begun, going_on=False)[1]
        assert why(torus, going_on=False) == ("", "")
