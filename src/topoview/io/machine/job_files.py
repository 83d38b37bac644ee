"""What job launchers tell: Slurm's lists and switches, files of ranks and hosts."""

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from topoview.base.text import plural
from topoview.model import MachineFacts

MAX_HOSTS: Final = 1 << 20
"""Hosts that one expression may name."""

_BRACKETS: Final = re.compile(r"\[([^\[\]]*)\]")
_OUTSIDE: Final = re.compile(r",(?![^\[]*\])")
_RANGE: Final = re.compile(r"(\d+)(?:-(\d+))?")


def expand_hosts(text: str) -> list[str]:
    """List the hosts of an expression, in its order.

    Parameters
    ----------
    text
        As Slurm writes it: ranges in brackets, several of them multiply.

    Raises
    ------
    ValueError
        It is none.

    Examples
    --------
    >>> expand_hosts("nid[008-010,12],login")
    ['nid008', 'nid009', 'nid010', 'nid12', 'login']
    >>> expand_hosts("r[0-1]n[1-2]")
    ['r0n1', 'r0n2', 'r1n1', 'r1n2']
    """
    result: list[str] = []
    for part in _OUTSIDE.split(text.strip()):
        if part.strip():
            result.extend(_product(part.strip()))
            if len(result) > MAX_HOSTS:
                raise ValueError(f"{text[:60]} names more than {MAX_HOSTS} hosts")
    return result


def _product(text: str) -> Iterator[str]:
    bracket = _BRACKETS.search(text)
    if bracket is None:
        if "[" in text or "]" in text:
            raise ValueError(f"{text[:60]!r} lacks a bracket")
        yield text
        return
    ends = list(_product(text[bracket.end() :]))
    for number in _numbers(bracket[1]):
        for end in ends:
            yield text[: bracket.start()] + number + end


def _numbers(text: str) -> Iterator[str]:
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"{part!r} is no range of numbers: write 008-010")
        low, high = int(match[1]), int(match[2] or match[1])
        if not low <= high < low + MAX_HOSTS:
            raise ValueError(f"{part!r} is no range of at most {MAX_HOSTS} numbers")
        for number in range(low, high + 1):
            yield str(number).zfill(len(match[1]))


def slurm_topology(text: str) -> MachineFacts:
    """Read ``topology.conf``, or what ``scontrol show topology`` prints.

    A switch names its nodes, which of several levels all say; a node is below the
    switch that names fewest.
    """
    nodes: dict[str, list[str]] = {}
    switches: dict[str, list[str]] = {}
    for line in _joined(text):
        pairs = dict(word.split("=", 1) for word in line.split() if "=" in word)
        fields = {key.lower(): value for key, value in pairs.items()}
        name = fields.get("switchname")
        if name is None:
            continue
        nodes[name] = expand_hosts(fields.get("nodes", ""))
        switches[name] = expand_hosts(fields.get("switches", ""))
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
        found=(f"{len(hosts)} nodes below {len(nodes)} switches",),
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
    variables = dict(re.findall(r"(SLURM_\w+)=[\"']?([^\"'\s]+)", text))
    nodes = variables.get("SLURM_JOB_NODELIST") or variables.get("SLURM_NODELIST")
    hosts = expand_hosts(nodes or text.strip())
    tasks = variables.get("SLURM_TASKS_PER_NODE") or variables.get(
        "SLURM_STEP_TASKS_PER_NODE"
    )
    if not tasks:
        return MachineFacts(
            "list of Slurm's nodes",
            tuple(hosts),
            found=(f"{len(hosts)} nodes of the job",),
            missing=(
                "which ranks run on which node: SLURM_TASKS_PER_NODE is not there",
            ),
        )
    counts = [
        int(number)
        for part in tasks.split(",")
        for number, times in re.findall(r"^(\d+)(?:\(x(\d+)\))?$", part)
        for _ in range(int(times or 1))
    ]
    if len(counts) != len(hosts):
        raise ValueError(f"{len(hosts)} nodes, and tasks on {len(counts)}: {tasks}")
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
        found=(f"{len(rows)} ranks on {len(hosts)} nodes of the job, {order}",),
    )


# Files that launchers of MPI read: ranks, hosts, coordinates of ranks.

MAX_RANKS: Final = 1 << 24
"""Ranks that a file may name."""

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
    return MachineFacts("Open MPI rank file", tuple(hosts), table, found=(summary,))


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
        if slots and not (slots.isdecimal() and int(slots) < MAX_RANKS):
            raise ValueError(f"line {number}: {slots!r} is no number of ranks")
        place = hosts.setdefault(name, len(hosts))
        host_of += [place] * int(slots or 1)
    words = f"{plural(len(host_of), 'place')} on {plural(len(hosts), 'node')}"
    return MachineFacts(
        "host file", tuple(hosts), np.array(host_of, np.int32), found=(words,)
    )


def rank_order(text: str) -> MachineFacts:
    """Read ``MPICH_RANK_ORDER``: ranks in the order in which they fill the nodes."""
    ranks: list[int] = []
    for number, line in _lines(text):
        for part in filter(None, (word.strip() for word in line.split(","))):
            match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
            if match is None or int(match[2] or 0) >= MAX_RANKS:
                raise ValueError(f"line {number}: {part!r} is no rank, and no range")
            ranks += range(int(match[1]), int(match[2] or match[1]) + 1)
    if sorted(ranks) != list(range(len(ranks))):
        raise ValueError(f"it does not name each rank from 0 to {max(ranks)} once")
    return MachineFacts(
        "MPICH rank order",
        ranks_in_order=np.array(ranks, np.int32),
        found=(f"order of {plural(len(ranks), 'rank')}",),
        missing=("how many ranks run on a node",),
    )


def blue_gene_map(text: str) -> MachineFacts:
    """Read a map file of Blue Gene: a line a rank, ``x y z t`` or ``a b c d e t``.

    The last column is the place within the node.
    """
    rows = [[int(word) for word in line.split()] for _, line in _lines(text)]
    if len({len(row) for row in rows}) > 1:
        raise ValueError("its lines have different numbers of columns")
    places: dict[tuple[int, ...], int] = {}
    host_of = [places.setdefault(tuple(row[:-1]), len(places)) for row in rows]
    names = tuple("-".join(map(str, place)) for place in places)
    words = f"{plural(len(rows), 'rank')} on {plural(len(names), 'node')}"
    return MachineFacts(
        "Blue Gene map file",
        names,
        np.array(host_of, np.int32),
        np.array(list(places), np.int32),
        found=(f"{words}, {len(rows[0]) - 1} coordinates each",),
    )


def _lines(text: str) -> list[tuple[int, str]]:
    stripped = (line.partition("#")[0].strip() for line in text.splitlines())
    return [(number, line) for number, line in enumerate(stripped, 1) if line]
