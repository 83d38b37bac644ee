"""Names of a package that are imported when they are first used (PEP 562).

Commands that only show what is kept would else import compiled code, which takes
longer than all that they do.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path


def on_first_use(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Build the function ``__getattr__`` of a package.

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
        result = getattr(import_module(f"topoview.{modules[name]}"), name)
        setattr(sys.modules[package], name, result)
        return result

    return find


_FOR_TYPES = re.compile(
    r"^    from topoview\.([\w.]+) import (\([^)]*\)|.*)", re.MULTILINE
)


def names_of_types(file: str) -> dict[str, str]:
    """Read the names that a package imports for the type checker only.

    Parameters
    ----------
    file
        Its source, where these imports are indented.

    Returns
    -------
    dict
        The module within ``topoview`` that each name is from.
    """
    imports = _FOR_TYPES.findall(Path(file).read_text(encoding="utf-8"))
    return {
        name: module for module, names in imports for name in re.findall(r"\w+", names)
    }


_IMPORTED = re.compile(r"^(?:from|import) ([\w.]+)", re.MULTILINE)


def import_below(module: str, packages: Sequence[str]) -> None:
    """Import what modules of some packages need from elsewhere, but none of their own.

    Parameters
    ----------
    module
        Of a package; those of the packages that it imports are followed.
    packages
        Names.

    Examples
    --------
    >>> import_below("wave", ["wave"])
    >>> "wave" in sys.modules
    False
    """
    _import_below(module, packages, set())


def _import_below(module: str, packages: Sequence[str], seen: set[str]) -> None:
    seen.add(module)
    spec = find_spec(module)
    if spec is None or not (spec.origin or "").endswith(".py"):
        return
    for name in _IMPORTED.findall(Path(str(spec.origin)).read_text(encoding="utf-8")):
        if not any(f"{name}.".startswith(f"{package}.") for package in packages):
            import_module(name)
        elif name not in seen and name not in sys.modules:
            _import_below(name, packages, seen)
