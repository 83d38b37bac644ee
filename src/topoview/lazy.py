"""Names of a package that are imported when they are first used (PEP 562).

Commands that only show what is kept would else import compiled code, which takes
longer than all that they do.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def on_first_use(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Make the function ``__getattr__`` of a package.

    Parameters
    ----------
    package
        Its name.
    modules
        The module within ``topoview`` that each name of the package is from.
    """

    def find(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"topoview.{modules[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return find
