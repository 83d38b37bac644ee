"""Which form a file about a machine has: told by what stands in it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from topoview.errors import PlacementError
from topoview.io.machine.fabric import ib_link_info, ib_net_discover
from topoview.io.machine.graphs import edge_list, graphml, hwloc
from topoview.io.machine.job_files import (
    blue_gene_map,
    host_file,
    open_mpi_rank_file,
    rank_order,
    slurm_job,
    slurm_topology,
)
from topoview.io.machine.tables import is_machine_table, machine_table, placement_text
from topoview.model import MachineFacts


class Form(NamedTuple):
    """A form of files: what it is called, what fits it, what reads it.

    Readers raise `ValueError`, whose text says what is wrong in which line.
    """

    name: str
    fits: Callable[[str], bool]
    read: Callable[[str], MachineFacts]


def _matches(pattern: str) -> Callable[[str], bool]:
    regex = re.compile(pattern, re.MULTILINE)
    return lambda text: regex.search(text) is not None


def _lines_are(pattern: str) -> Callable[[str], bool]:
    line = re.compile(pattern)
    return lambda text: all(line.fullmatch(each) for each in _telling(text))


def _telling(text: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


FORMS: Final = (
    Form("GraphML", _matches(r"<graphml\b"), graphml),
    Form("hwloc XML", _matches(r"<topology\b"), hwloc),
    Form("Slurm topology", _matches(r"^[ \t]*SwitchName="), slurm_topology),
    Form("ibnetdiscover", _matches(r'^(Switch|Ca)\s+\d+\s+"'), ib_net_discover),
    Form("iblinkinfo", _matches(r"LinkUp\)==>"), ib_link_info),
    Form(
        "Open MPI rank file",
        _matches(r"^[ \t]*rank[ \t]+\d+[ \t]*=[ \t]*\S"),
        open_mpi_rank_file,
    ),
    Form("table", is_machine_table, machine_table),
    Form(
        "list of Slurm's nodes",
        _matches(r"NODELIST=|\A\s*[\w.-]*\[[\d,-]+\]\S*\s*\Z"),
        slurm_job,
    ),
    Form("MPICH rank order", _lines_are(r"[\d-]+(\s*,\s*[\d-]+)+,?|\d+"), rank_order),
    Form("Blue Gene map file", _lines_are(r"\d+(\s+\d+){3,}"), blue_gene_map),
    Form("edge list", _lines_are(r"\S+\s+[^\s=]+(\s+[\d.e+-]+|\s+\{.*\})?"), edge_list),
    Form("host file", _lines_are(r"[\w.-]+(:\d+)?(\s+\w+=\S+)*"), host_file),
)
"""Forms that are understood; the first that fits is taken."""


def read_machine(path: Path) -> MachineFacts:
    """Read what a file tells of a machine, in whichever of `FORMS` it is.

    Raises `PlacementError`: it cannot be read, or has none of these forms.
    """
    text = placement_text(path)
    if not _telling(text):
        raise PlacementError(f"{path} is empty: give a file that describes the machine")
    for form in FORMS:
        try:
            if form.fits(text):
                return form.read(text)
        except (ValueError, RecursionError) as error:
            raise PlacementError(
                f"{path} was taken for a {form.name}, and is wrong: {error}"
            ) from error
    names = ", ".join(form.name for form in FORMS)
    raise PlacementError(
        f"{path} is in no form that is known: write one of {names}; a table begins "
        "with a header such as rank,node,x,y,z"
    )
