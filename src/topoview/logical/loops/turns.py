"""Loops around the places of a program, and the numbers that they may go over."""

from dataclasses import replace

from topoview.logical.loops.tree import Body, Leaf, Node, Part, Repeat, Tree


class Turns:
    """Loops around the leaves of a tree, each with a number.

    Attributes
    ----------
    around
        For each leaf the loops around it, the innermost first: number of the loop,
        how often the leaf runs in a turn of it, turns.
    over
        Numbers that each loop goes over already.
    """

    def __init__(self, tree: Tree) -> None:
        self.around: list[list[tuple[int, int, int]]] = [[] for _ in range(tree.leaves)]
        self.over: list[tuple[int, ...]] = []
        self._number: dict[int, int] = {}
        for body in (tree.body, *tree.blocks):
            self._walk(body, (), usable=True)

    def _walk(
        self, body: Body, around: tuple[tuple[int, int], ...], *, usable: bool
    ) -> None:
        for node in body:
            if isinstance(node, Leaf):
                times = 1
                for loop, count in reversed(around):
                    if loop >= 0:
                        self.around[node.place].append((loop, times, count))
                    times *= count
            elif isinstance(node, Part):
                self._walk(node.body, (), usable=usable)
            elif isinstance(node, Repeat):
                fixed = node.trips < 0 and node.rank_trips < 0
                inner = usable and not node.over and not node.sized
                if fixed:
                    loop = self._number[id(node)] = len(self.over)
                    self.over.append(node.over)
                    own = loop if usable and not _goes_over(node.body) else -1
                    self._walk(node.body, (*around, (own, node.count)), usable=inner)
                else:
                    self._walk(node.body, (), usable=inner)

    def written(self, body: Body, over: dict[int, tuple[int, ...]]) -> Body:
        """Write a body with the numbers that its loops go over."""
        return tuple(self._rewritten(node, over) for node in body)

    def _rewritten(self, node: Node, over: dict[int, tuple[int, ...]]) -> Node:
        if isinstance(node, Part):
            return replace(node, body=self.written(node.body, over))
        if not isinstance(node, Repeat):
            return node
        own = over.get(self._number.get(id(node), -1), node.over)
        return replace(node, over=own, body=self.written(node.body, over))


def _goes_over(body: Body) -> bool:
    """Whether a loop over numbers is in a body."""
    return any(
        (isinstance(node, Repeat) and bool(node.over)) or _goes_over(node.body)
        for node in body
        if isinstance(node, Repeat | Part)
    )
