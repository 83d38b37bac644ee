"""From a trace and its topology to the one logical trace.

The package has the name of a function of the Python API, and can be called as that:
``topoview.logical(trace)`` is right before and after it has been imported.
"""

import sys
from collections.abc import Callable
from inspect import Signature, getdoc, signature
from types import ModuleType
from typing import TYPE_CHECKING, Any

from topoview.base.lazy import on_first_use

if TYPE_CHECKING:
    from topoview.logical.expansion import expand
    from topoview.logical.listing import logical_record

__all__ = ["expand", "logical_record"]

__getattr__ = on_first_use(
    __name__,
    {
        "expand": "logical.expansion",
        "logical_record": "logical.listing",
    },
)


class _CallablePackage(ModuleType):
    """The package, called as the function of the Python API."""

    def __call__(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - handed on
        return _function()(*given, **named)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        """Return what ``help(topoview.logical)`` shows: the function's page."""
        function = _function()
        return f"logical{signature(function)}\n\n{getdoc(function)}"

    @property
    def __signature__(self) -> Signature:
        """Return the parameters of the function, as editors ask for them."""
        return signature(_function())


def _function() -> Callable[..., Any]:
    api = sys.modules["topoview"]  # which knows all rooms: not imported here
    function: Callable[..., Any] = api.find_logical
    return function


sys.modules[__name__].__class__ = _CallablePackage
