"""From a well-shaped document to a `Schema`."""

from __future__ import annotations

from typing import Any

from .document import Document, digest, read_ranges
from .model import Schema, Table


def read_schema(document: Document) -> Schema:
    """Build a schema, whether or not it fulfils the six conditions.

    The router goes by the blocks and the joiners alone: a classified character that is in neither,
    which breaks condition 2, is text of no script, whatever the table says of it.

    Args:
        document: A document without shape errors.
    """
    table = document.get("table")
    return Schema(
        name=document["name"],
        title=document["title"],
        script=document["script"],
        unicode=document["unicode"],
        blocks=read_ranges(document["blocks"]),
        classes={name: read_ranges(each["ranges"]) for name, each in document["classes"].items()},
        joiners=read_ranges(document.get("joiners", [])),
        grammar=document["grammar"],
        digest=digest(document),
        table=None if table is None else _table(table),
    )


def _table(table: dict[str, Any]) -> Table:
    """Build a transition table."""
    return Table(
        states=tuple(table["states"]),
        start=table["start"],
        accepting=frozenset(table["accepting"]),
        transitions=table["transitions"],
    )
