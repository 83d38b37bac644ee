"""Ways to write a number as a product."""

from collections.abc import Iterator


def factorisations(n: int, d: int) -> Iterator[tuple[int, ...]]:
    """Write `n` as a product of `d` factors of 2 or more, largest first."""
    yield from (dims for dims in divisions(n, d) if len(dims) == d)


def divisions(n: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """Write `n` as a product of at most `most` factors of 2 or more, largest first.

    Examples
    --------
    >>> list(divisions(12))
    [(12,), (6, 2), (4, 3), (3, 2, 2)]
    """
    yield from _split(n, divisors(n)[::-1], n, n if most is None else most)


def _split(
    n: int, falling: list[int], largest: int, most: int
) -> Iterator[tuple[int, ...]]:
    if most < 1 or n < 2:
        return
    for first in falling:
        if first > largest or first < 2 or n % first:
            continue
        if first**most < n:
            return
        if first == n:
            yield (n,)
        for rest in _split(n // first, falling, first, most - 1):
            yield (first, *rest)


def divisors(n: int) -> list[int]:
    """List all divisors, ascending."""
    low = [d for d in range(1, int(n**0.5) + 1) if n % d == 0]
    return low + [n // d for d in reversed(low) if d * d != n]
