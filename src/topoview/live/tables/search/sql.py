"""Questions in SQL about the tables of a part of a run, answered by DuckDB.

The tables are those that commands print, with the columns of their schemas; each is
made if a question names it. A question can read these and nothing else: DuckDB is
opened without access to files, networks, extensions and Python's variables, and takes
SELECT alone.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np

from topoview.base.extras import need
from topoview.base.memory import memory_budget
from topoview.base.platform import limited_memory
from topoview.base.text import did_you_mean
from topoview.errors import UsageError
from topoview.live.tables.registry import OF_RUN
from topoview.live.tables.scope import Scope
from topoview.model import Column, Schema, Table
from topoview.model.table import ColumnData, words

_CLOSED: Final[dict[str, Any]] = {
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    "allow_unsigned_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "temp_directory": "",
}

_SHARE: Final = 4
"""Of the memory that may be used; an answer takes one such part in DuckDB, and up to
all others once it is handed out: texts are larger in Python."""


def results_named(sql: str) -> tuple[str, ...]:
    """Name what must have been made to answer a question, as `needs` takes it.

    Raises as `tables_named`.
    """
    return tuple(OF_RUN[name].needs for name in tables_named(sql))


def tables_named(sql: str) -> tuple[str, ...]:
    """Name the tables that a question is about.

    Raises
    ------
    ExtraError
        DuckDB is not installed.
    UsageError
        It is no SELECT, or names a table that there is not.
    """
    need("sql")
    import duckdb

    with duckdb.connect(config=_CLOSED) as engine:
        try:
            tree = engine.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
        except duckdb.Error as error:
            raise UsageError(_refusal(error)) from error
    syntax = json.loads(tree[0]) if tree else {}
    if syntax.get("error"):
        if syntax["error_type"] == "not implemented":
            raise UsageError("only SELECT is answered")
        raise UsageError(f"this is no question: {syntax['error_message']}")
    if len(syntax.get("statements", ())) != 1:
        raise UsageError("one SELECT at a time is answered")
    names = set(_names(syntax, "BASE_TABLE")) - set(_names(syntax, "cte_map"))
    for name in sorted(names - OF_RUN.keys()):
        hint = did_you_mean(name, OF_RUN) or f": tables are {', '.join(OF_RUN)}"
        raise UsageError(f"there is no table {name!r}{hint}")
    return tuple(name for name in OF_RUN if name in names)


def answer(sql: str, scope: Scope) -> Table:
    """Answer a question about a part of a run.

    Parameters
    ----------
    sql
        A SELECT over `OF_RUN`, in DuckDB's SQL.
    scope
        What is counted; what `results_named` names must have been made.

    Returns
    -------
    Table
        A column that is called as one of the tables' has its unit.

    Raises
    ------
    ExtraError
        DuckDB or pyarrow is not installed.
    UsageError
        The question cannot be answered: says why.
    TopoviewError
        The trace has no such table.
    """
    names = tables_named(sql)
    import duckdb

    budget = memory_budget()
    config = {**_CLOSED, "memory_limit": f"{budget // _SHARE}B"}
    columns: dict[str, Column] = {}
    with limited_memory(budget), duckdb.connect(config=config) as engine:
        for name in names:
            table = OF_RUN[name].make(scope)
            columns |= {column.name: column for column in table.columns}
            engine.register(name, table.to_arrow())
        engine.execute("SET lock_configuration = true")
        try:
            data, kinds = _run(engine, sql)
        except duckdb.Error as error:
            raise UsageError(_refusal(error)) from error
    schema = Schema(*(columns.get(name, Column(name)) for name in data))
    pairs = zip(data.items(), kinds, strict=True)
    return Table(
        schema, {name: _column(values, kind) for (name, values), kind in pairs}
    )


def _run(
    engine: Any,  # noqa: ANN401 - a connection of DuckDB, which is an extra
    sql: str,
) -> tuple[dict[str, Any], list[str]]:
    """Return columns and types of an answer; an end of the program ends the question.

    DuckDB does not look for signals during a step, which may last for ever: the
    question runs in a thread, which signals do not reach, and is interrupted. The
    answer is a table first: rows that are fetched one after the other would add up
    beyond the limit.
    """

    def run() -> tuple[dict[str, Any], list[str]]:
        engine.execute(f"CREATE TEMP TABLE answer AS {sql}")
        rows = engine.execute("FROM temp.answer")
        kinds = [str(each[1]) for each in rows.description]
        return rows.fetchnumpy(), kinds  # of equal names all but one are numbered

    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(run)
        try:
            return result.result()
        except BaseException:
            engine.interrupt()
            raise


def _refusal(error: Exception) -> str:
    """Explain why there is no answer, in a line: what, and what there is instead."""
    lines = [line.strip() for line in str(error).splitlines()]
    hints = [line for line in lines if line.startswith(("Candidate", "Did you mean"))]
    return " ".join((f"there is no answer: {lines[0].rstrip('!')}.", *hints))


def _names(node: Any, of: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    """Find names in a syntax tree: of tables, or of what a question calls so itself."""
    if isinstance(node, dict):
        if of == node.get("type"):
            yield node["table_name"].lower()
        for each in node.get(of, {}).get("map", ()):
            yield each["key"].lower()
    inner = node.values() if isinstance(node, dict) else node
    for each in inner if isinstance(node, (dict, list)) else ():
        yield from _names(each, of)


def _column(values: Any, kind: str) -> ColumnData:  # noqa: ANN401 - NumPy's or masked
    """Build a column of what DuckDB hands out: numbers, else words; masked: unknown."""
    missing, plain = np.ma.getmaskarray(values), np.ma.getdata(values)
    if plain.dtype.kind in "iuf":
        return np.where(missing, np.nan, plain) if missing.any() else plain
    lists = [v.tolist() if isinstance(v, np.ndarray) else v for v in plain.tolist()]
    texts = [str(value) for value in lists]
    if kind == "BOOLEAN":
        texts = [text.lower() for text in texts]
    index, names = words(texts)
    absent = missing | np.array([value is None for value in plain], bool)
    return np.where(absent, -1, index).astype(np.int32), names
