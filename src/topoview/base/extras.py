"""Packages that topoview is installed with on request, by groups.

``pip install topoview`` brings what a cluster has a use for: every command but those
that draw. The window is the extra `window`, and so on: the extras of
``pyproject.toml`` that are not for who works on topoview itself.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from topoview.errors import ExtraError


@dataclass(frozen=True, slots=True)
class Extra:
    """A group of packages that are installed together."""

    purpose: str
    """What needs them, as the beginning of a sentence."""
    modules: tuple[str, ...]
    """What is imported of them."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Modules that are not installed."""
        return tuple(name for name in self.modules if find_spec(name) is None)


EXTRAS: Final = {
    "window": Extra(
        "the window, pictures, films and PDF",
        ("PySide6", "vtkmodules", "pyvista", "PIL"),
    ),
    "cluster": Extra("clusters of Dask", ("dask", "distributed")),
    "tables": Extra("data frames and Parquet files", ("pandas", "pyarrow")),
    "sql": Extra("questions in SQL", ("duckdb", "pyarrow")),
    "notebook": Extra(
        "figures, labelled arrays and bars of progress",
        ("matplotlib", "xarray", "tqdm"),
    ),
    "mcp": Extra("answers to assistants", ("mcp",)),
}


def need(name: str, *modules: str) -> None:
    """Refuse to go on without the packages of an extra.

    Parameters
    ----------
    name
        Of the extra.
    modules
        Those of its modules that are used; none: all.

    Raises
    ------
    ExtraError
        If one is missing: says which, and what to type.

    Examples
    --------
    >>> need("window")
    """
    extra = EXTRAS[name]
    missing = [one for one in extra.missing if one in (modules or extra.modules)]
    if missing:
        raise ExtraError(
            f"{extra.purpose} need packages that are not installed here "
            f'({", ".join(missing)}): pip install "topoview[{name}]"'
        )
