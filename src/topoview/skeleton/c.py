"""Write a skeleton program in C: one file to be compiled with an MPI's ``mpicc``."""

import re
import textwrap
from collections.abc import Iterable, Sequence

import numpy as np

from topoview.model import AXES
from topoview.skeleton import program as nodes
from topoview.skeleton.expressions import (
    ByRank,
    ByRankTurns,
    ByTurn,
    Condition,
    Fixed,
    OfRanks,
    Partner,
    Place,
    Series,
    Value,
    flat_table,
)
from topoview.skeleton.facts import EpochGroup
from topoview.skeleton.program import fill_in, longest_first, ranks_at, runtime_part


def c_identifier(label: str) -> str:
    """Return a direction's name in C: ``EAST x2`` is ``EAST_X2``; empty for none."""
    word = label.replace(" -", " back ")
    word = re.sub(r"[^A-Za-z0-9]+", "_", word).strip("_").upper()
    return word if re.fullmatch(r"[A-Z][A-Z0-9_]*", word) else ""


def c_neighbour(steps: tuple[int, ...]) -> str:
    """Write the rank that a step on the lattice leads to."""
    return f"neighbour((const int[]){{{', '.join(map(str, steps))}}})"


# What surrounds a skeleton program in C: its head, its sizes, and main().

C_INDENT = "    "


def head_lines(program: nodes.SkeletonProgram) -> list[str]:
    """Write what is said at the top."""
    paragraphs = [
        f"Skeleton of {program.name}: {program.ranks} ranks, {program.topology}.",
        "",
        "It makes the calls of the trace's logical trace again; the time between",
        "them is slept, or spent in a loop. Written by topoview.",
        "",
        "    mpicc -O2 -o skeleton skeleton.c",
        f"    mpirun -np {program.ranks} ./skeleton",
    ]
    if program.bound:
        paragraphs += ["", f"It runs on {program.ranks} ranks only: "]
        paragraphs[-1] += "; ".join(program.bound) + "."
    else:
        paragraphs += ["", "It runs on other numbers of ranks too: see --help."]
    for assumption in program.assumptions:
        paragraphs.append(f"Taken for a rule: {assumption}.")
    for remark in program.remarks:
        paragraphs.append(f"Not as in the trace: {remark}.")
    lines = [part for line in paragraphs for part in textwrap.wrap(line, 76) or [""]]
    kept = [
        f" * {line}".rstrip()
        if not line.startswith(("mpi", "    "))
        else f" *     {line}"
        for line in lines
    ]
    return ["/*", *(line.replace("*/", "* /") for line in kept), " */"]


def size_lines(program: nodes.SkeletonProgram) -> list[str]:
    """Write how many ranks there were, and where they lay."""
    d = len(program.dims)
    wraps = ", ".join(str(int(p)) for p in program.periodic) or "0"
    lines = [
        f"#define RANKS {program.ranks} /* of the trace */",
        f"#define STATEMENTS {program.statements}",
        f"#define DIMENSIONS {d}",
        f"static const int periodic[DIMENSIONS + 1] = {{{wraps}}};",
    ]
    if len(program.place):
        places = number_list(program.place.tolist())
        at = number_list(ranks_at(program.dims, program.place).tolist())
        lines += [
            *table_lines(f"static const int numbered[{program.ranks}]", places),
            *table_lines(f"static const int at_place[{program.ranks}]", at),
            "static int natural; /* ranks lie row by row, not as in the trace */",
            "static inline int rank_at(int p) { return natural ? p : at_place[p]; }",
            "static inline int place_of(int r) { return natural ? r : numbered[r]; }",
        ]
    else:
        lines += [
            "static inline int rank_at(int p) { return p; }",
            "static inline int place_of(int r) { return r; }",
        ]
    return lines


def number_list(values: Sequence[int]) -> str:
    """Write values for a table."""
    return ", ".join(map(str, values)) or "0"


def table_lines(declared: str, values: str) -> list[str]:
    """Write a table, a line of 80 characters at a time."""
    lines = textwrap.wrap(values, 80)
    if len(lines) == 1:
        return [f"{declared} = {{{lines[0]}}};"]
    return [f"{declared} = {{", *(C_INDENT + line for line in lines), "};"]


def main_lines(program: nodes.SkeletonProgram, early: list[str]) -> list[str]:
    """Write what reads the command line and runs the program."""
    texts = {
        "dims": ", ".join(map(str, program.dims)) or "0",
        "longest_first": ", ".join(map(str, longest_first(program.dims))),
    }
    return fill_in("main.c", program, texts, {"early": early})


def skeleton_c(program: nodes.SkeletonProgram) -> str:
    """Write a program in C: one file, to be compiled with an MPI's ``mpicc``."""
    writer = _CWriter(program)
    body = [
        *(f"static void {block.name}(void);" for block in program.blocks),
        *(line for block in program.blocks for line in writer.block(block)),
        "static void program(void)",
        "{",
        *writer.lines(program.body, C_INDENT),
        "}",
    ]
    early = [line for make in program.early for line in writer.lines([make], C_INDENT)]
    runtime = runtime_part("runtime.c")
    includes, rest = runtime.split("/* What the program is given", 1)
    return "\n".join(
        [
            *head_lines(program),
            includes.rstrip(),
            "",
            *size_lines(program),
            *([f"#define PLACES {program.places}"] if program.places else []),
            "",
            "/* What the program is given" + rest.rstrip(),
            "",
            *(runtime_part(f"{part}.c") for part in program.parts),
            f"static MPI_Comm comm[{len(program.communicators)}];",
            "",
            *writer.tables,
            *writer.head(),
            *body,
            "",
            *main_lines(program, early),
            "",
        ]
    )


class _CWriter:
    """Writes nodes, and the tables that they need."""

    def __init__(self, program: nodes.SkeletonProgram) -> None:
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
            lines.append(f"#define {name} {c_neighbour(steps)}")
        if self._local:
            lines += runtime_part("local.c").splitlines()
        return [*lines, ""] if lines else []

    def block(self, block: nodes.SkeletonBlock) -> list[str]:
        """Write a block as a function."""
        return [
            f"static void {block.name}(void)",
            "{",
            *self.lines(block.body, C_INDENT),
            "}",
            "",
        ]

    def lines(self, body: Iterable[nodes.SkeletonNode], indent: str) -> list[str]:
        """Write the lines of a body."""
        result: list[str] = []
        for node in body:
            result += [indent + line for line in self._node(node)]
        return result

    def _node(self, node: nodes.SkeletonNode) -> list[str]:
        match node:
            case nodes.Operation():
                return self._op(node)
            case nodes.MakeCommunicator():
                return self._make(node)
            case nodes.FreeCommunicator() | nodes.Remark() | nodes.RunBlock():
                return self._line(node)
            case nodes.For(count, name, body):
                self._loop += 1
                i = f"i{self._loop}"
                end = self._value(count, name, f"{name}_turn++")
                begin = f"long {i} = 0"
                if isinstance(count, ByTurn | ByRankTurns):
                    self.tables.append(f"static long {name}_turn;")
                    begin, end = f"{begin}, {i}_end = {end}", f"{i}_end"
                inner = self.lines(body, C_INDENT)
                self._loop -= 1
                return [f"for ({begin}; {i} < {end}; {i}++) {{", *inner, "}"]
            case nodes.If(condition, name, body):
                test = self._condition(condition, name)
                return [f"if ({test}) {{", *self.lines(body, C_INDENT), "}"]
            case nodes.OnTurns(taken, name, share, body):
                test = self._value(taken, name, f"{name}_turn++")
                self.tables.append(f"static long {name}_turn; /* {share} */")
                return [f"if ({test}) {{", *self.lines(body, C_INDENT), "}"]
            case nodes.ByTurnChoice(statement, turns):
                return self._choose(statement, turns)

    def _line(
        self, node: nodes.FreeCommunicator | nodes.Remark | nodes.RunBlock
    ) -> list[str]:
        match node:
            case nodes.FreeCommunicator(comm, text, spent):
                made = f"if (comm[{comm}] != MPI_COMM_NULL)"
                free = f"MPI_Comm_free(&comm[{comm}]);"
                return [*_compute_line(spent), made, f"{C_INDENT}{free} /* {text} */"]
            case nodes.Remark(text):
                return [f"/* {text}: not made again */"]
            case nodes.RunBlock(block):
                return [f"{self.program.blocks[block].name}();"]

    def _choose(self, statement: int, turns: Sequence[nodes.SkeletonNode]) -> list[str]:
        lines = [f"switch (turn[{statement}]++ % {len(turns)}) {{"]
        for number, node in enumerate(turns):
            lines += [f"case {number}:", *self.lines([node], C_INDENT)]
            lines.append(C_INDENT + "break;")
        return [*lines, "}"]

    def _op(self, op: nodes.Operation) -> list[str]:
        given = ", ".join(self._argument(a, op.statement) for a in op.arguments)
        turning = any(
            isinstance(a, nodes.NamedValue) and _turn_values(a.value)
            for a in op.arguments
        )
        lines = [*_compute_line(op.compute), f"{op.function}({given}); /* {op.text} */"]
        if turning:
            lines.append(f"turn[{op.statement}]++;")
        return lines

    def _make(self, make: nodes.MakeCommunicator) -> list[str]:
        lines = _compute_line(make.compute)
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

    def _argument(self, argument: nodes.Argument, statement: int) -> str:
        match argument:
            case nodes.OpenedRequests(of):
                return str(of)
            case nodes.ClosedRequests(some):
                listed = ", ".join(map(str, some)) or "0"
                return f"{len(some)}, (const int[]){{{listed}}}"
            case nodes.CommunicatorNumber(number):
                return f"comm[{number}]"
            case nodes.EpochMembers(name, group):
                return self._members(name, group)
            case nodes.NamedValue(name, value, comm, _):
                turn = f"turn[{statement}]"
                if not isinstance(value, Partner):
                    return self._value(value, name, turn)
                expression = self._partner(value, name, turn, argument.label)
                if comm:
                    self._local = True
                    return f"local({expression}, comm[{comm}])"
                return expression

    def _members(self, name: str, group: EpochGroup) -> str:
        if group.steps is not None:
            ends = ", ".join(map(c_neighbour, group.steps))
            return f"{len(group.steps)}, (const int[]){{{ends or 0}}}"
        begins, ranks = flat_table(group.by_rank)
        self._new(f"static const int {name}_begin[RANKS + 1]", begins)
        self._new(f"static const int {name}[]", ranks)
        count = f"{name}_begin[rank + 1] - {name}_begin[rank]"
        return f"{count}, {name} + {name}_begin[rank]"

    def _partner(self, partner: Partner, name: str, turn: str, label: str) -> str:
        if partner.form == "step":
            word = c_identifier(label)
            if word and self._named.setdefault(word, partner.steps) == partner.steps:
                return word
            return c_neighbour(partner.steps)
        if partner.form == "transpose":
            return "at((const int[]){place[1], place[0]})"
        if partner.form == "parent":
            return "(rank > 0 ? (rank - 1) / 2 : MPI_PROC_NULL)"
        value = self._value(partner.value, name, turn)
        if partner.form == "child":
            child = f"2 * rank + {value}"
            return f"({child} < ranks ? {child} : MPI_PROC_NULL)"
        if partner.form == "xor":
            return f"(int)(rank ^ {value})"
        if partner.form == "shift":
            return f"(int)((rank + {value}) % ranks)"
        return value if isinstance(partner.value, Fixed) else f"(int){value}"

    def _value(self, value: Value, name: str, turn: str) -> str:
        match value:
            case Fixed(number):
                return str(number)
            case OfRanks(text):
                return text
            case Series(text):
                return f"({text.format(k=turn)})"
            case ByTurn(values):
                self._new(f"static const long {name}[{len(values)}]", values)
                return f"{name}[{turn} % {len(values)}]"
            case ByRank(values):
                self._new(f"static const long {name}[RANKS]", values)
                return f"{name}[rank % RANKS]"
            case ByRankTurns(turns):
                offsets, numbers = flat_table(turns)
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
            self.tables += table_lines(declared, number_list(values))


def _turn_values(value: Value | Partner) -> bool:
    inner = value.value if isinstance(value, Partner) else value
    return isinstance(inner, ByTurn | ByRankTurns | Series)


def _compute_line(microseconds: float) -> list[str]:
    return [f"compute({microseconds:.4g});"] if microseconds >= 0.05 else []
