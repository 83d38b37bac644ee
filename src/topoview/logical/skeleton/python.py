"""A skeleton program in Python, for mpi4py."""

import re
import textwrap
from collections.abc import Iterable

from topoview import resources
from topoview.logical.skeleton import program as nodes
from topoview.logical.skeleton.conditions import AXES, Condition
from topoview.logical.skeleton.values import (
    ByRank,
    ByRankTurns,
    Fixed,
    Partner,
    Place,
    Turns,
    Value,
)

INDENT = "    "


def skeleton_python(program: nodes.SkeletonProgram) -> str:
    """Write a program for mpi4py: one file, run by ``mpirun python``."""
    writer = _Writer(program)
    blocks = [
        line
        for block in program.blocks
        for line in ("", "", f"def {block.name}():", *writer.lines(block.body, INDENT))
    ]
    early = [line for make in program.early for line in writer.lines([make], INDENT)]
    body = writer.lines(program.body, INDENT)
    runtime, *parts = [
        resources.resource("skeleton", f"{part}.py").read_text("utf-8")
        for part in ("runtime", *program.parts)
    ]
    runtime, said = runtime.rsplit("# What the trace says.", 1)
    more = "".join(f"{part.rstrip()}\n\n\n" for part in parts)
    runtime = f"{runtime}{more}# What the trace says.{said}"
    return "\n".join(
        [
            *_head(program),
            "",
            runtime.rstrip(),
            "",
            *_places(program),
            f"comm = [WORLD] + [None] * {len(program.communicators) - 1}",
            *writer.tables,
            *blocks,
            "",
            "",
            "def program():",
            INDENT + '"""Make the calls."""',
            *early,
            *(body or ["    pass"]),
            "",
            "",
            "program()",
            "for q in list(queues):",
            "    if queues[q]:",
            "        wait_all(q)",
            "",
        ]
    )


def _head(program: nodes.SkeletonProgram) -> list[str]:
    told = [
        f"Skeleton of {program.name}: {program.ranks} ranks, {program.topology}.",
        "",
        "It makes the calls of the trace's logical trace again; the time between them "
        "is slept, or spent in a loop. Written by topoview. Run it by",
        "",
        f"    mpirun -np {program.ranks} python FILE",
    ]
    if program.bound:
        reasons = "; ".join(program.bound)
        told += ["", f"It runs on {program.ranks} ranks only: {reasons}."]
    for remark in program.remarks:
        told.append(f"Not as in the trace: {remark}.")
    lines = [
        part
        for line in told
        for part in (
            [line] if line.startswith(" ") else textwrap.wrap(line, 80) or [""]
        )
    ]
    text = "\n".join(lines).replace("\\", "/").replace('"""', "'''")
    return [f'"""{text}', '"""']


def _places(program: nodes.SkeletonProgram) -> list[str]:
    lines = [
        f"extent = {list(program.dims)}",
        f"periodic = {list(program.periodic)}",
        "options(sys.argv[1:])",
    ]
    if program.bound:
        lines += [
            f"if ranks != {program.ranks} or extent != {list(program.dims)}:",
            f'    stop("this skeleton runs on {program.ranks} ranks only")',
        ]
    if len(program.place):
        at = nodes.ranks_at(program.dims, program.place).tolist()
        lines += [
            *_table("numbered", program.place.tolist()),
            *_table("at_place", at),
            f"natural = extent != {list(program.dims)}",
        ]
    else:
        lines.append("numbered = at_place = ()")
        lines.append("natural = True")
    lines += [
        "",
        "",
        "def rank_at(p):",
        '    """Rank at a place."""',
        "    return p if natural else at_place[p]",
        "",
        "",
        "place, left = [], rank if natural else numbered[rank]",
        "for n in extent:",
        "    place.append(left % n)",
        "    left //= n",
    ]
    if program.square:
        lines += [
            "if extent[0] != extent[1]:",
            '    stop("partners are transposed: the lattice must be as long as wide")',
        ]
    if program.dims:
        lines += [
            "places = 1",
            "for n in extent:",
            "    places *= n",
            "if places != ranks:",
            '    stop("the lattice has not a place for each rank: give --dims")',
        ]
        names = ", ".join(AXES[d] for d in range(len(program.dims)))
        counts = ", ".join(f"n{AXES[d]}" for d in range(len(program.dims)))
        lines += [f"{names}{',' if len(program.dims) == 1 else ''} = place"]
        lines += [f"{counts}{',' if len(program.dims) == 1 else ''} = extent"]
    return lines


class _Writer:
    """Writes nodes, and the tables that they need."""

    def __init__(self, program: nodes.SkeletonProgram) -> None:
        self.program = program
        self.tables: list[str] = []
        self._listed: set[str] = set()

    def lines(self, body: Iterable[nodes.Node], indent: str) -> list[str]:
        """Write the lines of a body."""
        found: list[str] = []
        for node in body:
            found += [indent + line for line in self._node(node)]
        return found

    def _node(self, node: nodes.Node) -> list[str]:
        match node:
            case nodes.Op():
                given = ", ".join(self._argument(a) for a in node.arguments)
                call = f"{node.function}({given})  # {node.text}"
                return [*_compute(node.compute), *_turn(node), call]
            case nodes.Make():
                return self._make(node)
            case nodes.Free() | nodes.Remark() | nodes.Use():
                return self._line(node)
            case nodes.For(count, name, body):
                end = self._value(count, name, f'turn("{name}")')
                return [f"for _ in range({end}):", *self._inner(body)]
            case nodes.If(condition, name, body):
                return [f"if {self._condition(condition, name)}:", *self._inner(body)]
            case nodes.Now(taken, name, share, body):
                test = self._value(taken, name, f'turn("{name}")')
                return [f"if {test}:  # {share}", *self._inner(body)]
            case nodes.Choose(statement, turns):
                lines = [f"k = turn({statement}) % {len(turns)}"]
                for number, one in enumerate(turns):
                    lines += [f"if k == {number}:", *self._inner((one,))]
                return lines

    def _line(self, node: nodes.Free | nodes.Remark | nodes.Use) -> list[str]:
        match node:
            case nodes.Free(comm, text, spent):
                made = f"if comm[{comm}] != MPI.COMM_NULL:"
                free = f"{INDENT}comm[{comm}].Free()  # {text}"
                return [*_compute(spent), made, free]
            case nodes.Remark(text):
                return [f"pass  # {text}: not made again"]
            case nodes.Use(block):
                return [f"{self.program.blocks[block].name}()"]

    def _inner(self, body: tuple[nodes.Node, ...]) -> list[str]:
        return self.lines(body, INDENT) or [INDENT + "pass"]

    def _make(self, make: nodes.Make) -> list[str]:
        made = "WORLD.Dup()"
        if make.kind == "lattice":
            made = "make_lattice()"
        elif make.kind == "self":
            made = "MPI.COMM_SELF"
        elif make.color is not None and make.key is not None:
            color = self._any(make.color, "0")
            made = f"split({color}, {self._any(make.key, '0')})"
        said = f"  # {make.text}" if make.text else ""
        return [*_compute(make.compute), f"comm[{make.comm}] = {made}{said}"]

    def _argument(self, argument: nodes.Argument) -> str:
        match argument:
            case nodes.Queue(of):
                return str(of)
            case nodes.Queues(some):
                return ", ".join(map(str, some)) or "-1"
            case nodes.Comm(number):
                return f"comm[{number}]"
            case nodes.Members(name, group):
                if group.steps is None:
                    self.tables += _table(name, [list(own) for own in group.by_rank])
                    return f"{name}[rank]"
                ends = [f"neighbour({', '.join(map(str, s))})" for s in group.steps]
                return f"[{', '.join(ends)}]"
            case nodes.Named(_, value, comm, _):
                told = self._any(argument, "k")
                if comm and isinstance(value, Partner):
                    return f"local({told}, comm[{comm}])"
                return told

    def _any(self, named: nodes.Named, turn: str) -> str:
        if isinstance(named.value, Partner):
            return self._partner(named.value, named.name, turn)
        return self._value(named.value, named.name, turn)

    def _partner(self, partner: Partner, name: str, turn: str) -> str:
        if partner.form == "step":
            return f"neighbour({', '.join(map(str, partner.steps))})"
        if partner.form == "transpose":
            return "at(place[::-1])"
        value = self._value(partner.value, name, turn)
        if partner.form == "xor":
            return f"rank ^ {value}"
        return f"(rank + {value}) % ranks" if partner.form == "shift" else value

    def _value(self, value: Value, name: str, turn: str) -> str:
        match value:
            case Fixed(number):
                return str(number)
            case Turns(values):
                self.tables += _table(name, list(values))
                return f"{name}[{turn} % {len(values)}]"
            case ByRank(values):
                self.tables += _table(name, list(values))
                return f"by_rank({name})"
            case ByRankTurns(turns):
                self.tables += _table(name, [list(own) for own in turns])
                return f"in_turn({name}, {turn})"
            case Place(axes):
                terms, stride = [], ""
                for axis in axes:
                    terms.append(f"place[{axis}]{stride}")
                    stride += f" * extent[{axis}]"
                return " + ".join(terms)

    def _condition(self, condition: Condition, name: str) -> str:
        if not condition.text:
            if name not in self._listed:
                self._listed.add(name)
                self.tables += _table(name, sorted(condition.ranks))
            return f"rank in {name}"
        text = condition.text.replace("&&", "and").replace("||", "or")
        text = re.sub(r"!(?!=)", "not ", text)
        return "True" if text == "1" else text


def _turn(op: nodes.Op) -> list[str]:
    for argument in op.arguments:
        if isinstance(argument, nodes.Named):
            value = argument.value
            inner = value.value if isinstance(value, Partner) else value
            if isinstance(inner, Turns | ByRankTurns):
                return [f"k = turn({op.statement})"]
    return []


def _compute(microseconds: float) -> list[str]:
    return [f"compute({microseconds:.4g})"] if microseconds >= 0.05 else []


def _table(name: str, values: list[int] | list[list[int]]) -> list[str]:
    return textwrap.wrap(
        f"{name} = {values}", 88, subsequent_indent=INDENT, break_on_hyphens=False
    )
