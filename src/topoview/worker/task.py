"""What is asked of a worker, and what a worker is."""

import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from topoview.base.text import json_text
from topoview.errors import PartError, PatternError, TopoviewError, TraceError
from topoview.model import Subset
from topoview.pipeline import Options


@dataclass(frozen=True, slots=True)
class Task:
    """Results of a trace, or of a partition of its ranks and time."""

    path: str
    """The trace as the user named it."""
    store: str
    """Folder of the store that the trace is in or goes to, and its results."""
    private: bool = False
    """Whether that store is the process's own, which no limit holds for."""
    subset: Subset = field(default_factory=Subset)
    """The partition."""
    key: str = ""
    """Key of the trace in the store if it is there; empty: it is to be read."""
    asks: bool = False
    """Whether to ask what is to be read, if reading all of it takes long."""
    wanted: tuple[str, ...] = ()
    """Names of results in `topoview.pipeline.RESULTS`, in their order."""
    options: Options = field(default_factory=Options)
    """What is asked of them."""
    beside: str = ""
    """Folder of another store that holds results for which that one has no room; empty
    if there is none."""

    def to_json(self) -> str:
        """Write it on a line."""
        return json_text(asdict(self), default=str)


def parse_task(line: str) -> Task:
    """Parse the task that `Task.to_json` wrote."""
    fields = json.loads(line)
    options = fields.pop("options")
    patterns = tuple(map(Path, options.pop("patterns")))
    other = tuple(options.pop("other"))
    return Task(
        subset=parse_subset(fields.pop("subset")),
        wanted=tuple(fields.pop("wanted")),
        options=Options(patterns=patterns, other=other, **options),
        **fields,
    )


def parse_subset(payload: dict[str, Any]) -> Subset:
    """Build a `Subset` from its fields."""
    ranks = tuple((first, last) for first, last in payload["ranks"])
    return Subset(payload["begin"], payload["end"], ranks)


class Worker(Protocol):
    """Computes results of a trace behind the wall: partitions in, results out.

    Results do not come with its messages: those only tell that they are in the store.

    - ``progress STAGE FRACTION``
    - ``key KEY``: what will be in the store, and is to be removed if it is not finished
    - ``ask EXTENT``: what is to be read? The answer is a subset
    - ``place``: the store has no room. The answer is the folder of another one
    - ``trace FOLDER KEY FAULT``: it is in the store in a folder; FAULT says why it is
      not kept there for long
    - ``kept NAME``: a result is in the store, or in that other one
    - ``refused NAME TEXT``: a result is not made
    - ``error KIND TEXT DETAILS``: the task cannot be done
    """

    def messages(self) -> Iterator[list[Any] | None]:
        """Yield messages as they come, and every 40 ms at least: None without one.

        Raises `TopoviewError` if the worker has ended without having done its task.
        """

    def answer(self, value: object) -> None:
        """Answer what the last message asks."""

    def end(self, found: Collection[str] = ()) -> None:
        """End it, whatever it does; waits for nothing.

        Parameters
        ----------
        found
            Results that are in the store, whether or not a message has said so.
        """


_ERRORS: Final[dict[str, type[TopoviewError]]] = {
    "part": PartError,
    "trace": TraceError,
    "pattern": PatternError,
}


def kind_of(error: TopoviewError) -> str:
    """Name the kind of an error, for `error_of`."""
    for name, kind in _ERRORS.items():
        if isinstance(error, kind):
            return name
    return ""


def error_of(kind: str, text: str) -> TopoviewError:
    """Return the error that ended a task, from its kind and text."""
    return _ERRORS.get(kind, TopoviewError)(text)
