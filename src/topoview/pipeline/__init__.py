"""The pipeline: which results there are of a trace, and how they are made."""

from topoview.pipeline.making import (
    STEPS,
    Results,
    analyse,
    ancestry,
    first_look,
    made_of,
    make_in_order,
    options_of,
    steps,
)
from topoview.pipeline.results import (
    IN_PARTS,
    RESULTS,
    Options,
    Result,
    events_needed,
    results_at_once,
    save_pattern,
)

__all__ = [
    "IN_PARTS",
    "RESULTS",
    "STEPS",
    "Options",
    "Result",
    "Results",
    "analyse",
    "ancestry",
    "events_needed",
    "first_look",
    "made_of",
    "make_in_order",
    "options_of",
    "results_at_once",
    "save_pattern",
    "steps",
]
