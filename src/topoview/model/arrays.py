"""Array types of the model, and what makes them read-only."""

from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Indices = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def freeze(instance: object) -> None:
    """Make every array that a dataclass instance holds read-only.

    Called by ``__post_init__`` of the model's dataclasses: what is shared
    between threads and views is never written to.
    """
    for field in fields(instance):  # type: ignore[arg-type]
        value = getattr(instance, field.name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
