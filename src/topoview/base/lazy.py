"""Names of a package that are imported when they are first used (PEP 562).

Commands that only show what is kept would else import compiled code, which takes
longer than all that they do.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType


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
        result = getattr(import_module(f"topoview.{modules[name]}"), name)
        setattr(sys.modules[package], name, result)
        return result

    return find


class _PutOff(ModuleType):
    """Stands for a module until something of it is used."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # looked for by the import itself
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def put_off(name: str, *functions: str) -> None:
    """Have a module that others import loaded when it is first used, or never.

    Parameters
    ----------
    name
        Of the module.
    functions
        What others import from it by name, and use in no other way than to call it.

    Examples
    --------
    >>> put_off("colorsys")
    >>> import colorsys
    >>> colorsys.rgb_to_hsv(0.0, 0.0, 1.0)[2]
    1.0
    >>> put_off("sched", "scheduler")
    >>> from sched import scheduler
    >>> scheduler().empty()
    True
    """
    put = _PutOff(name)
    for function in functions:
        setattr(put, function, partial(_call_later, name, function))
    package, _, last = name.rpartition(".")
    if sys.modules.setdefault(name, put) is put and package in sys.modules:
        setattr(sys.modules[package], last, put)  # as the import would do


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


def put_off_unused() -> None:
    """Put off what scipy imports, and has no use for here."""
    put_off("numpy.f2py")
    put_off("numpy.testing")
    put_off("scipy.sparse.linalg", "LinearOperator")


def _call_later(name: str, function: str, *given: object, **named: object) -> object:
    if isinstance(sys.modules.get(name), _PutOff):
        del sys.modules[name]
    return getattr(import_module(name), function)(*given, **named)
