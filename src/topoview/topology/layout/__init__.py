"""Where ranks are drawn: `LAYOUTS`, the table of all layouts.

A layout is a function from a `LayoutRequest` to a `PlacedRanks`. It is imported when it
is used: menus read the table without compiled code.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from topoview.base.text import mark

if TYPE_CHECKING:
    from topoview.model import Machine
    from topoview.topology.layout.grid import LayoutRequest, PlacedRanks


@dataclass(frozen=True, slots=True)
class LayoutEntry:
    """A layout of the table."""

    title: str
    """What it is called."""
    own: str = ""
    """The function that lays out topologies which have this layout of their own: module
    of this folder, and name. Empty if none has."""
    free: str = ""
    """The function that lays out any trace; a topology's own goes before it. Empty if
    there is none."""
    needs: str = ""
    """What a machine must tell for that: a field of `Machine`; empty: nothing."""

    def is_given(self, machine: "Machine") -> bool:
        """Return whether any trace can have it that ran on a machine."""
        return bool(self.free) and (
            not self.needs or len(getattr(machine, self.needs)) > 0
        )

    def place(self, request: "LayoutRequest", *, free: bool) -> "PlacedRanks":
        """Place ranks."""
        module, _, name = (self.free if free else self.own).partition(".")
        functions = importlib.import_module(f"{__name__}.{module}")
        make: Callable[[LayoutRequest], PlacedRanks] = getattr(functions, name)
        return make(request)


LAYOUTS: Final = {
    "flat": LayoutEntry(mark("Flat"), "natural.plane"),
    "planes": LayoutEntry(mark("Planes"), "planes.planes"),
    "block": LayoutEntry(mark("Block"), "planes.block"),
    "snake": LayoutEntry(mark("Snake"), "natural.snake"),
    "star": LayoutEntry(mark("Star"), "natural.star"),
    "tree": LayoutEntry(mark("Tree"), "natural.tree"),
    "cone": LayoutEntry(mark("Cone"), "natural.cone"),
    "table": LayoutEntry(mark("Table"), "natural.table"),
    "globe": LayoutEntry(mark("Globe"), "natural.globe"),
    "folded": LayoutEntry(mark("Folded"), "natural.folded"),
    "groups": LayoutEntry(mark("Groups"), "natural.groups"),
    "mesh": LayoutEntry(mark("Mesh"), "natural.mesh"),
    "nested": LayoutEntry(mark("Nested"), "natural.nested"),
    "spectral": LayoutEntry(mark("Spectral"), "natural.spectral"),
    "ranks": LayoutEntry(mark("Rank order"), "natural.ranks"),
    "line": LayoutEntry(mark("Line"), "natural.line", "free.line"),
    "circle": LayoutEntry(mark("Circle"), "natural.circle", "free.circle"),
    "grid": LayoutEntry(mark("Grid"), "natural.grid", "free.grid"),
    "tube": LayoutEntry(mark("Tube"), "natural.tube", "free.tube"),
    "torus": LayoutEntry(mark("Torus"), "natural.torus", "free.torus"),
    "sphere": LayoutEntry(mark("Sphere"), "natural.sphere", "free.sphere"),
    "cube": LayoutEntry(mark("Cube"), "", "free.cube"),
    "helix": LayoutEntry(mark("Helix"), "", "free.helix"),
    "nodes": LayoutEntry(mark("By host"), "", "free.units", "levels"),
    "places": LayoutEntry(
        mark("By machine coordinates"), "", "free.places_of_machine", "places"
    ),
}
"""All layouts, in the order of menus. To add one is to write a function and a line
here; one in the shape of a topology is named for the kinds that it serves in
`topoview.topology.layout.choice`."""
