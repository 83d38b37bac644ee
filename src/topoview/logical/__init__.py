"""From a trace and its topology to the one logical trace."""

from typing import TYPE_CHECKING

from topoview.lazy import on_first_use

if TYPE_CHECKING:
    from topoview.logical.expansion import expand
    from topoview.logical.listing import logical_record
    from topoview.logical.logicalise import logicalise

__all__ = ["expand", "logical_record", "logicalise"]

__getattr__ = on_first_use(
    __name__,
    {
        "expand": "logical.expansion",
        "logical_record": "logical.listing",
        "logicalise": "logical.logicalise",
    },
)
