"""What surrounds a skeleton program in C: its head, its sizes, and main()."""

import textwrap
from collections.abc import Sequence

from topoview.logical.skeleton.program import SkeletonProgram, ranks_at

INDENT = "    "

LOCAL = [
    "static inline int local(int world, MPI_Comm of)",
    "{",
    "    MPI_Group all, own;",
    "    int there = MPI_PROC_NULL;",
    "    if (world < 0)",
    "        return MPI_PROC_NULL;",
    "    MPI_Comm_group(MPI_COMM_WORLD, &all);",
    "    MPI_Comm_group(of, &own);",
    "    MPI_Group_translate_ranks(all, 1, &world, own, &there);",
    "    MPI_Group_free(&all);",
    "    MPI_Group_free(&own);",
    "    return there;",
    "}",
]
"""Rank in a communicator of one of the world."""


def head(program: SkeletonProgram) -> list[str]:
    """Write what is said at the top."""
    told = [
        f"Skeleton of {program.name}: {program.ranks} ranks, {program.topology}.",
        "",
        "It makes the calls of the trace's logical trace again; the time between",
        "them is slept, or spent in a loop. Written by topoview.",
        "",
        "    mpicc -O2 -o skeleton skeleton.c",
        f"    mpirun -np {program.ranks} ./skeleton",
    ]
    if program.bound:
        told += ["", f"It runs on {program.ranks} ranks only: "]
        told[-1] += "; ".join(program.bound) + "."
    else:
        told += ["", "It runs on other numbers of ranks too: see --help."]
    for remark in program.remarks:
        told.append(f"Not as in the trace: {remark}.")
    lines = [part for line in told for part in textwrap.wrap(line, 76) or [""]]
    kept = [
        f" * {line}".rstrip()
        if not line.startswith(("mpi", "    "))
        else f" *     {line}"
        for line in lines
    ]
    return ["/*", *(line.replace("*/", "* /") for line in kept), " */"]


def sizes(program: SkeletonProgram) -> list[str]:
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
        places = numbers(program.place.tolist())
        at = numbers(ranks_at(program.dims, program.place).tolist())
        lines += [
            *table(f"static const int numbered[{program.ranks}]", places),
            *table(f"static const int at_place[{program.ranks}]", at),
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


def numbers(values: Sequence[int]) -> str:
    """Write values for a table."""
    return ", ".join(map(str, values)) or "0"


def table(declared: str, values: str) -> list[str]:
    """Write a table, a line of 80 characters at a time."""
    lines = textwrap.wrap(values, 80)
    if len(lines) == 1:
        return [f"{declared} = {{{lines[0]}}};"]
    return [f"{declared} = {{", *(INDENT + line for line in lines), "};"]


SQUARE = [
    "    if (extent[0] != extent[1])",
    '        leave("partners are transposed: the lattice must be as long as wide");',
]


def main(program: SkeletonProgram, early: list[str]) -> list[str]:
    """Write what reads the command line and runs the program."""
    d = len(program.dims)
    sizes = ", ".join(map(str, program.dims)) or "0"
    lattice = f"  --dims N...      extents of the lattice, x first (now {sizes})\\n"
    fixed = [
        "    if (ranks != RANKS || memcmp(extent, given, sizeof extent) != 0)",
        f'        leave("this skeleton runs on {program.ranks} ranks only");',
    ]
    return [
        "static void usage(void)",
        "{",
        '    leave("usage: skeleton [options]\\n"',
        '         "  --busy           compute in a loop (else asleep)\\n"',
        '         "  --speed FACTOR   multiply the computing time by this\\n"',
        *([f'         "{lattice}"'] if d else []),
        "         );",
        "}",
        "",
        "int main(int argc, char **argv)",
        "{",
        f"    static const int given[DIMENSIONS + 1] = {{{sizes}}};",
        "    int places = 1, p;",
        "    MPI_Init(&argc, &argv);",
        "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);",
        "    MPI_Comm_size(MPI_COMM_WORLD, &ranks);",
        "    comm[0] = MPI_COMM_WORLD;",
        "    memcpy(extent, given, sizeof extent);",
        "    memset(turn, 0, sizeof turn);",
        "    for (int i = 1; i < argc; i++)",
        '        if (strcmp(argv[i], "--busy") == 0)',
        "            busy = 1;",
        '        else if (strcmp(argv[i], "--speed") == 0 && i + 1 < argc)',
        "            speed = atof(argv[++i]);",
        '        else if (strcmp(argv[i], "--dims") == 0 && i + DIMENSIONS < argc)',
        "            for (int k = 0; k < DIMENSIONS; k++)",
        "                extent[k] = atoi(argv[++i]);",
        "        else",
        "            usage();",
        *(fixed if program.bound else []),
        *(SQUARE if program.square else []),
        "    for (int k = 0; k < DIMENSIONS; k++)",
        "        places *= extent[k];",
        "    if (DIMENSIONS && places != ranks)",
        '        leave("the lattice has not a place for each rank: give --dims");',
        *(
            ["    natural = memcmp(extent, given, sizeof extent) != 0;"]
            if len(program.place)
            else []
        ),
        "    p = place_of(rank);",
        "    for (int k = 0; k < DIMENSIONS; k++) {",
        "        place[k] = p % extent[k];",
        "        p /= extent[k];",
        "    }",
        *early,
        "    program();",
        "    for (int q = 0; q < STATEMENTS; q++)",
        "        if (left_open(q))",
        "            wait_all(1, &q);",
        "    MPI_Finalize();",
        "    return 0;",
        "}",
    ]
