"""A skeleton program in C."""

from collections.abc import Iterable, Sequence

import numpy as np

from topoview import resources
from topoview.logical.skeleton.c_frame import (
    INDENT,
    LOCAL,
    head,
    main,
    numbers,
    sizes,
    table,
)
from topoview.logical.skeleton.c_words import identifier, neighbour
from topoview.logical.skeleton.conditions import AXES, Condition
from topoview.logical.skeleton.epochs import Group
from topoview.logical.skeleton.program import (
    Argument,
    Block,
    Choose,
    Comm,
    For,
    Free,
    If,
    Make,
    Members,
    Named,
    Node,
    Now,
    Op,
    Queue,
    Queues,
    Remark,
    SkeletonProgram,
    Use,
)
from topoview.logical.skeleton.values import (
    ByRank,
    ByRankTurns,
    Fixed,
    Partner,
    Place,
    Turns,
    Value,
    cells,
)


def skeleton_c(program: SkeletonProgram) -> str:
    """Write a program in C: one file, to be compiled with an MPI's ``mpicc``."""
    writer = _Writer(program)
    body = [
        *(f"static void {block.name}(void);" for block in program.blocks),
        *(line for block in program.blocks for line in writer.block(block)),
        "static void program(void)",
        "{",
        *writer.lines(program.body, INDENT),
        "}",
    ]
    early = [line for make in program.early for line in writer.lines([make], INDENT)]
    runtime = _read("runtime")
    includes, rest = runtime.split("/* What the program is given", 1)
    return "\n".join(
        [
            *head(program),
            includes.rstrip(),
            "",
            *sizes(program),
            *([f"#define PLACES {program.places}"] if program.places else []),
            "",
            "/* What the program is given" + rest.rstrip(),
            "",
            *(f"{_read(part)}" for part in program.parts),
            f"static MPI_Comm comm[{len(program.communicators)}];",
            "",
            *writer.tables,
            *writer.head(),
            *body,
            "",
            *main(program, early),
            "",
        ]
    )


def _read(part: str) -> str:
    """Read a part of the runtime."""
    return resources.resource("skeleton", f"{part}.c").read_text("utf-8")


class _Writer:
    """Writes nodes, and the tables that they need."""

    def __init__(self, program: SkeletonProgram) -> None:
        self.program = program
        self.tables: list[str] = []
        self._local = False
        self._declared: set[str] = set()
        self._loop = 0
        self._named: dict[str, tuple[int, ...]] = {}

    def head(self) -> list[str]:
        """Write what the expressions are made of."""
        lines = []
        for d in range(len(self.program.dims)):
            lines.append(f"#define {AXES[d]} place[{d}]")
            lines.append(f"#define n{AXES[d]} extent[{d}]")
        for name, steps in self._named.items():
            lines.append(f"#define {name} {neighbour(steps)}")
        if self._local:
            lines += LOCAL
        return [*lines, ""] if lines else []

    def block(self, block: Block) -> list[str]:
        """Write a block as a function."""
        return [
            f"static void {block.name}(void)",
            "{",
            *self.lines(block.body, INDENT),
            "}",
            "",
        ]

    def lines(self, body: Iterable[Node], indent: str) -> list[str]:
        """Write the lines of a body."""
        found: list[str] = []
        for node in body:
            found += [indent + line for line in self._node(node)]
        return found

    def _node(self, node: Node) -> list[str]:
        match node:
            case Op():
                return self._op(node)
            case Make():
                return self._make(node)
            case Free() | Remark() | Use():
                return self._line(node)
            case For(count, name, body):
                self._loop += 1
                i = f"i{self._loop}"
                end = self._value(count, name, f"{name}_turn++")
                begin = f"long {i} = 0"
                if isinstance(count, Turns):
                    self.tables.append(f"static long {name}_turn;")
                    begin, end = f"{begin}, {i}_end = {end}", f"{i}_end"
                inner = self.lines(body, INDENT)
                self._loop -= 1
                return [f"for ({begin}; {i} < {end}; {i}++) {{", *inner, "}"]
            case If(condition, name, body):
                test = self._condition(condition, name)
                return [f"if ({test}) {{", *self.lines(body, INDENT), "}"]
            case Now(taken, name, share, body):
                test = self._value(taken, name, f"{name}_turn++")
                self.tables.append(f"static long {name}_turn; /* {share} */")
                return [f"if ({test}) {{", *self.lines(body, INDENT), "}"]
            case Choose(statement, turns):
                return self._choose(statement, turns)

    def _line(self, node: Free | Remark | Use) -> list[str]:
        match node:
            case Free(comm, text, spent):
                made = f"if (comm[{comm}] != MPI_COMM_NULL)"
                free = f"MPI_Comm_free(&comm[{comm}]);"
                return [*_compute(spent), made, f"{INDENT}{free} /* {text} */"]
            case Remark(text):
                return [f"/* {text}: not made again */"]
            case Use(block):
                return [f"{self.program.blocks[block].name}();"]

    def _choose(self, statement: int, turns: Sequence[Node]) -> list[str]:
        lines = [f"switch (turn[{statement}]++ % {len(turns)}) {{"]
        for number, node in enumerate(turns):
            lines += [f"case {number}:", *self.lines([node], INDENT)]
            lines.append(INDENT + "break;")
        return [*lines, "}"]

    def _op(self, op: Op) -> list[str]:
        given = ", ".join(self._argument(a, op.statement) for a in op.arguments)
        turning = any(isinstance(a, Named) and _turns(a.value) for a in op.arguments)
        lines = [*_compute(op.compute), f"{op.function}({given}); /* {op.text} */"]
        if turning:
            lines.append(f"turn[{op.statement}]++;")
        return lines

    def _make(self, make: Make) -> list[str]:
        lines = _compute(make.compute)
        said = f" /* {make.text} */" if make.text else ""
        made = f"&comm[{make.comm}]"
        if make.kind == "lattice":
            return [*lines, f"make_lattice({made});{said}"]
        if make.kind == "self":
            return [f"comm[{make.comm}] = MPI_COMM_SELF;"]
        if make.kind == "duplicate" or make.color is None or make.key is None:
            return [*lines, f"MPI_Comm_dup(comm[0], {made});{said}"]
        assert not isinstance(make.color.value, Partner)
        assert not isinstance(make.key.value, Partner)
        color = self._value(make.color.value, make.color.name, "0")
        key = self._value(make.key.value, make.key.name, "0")
        if isinstance(make.color.value, ByRank):
            color = f"{color} < 0 ? MPI_UNDEFINED : (int){color}"
        return [
            *lines,
            f"MPI_Comm_split(comm[0], (int)({color}), (int)({key}), {made});{said}",
        ]

    def _argument(self, argument: Argument, statement: int) -> str:
        match argument:
            case Queue(of):
                return str(of)
            case Queues(some):
                listed = ", ".join(map(str, some)) or "0"
                return f"{len(some)}, (const int[]){{{listed}}}"
            case Comm(number):
                return f"comm[{number}]"
            case Members(name, group):
                return self._members(name, group)
            case Named(name, value, comm, _):
                turn = f"turn[{statement}]"
                if not isinstance(value, Partner):
                    return self._value(value, name, turn)
                told = self._partner(value, name, turn, argument.label)
                if comm:
                    self._local = True
                    return f"local({told}, comm[{comm}])"
                return told

    def _members(self, name: str, group: Group) -> str:
        if group.steps is not None:
            ends = ", ".join(map(neighbour, group.steps))
            return f"{len(group.steps)}, (const int[]){{{ends or 0}}}"
        begins, ranks = cells(group.by_rank)
        self._new(f"static const int {name}_begin[RANKS + 1]", begins)
        self._new(f"static const int {name}[]", ranks)
        count = f"{name}_begin[rank + 1] - {name}_begin[rank]"
        return f"{count}, {name} + {name}_begin[rank]"

    def _partner(self, partner: Partner, name: str, turn: str, label: str) -> str:
        if partner.form == "step":
            word = identifier(label)
            if word and self._named.setdefault(word, partner.steps) == partner.steps:
                return word
            return neighbour(partner.steps)
        if partner.form == "transpose":
            return "at((const int[]){place[1], place[0]})"
        value = self._value(partner.value, name, turn)
        if partner.form == "xor":
            return f"(int)(rank ^ {value})"
        if partner.form == "shift":
            return f"(int)((rank + {value}) % ranks)"
        return value if isinstance(partner.value, Fixed) else f"(int){value}"

    def _value(self, value: Value, name: str, turn: str) -> str:
        match value:
            case Fixed(number):
                return str(number)
            case Turns(values):
                self._new(f"static const long {name}[{len(values)}]", values)
                return f"{name}[{turn} % {len(values)}]"
            case ByRank(values):
                self._new(f"static const long {name}[RANKS]", values)
                return f"{name}[rank % RANKS]"
            case ByRankTurns(turns):
                offsets, numbers = cells(turns)
                self._new(f"static const int {name}_begin[RANKS + 1]", offsets)
                self._new(f"static const long {name}_value[]", numbers)
                pair = f"{{{name}_begin, {name}_value}}"
                self.tables.append(f"static const struct turns {name} = {pair};")
                return f"in_turn(&{name}, rank, {turn})"
            case Place(axes):
                stride, terms = "", []
                for axis in axes:
                    terms.append(f"place[{axis}]{stride}")
                    stride += f" * extent[{axis}]"
                return " + ".join(terms)

    def _condition(self, condition: Condition, name: str) -> str:
        if condition.text:
            return condition.text
        holds = np.zeros(self.program.ranks, np.int64)
        holds[list(condition.ranks)] = 1
        self._new(f"static const char {name}[RANKS]", holds.tolist())
        return f"{name}[rank % RANKS]"

    def _new(self, declared: str, values: Sequence[int]) -> None:
        if declared not in self._declared:
            self._declared.add(declared)
            self.tables += table(declared, numbers(values))


def _turns(value: Value | Partner) -> bool:
    inner = value.value if isinstance(value, Partner) else value
    return isinstance(inner, Turns | ByRankTurns)


def _compute(microseconds: float) -> list[str]:
    return [f"compute({microseconds:.4g});"] if microseconds >= 0.05 else []
