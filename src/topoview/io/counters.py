"""What the values of the records of metrics are, from the definitions."""

from typing import Final

from topoview.io.definitions import Definitions, MetricRecord
from topoview.model import Counter

_MODES: Final = {0: "grows", 1: "value", 2: "change"}
"""By the lower four bits of OTF2_MetricMode."""

_MOST_EXPONENT: Final = 60


def find_counters(definitions: Definitions) -> tuple[Counter, ...]:
    """Name every value of every metric; of metrics' instances by their class."""
    classes = dict(definitions.metric_classes)
    for instance, kind in definitions.metric_instances.items():
        classes.setdefault(instance, definitions.metric_classes.get(kind, ()))
    return tuple(
        Counter(
            metric,
            place,
            definitions.string(member.name),
            definitions.string(member.unit),
            _MODES.get(member.mode & 15, "value"),
            _scale(member),
        )
        for metric, members in classes.items()
        for place, reference in enumerate(members)
        if (member := definitions.metrics.get(reference)) is not None
    )


def _scale(member: MetricRecord) -> float:
    """Give what a number is multiplied by: OTF2_Base 0 is 2, others 10."""
    if abs(member.exponent) > _MOST_EXPONENT:
        return 1.0
    return float((10.0 if member.base else 2.0) ** member.exponent)
