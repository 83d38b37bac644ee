"""A skeleton program in no language yet: the nodes that it consists of."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import Template

import numpy as np

from topoview.base.resources import resource
from topoview.model import Ints
from topoview.skeleton.expressions import Condition, Partner, Value
from topoview.skeleton.facts import EpochGroup


@dataclass(frozen=True, slots=True)
class OpenedRequests:
    """The requests that a statement opens."""

    statement: int


@dataclass(frozen=True, slots=True)
class ClosedRequests:
    """The requests of some statements."""

    statements: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CommunicatorNumber:
    """A communicator by its number; 0 is the world."""

    number: int


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value or partner, and the name that its table may have."""

    name: str
    value: Value | Partner
    comm: int = 0
    """Communicator in which a partner is told."""
    label: str = ""
    """What the listing calls a partner."""


@dataclass(frozen=True, slots=True)
class EpochMembers:
    """Whom a rank reaches in an epoch, or who reaches it, and the table's name."""

    name: str
    group: EpochGroup


Argument = (
    OpenedRequests | ClosedRequests | CommunicatorNumber | NamedValue | EpochMembers
)


@dataclass(frozen=True, slots=True)
class Operation:
    """A call."""

    statement: int
    """`Call.index`."""
    function: str
    """The runtime's function."""
    arguments: tuple[Argument, ...]
    """What it is given."""
    text: str
    """The statement in the listing."""
    compute: float
    """Microseconds that a rank computes before."""


@dataclass(frozen=True, slots=True)
class MakeCommunicator:
    """Create a communicator."""

    kind: str
    """``lattice``, ``split``, ``duplicate``, or ``self`` (of each rank alone)."""
    comm: int
    """Its number."""
    color: NamedValue | None = None
    key: NamedValue | None = None
    """`color` and `key`: of a split: part and order of each rank."""
    text: str = ""
    compute: float = 0.0


@dataclass(frozen=True, slots=True)
class FreeCommunicator:
    """Free a communicator."""

    comm: int
    text: str = ""
    compute: float = 0.0


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that is not made again."""

    text: str


@dataclass(frozen=True, slots=True)
class For:
    """Repeat; `count` by rank and turn where it is no number for all."""

    count: Value
    name: str
    body: "tuple[SkeletonNode, ...]"


@dataclass(frozen=True, slots=True)
class If:
    """Ranks for which a condition holds."""

    condition: Condition
    name: str
    body: "tuple[SkeletonNode, ...]"


@dataclass(frozen=True, slots=True)
class OnTurns:
    """Turns of which a value is 1."""

    taken: Value
    name: str
    share: str
    body: "tuple[SkeletonNode, ...]"


@dataclass(frozen=True, slots=True)
class ByTurnChoice:
    """A statement that does something else each turn, from the first again."""

    statement: int
    turns: "tuple[SkeletonNode, ...]"


@dataclass(frozen=True, slots=True)
class RunBlock:
    """Run a block."""

    block: int


SkeletonNode = (
    Operation
    | MakeCommunicator
    | FreeCommunicator
    | Remark
    | For
    | If
    | OnTurns
    | ByTurnChoice
    | RunBlock
)


@dataclass(frozen=True, slots=True)
class SkeletonBlock:
    """Statements that are called from several places."""

    name: str
    body: tuple[SkeletonNode, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SkeletonProgram:
    """What is written in a language."""

    name: str
    """Name of the trace."""
    ranks: int
    """Its number of ranks."""
    topology: str
    """Its topology's name."""
    dims: tuple[int, ...]
    periodic: tuple[bool, ...]
    """`dims` and `periodic`: the lattice, x first; empty if it is none."""
    place: Ints
    """int64, shape (ranks,): place of each rank on the lattice, row-major; empty if
    that is its number."""
    statements: int
    """Number of statements."""
    body: tuple[SkeletonNode, ...]
    blocks: tuple[SkeletonBlock, ...]
    """`body` and `blocks`: the program."""
    communicators: tuple[str, ...]
    """What each communicator is; number 0 is the world."""
    early: tuple[MakeCommunicator, ...] = ()
    """Communicators that must be made before the program begins."""
    parts: tuple[str, ...] = ()
    """Parts of the runtime that it needs besides: values of `PARTS`."""
    places: int = 0
    """Number of windows and files."""
    remarks: tuple[str, ...] = field(default_factory=tuple)
    """What is not as in the trace, a sentence each."""
    bound: tuple[str, ...] = field(default_factory=tuple)
    """Why it cannot run at other numbers of ranks; empty if it can."""
    assumptions: tuple[str, ...] = ()
    """What is taken for a rule at other numbers of ranks."""
    square: bool = False
    """Whether it runs on lattices only that are as long as wide."""
    bits: bool = False
    """Whether it runs on powers of two of ranks only."""


def merge_equal_conditions(body: Sequence[SkeletonNode]) -> tuple[SkeletonNode, ...]:
    """Join neighbours under the same condition."""
    merged: list[SkeletonNode] = []
    for node in body:
        last = merged[-1] if merged else None
        if (
            isinstance(node, If)
            and isinstance(last, If)
            and node.condition == last.condition
        ):
            merged[-1] = replace(
                last, body=merge_equal_conditions((*last.body, *node.body))
            )
        else:
            merged.append(node)
    return tuple(merged)


def longest_first(dims: Sequence[int]) -> list[int]:
    """List the axes of a lattice by their extents; among equal ones the last is first.

    So they are numbered by ``MPI_Dims_create``, whose last dimension is our first.
    """
    return sorted(range(len(dims)), key=lambda d: (-dims[d], -d))


def ranks_at(dims: Sequence[int], place: Ints) -> Ints:
    """Rank at each place of the lattice, int64, shape (ranks,)."""
    if not len(place):
        return np.arange(int(np.prod(dims)) if dims else 0)
    return np.argsort(place, kind="stable")


def runtime_part(name: str) -> str:
    """Read a part of the runtime, or a frame of programs: a file of ours."""
    return resource("skeleton", name).read_text("utf-8")


_ONLY_IF = re.compile(r"  ?(?:/\* if (\w+) \*/|# if (\w+))$")


def fill_in(
    name: str,
    program: SkeletonProgram,
    texts: Mapping[str, str],
    parts: Mapping[str, Sequence[str]],
) -> list[str]:
    """Fill in a frame: ``$`` and a name for a text, or alone in a line for lines.

    Lines that end with such as ``if bound`` in a comment are for programs that are.
    """
    kinds = {
        "bound": program.bound,
        "square": program.square,
        "bits": program.bits,
        "lattice": len(program.dims),
        "numbered": len(program.place),
        "rowwise": not len(program.place),
    }
    result: list[str] = []
    for line in runtime_part(name).splitlines():
        if (part := line.strip().removeprefix("$")) in parts:
            result += parts[part]
            continue
        only = _ONLY_IF.search(line)
        if only is None or kinds[only[1] or only[2]]:
            code = Template(_ONLY_IF.sub("", line))
            result.append(code.substitute(texts, ranks=program.ranks))
    return result
