"""Templates with the token of a language, which `src_lang` and `tgt_lang` change."""

from __future__ import annotations

from collections.abc import Mapping

from wwho.format.template import Place, Template, What

TOKEN_OF_LANGUAGE: Mapping[str, str] = {
    "MBartTokenizer": "{}",
    "MBart50Tokenizer": "{}",
    "NllbTokenizer": "{}",
    "M2M100Tokenizer": "__{}__",
}
"""For classes of transformers with such a template: what the token of a language is called."""


def with_language(template: Template, eos: int | None, language: int) -> Template:
    """Return a template with the token of another language in place of that of its own.

    Args:
        template: the template, with the token of one language beside that of the end.
        eos: the id of the token of the end, which stays.
        language: the id of the token of the language.

    Raises:
        ValueError: there is not just one other token in the template.

    Example:
        >>> with_language(Template.around([], [2, 250004]), 2, 250008).ids([7])
        [7, 2, 250008]
    """
    places = (*template.single, *template.pair)
    others = {place.id for place in places if place.what is What.ID and place.id != eos}
    if len(others) != 1:
        raise ValueError(
            f"the template has {len(others)} tokens beside the end, so that its language cannot be "
            "told; expected one"
        )

    def changed(place: Place) -> Place:
        """Return a place with the new language."""
        is_language = place.what is What.ID and place.id != eos
        return place._replace(id=language) if is_language else place

    return Template(tuple(map(changed, template.single)), tuple(map(changed, template.pair)))
