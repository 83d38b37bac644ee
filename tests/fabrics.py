"""Machines of any size, and the lists of them that public tools print.

A machine is a networkx graph whose vertices are names; switches have ``kind`` switch.

- `dragonfly`: nodes on a router, routers of a group all joined, and as many cables as
  are wanted between any two groups, dealt out to their routers in turn (Kim, Dally,
  Scott and Abts 2008). Nodes have the names of an HPE Cray EX: cabinet, chassis, slot,
  board and node (``x1000c0s0b0n0``), 8 chassis with 8 slots a cabinet.
- `tapered_tree`: leaf switches with more nodes than uplinks, each uplink to a spine of
  its own: 2:1 has 2 nodes for each uplink.

`ib_net_discover` and `ib_link_info` print as the tools of OFED do (infiniband-diags,
ibnetdiscover(8) and iblinkinfo(8)); `slurm_topology` writes topology.conf(5).
"""

import networkx as nx

CHASSIS = 8
SLOTS = 8
BOARDS = 2
NODES_A_BOARD = 2


def xname(number: int) -> str:
    """Name of a node of an HPE Cray EX."""
    number, node = divmod(number, NODES_A_BOARD)
    number, board = divmod(number, BOARDS)
    number, slot = divmod(number, SLOTS)
    cabinet, chassis = divmod(number, CHASSIS)
    return f"x{1000 + cabinet}c{chassis}s{slot}b{board}n{node}"


def dragonfly(nodes: int, routers: int, groups: int, cables: int = 1) -> nx.Graph:
    found = nx.Graph()

    def router(group: int, number: int) -> str:
        name = f"g{group}r{number % routers}"
        found.add_node(name, kind="switch")
        return name

    count = 0
    for group in range(groups):
        for one in range(routers):
            for _ in range(nodes):
                found.add_edge(xname(count), router(group, one))
                count += 1
            for other in range(one):
                found.add_edge(router(group, one), router(group, other))
    used = [0] * groups
    for _ in range(cables):
        for one in range(groups):
            for other in range(one):
                found.add_edge(router(one, used[one]), router(other, used[other]))
                used[one] += 1
                used[other] += 1
    return found


def tapered_tree(leaves: int, nodes: int, uplinks: int) -> nx.Graph:
    found = nx.Graph()
    for leaf in range(leaves):
        found.add_node(f"leaf{leaf}", kind="switch")
        for node in range(nodes):
            found.add_edge(f"cn{leaf * nodes + node:05}", f"leaf{leaf}")
        for spine in range(uplinks):
            found.add_node(f"spine{spine}", kind="switch")
            found.add_edge(f"leaf{leaf}", f"spine{spine}")
    return found


def is_switch(machine: nx.Graph, name: str) -> bool:
    return bool(machine.nodes[name].get("kind") == "switch")


def _guids(machine: nx.Graph) -> dict[str, str]:
    return {
        name: f"{'S' if is_switch(machine, name) else 'H'}-{number + 0x248A0703:016x}"
        for number, name in enumerate(machine)
    }


def _ports(machine: nx.Graph) -> dict[tuple[str, str], int]:
    return {
        (name, other): port
        for name in machine
        for port, other in enumerate(machine[name], 1)
    }


def _description(machine: nx.Graph, name: str) -> str:
    return f"MF0;{name}:MQM8700/U1" if is_switch(machine, name) else f"{name} mlx5_0"


def ib_net_discover(machine: nx.Graph) -> str:
    guid, port = _guids(machine), _ports(machine)
    lines = ["#", "# Topology file: generated on Sat Nov 28 12:00:00 2026", "#"]
    for lid, name in enumerate(machine, 1):
        switch, own = is_switch(machine, name), guid[name]
        said = _description(machine, name)
        lines += ["", "vendid=0x2c9", "devid=0xd2f0", f"sysimgguid=0x{own[2:]}"]
        lines.append(f"{'switchguid' if switch else 'caguid'}=0x{own[2:]}({own[2:]})")
        if switch:
            tail = f"enhanced port 0 lid {lid} lmc 0"
            lines.append(f'Switch\t{len(machine[name])} "{own}"\t\t# "{said}" {tail}')
        else:
            lines.append(f'Ca\t1 "{own}"\t\t# "{said}"')
        for other in machine[name]:
            mine = f"[{port[name, other]}]" + ("" if switch else f"({own[2:]}) ")
            end = f'"{guid[other]}"[{port[other, name]}]'
            far = "" if is_switch(machine, other) else f"({guid[other][2:]})"
            words = f'# "{_description(machine, other)}" lid 7 4xHDR'
            lines.append(f"{mine}\t{end}{far}\t\t{words}")
    return "\n".join(lines) + "\n"


def ib_link_info(machine: nx.Graph) -> str:
    guid, port = _guids(machine), _ports(machine)
    lid = {name: number for number, name in enumerate(machine, 1)}
    lines = []
    for name in machine:
        switch, said = is_switch(machine, name), _description(machine, name)
        own = f"0x{guid[name][2:]}"
        lines.append(f"Switch: {own} {said}:" if switch else f"CA: {said}:")
        for other in machine[name]:
            begin = "     " if switch else f"      {own} "
            state = "==( 4X        53.125 Gbps Active/  LinkUp)==>"
            lines.append(
                f"{begin}{lid[name]:6} {port[name, other]:4}[  ] {state}"
                f"{lid[other]:8} {port[other, name]:4}[  ] "
                f'"{_description(machine, other)}" ( )'
            )
        if switch:
            lines.append(f"     {lid[name]:6}   40[  ] {DOWN}")
    return "\n".join(lines) + "\n"


DOWN = '==(                Down/ Polling)==>             [  ] "" ( )'


def slurm_topology(machine: nx.Graph) -> str:
    """Write a tree; of a fat tree the spines are one switch above all leaves."""
    lines, leaves = [], []
    for name in machine:
        hosts = [other for other in machine[name] if not is_switch(machine, other)]
        if is_switch(machine, name) and hosts:
            leaves.append(name)
            lines.append(f"SwitchName={name} Nodes={','.join(hosts)}")
    return "\n".join([*lines, f"SwitchName=top Switches={','.join(leaves)}"]) + "\n"
