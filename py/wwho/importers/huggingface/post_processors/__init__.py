"""The post-processors of `tokenizers`, each in a file of its own, as a template."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wwho.format.template import Template
from wwho.importers.huggingface.document import Value, check_options
from wwho.importers.huggingface.post_processors import (
    bert,
    byte_level,
    roberta,
    sequence,
    template,
)
from wwho.importers.huggingface.post_processors.parts import Ids, Parts, Process

PROCESSES: Mapping[str, Callable[[Value, Ids], Process]] = {
    "BertProcessing": bert.process,
    "ByteLevel": byte_level.process,
    "RobertaProcessing": roberta.process,
    "TemplateProcessing": template.process,
}
"""For each type of post-processor what reads it; a Sequence has none of its own."""


def read(value: Value, ids: Ids) -> Template | None:
    """Return what a post-processor puts around the ids of a text, and how it trims offsets.

    Args:
        value: the post-processor; null for none.
        ids: all tokens: text to id.

    Returns:
        The template; None if it puts nothing around a text, trims nothing and names no types.

    Raises:
        SourceError: it is not known, names a token that is not there, or does what no artifact can.
    """
    single: Parts = [(place,) for place in Template().single]
    pair: Parts = [(place,) for place in Template().pair]
    processors = list(sequence.parts(value))
    for each in processors:
        check_options(each)
        process = each.dispatch(PROCESSES, "post-processor", ids)
        single, pair = process(single), process(pair)
    found = Template(
        *(tuple(place for part in parts for place in part) for parts in (single, pair))
    )
    for places, needed in zip(found, Template(), strict=True):
        if sorted(place.what for place in places if place.what) != [each.what for each in needed]:
            value.fail("one text must stand in it once, and two of a pair once each")
    # One that names the types of a pair makes WWHOTokenizer give them, even where they are usual.
    named = any(each.kind() != "ByteLevel" for each in processors)
    return found if named or found != Template() else None
