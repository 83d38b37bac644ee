"""What is in the store, in words."""

import time
from typing import Any, Final

from topoview.io.store.store import Entry, Store
from topoview.memory import size_words

_UNITS: Final = ((86400, "day"), (3600, "hour"), (60, "minute"))


def cache_record(store: Store) -> dict[str, Any]:
    """Describe a store as JSON-able values: what ``topoview cache`` prints."""
    entries = store.entries()
    return {
        "folder": str(store.folder),
        "limit": store.limit,
        "bytes": sum(entry.size for entry in entries),
        "traces": [
            {
                "path": entry.trace,
                "part": entry.part,
                "stale": entry.stale,
                "bytes": entry.size,
                "used": entry.used,
            }
            for entry in entries
        ],
    }


def cache_text(store: Store) -> str:
    """Describe a store in lines for a reader."""
    entries = store.entries()
    total = size_words(sum(entry.size for entry in entries))
    return "\n".join(
        [
            f"{store.folder}: {total} of {size_words(store.limit)}",
            *(_line(entry) for entry in entries),
        ]
    )


def _line(entry: Entry) -> str:
    part = "" if entry.part in ("all", "") else f" ({entry.part})"
    part += ", read by another version" * (entry.stale and bool(entry.part))
    return f"{size_words(entry.size):>10}  {_ago(entry.used):<15} {entry.trace}{part}"


def _ago(when: float) -> str:
    age = time.time() - when
    for seconds, unit in _UNITS:
        count = int(age // seconds)
        if count:
            return f"{count} {unit}{'s' * (count > 1)} ago"
    return "just now"


def too_large(size: int, limit: int) -> str:
    """Tell why a trace is not kept for long; empty if it is."""
    if size <= limit:
        return ""
    return (
        f"it takes {size_words(size)} and the cache {size_words(limit)}; "
        "topoview cache --limit raises that"
    )
