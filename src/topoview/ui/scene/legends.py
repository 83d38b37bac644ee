"""Lines above the key: messages, chains of waiting, and what else is to be told."""

import numpy as np

from topoview.model import Trace
from topoview.scene.annotations import Legend
from topoview.scene.message_looks import Flying
from topoview.ui.formats import duration_text, grouped, plural
from topoview.ui.scene.moment import SceneMoment

MOST_NAMES = 6
"""Tags of messages that are listed."""


def message_legends(flying: Flying, ink: str) -> list[Legend]:
    """Tell the messages in flight, and those that are late or come unexpected."""
    if not flying.total:
        return []
    drawn = len(flying.message)
    count = grouped(flying.total)
    if drawn < flying.total:
        count = f"{grouped(drawn)} of {count}"
    found = [Legend("message", f"message in flight  {count}")]
    late, early = int(flying.awaited.sum()), int(flying.early.sum())
    plain = "" if flying.values is None else ink
    if late:
        text = f"its receiver waits  {grouped(late)}"
        found.append(Legend("awaited", text, colour=plain))
    if early:
        found.append(Legend("early", f"no receive posted yet  {grouped(early)}"))
    return found + _categories(flying)


def _categories(flying: Flying) -> list[Legend]:
    """Name the categories that messages' colours tell, as far as some have them."""
    values = flying.values
    if values is None or not values.names:
        return []
    known = values.values[~np.isnan(values.values)].astype(np.int64)
    counts = np.bincount(known, minlength=len(values.names))
    some = np.flatnonzero(counts)
    found = []
    for number in some[:MOST_NAMES].tolist():
        text = f"{values.names[number]}  {grouped(int(counts[number]))}"
        colour = flying.colours[1 + number % (len(flying.colours) - 2)]
        found.append(Legend("message", text, colour=colour))
    if len(some) > MOST_NAMES:
        found.append(Legend("", f"and {grouped(len(some) - MOST_NAMES)} more"))
    return found


def channel_legends(trace: Trace, shown: SceneMoment) -> list[Legend]:
    """Tell what frames, rims, sizes and chains mean beside their scales."""
    found = []
    now, told = shown.now, shown.told
    if now.begin is not None:
        span = duration_text(trace.clock.seconds(now.ticks - now.begin))
        text = f"foremost state since the last frame ({span}): waiting, MPI, computing"
        found.append(Legend("", text))
    if told.trail:
        span = duration_text(trace.clock.seconds(told.trail))
        found.append(Legend("", f"rim: the state before, fading within {span}"))
    if told.gathered is not None:
        inside = int((told.gathered > 0).sum())
        text = (
            f"swollen: in a collective, by the share that has come  {grouped(inside)}"
        )
        found.append(Legend("", text))
    if shown.chains is not None:
        found += _chains(shown)
    return found


def _chains(shown: SceneMoment) -> list[Legend]:
    chains = shown.chains
    assert chains is not None
    count = int((chains.whom >= 0).sum())
    if not count:
        return [Legend("", "nobody waits for a late rank now")]
    longest = chains.longest
    found = [Legend("waits", f"waits for a late rank  {grouped(count)}")]
    if longest:
        root = longest[-1]
        held = int(chains.held[root])
        found.append(
            Legend(
                "",
                f"longest chain {plural(len(longest) - 1, 'step')}, to rank {root}, "
                f"which keeps {plural(held, 'rank')} waiting",
            )
        )
    return found
