"""What the values of the records of metrics are, from the definitions."""

from typing import Final

from topoview.io.definitions import Definitions
from topoview.io.definitions_further import MemberRecord
from topoview.model import Counter

_MODES: Final = {0: "grows", 1: "value", 2: "change"}
"""By the lower four bits of OTF2_MetricMode."""

_MOST_POWER: Final = 60


def find_counters(definitions: Definitions) -> tuple[Counter, ...]:
    """Name every value of every metric; of metrics' instances by their class."""
    known = definitions.further
    classes = dict(known.classes)
    for reference, instance in known.instances.items():
        classes.setdefault(reference, known.classes.get(instance.metric, ()))
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
        if (member := known.members.get(reference)) is not None
    )


def _scale(member: MemberRecord) -> float:
    """Give what a number is multiplied by: OTF2_Base 0 is 2, others 10."""
    if abs(member.power) > _MOST_POWER:
        return 1.0
    return float((10.0 if member.base else 2.0) ** member.power)
