"""Templates of [bos] text [eos], as `add_bos_token` and `add_eos_token` of transformers ask."""

from __future__ import annotations

from wwho.format.container import read_container
from wwho.format.layout import Kind
from wwho.format.template import Place, Template, What, write_template
from wwho.format.write import assemble
from wwho.tokenizer import Tokenizer

CLASSES = frozenset(
    {
        *("TokenizersBackend", "GPT2Tokenizer", "Qwen2Tokenizer", "LlamaTokenizer"),
        *("CohereTokenizer", "GemmaTokenizer", "GPTNeoXTokenizer"),
    }
)
"""Classes of transformers whose template these options make; others have one of their own."""


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


def with_template(enc: Tokenizer, template: Template) -> Tokenizer:
    """Return a model with another template, and the same backend; `enc` if it has this template."""
    if enc.info.template == template:
        return enc
    # Only one section changes; the others are copied as they are.
    blob = enc._blob
    kept = [
        (each.kind, blob[each.offset : each.end])
        for each in read_container(blob).sections
        if each.kind != Kind.TEMPLATE
    ]
    at = sum(kind < Kind.TEMPLATE for kind, _ in kept)
    sections = [*kept[:at], (Kind.TEMPLATE, write_template(template)), *kept[at:]]
    return Tokenizer.from_bytes(assemble(sections), backend=enc._backend.kind)  # type: ignore[arg-type]
