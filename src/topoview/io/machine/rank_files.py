"""Files that launchers of MPI read: ranks, hosts, coordinates of ranks."""

import re
from typing import Final

import numpy as np

from topoview.model import MachineFacts
from topoview.text import plural

MAX_RANKS: Final = 1 << 24
"""Ranks that a file may name."""

_RANK: Final = re.compile(r"\s*rank\s+(\d+)\s*=\s*(\S+?)(?:\s+slots?\s*=\s*\S+)?\s*")


def open_mpi_rank_file(text: str) -> MachineFacts:
    """Read ``rank 3=kn01 slot=1:0``."""
    host_of: dict[int, int] = {}
    hosts: dict[str, int] = {}
    for number, line in _lines(text):
        found = _RANK.fullmatch(line)
        if found is None:
            raise ValueError(f"line {number}: {line!r}; write rank 3=kn01 slot=0")
        rank = int(found[1])
        if rank in host_of or rank >= MAX_RANKS:
            raise ValueError(f"line {number}: rank {rank} stands there twice")
        host_of[rank] = hosts.setdefault(found[2], len(hosts))
    table = np.full(1 + max(host_of), -1, np.int32)
    table[list(host_of)] = list(host_of.values())
    told = f"{plural(len(host_of), 'rank')} on {plural(len(hosts), 'node')}"
    return MachineFacts("Open MPI rank file", tuple(hosts), table, found=(told,))


def host_file(text: str) -> MachineFacts:
    """Read the hosts of Open MPI (``kn01 slots=4``) or MPICH (``kn01:4``).

    Ranks fill one host after the other. Where no number stands a line is a rank, as in
    the host file of Slurm's arbitrary distribution.
    """
    hosts: dict[str, int] = {}
    host_of: list[int] = []
    for number, line in _lines(text):
        name, *options = line.split()
        name, _, told = name.partition(":")
        for option in options:
            key, _, value = option.partition("=")
            told = value if key in ("slots", "max_slots", "count") else told
        if told and not (told.isdecimal() and int(told) < MAX_RANKS):
            raise ValueError(f"line {number}: {told!r} is no number of ranks")
        place = hosts.setdefault(name, len(hosts))
        host_of += [place] * int(told or 1)
    words = f"{plural(len(host_of), 'place')} on {plural(len(hosts), 'node')}"
    return MachineFacts(
        "host file", tuple(hosts), np.array(host_of, np.int32), found=(words,)
    )


def rank_order(text: str) -> MachineFacts:
    """Read ``MPICH_RANK_ORDER``: ranks in the order in which they fill the nodes."""
    ranks: list[int] = []
    for number, line in _lines(text):
        for part in filter(None, (word.strip() for word in line.split(","))):
            found = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
            if found is None or int(found[2] or 0) >= MAX_RANKS:
                raise ValueError(f"line {number}: {part!r} is no rank, and no range")
            ranks += range(int(found[1]), int(found[2] or found[1]) + 1)
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
    told = (line.partition("#")[0].strip() for line in text.splitlines())
    return [(number, line) for number, line in enumerate(told, 1) if line]
