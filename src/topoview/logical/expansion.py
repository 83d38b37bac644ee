"""What the logical trace says that a rank does."""

from collections.abc import Iterator

from topoview.model import Call, Directions, Ints, LogicalTrace, Loop, Statement

Entry = tuple[str, int | None, int | None, int | None]


def expand(logical: LogicalTrace, directions: Directions, rank: int) -> list[Entry]:
    """Write out a rank's calls.

    A statement stands for the rank if it needs no partner, or if the rank has
    one in its direction (`Partners`); sizes that vary come from `SizeTable`.

    Returns
    -------
    list of (operation, to, bytes, source)
        World ranks or None, in program order. Bytes are those sent, or of the
        collective; those received where nothing is sent; None if there are none.
    """
    own = _own_halves(logical, rank)
    tables = (
        _cells(logical, rank, received=False),
        _cells(logical, rank, received=True),
    )
    turns: dict[int, int] = {}
    reached: dict[str, int | None] = {}

    def partner(name: str | None, half: int) -> int | None:
        if name is None or (name, half) not in own:
            return None
        if name not in reached:
            reached[name] = directions.partner(rank, name)
        return reached[name]

    entries: list[Entry] = []
    for call in written_out(logical.body):
        needs = [
            (name, half)
            for name, half in (
                (call.to or call.awaits_to, 0),
                (call.source or call.awaits_source, 1),
            )
            if name is not None
        ]
        if needs and not any(need in own for need in needs):
            continue
        turn = turns.get(call.index, 0)
        turns[call.index] = turn + 1
        to, source = partner(call.to, 0), partner(call.source, 1)
        side = 1 if to is None and source is not None else 0
        constant = (call.size, call.source_size)[side]
        cell = tables[side].get(call.index)
        size = constant if cell is None else _taken(cell, turn)
        entries.append((call.operation, to, size, source))
    return entries


def written_out(body: tuple[Statement, ...]) -> Iterator[Call]:
    """Go through all calls of a body, loops written out."""
    for statement in body:
        if isinstance(statement, Call):
            yield statement
        elif isinstance(statement, Loop):
            for _ in range(statement.count):
                yield from written_out(statement.body)


def _own_halves(logical: LogicalTrace, rank: int) -> set[tuple[str, int]]:
    known = logical.partners
    halves = known.halves[  # type: ignore[attr-defined]
        known.offsets[rank] : known.offsets[rank + 1]
    ].tolist()
    return {(known.names[half // 2], half % 2) for half in halves}


def _cells(logical: LogicalTrace, rank: int, *, received: bool) -> dict[int, Ints]:
    sizes = logical.sizes
    found = {}
    for column, statement in enumerate(sizes.statement.tolist()):
        if sizes.received[column] == received:
            cell = column * logical.ranks + rank
            found[statement] = sizes.values[
                sizes.offsets[cell] : sizes.offsets[cell + 1]
            ]
    return found


def _taken(cell: Ints, turn: int) -> int | None:
    return int(cell[turn % len(cell)]) if len(cell) else None
