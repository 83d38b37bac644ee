"""What the values of the records of metrics are, from the definitions."""

from typing import Final

from topoview.io.definitions_further import Further, InstanceRecord, MemberRecord
from topoview.io.names import Text
from topoview.model import Counter

# By the codes of OTF2_MetricType, OTF2_Base, the lower and the upper four bits of
# OTF2_MetricMode, and OTF2_MetricScope.
_KINDS: Final = ("other", "PAPI", "rusage", "user")
_BASES: Final = (2, 10)
_MODES: Final = ("grows", "value", "change")
_TIMINGS: Final = ("start", "point", "last", "next")
_SCOPE_LOCATION, _SCOPE_GROUP, _SCOPE_NODE = 0, 1, 2

_MOST_POWER: Final = 60


def find_counters(
    found: Further, text: Text, groups: dict[int, str]
) -> tuple[Counter, ...]:
    """Say what each value of records of metrics is.

    Parameters
    ----------
    text
        Gives the string of a number.
    groups
        Names of location groups, by identifier.
    """
    plain = {ref: InstanceRecord(ref, -1, _SCOPE_LOCATION, 0) for ref in found.classes}
    counters = [
        _counter(found, ref, place, instance, member, text, groups)
        for ref, instance in {**found.instances, **plain}.items()
        for place, number in enumerate(found.classes.get(instance.metric, ()))
        if (member := found.members.get(number)) is not None
    ]
    return tuple(sorted(counters, key=lambda counter: (counter.metric, counter.place)))


def _counter(  # noqa: PLR0913
    found: Further,
    metric: int,
    place: int,
    instance: InstanceRecord,
    member: MemberRecord,
    text: Text,
    groups: dict[int, str],
) -> Counter:
    return Counter(
        metric=metric,
        place=place,
        name=text(member.name),
        unit=text(member.unit),
        mode=_word(_MODES, member.mode & 15, "value"),
        base=_BASES[member.base & 1],
        power=member.power if abs(member.power) <= _MOST_POWER else 0,
        description=text(member.description),
        kind=_word(_KINDS, member.kind, "other"),
        timing=_word(_TIMINGS, member.mode >> 4, "point"),
        recorder=instance.recorder,
        scope=_scope(found, instance, text, groups),
    )


def _word(words: tuple[str, ...], code: int, otherwise: str) -> str:
    return words[code] if code < len(words) else otherwise


def _scope(
    found: Further, instance: InstanceRecord, text: Text, groups: dict[int, str]
) -> str:
    if instance.scope_kind == _SCOPE_NODE:
        node = found.nodes.get(instance.scope)
        return f"{text(node.kind)} {text(node.name)}" if node else ""
    if instance.scope_kind == _SCOPE_GROUP:
        return groups.get(instance.scope, "")
    return ""
