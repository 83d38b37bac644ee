"""The page about every type of record, held against what reading does with each."""

import random
import re
from pathlib import Path

import _otf2
from event_files import random_events, write_definitions, write_file
from traces import simulated
from writer import write_trace

from topoview.io.definitions.columns import DEFINITION_TYPES
from topoview.io.record_types import RECORDS
from topoview.model import COMMUNICATOR_PARENT
from topoview.report.info import RECORD_WORDS
from topoview.worker import open_trace

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "records.md"
LOCAL = {"MappingTable", "ClockOffset"}


def table(title: str) -> dict[str, list[str]]:
    """Rows of a section's table by the types that they are about."""
    section = PAGE.read_text().split(f"\n## {title}\n")[1].split("\n## ")[0]
    found: dict[str, list[str]] = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for name in re.findall(r"`(\w+)`", cells[0]) if line.startswith("| `") else []:
            assert name not in found
            found[name] = cells[1:]
    alone = section.partition("In `trace.further` alone: ")[2].partition("\n\n")[0]
    return found | {name: ["further"] for name in re.findall(r"`(\w+)`", alone)}


def settable(kind: str) -> set[str]:
    """Types for which libotf2 has a callback."""
    pattern = re.compile(rf"{kind}ReaderCallbacks_Set(\w+)Callback")
    found = (pattern.fullmatch(name) for name in dir(_otf2))
    return {match[1] for match in found if match} - {"Unknown"}


def test_every_type_of_event_is_told_and_kept_where_the_page_says(
    tmp_path: Path,
) -> None:
    told = table("Events")
    assert set(told) == {record.name for record in RECORDS.values()} == settable("Evt")
    assert set(told) == set(RECORD_WORDS)
    path = write_trace(simulated("grid", (3, 2)), tmp_path / "run")
    folder = path.with_suffix("")
    events = random_events(random.Random(7), 6000)
    (folder / "2.evt").write_bytes(write_file(events, "little"))
    (folder / "2.def").write_bytes(write_definitions("little", {}, []))
    trace = open_trace(path)
    assert set(told) <= {name for name, count in trace.counts if count}
    tables = {records.name for records in trace.further if len(records)}
    tables -= {COMMUNICATOR_PARENT}  # of collectives that make one
    assert tables == {name for name, cells in told.items() if "further" in cells[0]}
    places = {place for cells in told.values() for place in cells[0].split(", ")}
    assert places == {"timeline", "calls", "messages", "collectives", "further"}


def test_every_type_of_definition_is_told() -> None:
    told = table("Definitions")
    assert set(told) == settable("GlobalDef") | LOCAL
    taken = {kind.name for kind in DEFINITION_TYPES.values()} | LOCAL
    assert set(told) == taken
