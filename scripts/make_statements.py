"""Compiles the tables and the hot statements for SQLite into `statements.py`; `--check` only compares.

The library then runs them on the driver's own connection without importing SQLAlchemy.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from rotifer_store.schema import SCHEMA_VERSION, Table
from rotifer_store.sql import STATEMENTS, Statement

TARGET = Path(__file__).resolve().parent.parent / "store" / "rotifer_store" / "statements.py"
DIALECT = sqlite.dialect(paramstyle="qmark")  # type: ignore[no-untyped-call]

HEADER = '''"""The tables and hot statements as SQLite reads them.

Generated from `schema.py` and `sql.py` by `scripts/make_statements.py`: do not edit.
"""

from __future__ import annotations

from typing import NamedTuple

SCHEMA_VERSION = {version}


class Statements(NamedTuple):
    """The SQL text of each hot statement; every dialect has its own."""

'''


def compiled_sql(name: str, statement: Statement) -> str:
    """The statement's text, once its parameters are known to be bound in the order that it names."""
    compiled = statement.expression.compile(dialect=DIALECT)
    bound = tuple(parameter.removeprefix("p_") for parameter in compiled.positiontup or ())
    text = " ".join(str(compiled).split())
    if text.endswith(" LIMIT ? OFFSET ?"):
        text, bound = text.removesuffix(" OFFSET ?"), bound[:-1]
    if bound != statement.parameters:
        raise SystemExit(f"{name}: binds {bound}, but names {statement.parameters}")
    return text


def module_text() -> str:
    """The whole generated module."""
    lines = [HEADER.format(version=SCHEMA_VERSION)]
    lines += [f"    {name}: str\n" for name in STATEMENTS]
    lines.append("\n\nSQLITE = Statements(\n")
    for name, statement in STATEMENTS.items():
        lines.append(f"    # {statement.purpose} Binds: {', '.join(statement.parameters) or 'nothing'}.\n")
        lines.append(f"    {name}={compiled_sql(name, statement)!r},\n")
    lines.append(")\n\nSQLITE_TABLES = (\n")
    for table in Table.metadata.sorted_tables:
        ddl = [CreateTable(table)]
        ddl += [CreateIndex(index) for index in sorted(table.indexes, key=lambda index: str(index.name))]
        for element in ddl:
            text = re.sub(r"\s+", " ", str(element.compile(dialect=DIALECT))).strip()
            lines.append(f"    {text!r},\n")
    lines.append(")\n")
    source = "".join(lines)
    formatted = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", "statements.py", "-"],
        input=source,
        capture_output=True,
        text=True,
        check=True,
    )
    return formatted.stdout


def main() -> int:
    """Writes the module, or says with `--check` whether it is fresh."""
    text = module_text()
    if "--check" in sys.argv:
        if TARGET.read_text() == text:
            return 0
        print(f"{TARGET.name} is stale: run make statements", file=sys.stderr)
        return 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
