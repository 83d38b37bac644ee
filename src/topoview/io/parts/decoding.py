"""Decoding a part: its events, and its sends in the order of their receivers' parts."""

from typing import Any, Final

import numpy as np

from topoview.base.progress import Report, silent
from topoview.io.decoder.decoding import decode
from topoview.io.decoder.library import RECEIVED, UNKNOWN
from topoview.io.intercommunicators import creates_intercommunicators
from topoview.io.otf2 import source_of
from topoview.io.parts.work import Work, columns_of, once, write_stretches
from topoview.model import Subset
from topoview.store.arrays import MemoryAllocator

FACTS: Final = (
    *("first", "last", "offsets", "fault", "fault_errno", "lost", "chunk_count"),
    *("definitions_fault", "definitions_errno", "changed", "changed_errno"),
)
"""What the decoder tells of a location that is needed of all of them together."""

SENT: Final = np.dtype(
    [
        *(("sender", np.int32), ("receiver", np.int32), ("size", np.int64)),
        *(("tag", np.int32), ("communicator", np.int32)),
        *(("send_call", np.int64), ("send_time", np.int64)),
        *(("row", np.int64), ("place", np.int64)),
    ]
)
"""A send as the part of its receiver reads it: the columns of `Messages`, the row of
its location, and its place among the sends of that."""


def decode_part(work: Work, part: int, report: Report = silent) -> None:
    """Decode the events of a part's locations.

    What other parts look at is a file by itself: each of them opens each of these.
    """
    once(work.file("decoded", part), lambda: _decode(work, part, report))


def _decode(work: Work, part: int, report: Report) -> dict[str, Any]:
    defined, rows = work.defined, work.rows(part)
    places = tuple(defined.processes.locations[row] for row in rows.tolist())
    mains = int(np.count_nonzero(rows < defined.ranks))
    found = decode(
        source_of(defined.files, Subset()), places, mains, defined.meaning,
        defined.communicators, defined.is_eztrace, report, MemoryAllocator(),
        whole=False,
    )  # fmt: skip
    facts, unmatched = found.facts, found.unmatched
    assert facts is not None
    assert unmatched is not None
    sent = np.empty(unmatched.sends, SENT)
    for name in (SENT.names or ())[:-2]:
        sent[name] = unmatched.columns[f"messages.{name}"][: unmatched.sends]
    counts = np.diff(facts.sends)
    sent["row"] = np.repeat(rows, counts)
    sent["place"] = np.arange(len(sent)) - np.repeat(facts.sends[:-1], counts)
    stops = np.array([stop for _, stop in work.parts[:-1]])
    to = np.searchsorted(stops, sent["receiver"], side="right")
    order = np.argsort(to, kind="stable")
    begins = np.searchsorted(to[order], np.arange(len(work.parts) + 1))
    write_stretches(work.file("sent", part), begins, sent[order])
    receives = unmatched.columns["receives"]
    parts = found.collectives

    return {
        "facts": np.stack([facts.rows[name] for name in FACTS]),
        "beginning": facts.beginning,
        "last": found.last,
        "records": {str(kind): count for kind, count in facts.records.items()},
        "astray": (found.astray, found.spoilt, found.path_cut),
        "unknown_partners": unmatched.unknown_partners,
        "makes_groups": creates_intercommunicators(found.calls.region, defined.regions),
        "unset": bool(
            (
                (receives["rank"] == UNKNOWN) & (receives["post"] != receives["call"])
            ).any()
        ),
        "paths": facts.paths,
        "paths_of": facts.paths_of,
        "timeline": columns_of(found.timeline),
        "calls": columns_of(found.calls),
        "collectives": columns_of(parts),
        "parts": np.append(
            np.searchsorted(parts.call, found.calls.offsets[:-1]), len(parts)
        ),
        "sends": facts.sends,
        "order": order,
        "to": begins,
        "receives": facts.receives,
        "received": {
            **{name: np.array(receives[name]) for name in RECEIVED.names or ()},
            "posted": unmatched.columns["receives.posted"],
        },
        "further": {
            str(kind): columns_of(records)
            for kind, records in zip(facts.further, found.further, strict=True)
        },
    }
