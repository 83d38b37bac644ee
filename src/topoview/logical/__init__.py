"""From a trace and its topology to the one logical trace."""

from topoview.logical.expansion import expand
from topoview.logical.listing import listing, logical_record
from topoview.logical.logicalise import logicalise

__all__ = ["expand", "listing", "logical_record", "logicalise"]
