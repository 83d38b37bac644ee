"""Links and mappings in words, as JSON, and as files that launchers read."""

import math
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

import numpy as np

from topoview.base.text import (
    group_digits_in,
    grouped,
    one_line,
    plural,
    share_text,
    size_text,
    tr,
)
from topoview.model import (
    Column,
    LinkLoads,
    MachineChoice,
    Mapping,
    MeasuredTraffic,
    Network,
    Placement,
    Schema,
    Table,
    ratio_of,
    words,
)
from topoview.report import blocks
from topoview.report.claims import hottest, mapping_gains

ROUTING_WORDS: Final = {
    "torus": "dimension order, x first, the shorter way around; half each way where "
    "both are as long",
    "mesh": "dimension order, x first",
    "fat tree": "up and down, ports by the number of the receiving node (d-mod-k)",
    "dragonfly": "minimal: local, global, local",
    "graph": "all shortest routes, evenly",
}
"""How messages are taken to go in each kind of network."""

MODEL: Final = "congestion and adaptive routing are not modelled"

MAX_DIRECTIONS: Final = 24
"""Directions that the text lists."""


def network_record(
    loads: LinkLoads, modelled: Sequence[str] = (), *, links: bool = False
) -> dict[str, Any]:
    """Return loads of links for JSON; with `links` each of them."""
    network, placement = loads.network, loads.placement
    result: dict[str, Any] = {
        "kind": network.kind,
        "name": network.name,
        "dims": list(network.dims),
        "nodes": network.nodes,
        "links": len(network.links),
        "hop_bytes": _number(loads.hop_bytes),
        "mean_hops": loads.mean_hops,
        "hottest": _link(loads, loads.hottest) if loads.hottest >= 0 else None,
        "mean_bytes": loads.mean_bytes,
        "idle_links": loads.idle_links,
        "total_bytes": loads.total_bytes,
        "between_nodes_bytes": loads.between_nodes,
        "unplaced_bytes": loads.unplaced_bytes,
        "by_direction": [
            {"direction": name, "links": count, "bytes": _number(total), "most": most}
            for name, (total, most, count) in loads.by_direction().items()
        ],
        "routing": ROUTING_WORDS[network.kind],
        "collectives": list(modelled),
        "assumed": placement.assumed,
        "found": list(placement.sources),
        "missing": list(placement.missing),
        "node_of_rank": placement.node.tolist(),
    }
    if loads.measured is not None:
        result["measured"] = _measured_record(loads, loads.measured, links=links)
    if links:
        rows = zip(network.links.tolist(), loads.bytes.tolist(), strict=True)
        result["link_list"] = [[one, to, _number(load)] for (one, to), load in rows]
    return result


def _measured_record(
    loads: LinkLoads, measured: MeasuredTraffic, *, links: bool
) -> dict[str, Any]:
    """Return what counters measured; with `links` of each link and node, too."""
    result: dict[str, Any] = {
        "counters": list(measured.counters),
        "unit": measured.unit,
        "left_out": list(measured.left_out),
    }
    tables = {"links": loads.table(), "nodes": loads.node_table()}
    for name, table in tables.items():
        counted = table.filter(~np.isnan(table["measured"]))
        sums: dict[str, Any] = {
            "counted": len(counted),
            "bytes": _number(float(counted["bytes"].sum())),
            "measured": _number(float(counted["measured"].sum())),
        }
        if links:
            names = [name for name in table.names if name != "direction"]
            rows = zip(*(counted[name].tolist() for name in names), strict=True)
            sums["list"] = [[_finite(cell) for cell in row] for row in rows]
        result[name] = sums
    return result


def _finite(value: float) -> float | int | None:
    return _number(value) if math.isfinite(value) else None


def measured_blocks(loads: LinkLoads) -> tuple[blocks.Block, ...]:
    """Show what counters measured beside what is modelled: sums, and the extremes."""
    measured = loads.measured
    if measured is None:
        return ()
    lines: list[str] = []
    for noun, modelled, counted, name in (
        ("link", loads.bytes, measured.links, partial(link_name, loads.network)),
        ("node", loads.sent, measured.sent, loads.network.vertex_name),
    ):
        valid = np.flatnonzero(~np.isnan(counted))
        if not len(valid):
            continue
        ratio = ratio_of(modelled, counted)
        sums = f"{size_text(counted[valid].sum())} measured"
        if measured.unit != "bytes":
            sums = f"{measured.unit}, taken to add up to what is modelled"
        lines.append(
            f"{plural(len(valid), noun)}: {sums}, "
            f"{size_text(modelled[valid].sum())} modelled"
        )
        both = valid[np.isfinite(ratio[valid])]
        for at in dict.fromkeys(
            (both[ratio[both].argmax()], both[ratio[both].argmin()])
            if len(both)
            else ()
        ):
            lines.append(
                f"modelled / measured {ratio[at]:.2f}: {name(int(at))}, "
                f"{size_text(modelled[at])} / {size_text(counted[at])}"
            )
    lines += measured.left_out
    lines.append("Counters count collectives, and what other programs send, too.")
    return listed_block(f"Measured by {', '.join(measured.counters[:6])}:", lines)


def _link(loads: LinkLoads, link: int) -> dict[str, Any]:
    one, other = loads.network.links[link].tolist()
    return {"from": one, "to": other, "bytes": _number(float(loads.bytes[link]))}


def _number(value: float) -> float | int:
    return int(value) if value == int(value) else value


def network_blocks(
    loads: LinkLoads, modelled: Sequence[str] = ()
) -> tuple[blocks.Block, ...]:
    """Show what links carry, in all and by direction, and how that is known."""
    rows = tuple(direction_rows(loads))
    return (
        *map(blocks.Paragraph, (headline(loads), *figures(loads))),
        blocks.TableBlock(
            name="network",
            caption="Links by direction.",
            head=DIRECTION_COLUMNS,
            rows=rows,
            rest=len(loads.by_direction()) - len(rows),
        ),
        *measured_blocks(loads),
        *machine_blocks(loads),
        *listed_block("Collective operations:", modelled),
    )


def listed_block(title: str, lines: Sequence[str]) -> tuple[blocks.Block, ...]:
    """Return lines below a title; nothing without any."""
    return (blocks.Heading(title), *map(blocks.Paragraph, lines)) if lines else ()


DIRECTION_COLUMNS: Final = (
    "direction",
    "links",
    "bytes",
    "mean",
    "hottest",
    "x mean",
)


def direction_rows(loads: LinkLoads) -> list[tuple[str, ...]]:
    """Sum links up by direction, as `DIRECTION_COLUMNS` names them."""
    return [
        (
            name,
            grouped(count),
            size_text(total),
            size_text(total / max(count, 1)),
            size_text(most),
            f"{most / loads.mean_bytes:.2f}" if loads.mean_bytes else "-",
        )
        for name, (total, most, count) in islice(
            loads.by_direction().items(), MAX_DIRECTIONS
        )
    ]


def headline(loads: LinkLoads) -> str:
    """Name a network, and tell how large it is, and whether it was assumed."""
    network, count = loads.network, len(loads.network.links)
    text = (
        f"{plural(network.nodes, 'node')}, {plural(count, 'link')} "
        f"({plural(count // 2, 'cable')}, two ways each)"
    )
    assumed = tr(", assumed") * loads.placement.assumed
    return f"{network.name}{assumed}: {group_digits_in(text)}"


def figures(loads: LinkLoads) -> list[str]:
    """Describe what the links carry in all, how far, and the hottest of them."""
    result = [
        f"{size_text(loads.total_bytes)} between ranks, "
        f"{size_text(loads.between_nodes)} of them between nodes, "
        f"{loads.mean_hops:.2f} hops a byte: {size_text(loads.hop_bytes)} hop-bytes"
    ]
    if loads.unplaced_bytes:
        result.append(
            f"{size_text(loads.unplaced_bytes)} do not count: the node of a rank is "
            "not known, or there is no route"
        )
    if loads.hop_bytes:
        result.append(hottest_words(loads))
        share = loads.idle_links / len(loads.bytes)
        result.append(f"idle links {grouped(loads.idle_links)}, {share_text(share)}")
    return result


def hottest_words(loads: LinkLoads) -> str:
    """Name the hottest link in a line; or say that all carry as much."""
    claim, most = hottest(loads), size_text(loads.hottest_bytes)
    if not claim.holds:
        return tr("all links carry {most}", most=most)
    words = tr(
        "hottest link {link_name}: {most}, {ratio:.2f} times the mean of {mean_bytes}",
        link_name=link_name(loads.network, loads.hottest),
        most=most,
        ratio=claim.number,
        mean_bytes=size_text(loads.mean_bytes),
    )
    return "; ".join(filter(None, (words, as_hot_words(loads))))


def as_hot_words(loads: LinkLoads) -> str:
    """Count the links that are as hot as the hottest; nothing for one."""
    alike = int((loads.bytes >= loads.hottest_bytes * (1 - 1e-12)).sum())
    return (
        tr("{alike} links tie for the maximum", alike=grouped(alike))
        if alike > 1
        else ""
    )


def link_name(network: Network, link: int) -> str:
    """Name a link: its direction, and the vertices that it leads from and to."""
    one, other = network.links[link].tolist()
    way = network.directions[network.direction[link]]
    ends = tr(
        "{one} to {other}",
        one=network.vertex_name(one),
        other=network.vertex_name(other),
    )
    return ends if len(network.directions) == 1 else f"{way} {ends}"


def machine_options(choice: MachineChoice) -> tuple[str, ...]:
    """Write a choice as options of a command, which asks for the same."""
    options = {
        "machine": choice.file,
        choice.kind.replace(" ", "-"): choice.dims,
        "per-node": str(choice.per_node or ""),
        "names": choice.names,
        "counters": choice.counters,
    }
    return tuple(
        word
        for name, value in options.items()
        if name and value
        for word in (f"--{name}", shlex.quote(one_line(value)))
    )


def machine_blocks(loads: LinkLoads) -> tuple[blocks.Block, ...]:
    """Show what was understood of the machine, what is missing, and the routes."""
    placement = loads.placement
    return (
        *listed_block("What is known of the machine:", placement.sources),
        *listed_block("What is not:", placement.missing),
        blocks.Heading(""),
        blocks.Paragraph(f"Routes: {ROUTING_WORDS[loads.network.kind]}; {MODEL}."),
    )


def mappings_record(
    mappings: Sequence[Mapping], notes: Sequence[str], *, orders: bool = False
) -> dict[str, Any]:
    """Return mappings for JSON; with `orders` the rank on each rank's place, too."""
    first = mappings[0].loads
    return {
        "kind": first.network.kind,
        "name": first.network.name,
        "dims": list(first.network.dims),
        "nodes": first.network.nodes,
        "assumed": first.placement.assumed,
        "mappings": [
            {
                "method": one.method,
                "mean_hops": one.loads.mean_hops,
                "hop_bytes": _number(one.loads.hop_bytes),
                "hottest_bytes": _number(one.loads.hottest_bytes),
                "mean_bytes": one.loads.mean_bytes,
                "idle_links": one.loads.idle_links,
                "between_nodes_bytes": one.loads.between_nodes,
                **({"order": one.order.tolist()} if orders else {}),
            }
            for one in mappings
        ],
        "notes": list(notes),
        "found": list(first.placement.sources),
        "missing": list(first.placement.missing),
    }


MAPPINGS: Final = Schema(
    Column("mapping", "", tr("mapping"), ordered=True),
    Column("hop_bytes", "B", tr("hop-bytes")),
    Column("mean_hops", "", tr("hops a byte")),
    Column("hottest_bytes", "B", tr("hottest link")),
    Column("mean_bytes", "B", tr("mean")),
    Column("idle", "share", tr("idle")),
    Column("between_nodes", "B", tr("between nodes")),
)


def mapping_table(mappings: Sequence[Mapping]) -> Table:
    """Return what each mapping puts on the links."""
    loads = [mapping.loads for mapping in mappings]
    return Table(
        MAPPINGS,
        {
            "mapping": words([mapping.method for mapping in mappings]),
            **{
                name: np.array([getattr(each, name) for each in loads])
                for name in ("hop_bytes", "mean_hops", "hottest_bytes", "mean_bytes")
            },
            "idle": np.array(
                [each.idle_links / max(len(each.bytes), 1) for each in loads]
            ),
            "between_nodes": np.array([each.between_nodes for each in loads]),
        },
    )


def mappings_page(mappings: Sequence[Mapping], notes: Sequence[str]) -> blocks.Page:
    """Show mappings: a row each, and what the best one is worth."""
    first = mappings[0].loads
    words = (verdict(mappings[0], best_mapping(mappings)), *notes)
    return blocks.Page(
        title=headline(first),
        blocks=(
            blocks.Heading(""),
            blocks.table_block("mappings", "", mapping_table(mappings), named=True),
            blocks.Heading(""),
            *map(blocks.Paragraph, words),
            *machine_blocks(first),
        ),
    )


def best_mapping(mappings: Sequence[Mapping]) -> Mapping:
    """Choose the mapping with fewest hop-bytes, then the coolest, then the first."""
    return min(mappings, key=lambda one: (one.loads.hop_bytes, one.loads.hottest_bytes))


def verdict(before: Mapping, after: Mapping) -> str:
    """Describe what a mapping is worth, also if nothing."""
    if not mapping_gains(before, after).holds:
        return tr(
            "Nothing is gained: no mapping has fewer hop-bytes than that of the run."
        )
    ratio = after.loads.hop_bytes / before.loads.hop_bytes
    heat = after.loads.hottest_bytes / before.loads.hottest_bytes
    if round(heat, 2) == 1:
        hotter = tr("the load of the hottest link stays the same")
    else:
        hotter = tr("the hottest link carries {heat:.2f} times as much", heat=heat)
    machine = tr(", on a machine that is assumed") * before.loads.placement.assumed
    return tr(
        "{method}: {ratio:.2f} times the hop-bytes of the run; {hottest}{machine}.",
        method=after.method,
        ratio=ratio,
        hottest=hotter,
        machine=machine,
    )


# Mappings as files.


def open_mpi_file(mapping: Mapping) -> str:
    """Write a rank file of Open MPI: host and slot of each rank.

    Hosts without a name are counted as Open MPI does in an allocation: ``+n3``.
    """
    placement, node = mapping.loads.placement, mapping.loads.placement.node
    slot = np.zeros(len(node), np.int64)
    for at in placement.used.tolist():
        own = np.flatnonzero(node == at)
        slot[own] = np.arange(len(own))
    numbers = {at: k for k, at in enumerate(placement.used.tolist())}
    return "".join(
        f"rank {rank}={_host(placement, at) or f'+n{numbers[at]}'} slot={slot[rank]}\n"
        for rank, at in enumerate(node.tolist())
    )


def slurm_file(mapping: Mapping) -> str:
    """Write hosts in order of ranks, for ``srun --distribution=arbitrary``.

    The file is named by SLURM_HOSTFILE. Hosts without a name are ``nodeN``.
    """
    placement = mapping.loads.placement
    return "".join(
        f"{_host(placement, at) or f'node{at}'}\n" for at in placement.node.tolist()
    )


def mpich_file(mapping: Mapping) -> str:
    """Write MPICH_RANK_ORDER: ranks as they fill the nodes (method 3)."""
    node = np.empty_like(mapping.loads.placement.node)
    node[:] = mapping.loads.placement.node[mapping.order]  # of each place, as run
    first: dict[int, int] = {}
    turn = [first.setdefault(at, len(first)) for at in node.tolist()]
    ranks = mapping.order[np.argsort(turn, kind="stable")].tolist()
    rows = (ranks[k : k + 16] for k in range(0, len(ranks), 16))
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def permutation_file(mapping: Mapping) -> str:
    """Write the new rank of each process, a line each, in order of old ranks.

    ``MPI_Comm_split(MPI_COMM_WORLD, 0, new, &comm)`` gives the communicator for
    MPI_Cart_create.
    """
    return "".join(f"{rank}\n" for rank in mapping.order.tolist())


def _host(placement: Placement, node: int) -> str:
    return placement.hosts[node] if node < len(placement.hosts) else ""


MAPPING_FILES: Final[dict[str, tuple[str, Callable[[Mapping], str]]]] = {
    "rankfile": (tr("Open MPI rank file"), open_mpi_file),
    "slurm": (tr("host list for Slurm's --distribution=arbitrary"), slurm_file),
    "mpich": ("MPICH_RANK_ORDER", mpich_file),
    "permutation": (tr("new rank of each process"), permutation_file),
}
"""Forms that a mapping is written in: what each is, and its writer."""


def mapping_named(mappings: Sequence[Mapping], method: str) -> Mapping | None:
    """Find a mapping by the begin of its method's name; empty: the best."""
    if not method:
        return best_mapping(mappings)
    return next((one for one in mappings if one.method.startswith(method)), None)
