"""What all locations share: regions, calling contexts, communicators."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder.frame import address
from topoview.io.decoder.partners import REMOTE_WORDS
from topoview.io.decoder.regions import IS_CALL, UNKNOWN
from topoview.io.definitions.communicators import Communicators
from topoview.io.definitions.regions import RegionLookup
from topoview.model import Indices, Ints


def common_fields(
    meaning: RegionLookup, communicators: Communicators, flat: bool
) -> tuple[dict[str, int], list[NDArray[Any]]]:
    """Make the fields of a frame that are the same for all locations.

    Returns
    -------
    dict, list
        The fields, and arrays that must live as long as they are used.
    """
    direct = _words(meaning, meaning.direct)
    packed = _words(meaning, meaning.dense)
    contexts = _words(meaning, meaning.contexts)
    members = communicators.members()
    remote, kept = _remote(communicators)
    arrays: list[NDArray[Any]] = [
        direct,
        packed,
        contexts,
        meaning.identifiers,
        *members,
        remote,
        *kept,
    ]
    fields = {
        "direct": address(direct),
        "direct_count": len(direct),
        "packed": address(packed),
        "identifiers": address(meaning.identifiers),
        "identifier_count": len(meaning.identifiers),
        "contexts": address(contexts),
        "context_count": len(contexts),
        "flat": int(flat),
        "comm_identifiers": address(members.identifiers),
        "comm_numbers": address(members.numbers),
        "comm_count": len(members.identifiers),
        "comm_begins": address(members.begins),
        "comm_ranks": address(members.ranks),
        "comm_remote": address(remote) if len(remote) else 0,
    }
    return fields, arrays


def _words(meaning: RegionLookup, numbers: Indices) -> Ints:
    """Words of regions by their numbers, as in `topoview.io.decoder.regions`."""
    if not len(meaning.state):
        return np.full(len(numbers), UNKNOWN, np.int64)
    known = meaning.state[numbers].astype(np.int64) << 32 | numbers
    known |= np.where(meaning.operation[numbers] >= 0, IS_CALL, 0)
    return np.where(numbers >= 0, known, UNKNOWN)


def _remote(communicators: Communicators) -> tuple[Ints, list[Indices]]:
    """For each communicator and side: the other's members, own ones sorted."""
    if not communicators.remote:
        return np.zeros(0, np.int64), []
    empty = np.zeros(0, np.int32)
    table = np.zeros((len(communicators.items), REMOTE_WORDS), np.int64)
    kept: list[Indices] = [empty]
    for number, groups in communicators.remote.items():
        for side, group in enumerate(groups):
            members = np.ascontiguousarray(group, np.int32)
            ordered = np.sort(members)
            kept += [members, ordered]
            words = (address(members), address(ordered), len(members))
            table[number, 3 * side : 3 * side + 3] = words
    return table.ravel(), kept
