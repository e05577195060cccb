"""Columns of a listing, and ids cut to what a table can hold."""

from __future__ import annotations

from typing import Final, NamedTuple

_SHOWN_ID_CHARACTERS = 15


class Column(NamedTuple):
    """A column: its title in a table, its alignment, its colour."""

    title: str
    right: bool = False
    style: str | None = None


MEMBER_COLUMNS: Final = (Column("Member"), Column("Value"))
"""For one thing told member by member."""


def short_id(gene_id: str) -> str:
    """A v2 id cut to `v2:` and twelve digits; anything else as it is."""
    if len(gene_id) <= _SHOWN_ID_CHARACTERS:
        return gene_id
    return f"{gene_id[:_SHOWN_ID_CHARACTERS]}..."
