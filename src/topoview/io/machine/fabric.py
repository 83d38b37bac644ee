"""What tools of InfiniBand list: ``ibnetdiscover`` and ``iblinkinfo``.

Both name each port of each switch and of each adapter, and what is at the other end of
its cable. Adapters of one host (``node01 mlx5_0``, ``node01 mlx5_1``) are one node.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

import numpy as np

from topoview.base.text import plural
from topoview.model import MachineFacts


class _Device(NamedTuple):
    """A switch or an adapter, by what identifies it in the list."""

    key: str
    is_switch: bool
    name: str


_ADAPTER: Final = re.compile(r"(\S+)(?: (?:HCA-\d+|[a-z]\w*_\d+)\b.*)?")
"""Description of an adapter that an administrator or the driver has set: its host, and
which of its adapters it is. Others, such as a maker's name, tell no host."""

_AGGREGATION: Final = "Aggregation Node"
"""In the description of what computes within a switch, on which no rank runs."""

_HEAD: Final = re.compile(r'(Switch|Ca|Rt)\s+\d+\s+"([^"]+)"\s*#\s*"([^"]*)"')
_PORT: Final = re.compile(r'\[\d+\](?:\[\w+\])?(?:\(\w+\))?\s+"([^"]+)"\[\d+\]')


def ib_net_discover(text: str) -> MachineFacts:
    """Read what ``ibnetdiscover`` prints: a paragraph for each device, a line a port.

    Raises `ValueError`: a cable ends at a device that has no paragraph.
    """
    devices: list[_Device] = []
    cables: list[tuple[str, str]] = []
    for line in text.splitlines():
        if head := _HEAD.match(line):
            kind, key, name = head.groups()
            devices.append(_Device(key, kind != "Ca", name))
        elif devices and (port := _PORT.match(line)):
            cables.append((devices[-1].key, port[1]))
    return _facts("ibnetdiscover", devices, cables)


_OWNER: Final = re.compile(r"(CA|Switch|Router|RT):\s+(?:0x[0-9a-f]+\s+)?(\S.*)")
_LINK: Final = re.compile(
    r"\s*(?:0x[0-9a-f]+\s+)?(\d+)\s+\d+\[[^]]*\]\s*==\(.*\)==>\s+(\d+)\s+\d+\["
)


def ib_link_info(text: str) -> MachineFacts:
    """Read what ``iblinkinfo`` prints: the ports of each device, told by its LID.

    Raises `ValueError`: a cable ends at a device that is not listed.
    """
    devices: dict[str, _Device] = {}
    cables: list[tuple[str, str]] = []
    kind, name = "", ""
    for line in text.splitlines():
        if owner := _OWNER.match(line):
            kind, name = owner[1], owner[2].rstrip().removesuffix(":")
        elif kind and (link := _LINK.match(line)):
            lid, other = link.groups()
            devices.setdefault(lid, _Device(lid, kind != "CA", name))
            cables.append((lid, other))
    return _facts("iblinkinfo", devices.values(), cables)


def _facts(
    form: str, devices: Collection[_Device], cables: Iterable[tuple[str, str]]
) -> MachineFacts:
    """Return hosts, then switches, and each pair that a cable joins."""
    hosts: dict[str, int] = {}
    switches: dict[str, str] = {}
    host_of: dict[str, str] = {}
    for device in devices:
        if device.is_switch:
            switches[device.key] = device.name or device.key
        elif _AGGREGATION not in device.name:
            named = _ADAPTER.fullmatch(device.name)
            host_of[device.key] = named[1] if named else f"{device.name} {device.key}"
            hosts.setdefault(host_of[device.key], len(hosts))
    if not hosts:
        raise ValueError(
            "it lists no adapters of hosts; a list with a line a link tells none"
        )
    listed = {device.key for device in devices}
    place = {key: hosts[name] for key, name in host_of.items()}
    place |= {key: len(hosts) + number for number, key in enumerate(switches)}
    rows = set()
    for one, other in cables:
        if other not in listed:
            raise ValueError(f"a cable of {one} ends at {other}, which is not listed")
        if one in place and other in place:
            rows.add(tuple(sorted((place[one], place[other]))))
    names = _distinct_names(switches)
    return MachineFacts(
        form,
        tuple(hosts),
        cables=np.array(sorted(rows), np.int32).reshape(-1, 2),
        switches=names,
        sources=(
            f"{plural(len(hosts), 'node')}, {len(switches)} switches, "
            f"{plural(len(rows), 'pair')} of them with cables",
        ),
        missing=("cables side by side: taken to be one",),
    )


def _distinct_names(switches: dict[str, str]) -> tuple[str, ...]:
    """Add what identifies a switch to a name that several have."""
    times = Counter(switches.values())
    return tuple(
        f"{name} {key}" if times[name] > 1 else name for key, name in switches.items()
    )
