"""From a trace and its topology to the one logical trace."""

from topoview.logical.expansion import expand
from topoview.logical.listing import listing
from topoview.logical.logicalise import logicalise
from topoview.logical.record import logical_record

__all__ = ["expand", "listing", "logical_record", "logicalise"]
