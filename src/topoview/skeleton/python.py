"""Write a skeleton program in Python, for mpi4py."""

import re
import textwrap
from collections.abc import Iterable

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
)
from topoview.skeleton.program import fill_in, longest_first, ranks_at, runtime_part

INDENT = "    "


def skeleton_python(program: nodes.SkeletonProgram) -> str:
    """Write a program for mpi4py: one file, run by ``mpirun python``."""
    writer = _PythonWriter(program)
    blocks = [
        line
        for block in program.blocks
        for line in ("", "", f"def {block.name}():", *writer.lines(block.body, INDENT))
    ]
    early = [line for make in program.early for line in writer.lines([make], INDENT)]
    body = writer.lines(program.body, INDENT)
    runtime, *parts = [
        runtime_part(f"{part}.py") for part in ("runtime", *program.parts)
    ]
    runtime, said = runtime.rsplit("# What the trace says.", 1)
    more = "".join(f"{part.rstrip()}\n\n\n" for part in parts)
    runtime = f"{runtime}{more}# What the trace says.{said}"
    return "\n".join(
        [
            *_head_lines(program),
            "",
            runtime.rstrip(),
            "",
            *_place_lines(program),
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


def _head_lines(program: nodes.SkeletonProgram) -> list[str]:
    paragraphs = [
        f"Skeleton of {program.name}: {program.ranks} ranks, {program.topology}.",
        "",
        "It makes the calls of the trace's logical trace again; the time between them "
        "is slept, or spent in a loop. Written by topoview. Run it by",
        "",
        f"    mpirun -np {program.ranks} python FILE",
    ]
    if program.bound:
        reasons = "; ".join(program.bound)
        paragraphs += ["", f"It runs on {program.ranks} ranks only: {reasons}."]
    for assumption in program.assumptions:
        paragraphs.append(f"Taken for a rule: {assumption}.")
    for remark in program.remarks:
        paragraphs.append(f"Not as in the trace: {remark}.")
    lines = [
        part
        for line in paragraphs
        for part in (
            [line] if line.startswith(" ") else textwrap.wrap(line, 80) or [""]
        )
    ]
    text = "\n".join(lines).replace("\\", "/").replace('"""', "'''")
    return [f'"""{text}', '"""']


def _place_lines(program: nodes.SkeletonProgram) -> list[str]:
    tables = []
    if len(program.place):
        at = ranks_at(program.dims, program.place).tolist()
        tables += _table_lines("numbered", program.place.tolist())
        tables += _table_lines("at_place", at)
    letters = AXES[: len(program.dims)]
    more = "," if len(letters) == 1 else ""
    texts = {
        "dims": str(list(program.dims)),
        "longest_first": str(longest_first(program.dims)),
        "periodic": str(list(program.periodic)),
        "axes": ", ".join(letters) + more,
        "extents": ", ".join(f"n{letter}" for letter in letters) + more,
    }
    return fill_in("places.py", program, texts, {"tables": tables})


class _PythonWriter:
    """Writes nodes, and the tables that they need."""

    def __init__(self, program: nodes.SkeletonProgram) -> None:
        self.program = program
        self.tables: list[str] = []
        self._listed: set[str] = set()

    def lines(self, body: Iterable[nodes.SkeletonNode], indent: str) -> list[str]:
        """Write the lines of a body."""
        result: list[str] = []
        for node in body:
            result += [indent + line for line in self._node(node)]
        return result

    def _node(self, node: nodes.SkeletonNode) -> list[str]:
        match node:
            case nodes.Operation():
                given = ", ".join(self._argument(a) for a in node.arguments)
                call = f"{node.function}({given})  # {node.text}"
                return [*_compute_line(node.compute), *_turn_values(node), call]
            case nodes.MakeCommunicator():
                return self._make(node)
            case nodes.FreeCommunicator() | nodes.Remark() | nodes.RunBlock():
                return self._line(node)
            case nodes.For(count, name, body):
                end = self._value(count, name, f'turn("{name}")')
                return [f"for _ in range({end}):", *self._inner(body)]
            case nodes.If(condition, name, body):
                return [f"if {self._condition(condition, name)}:", *self._inner(body)]
            case nodes.OnTurns(taken, name, share, body):
                test = self._value(taken, name, f'turn("{name}")')
                return [f"if {test}:  # {share}", *self._inner(body)]
            case nodes.ByTurnChoice(statement, turns):
                lines = [f"k = turn({statement}) % {len(turns)}"]
                for number, one in enumerate(turns):
                    lines += [f"if k == {number}:", *self._inner((one,))]
                return lines

    def _line(
        self, node: nodes.FreeCommunicator | nodes.Remark | nodes.RunBlock
    ) -> list[str]:
        match node:
            case nodes.FreeCommunicator(comm, text, spent):
                made = f"if comm[{comm}] != MPI.COMM_NULL:"
                free = f"{INDENT}comm[{comm}].Free()  # {text}"
                return [*_compute_line(spent), made, free]
            case nodes.Remark(text):
                return [f"pass  # {text}: not made again"]
            case nodes.RunBlock(block):
                return [f"{self.program.blocks[block].name}()"]

    def _inner(self, body: tuple[nodes.SkeletonNode, ...]) -> list[str]:
        return self.lines(body, INDENT) or [INDENT + "pass"]

    def _make(self, make: nodes.MakeCommunicator) -> list[str]:
        made = "WORLD.Dup()"
        if make.kind == "lattice":
            made = "make_lattice()"
        elif make.kind == "self":
            made = "MPI.COMM_SELF"
        elif make.color is not None and make.key is not None:
            color = self._any(make.color, "0")
            made = f"split({color}, {self._any(make.key, '0')})"
        said = f"  # {make.text}" if make.text else ""
        return [*_compute_line(make.compute), f"comm[{make.comm}] = {made}{said}"]

    def _argument(self, argument: nodes.Argument) -> str:
        match argument:
            case nodes.OpenedRequests(of):
                return str(of)
            case nodes.ClosedRequests(some):
                return ", ".join(map(str, some)) or "-1"
            case nodes.CommunicatorNumber(number):
                return f"comm[{number}]"
            case nodes.EpochMembers(name, group):
                if group.steps is None:
                    self.tables += _table_lines(
                        name, [list(own) for own in group.by_rank]
                    )
                    return f"{name}[rank]"
                ends = [f"neighbour({', '.join(map(str, s))})" for s in group.steps]
                return f"[{', '.join(ends)}]"
            case nodes.NamedValue(_, value, comm, _):
                expression = self._any(argument, "k")
                if comm and isinstance(value, Partner):
                    return f"local({expression}, comm[{comm}])"
                return expression

    def _any(self, named: nodes.NamedValue, turn: str) -> str:
        if isinstance(named.value, Partner):
            return self._partner(named.value, named.name, turn)
        return self._value(named.value, named.name, turn)

    def _partner(self, partner: Partner, name: str, turn: str) -> str:
        if partner.form == "step":
            return f"neighbour({', '.join(map(str, partner.steps))})"
        if partner.form == "transpose":
            return "at(place[::-1])"
        if partner.form == "parent":
            return "((rank - 1) // 2 if rank > 0 else NULL)"
        value = self._value(partner.value, name, turn)
        if partner.form == "child":
            child = f"2 * rank + {value}"
            return f"({child} if {child} < ranks else NULL)"
        if partner.form == "xor":
            return f"rank ^ {value}"
        return f"(rank + {value}) % ranks" if partner.form == "shift" else value

    def _value(self, value: Value, name: str, turn: str) -> str:
        match value:
            case Fixed(number):
                return str(number)
            case OfRanks(text):
                return text
            case Series(text):
                return f"({text.format(k=turn)})"
            case ByTurn(values):
                self.tables += _table_lines(name, list(values))
                return f"{name}[{turn} % {len(values)}]"
            case ByRank(values):
                self.tables += _table_lines(name, list(values))
                return f"by_rank({name})"
            case ByRankTurns(turns):
                self.tables += _table_lines(name, [list(own) for own in turns])
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
                self.tables += _table_lines(name, sorted(condition.ranks))
            return f"rank in {name}"
        text = condition.text.replace("&&", "and").replace("||", "or")
        text = re.sub(r"!(?!=)", "not ", text)
        return "True" if text == "1" else text


def _turn_values(op: nodes.Operation) -> list[str]:
    for argument in op.arguments:
        if isinstance(argument, nodes.NamedValue):
            value = argument.value
            inner = value.value if isinstance(value, Partner) else value
            if isinstance(inner, ByTurn | ByRankTurns | Series):
                return [f"k = turn({op.statement})"]
    return []


def _compute_line(microseconds: float) -> list[str]:
    return [f"compute({microseconds:.4g})"] if microseconds >= 0.05 else []


def _table_lines(name: str, values: list[int] | list[list[int]]) -> list[str]:
    return textwrap.wrap(
        f"{name} = {values}", 88, subsequent_indent=INDENT, break_on_hyphens=False
    )
