"""What files tell of a machine: its nodes, their places, cables, where ranks run."""

from topoview.io.machine.forms import read_machine

__all__ = ["read_machine"]
