"""Components of a tokenizer.json, as several classes of transformers put them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wwho.errors import SourceError
from wwho.importers.source import shown
from wwho.importers.transformers.folder import ModelFolder

Component = dict[str, Any]


def byte_level(*, prefix: bool = True, trim: bool = True, regex: bool = True) -> Component:
    """Return a ByteLevel: a pre-tokenizer, a decoder or a post-processor.

    Args:
        prefix: whether a text gets a space in front.
        trim: whether offsets leave out white space.
        regex: whether the text is cut by GPT-2's pattern.
    """
    flags = {"add_prefix_space": prefix, "trim_offsets": trim, "use_regex": regex}
    return {"type": "ByteLevel", **flags}


def split(pattern: str, behavior: str, *, invert: bool = False, regex: bool = True) -> Component:
    """Return a pre-tokenizer that cuts at the matches of a pattern."""
    kind = "Regex" if regex else "String"
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


def digits() -> Component:
    """Return a pre-tokenizer that cuts around each digit."""
    return {"type": "Digits", "individual_digits": True}


def pre_tokenizers(*parts: Component) -> Component:
    """Return a pre-tokenizer of several, one after the other."""
    return {"type": "Sequence", "pretokenizers": list(parts)}


def normalizers(*parts: Component) -> Component:
    """Return a normalizer of several, one after the other."""
    return {"type": "Sequence", "normalizers": list(parts)}


def metaspace(scheme: str = "always", *, cut: bool = True) -> Component:
    """Return a Metaspace with U+2581: a pre-tokenizer or a decoder.

    Args:
        scheme: whether a text gets one in front: "always", "first" or "never".
        cut: whether the text is cut before each.
    """
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": cut}


def bert_normalizer(
    *, clean: bool = True, chinese: bool = True, strip: bool | None = None, lower: bool = True
) -> Component:
    """Return BERT's normalizer.

    Args:
        clean: whether control characters go, and white space becomes spaces.
        chinese: whether spaces are put around ideographs.
        strip: whether accents go; None: if the text becomes lower case.
        lower: whether the text becomes lower case.
    """
    return {
        "type": "BertNormalizer",
        "clean_text": clean,
        "handle_chinese_chars": chinese,
        "strip_accents": strip,
        "lowercase": lower,
    }


def bpe_model(vocab: Mapping[str, int], merges: Sequence[Any], **options: Any) -> Component:
    """Return a model of byte-pair encoding; the options are those in which it differs from GPT-2's.

    Args:
        vocab: the ids of the tokens.
        merges: pairs of tokens, first things first.
        options: `unk_token`, `end_of_word_suffix`, `fuse_unk`, `byte_fallback` and so on.
    """
    usual = {
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
    }
    return {"type": "BPE", **usual, **options, "vocab": dict(vocab), "merges": list(merges)}


def roberta_processing(
    sep: str, cls: str, ids: Mapping[str, int], *, trim: bool = True, prefix: bool = True
) -> Component:
    """Return RoBERTa's post-processor: `<s> A </s>` and `<s> A </s> </s> B </s>`.

    Args:
        sep: the token behind each text.
        cls: the token before the first.
        ids: the ids of both.
        trim: whether offsets leave out white space.
        prefix: whether a text gets a space in front, for the offsets.
    """
    pair = {"sep": [sep, ids[sep]], "cls": [cls, ids[cls]]}
    return {"type": "RobertaProcessing", **pair, "trim_offsets": trim, "add_prefix_space": prefix}


def template_processing(
    single: str | Sequence[str], pair: str | Sequence[str], ids: Mapping[str, int]
) -> Component:
    """Return the post-processor of two templates as `tokenizers` takes them.

    Args:
        single: places, in a list, or in one text with spaces between: "$A" or a token, with ":" and
            a type behind, which is 0 where it is missing. Only in a list may a token have spaces.
        pair: the same, with "$B".
        ids: the ids of the tokens.

    Raises:
        SourceError: a token is not in `ids`.
    """
    tokens: dict[str, Any] = {}

    def places(template: str | Sequence[str]) -> list[Any]:
        """Return the places of one template; the tokens go to `tokens`."""
        found: list[Any] = []
        # Other white space is part of a token.
        for part in template.split(" ") if isinstance(template, str) else template:
            name, colon, kind = part.rpartition(":")
            if not colon or not kind.isdecimal():
                name, kind = part, "0"
            if name in ("$A", "$B"):
                found.append({"Sequence": {"id": name[1], "type_id": int(kind)}})
                continue
            if name not in ids:
                raise SourceError(f"the template's token {shown(name)} is not in the vocabulary")
            tokens[name] = {"id": name, "ids": [ids[name]], "tokens": [name]}
            found.append({"SpecialToken": {"id": name, "type_id": int(kind)}})
        return found

    both = {"single": places(single), "pair": places(pair)}
    return {"type": "TemplateProcessing", **both, "special_tokens": tokens}


def flag(folder: ModelFolder, name: str, usual: bool) -> bool:
    """Return a setting that is true or false; `usual` where it is missing or null.

    Raises:
        SourceError: it is neither.
    """
    value = folder.settings.get(name)
    if value is None:
        return usual
    if not isinstance(value, bool):
        raise SourceError(
            f"tokenizer_config.json: {name}: found {shown(value)}, expected true or false"
        )
    return value
