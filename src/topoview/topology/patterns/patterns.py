"""Users' own patterns: from a TOML or Python file, or saved from a trace."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from topoview.base.platform import child_environment
from topoview.base.text import json_text
from topoview.errors import PatternError
from topoview.model import Match, Topology
from topoview.store.keys import pattern_folder
from topoview.topology.graph.graph import Graph, graph_of, unique_edges
from topoview.topology.kinds.sphere import ball_sizes
from topoview.topology.members import ExactMatch, Member, by_signature, degrees_of
from topoview.topology.patterns.rules import NoValueError, topologies

MAX_SECONDS = 20
"""Time that a Python pattern may take for a number of ranks."""

MAX_FILE_BYTES = 64 << 20
"""Bytes of the largest TOML file."""

PROBED_RANKS = 64
"""Ranks for which a pattern is made once when it is read."""

MAX_DEGREE_COLOURED = 12
"""Neighbours up to which vertices are told apart by how many others are near."""


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A pattern of the user."""

    name: str
    """Its name."""
    path: Path
    """Its file."""
    topologies: Callable[[int], Iterator[Topology]]
    """Makes what has a number of vertices, in natural numberings; raises
    `PatternError`."""

    def __call__(self, graph: Graph) -> list[ExactMatch]:
        """Find all ways in which a graph is the pattern, under any numbering."""
        made: dict[bytes, Topology] = {}
        for one in self.topologies(graph.n):
            if len(one.edges) == len(graph.edges):
                made.setdefault(one.edges.tobytes(), one)
        few = graph.degree.max() <= MAX_DEGREE_COLOURED
        recognise = by_signature(
            lambda _: map(_member, made.values()), ball_sizes if few else None
        )
        return sorted(recognise(graph), key=lambda exact: exact.distance)[:1]


def _member(topology: Topology) -> Member:
    degrees = degrees_of(graph_of(topology.vertices, topology.edges))
    return Member("user", topology.name, degrees, lambda: topology)


def load_pattern(path: str | Path) -> Pattern:
    """Read a pattern from a ``.toml`` or a ``.py`` file.

    Raises `PatternError` if it cannot be read, or says what cannot be understood.
    """
    file = Path(path)
    if file.suffix == ".py":
        if not file.is_file():
            raise PatternError(f"{file}: there is no such file.")
        return Pattern(file.stem.replace("_", " "), file, _from_python(file))
    table = _table(file)
    name = table.get("name", file.stem.replace("_", " "))
    if not isinstance(name, str) or not 0 < len(name) <= 100 or not name.isprintable():
        raise PatternError(f"{file}: name must be a text of 1 to 100 characters.")

    def make(n: int) -> Iterator[Topology]:
        try:
            with suppress(NoValueError):  # there is none of this size
                yield from topologies(table, name, n)
        except ValueError as error:
            raise PatternError(f"{file}: the pattern {error}.") from error

    try:  # tells at once what cannot be understood
        next(topologies(table, name, PROBED_RANKS), None)
    except ValueError as error:
        raise PatternError(f"{file}: the pattern {error}.") from error
    return Pattern(name, file, make)


def _table(file: Path) -> dict[str, Any]:
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise PatternError(f"{file}: is larger than {MAX_FILE_BYTES >> 20} MiB.")
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise PatternError(f"{file}: {reason}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PatternError(f"{file}: this is no TOML file: {error}.") from error


def _from_python(file: Path) -> Callable[[int], Iterator[Topology]]:
    @lru_cache(maxsize=16)
    def made(n: int) -> Topology | None:
        ends = _run(file, n)
        if not len(ends):
            return None
        name, number = file.stem.replace("_", " "), np.arange(n, dtype=np.int32)
        edges = unique_edges(n, ends[:, 0], ends[:, 1])
        return Topology(
            kind="user", name=name, edges=edges, coordinates=number[:, None]
        )

    def make(n: int) -> Iterator[Topology]:
        topology = made(n)
        if topology is not None:
            yield topology

    return make


def _run(file: Path, n: int) -> np.ndarray:
    child = Path(__file__).with_name("child.py")
    command = [sys.executable, "-P", str(child), str(file), str(n)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=MAX_SECONDS,
            check=False,
            env=child_environment(),
        )
    except subprocess.TimeoutExpired as error:
        raise PatternError(
            f"{file}: edges({n}) took more than {MAX_SECONDS} s. Make it faster."
        ) from error
    if done.returncode or len(done.stdout) % 16:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        last = lines[-1] if lines else f"it ended with status {done.returncode}"
        at = [m[1] for line in lines if (m := re.search(r"line (\d+)", line))]
        where = f", line {at[-1]}" if at else ""
        raise PatternError(f"{file}{where}: {last}. It must define edges(ranks).")
    return np.frombuffer(done.stdout, np.int64).reshape(-1, 2)


def saved_patterns(folder: Path | None = None) -> tuple[list[Pattern], list[str]]:
    """Read all remembered patterns; and what the user should know of those broken."""
    patterns, warnings = [], []
    place = pattern_folder() if folder is None else folder
    for file in sorted(place.glob("*.toml")) + sorted(place.glob("*.py")):
        try:
            patterns.append(load_pattern(file))
        except PatternError as error:
            warnings.append(str(error))
    return patterns, warnings


def save_pattern(match: Match, name: str, folder: Path | None = None) -> Path:
    """Remember a topology under a name.

    A lattice is found again with other dims; anything else with as many ranks.

    Parameters
    ----------
    match
        What is remembered: the topology's edges, in the order of its vertices.
    name
        Its name.
    folder
        Where; `pattern_folder` if not given.

    Returns
    -------
    Path
        The TOML file. One of the same name is replaced.

    Raises
    ------
    PatternError
        If the name is empty or the file cannot be written.
    """
    title = name.strip()
    if not title or len(title) > 100 or not title.isprintable():
        raise PatternError("A pattern's name has 1 to 100 printable characters.")
    topology = match.topology
    if not len(topology.edges):
        raise PatternError("A topology without edges cannot be remembered.")
    lines = [f"name = {json_text(title, ensure_ascii=False)}"]
    if topology.offsets:
        lines.append(f"offsets = {[list(offset) for offset in topology.offsets]}")
        lines.append(f"periodic = {json_text(list(topology.periodic))}")
    else:
        lines.append(f"ranks = {topology.vertices}")
        pairs = ",\n".join(f"  [{u}, {v}]" for u, v in topology.edges.tolist())
        lines.append(f"edges = [\n{pairs},\n]")
    place = pattern_folder() if folder is None else folder
    stem = re.sub(r"[^\w-]+", "_", title).strip("_") or "pattern"
    file = place / f"{stem}.toml"
    try:
        place.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n", "utf-8")
    except OSError as error:
        reason = error.strerror or "it cannot be written"
        raise PatternError(f"{file}: {reason}. Choose another folder.") from error
    return file
