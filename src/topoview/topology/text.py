"""An identification in lines for a reader: what ``topoview identify`` prints."""

from topoview.model import Identification, Match
from topoview.topology.part_words import declared_words, part_lines, structure_words


def identification_text(identification: Identification, edges: bool = False) -> str:
    """Describe an identification, the answer first.

    Parameters
    ----------
    identification
        What was found.
    edges
        Whether to list the answer's edges as pairs of ranks, too.
    """
    best = identification.best
    lines = [best.topology.name]
    if best.also:
        lines.append("the same graph as " + ", ".join(best.also))
    lines.append("")
    lines += _table([_HEAD, *map(_row, identification.matches)])
    if identification.structure is not None:
        lines += ["", structure_words(identification.structure)]
    if identification.remainder:
        lines += ["", "what the answer leaves"]
        lines += _table([_HEAD, *map(_row, identification.remainder)])
    told = [
        *part_lines(identification.parts),
        *map(declared_words, identification.declared),
    ]
    if told:
        lines += ["", *told]
    if identification.warnings:
        lines += ["", *identification.warnings]
    if edges:
        lines += ["", "edges"]
        lines += [f"{u} {v}" for u, v in best.rank_edges.tolist()]
    return "\n".join(lines)


_HEAD = ("topology", "edges", "matched", "missing", "extra", "calls", "bytes", "level")


def _row(match: Match) -> tuple[str, ...]:
    return (
        match.topology.name,
        f"{len(match.topology.edges)}",
        f"{match.matched}",
        f"{match.missing}",
        f"{match.extra}",
        f"{match.calls_covered:.2%}",
        f"{match.bytes_covered:.2%}",
        f"{match.level}",
    )


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
