"""What to look for among the calls or messages of all ranks, as one line of text.

``Waitall > 10 ms``, ``to EAST > 1 MiB``, ``isend tag 7 rank 0-15``. All terms must
hold; several functions, partners or communicators are alternatives.

>>> parse_query("Waitall > 10 ms").bounds
(Bound(column='duration', least=0.010000000000000002, most=inf),)
>>> parse_query("isend to EAST rank 0-3").partners
(Partner(way='to', name='EAST'),)
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Final

from topoview.base.text import plural, tr
from topoview.errors import UsageError

_TIME_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
_SIZE_UNITS: Final = {
    **{unit: 1024**i for i, unit in enumerate(("b", "kib", "mib", "gib"))},
    **{unit: 1000**i for i, unit in enumerate(("byte", "kb", "mb", "gb"))},
    "bytes": 1,
}

COLUMNS: Final = {
    "duration": _TIME_UNITS,
    "waited": _TIME_UNITS,
    "begin": _TIME_UNITS,
    "bytes": _SIZE_UNITS,
    "tag": {},
    "rank": {},
    "iteration": {},
}
"""What can be compared with a number, and its units."""

_ALIASES: Final = {
    "size": "bytes",
    "time": "duration",
    "seconds": "duration",
    "ranks": "rank",
    "tags": "tag",
    "iterations": "iteration",
}

_TOKEN: Final = re.compile(r'"([^"]*)"|([<>]=?|=)|((?:[^\s"<>=]|(?<=[^\s])=)+)')
_NUMBER: Final = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([a-zµ]*)", re.IGNORECASE)
_RANGE: Final = re.compile(r"(\d+)(?:-(\d+))?")
_NAME_GOES_ON: Final = re.compile(r"x?\d+|[A-Z]{2,}|[+-]\d+")
"""Second word of a direction: ``EXCHANGE 4``, ``EAST x2``, ``LEADER EAST``."""


class QueryError(UsageError):
    """The text is not understood: which word, and what would be."""


DIRECTED: Final = ("identification", "logical")
"""Results that name the directions of partners."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A column's least and most, both included: seconds, bytes or numbers."""

    column: str
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Partner:
    """Whom messages go ``to`` or come ``from``: a direction's name, or a rank."""

    way: str
    name: str


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for; what is empty lets everything pass."""

    functions: tuple[str, ...] = ()
    """Names of MPI functions in lower case without ``mpi_``; ``*`` and ``?`` stand for
    any letters. One of them must fit."""
    bounds: tuple[Bound, ...] = ()
    """Those of one column are alternatives, columns must all hold."""
    partners: tuple[Partner, ...] = ()
    """Those of one way are alternatives, ways must both hold."""
    communicators: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    """`communicators` and `regions`: parts of names, in lower case: of the
    communicator, and of a region on the call path."""

    def __bool__(self) -> bool:
        """Whether anything is asked for."""
        return self != Query()

    @property
    def needs(self) -> tuple[str, ...]:
        """Results that it is answered from, besides the trace itself."""
        columns = {bound.column for bound in self.bounds}
        named = any(not partner.name.isdecimal() for partner in self.partners)
        return (
            *(("waits",) if "waited" in columns else ()),
            *(DIRECTED if named else ()),
            *(("logical", "positions") if "iteration" in columns else ()),
        )

    def on(self, communicator: str) -> "Query":
        """Ask for a communicator, too."""
        return replace(self, communicators=(*self.communicators, communicator.lower()))

    def bounds_of(self, column: str) -> tuple[Bound, ...]:
        """Return the bounds of one column."""
        return tuple(bound for bound in self.bounds if bound.column == column)


def parse_query(text: str) -> Query:
    """Read what a user typed.

    Raises
    ------
    QueryError
        A term is not understood.
    """
    parser = _Parser(text)
    while parser.goes_on:
        parser.term()
    return parser.query


def parse_terms(text: str) -> dict[str, Query]:
    """Read the terms of what a user typed, alternatives together, by their words.

    Raises
    ------
    QueryError
        A term is not understood.

    Examples
    --------
    >>> list(parse_terms("send isend to 5 from 4 > 1 ms"))
    ['send isend', 'to 5', 'from 4', '> 1 ms']
    """
    parser, words, queries = _Parser(text), dict[str, str](), dict[str, Query]()
    while parser.goes_on:
        parser.query, begin = Query(), parser.at
        parser.term()
        query = parser.query
        kinds = [f.name for f in fields(query) if getattr(query, f.name)]
        kinds += [bound.column for bound in query.bounds]
        kinds += [partner.way for partner in query.partners]
        kind = " ".join(kinds)
        words[kind] = f"{words.get(kind, '')} {parser.words(begin)}".strip()
        before = queries.get(kind, Query())
        queries[kind] = Query(
            **{
                f.name: (*getattr(before, f.name), *getattr(query, f.name))
                for f in fields(query)
            }
        )
    return {words[kind]: query for kind, query in queries.items()}


def why_nothing(
    text: str, noun: str, count: Callable[[Query], int], *, of_part: bool = False
) -> str:
    """Explain why a query has no result: it has elsewhere, or its terms exclude others.

    Parameters
    ----------
    noun
        What is looked for, as `plural` takes it.
    count
        Tells how many a query finds in the whole run.
    of_part
        Whether it was looked for in a part of the run only.
    """
    if of_part and (elsewhere := count(parse_query(text))):
        fitting = plural(elsewhere, noun)
        return tr("In the whole run {fitting} fit: choose Run.", fitting=fitting)
    terms = parse_terms(text)
    if len(terms) < 2:
        return ""
    alone = ", ".join(
        f"{words}: {plural(count(query), noun)}" for words, query in terms.items()
    )
    return tr(
        "Each alone finds {alone}. All must hold of one {noun}.",
        alone=alone,
        noun=tr(noun),
    )


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [
            (match[1] if match[1] is not None else match[0], match[1] is not None)
            for match in _TOKEN.finditer(text)
        ]
        self.at = 0
        self.query = Query()

    @property
    def goes_on(self) -> bool:
        """Whether anything is left to be read."""
        return self.at < len(self._tokens)

    def words(self, begin: int) -> str:
        """Write what was read from a token on."""
        tokens = self._tokens[begin : self.at]
        return " ".join(f'"{word}"' if quoted else word for word, quoted in tokens)

    def term(self) -> None:
        """Read the next term into the query."""
        word, quoted = self._take()
        key = _ALIASES.get(word.lower(), word.lower())
        if quoted:
            self._add_function(word)
        elif word in {"<", "<=", ">", ">=", "="}:
            self._compare("", word)
        elif key in COLUMNS:
            self._column(key)
        elif key in {"to", "from"}:
            self._partner(key)
        elif key in {"on", "communicator"}:
            self._add(communicators=self._needed(tr("a communicator's name")).lower())
        elif key in {"in", "region"}:
            self._add(regions=self._needed(tr("a region's name")).lower())
        else:
            self._add_function(word)

    def _take(self) -> tuple[str, bool]:
        self.at += 1
        return self._tokens[self.at - 1]

    def _next(self) -> str:
        return self._tokens[self.at][0] if self.goes_on else ""

    def _needed(self, what: str) -> str:
        if not self.goes_on:
            raise self._wrong(tr("{what} is missing at the end", what=what))
        return self._take()[0]

    def _wrong(self, why: str) -> QueryError:
        return QueryError(
            tr(
                "{text!r} is not understood: {why}. Write for instance "
                "Waitall > 10 ms, to EAST > 1 MiB, or isend tag 7 rank 0-15",
                text=self._text,
                why=why,
            )
        )

    def _add(self, **values: object) -> None:
        extended = {name: (*getattr(self.query, name), v) for name, v in values.items()}
        self.query = replace(self.query, **extended)

    def _add_function(self, word: str) -> None:
        self._add(functions=word.lower().removeprefix("mpi_"))

    def _column(self, column: str) -> None:
        if self._next() in {"<", "<=", ">", ">=", "="}:
            self._compare(column, self._take()[0])
            return
        for part in self._needed(tr("a number of {column}", column=column)).split(","):
            match = _RANGE.fullmatch(part)
            if not match:
                raise self._wrong(
                    tr("{part!r} is no number of {column}", part=part, column=column)
                )
            low = float(match[1])
            self._add(bounds=Bound(column, low, float(match[2]) if match[2] else low))

    def _compare(self, column: str, sign: str) -> None:
        word = self._needed(tr("a number"))
        if re.fullmatch(r"[a-zµ]+", self._next(), re.IGNORECASE) and word[-1].isdigit():
            unit = self._next().lower()
            if any(unit in units for units in COLUMNS.values()):
                word += self._take()[0]
        match = _NUMBER.fullmatch(word)
        if not match:
            raise self._wrong(tr("{word!r} is no number", word=word))
        unit = match[2].lower()
        column = column or next(
            (c for c, units in COLUMNS.items() if unit in units), ""
        )
        if not column:
            raise self._wrong(tr("{word} has no unit, such as ms or KiB", word=word))
        if unit and unit not in COLUMNS[column]:
            raise self._wrong(
                tr("{unit!r} is no unit of {column}", unit=unit, column=column)
            )
        number = float(match[1]) * COLUMNS[column].get(unit, 1.0)
        least, most = {
            "<": (-math.inf, math.nextafter(number, -math.inf)),
            "<=": (-math.inf, number),
            ">": (math.nextafter(number, math.inf), math.inf),
            ">=": (number, math.inf),
            "=": (number, number),
        }[sign]
        self._add(bounds=Bound(column, least, most))

    def _partner(self, way: str) -> None:
        name = self._needed(tr("a direction or a rank"))
        if name.isupper() and _NAME_GOES_ON.fullmatch(self._next()):
            name = f"{name} {self._take()[0]}"
        if name.lower() == "rank":
            name = self._needed(tr("a rank"))
        self._add(partners=Partner(way, name))
