"""What is derived from frozen things time and again: kept with them, gone with them.

Menus ask at each change of the state for what is to be found in a match or an analysis.
What was found lies beside that, not in a global cache that would hold a closed trace.
"""

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

Source = TypeVar("Source")
Others = ParamSpec("Others")
Made = TypeVar("Made")

_LOCK = RLock()


def kept_with_source(
    most: int = 4,
) -> Callable[
    [Callable[Concatenate[Source, Others], Made]],
    Callable[Concatenate[Source, Others], Made],
]:
    """Keep what a function makes of its first argument, as long as that is there.

    Parameters
    ----------
    most
        Results of one thing, for different further arguments, that are kept: the
        latest.

    Returns
    -------
    callable
        Decorator of a pure function from a frozen thing, known by its identity, and
        arguments that can be hashed. What it makes must not hold the thing.
    """

    def keep(
        make: Callable[Concatenate[Source, Others], Made],
    ) -> Callable[Concatenate[Source, Others], Made]:
        kept: WeakKeyDictionary[Source, dict[Any, Made]] = WeakKeyDictionary()

        @wraps(make)
        def find(
            source: Source, /, *args: Others.args, **kwargs: Others.kwargs
        ) -> Made:
            key = (*args, *kwargs.items())
            with _LOCK:
                cached = kept.setdefault(source, {})
                if key in cached:
                    return cached[key]
            made = make(source, *args, **kwargs)
            with _LOCK:
                cached[key] = made
                while len(cached) > most:
                    del cached[next(iter(cached))]
            return made

        return find

    return keep
