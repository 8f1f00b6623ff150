"""TemplateProcessing: tokens around texts as a template says.

Options:
    single: the places for one text: `{"Sequence": {"id": "A", "type_id": 0}}` for the text, or
        `{"SpecialToken": {"id": name, "type_id": 0}}`.
    pair: the places for two texts, A and B.
    special_tokens: for each name of such a token its ids, of which there may be several.

Example:
    >>> from wwho.importers.huggingface.examples import process
    >>> text = {"Sequence": {"id": "A", "type_id": 0}}
    >>> other = {"Sequence": {"id": "B", "type_id": 1}}
    >>> token = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    >>> names = {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}
    >>> template = {"single": [token, text], "pair": [token, text, token, other]}
    >>> process({"type": "TemplateProcessing", **template, "special_tokens": names}, [7], [8])
    [0, 7, 0, 8]
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from wwho.format.template import Place, What
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.post_processors.parts import Ids, Parts, Process, known_id
from wwho.importers.source import shown

MAX_TYPE = 255
"""The highest type of ids, for which an artifact has a byte."""
MOST_ITEMS = 100_000
"""Items of a template, and texts and ids that they stand for."""


def process(value: Value, ids: Ids) -> Process:
    """Return a function that fills the template with the parts of one text or of two.

    Raises:
        SourceError: an item is neither a text nor a special token that is listed, a list is too
            long, or no token has an id. The function raises it for more than two parts, and for one
            text whose template has a second.
    """
    for option in ("single", "pair"):
        if (number := len(value.at(option).be(list))) > MOST_ITEMS:
            value.at(option).fail(f"{number:,} items; {MOST_ITEMS:,} are possible")
    known = frozenset(ids.values())
    forms = [_read_form(value, option, known) for option in ("single", "pair")]

    def fill(parts: Parts) -> Parts:
        """Return the template of so many texts with their parts in it, as one part."""
        if len(parts) > 2:
            value.fail("what is before it in the Sequence makes more than two parts of a text")
        form = forms[len(parts) - 1]
        if any(place.what > len(parts) for item in form for place in item):
            value.at("single").fail("found B in the template of one text")
        return [tuple(_fill_item(item, parts)) for item in form]

    return fill


def _fill_item(item: tuple[Place, ...], parts: Parts) -> Sequence[Place]:
    """Return the places of an item, with the part of a text in place of the text; types are its."""
    return [
        each._replace(type_id=place.type_id)
        for place in item
        for each in (parts[place.what - 1] if place.what else [place])
    ]


def _read_form(value: Value, option: str, known: Collection[int]) -> list[tuple[Place, ...]]:
    """Return the places of each item of a template.

    Args:
        value: the post-processor.
        option: the template, "single" or "pair".
        known: the ids of all tokens.

    Raises:
        SourceError: there are too many places, or as `_read_item` does.
    """
    special = value.at("special_tokens")
    names = special.be(dict)
    form: list[tuple[Place, ...]] = []
    places = 0
    for each in value.items(option):
        item = tuple(_read_item(each, special, names, known))
        places += len(item)
        if places > MOST_ITEMS:
            value.at(option).fail(
                f"its items are more than {MOST_ITEMS:,} texts and ids; that many are possible"
            )
        form.append(item)
    return form


def _read_item(
    value: Value, special: Value, names: Mapping[str, object], known: Collection[int]
) -> Sequence[Place]:
    """Return the places of an item: that of a text, or one for each id of a special token.

    Raises:
        SourceError: the item is something else, or names what is not there.
    """
    value.be(dict)
    if set(value.raw) == {"Sequence"}:
        inner = value.at("Sequence")
        which = inner.text("id")
        if which not in ("A", "B"):
            inner.at("id").fail(f"found {shown(which)}, expected A or B")
        return [Place(What.FIRST if which == "A" else What.SECOND, _read_type(inner))]
    if set(value.raw) != {"SpecialToken"}:
        value.fail(f"found {shown(value.raw)}, expected a Sequence or a SpecialToken")
    inner = value.at("SpecialToken")
    name, type_id = inner.text("id"), _read_type(inner)
    if name not in names:
        inner.at("id").fail(f"found {shown(name)}, which is not among special_tokens")
    numbers = special.at(name).items("ids")
    return [Place(What.ID, type_id, known_id(each, each.be(int), known)) for each in numbers]


def _read_type(value: Value) -> int:
    """Return the type of an item's ids.

    Raises:
        SourceError: it is out of range.
    """
    type_id = value.number("type_id")
    if not 0 <= type_id <= MAX_TYPE:
        value.at("type_id").fail(f"found {shown(type_id)}, expected 0 to {MAX_TYPE}")
    return type_id
