"""Templates of [bos] text [eos], as `add_bos_token` and `add_eos_token` of transformers ask."""

from __future__ import annotations

import json
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from wwho.format.container import read_container
from wwho.format.layout import Kind
from wwho.format.provenance import provenance_json
from wwho.format.template import Place, Template, What, write_template
from wwho.format.write import assemble
from wwho.interchange.tokenizer_json import KEY
from wwho.tokenizer import Tokenizer

CLASSES = frozenset(
    {
        *("TokenizersBackend", "GPT2Tokenizer", "Qwen2Tokenizer", "LlamaTokenizer"),
        *("CohereTokenizer", "GemmaTokenizer", "GPTNeoXTokenizer"),
    }
)
"""Classes of transformers whose template these options make; others have one of their own."""
END_ONCE = frozenset({"ByT5Tokenizer", "SiglipTokenizer"})
"""Classes that put no `eos_token` behind a text whose last token it is."""


def bos_eos_template(bos: int | None, eos: int | None) -> Template:
    """Return the template with a token before each text, and one behind it.

    Args:
        bos: the id before each text; None for none.
        eos: the id behind it; None for none.

    Example:
        >>> bos_eos_template(1, 2).ids([7], [8])
        [1, 7, 2, 1, 8, 2]
    """

    def around(what: What, type_id: int) -> tuple[Place, ...]:
        """Return the places of one text and of its special tokens."""
        before = () if bos is None else (Place(What.ID, type_id, bos),)
        behind = () if eos is None else (Place(What.ID, type_id, eos),)
        return (*before, Place(what, type_id), *behind)

    single = around(What.FIRST, 0)
    return Template(single, (*single, *around(What.SECOND, 1)))


def with_template(enc: Tokenizer, template: Template, names: Mapping[int, str]) -> Tokenizer:
    """Return a model with another template, and the same backend; `enc` if it has this template.

    If the provenance has the components of a tokenizer.json, its post_processor becomes the same
    template, so that an export and training have it, too.

    Args:
        enc: the model.
        template: the template.
        names: the names of the ids in it.
    """
    if enc.info.template == template:
        return enc
    record = dict(enc.info.provenance)
    if KEY in record:
        components = {**json.loads(record[KEY]), "post_processor": _as_component(template, names)}
        record[KEY] = json.dumps(components, ensure_ascii=False, separators=(",", ":"))
    changed = {
        Kind.TEMPLATE: write_template(template),
        Kind.PROVENANCE: provenance_json(record).encode(),
    }
    # Two sections change; the others are copied as they are.
    blob = enc._blob
    kept = [
        (each.kind, blob[each.offset : each.end])
        for each in read_container(blob).sections
        if each.kind not in changed
    ]
    sections = sorted([*kept, *changed.items()], key=itemgetter(0))
    return Tokenizer.from_bytes(assemble(sections), backend=enc._backend.kind)  # type: ignore[arg-type]


def _as_component(template: Template, names: Mapping[int, str]) -> dict[str, Any]:
    """Return a template as the post_processor of a tokenizer.json, a TemplateProcessing.

    Args:
        template: the template; its trims are left out.
        names: the name of each token that the template puts, by id.
    """

    def place(each: Place) -> dict[str, Any]:
        """Return a place as the component has it."""
        if each.what is What.ID:
            return {"SpecialToken": {"id": names[each.id], "type_id": each.type_id}}
        name = "A" if each.what is What.FIRST else "B"
        return {"Sequence": {"id": name, "type_id": each.type_id}}

    return {
        "type": "TemplateProcessing",
        "single": [*map(place, template.single)],
        "pair": [*map(place, template.pair)],
        "special_tokens": {
            name: {"id": name, "ids": [token], "tokens": [name]} for token, name in names.items()
        },
    }
