"""What job launchers tell: Slurm's lists and switches, files of ranks and hosts."""

import math
import re
from collections.abc import Iterator
from itertools import product
from typing import Final

import numpy as np

from topoview.base.text import plural
from topoview.io.machine.tables import MAX_RANKS
from topoview.model import MachineFacts

MAX_HOSTS: Final = 1 << 20
"""Hosts that one expression may name."""

_MAX_NAMED: Final = 2 * MAX_HOSTS
"""Hosts and switches that all lines may name, those of several levels again."""

_MAX_NAME: Final = 255
"""Characters of a host's name: 253 in the Domain Name System."""

_PIECES: Final = re.compile(r"[^\[\],]+|\[[^\[\]]*\]|[\[\],]")
_RANGE: Final = re.compile(r"([0-9]+)(?:-([0-9]+))?")


def expand_hosts(text: str, most: int = MAX_HOSTS) -> list[str]:
    """List the hosts of an expression, in its order.

    Parameters
    ----------
    text
        As Slurm writes it: ranges in brackets, several of them multiply.
    most
        Hosts that it may name.

    Raises
    ------
    ValueError
        It is none, or names more.

    Examples
    --------
    >>> expand_hosts("nid[008-010,12],login")
    ['nid008', 'nid009', 'nid010', 'nid12', 'login']
    >>> expand_hosts("r[0-1]n[1-2]")
    ['r0n1', 'r0n2', 'r1n1', 'r1n2']
    """
    result: list[str] = []
    pieces: list[str] = []
    for piece in (*_PIECES.findall(text.strip()), ","):
        if piece in ("[", "]"):
            raise ValueError(f"{text[:60]!r} lacks a bracket")
        if piece != ",":
            pieces.append(piece.strip())
        elif any(pieces):
            result.extend(_hosts_of(pieces, most - len(result)))
            pieces = []
    return result


def _hosts_of(pieces: list[str], most: int) -> Iterator[str]:
    """Yield the hosts of texts and ranges in brackets; they are counted before."""
    ranges = [_ranges_of(piece) for piece in pieces]
    count = math.prod(sum(high - low + 1 for low, high, _ in each) for each in ranges)
    length = sum(max(width for *_, width in each) for each in ranges)
    if count > most or length > _MAX_NAME:
        raise ValueError(
            f"{''.join(pieces)[:60]} names too many hosts, of {MAX_HOSTS} at most, or "
            f"one by more than {_MAX_NAME} characters"
        )
    words = (
        [f"{n:0{width}}" for low, high, width in each for n in range(low, high + 1)]
        if piece.startswith("[")
        else [piece]
        for piece, each in zip(pieces, ranges, strict=True)
    )
    yield from map("".join, product(*words))


def _ranges_of(piece: str) -> list[tuple[int, int, int]]:
    """Return first, last and width of each range; a text is a single one."""
    if not piece.startswith("["):
        return [(0, 0, len(piece))]
    result = []
    for part in piece[1:-1].split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"{part[:60]!r} is no range of numbers: write 008-010")
        if len(part) > _MAX_NAME:
            raise ValueError(f"{part[:60]!r} has too many digits")
        low, high = int(match[1]), int(match[2] or match[1])
        if not low <= high < low + MAX_HOSTS:
            raise ValueError(f"{part!r} is no range of at most {MAX_HOSTS} numbers")
        result.append((low, high, len(match[1])))
    return result


def slurm_topology(text: str) -> MachineFacts:
    """Read ``topology.conf``, or what ``scontrol show topology`` prints.

    A switch names its nodes, which of several levels all say; a node is below the
    switch that names fewest.
    """
    nodes: dict[str, list[str]] = {}
    switches: dict[str, list[str]] = {}
    left = _MAX_NAMED
    for line in _joined(text):
        pairs = dict(word.split("=", 1) for word in line.split() if "=" in word)
        fields = {key.lower(): value for key, value in pairs.items()}
        name = fields.get("switchname")
        if name is None:
            continue
        nodes[name] = expand_hosts(fields.get("nodes", ""), min(left, MAX_HOSTS))
        left -= len(nodes[name])
        switches[name] = expand_hosts(fields.get("switches", ""), min(left, MAX_HOSTS))
        left -= len(switches[name])
    below: dict[str, str] = {}
    for name in sorted(nodes, key=lambda switch: -len(nodes[switch])):
        below.update(dict.fromkeys(nodes[name], name))
    hosts = [host for name in nodes for host in nodes[name] if below[host] == name]
    vertex = {host: number for number, host in enumerate(hosts)}
    place = {name: len(hosts) + number for number, name in enumerate(nodes)}
    cables = [(vertex[host], place[below[host]]) for host in hosts]
    for name, under in switches.items():
        for other in under:
            if other not in place:
                raise ValueError(f"switch {other} of {name} has no line of its own")
            cables.append((place[other], place[name]))
    if not hosts:
        raise ValueError("no switch has nodes")
    return MachineFacts(
        "Slurm topology",
        tuple(hosts),
        cables=np.array(cables, np.int32).reshape(-1, 2),
        switches=tuple(nodes),
        sources=(f"{len(hosts)} nodes below {len(nodes)} switches",),
        missing=("how many cables join two switches: taken to be one",),
    )


def _joined(text: str) -> list[str]:
    """Lines without remarks; those that end with a backslash go on."""
    unfolded = re.sub(r"\\\n", " ", text)
    return [line.partition("#")[0].strip() for line in unfolded.splitlines()]


def slurm_job(text: str) -> MachineFacts:
    """Read ``SLURM_JOB_NODELIST``, with ``SLURM_TASKS_PER_NODE`` if that is there.

    Lines as ``env`` prints them, or the host list by itself.
    """
    variables = dict(re.findall(r"\b(SLURM_\w+)=[\"']?([^\"'\s]+)", text))
    nodes = variables.get("SLURM_JOB_NODELIST") or variables.get("SLURM_NODELIST")
    hosts = expand_hosts(nodes or text.strip())
    tasks = variables.get("SLURM_TASKS_PER_NODE") or variables.get(
        "SLURM_STEP_TASKS_PER_NODE"
    )
    if not tasks:
        return MachineFacts(
            "list of Slurm's nodes",
            tuple(hosts),
            sources=(f"{len(hosts)} nodes of the job",),
            missing=(
                "which ranks run on which node: SLURM_TASKS_PER_NODE is not there",
            ),
        )
    runs = [
        (int(number), int(times or 1))
        for number, times in re.findall(r"(?:^|,)(\d+)(?:\(x(\d+)\))?(?=,|$)", tasks)
    ]
    tasks_on = sum(times for _, times in runs)
    if tasks_on != len(hosts):
        raise ValueError(f"{len(hosts)} nodes, and tasks on {tasks_on}: {tasks[:60]}")
    if sum(number * times for number, times in runs) > MAX_RANKS:
        raise ValueError(f"{tasks[:60]} are more than {MAX_RANKS} ranks")
    counts = [number for number, times in runs for _ in range(times)]
    order = variables.get("SLURM_DISTRIBUTION", "block").split(":")[0]
    if order not in ("block", "cyclic"):
        raise ValueError(f"a distribution {order} is not known, block and cyclic are")
    rows = [(turn, k) for k, n in enumerate(counts) for turn in range(n)]
    if order == "cyclic":
        rows.sort()
    return MachineFacts(
        "list of Slurm's nodes",
        tuple(hosts),
        np.array([host for _, host in rows], np.int32),
        sources=(f"{len(rows)} ranks on {len(hosts)} nodes of the job, {order}",),
    )


# Files that launchers of MPI read: ranks, hosts, coordinates of ranks.

_RANK: Final = re.compile(r"\s*rank\s+(\d+)\s*=\s*(\S+?)(?:\s+slots?\s*=\s*\S+)?\s*")


def open_mpi_rank_file(text: str) -> MachineFacts:
    """Read ``rank 3=kn01 slot=1:0``."""
    host_of: dict[int, int] = {}
    hosts: dict[str, int] = {}
    for number, line in _lines(text):
        match = _RANK.fullmatch(line)
        if match is None:
            raise ValueError(f"line {number}: {line!r}; write rank 3=kn01 slot=0")
        rank = int(match[1])
        if rank in host_of or rank >= MAX_RANKS:
            raise ValueError(f"line {number}: rank {rank} stands there twice")
        host_of[rank] = hosts.setdefault(match[2], len(hosts))
    table = np.full(1 + max(host_of), -1, np.int32)
    table[list(host_of)] = list(host_of.values())
    summary = f"{plural(len(host_of), 'rank')} on {plural(len(hosts), 'node')}"
    return MachineFacts("Open MPI rank file", tuple(hosts), table, sources=(summary,))


def host_file(text: str) -> MachineFacts:
    """Read the hosts of Open MPI (``kn01 slots=4``) or MPICH (``kn01:4``).

    Ranks fill one host after the other. Where no number stands a line is a rank, as in
    the host file of Slurm's arbitrary distribution.
    """
    hosts: dict[str, int] = {}
    host_of: list[int] = []
    for number, line in _lines(text):
        name, *options = line.split()
        name, _, slots = name.partition(":")
        for option in options:
            key, _, value = option.partition("=")
            slots = value if key in ("slots", "max_slots", "count") else slots
        if slots and not (slots.isdecimal() and len(slots) < _MAX_DIGITS):
            raise ValueError(f"line {number}: {slots[:60]!r} is no number of ranks")
        place = hosts.setdefault(name, len(hosts))
        _bound(number, len(host_of) + int(slots or 1))
        host_of += [place] * int(slots or 1)
    words = f"{plural(len(host_of), 'place')} on {plural(len(hosts), 'node')}"
    return MachineFacts(
        "host file", tuple(hosts), np.array(host_of, np.int32), sources=(words,)
    )


def rank_order(text: str) -> MachineFacts:
    """Read ``MPICH_RANK_ORDER``: ranks in the order in which they fill the nodes."""
    stretches = [np.zeros(0, np.int32)]
    count = 0
    for number, line in _lines(text):
        for part in filter(None, (word.strip() for word in line.split(","))):
            match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
            if match is None or len(part) > 2 * _MAX_DIGITS:
                raise ValueError(
                    f"line {number}: {part[:60]!r} is no rank, and no range"
                )
            more = range(int(match[1]), int(match[2] or match[1]) + 1)
            count += len(more)
            _bound(number, max(count, more.stop))
            stretches.append(np.arange(more.start, more.stop, dtype=np.int32))
    ranks = np.concatenate(stretches)
    if not np.array_equal(np.sort(ranks), np.arange(count)):
        last = int(ranks.max(initial=0))
        raise ValueError(f"it does not name each rank from 0 to {last} once")
    return MachineFacts(
        "MPICH rank order",
        ranks_in_order=ranks,
        sources=(f"order of {plural(count, 'rank')}",),
        missing=("how many ranks run on a node",),
    )


def blue_gene_map(text: str) -> MachineFacts:
    """Read a map file of Blue Gene: a line a rank, ``x y z t`` or ``a b c d e t``.

    The last column is the place within the node.
    """
    rows = []
    for number, line in _lines(text):
        words = line.split()
        if max(map(len, words)) > _MAX_DIGITS:
            raise ValueError(f"line {number}: a coordinate is too large")
        rows.append([int(word) for word in words])
    if len({len(row) for row in rows}) > 1:
        raise ValueError("its lines have different numbers of columns")
    places: dict[tuple[int, ...], int] = {}
    host_of = [places.setdefault(tuple(row[:-1]), len(places)) for row in rows]
    names = tuple("-".join(map(str, place)) for place in places)
    sizes = f"{plural(len(rows), 'rank')} on {plural(len(names), 'node')}"
    return MachineFacts(
        "Blue Gene map file",
        names,
        np.array(host_of, np.int32),
        np.array(list(places), np.int32),
        sources=(f"{sizes}, {len(rows[0]) - 1} coordinates each",),
    )


_MAX_DIGITS: Final = 9
"""Digits of a number of ranks, or of a coordinate."""


def _bound(number: int, ranks: int) -> None:
    """Refuse a line with which there are too many ranks."""
    if ranks > MAX_RANKS:
        raise ValueError(f"line {number}: there are more than {MAX_RANKS} ranks")


def _lines(text: str) -> list[tuple[int, str]]:
    stripped = (line.partition("#")[0].strip() for line in text.splitlines())
    return [(number, line) for number, line in enumerate(stripped, 1) if line]
