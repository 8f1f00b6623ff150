"""Random byte-level tokenizer.json documents, as files, for what imports them without Python.

Most are such as wwho/import reads in JavaScript, and hard for it: merges in any order, of which
some never happen; ids with holes, or that step over added tokens; tokens that no merge makes, or
that stand for no bytes. Some have what it hands over to Python.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from documents import STAND_INS, Component, Random

CHARS = [STAND_INS[byte] for byte in range(256)]
USUAL = [STAND_INS[byte] for byte in b"abcd \n1.\xc3\xa9"]
RARE = STAND_INS[255]
NAMES = ("<s>", "</s>", "<unk>", "<|im_start|>", "[MASK]", "<\uff5cUser\uff5c>", "a b", "\u4e2d")
S = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
LLAMA3 = (
    S + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace("{1,3}", "")


def byte_level(*, prefix: bool = False, regex: bool = True) -> Component:
    """A pre-tokenizer, decoder or post-processor ByteLevel."""
    return {
        "type": "ByteLevel",
        "add_prefix_space": prefix,
        "trim_offsets": True,
        "use_regex": regex,
    }


def split(regex: str, behavior: str = "Isolated", *, invert: bool = False) -> Component:
    """A Split by a regular expression."""
    options = {"pattern": {"Regex": regex}, "behavior": behavior, "invert": invert}
    return {"type": "Split", **options}


def pre_tokenizer(rng: Random) -> Component:
    """A pretokenizer that JavaScript knows, or now and then one that it does not."""
    digits = {"type": "Digits", "individual_digits": rng.maybe()}
    parts = rng.choice(
        [
            [byte_level(prefix=rng.maybe())],
            [byte_level(regex=False)],
            [digits, byte_level()],
            [split(rng.choice([LLAMA3, QWEN2])), byte_level(regex=False)],
            [split(LLAMA3, "Removed", invert=True), byte_level(regex=False)],
            [split(r"\d"), byte_level(regex=False)],
        ]
    )
    if len(parts) > 1 or rng.maybe(0.2):
        return {"type": "Sequence", "pretokenizers": parts}
    return parts[0]


def normalizer(rng: Random) -> Component | None:
    """None, a normal form, or now and then something else."""
    if rng.maybe(0.5):
        return None
    if rng.maybe(0.2):
        return {"type": "Sequence", "normalizers": [{"type": "NFC"}] if rng.maybe() else []}
    return {"type": rng.choice(["NFC", "NFC", "NFC", "NFKC", "NFD", "Lowercase"])}


def post_processor(rng: Random, names: Sequence[tuple[str, int]]) -> Component | None:
    """Any post-processor, of tokens that are there."""
    kind = rng.choice(["none", "ByteLevel", "Template", "Template", "Roberta", "Bert", "Sequence"])
    if kind == "none" or (kind != "ByteLevel" and not names):
        return None
    trims = {"trim_offsets": rng.maybe(), "add_prefix_space": rng.maybe()}
    if kind == "ByteLevel":
        return {"type": "ByteLevel", **trims, "use_regex": True}
    if kind in ("Roberta", "Bert"):
        pair = [list(rng.choice(names)) for _ in range(2)]
        more = trims if kind == "Roberta" else {}
        return {"type": f"{kind}Processing", "sep": pair[0], "cls": pair[1], **more}
    if kind == "Sequence":
        parts = [byte_level(prefix=rng.maybe()) for _ in range(rng.randint(0, 2))]
        inner = post_processor(rng, names)
        return {"type": "Sequence", "processors": [*parts, *([inner] if inner else [])]}
    name, number = rng.choice(names)
    ids = [number] * rng.randint(1, 2)
    token = {"SpecialToken": {"id": name, "type_id": rng.randint(0, 1)}}
    first, second = ({"Sequence": {"id": each, "type_id": rng.randint(0, 1)}} for each in "AB")
    return {
        "type": "TemplateProcessing",
        "single": [token, first] if rng.maybe(0.9) else [first, token, token],
        "pair": rng.choice(
            [[token, first, token, second], [second, first], [first, token, second]]
        ),
        "special_tokens": {name: {"id": name, "ids": ids, "tokens": [name]}},
    }


def merged(rng: Random) -> tuple[list[str], list[list[str]]]:
    """Tokens and merges: in order, with parts that come later, twice, or that never meet."""
    texts, pairs = [*USUAL, *([RARE] if rng.maybe(0.1) else [])], []
    for _ in range(rng.choice([0, 3, 30, 120])):
        left, right = rng.choice(texts[-40:]), rng.choice(texts)
        if len(left + right) <= rng.choice([4, 12, 40]):
            pairs.append([left, right])
            texts.append(left + right)
    for _ in range(rng.choice([0, 0, 4])):  # a run: such as 16 spaces of two times 8
        char = rng.choice(USUAL)
        runs = [char * (1 << k) for k in range(5)]
        pairs += [[run, run] for run in runs]
        texts += [*runs, char * 32]
    order = rng.choice(["as it is", "as it is", "a few moved", "shuffled", "reversed"])
    if order == "shuffled":
        rng.shuffle(pairs)
    elif order == "reversed":
        pairs.reverse()
    elif order == "a few moved" and pairs:
        for _ in range(3):
            pairs.insert(rng.randrange(len(pairs)), pairs.pop(rng.randrange(len(pairs))))
    if pairs and rng.maybe(0.2):
        pairs.append(rng.choice(pairs))
    return texts, pairs


def numbered(rng: Random, texts: Sequence[str]) -> dict[str, int]:
    """Ids that count up from any number, have holes, or come in any order."""
    how = rng.choice([*["count"] * 6, "from 7", "holes", "shuffled", "shuffled"])
    ids = list(range(3 * len(texts)))
    if how == "from 7":
        ids = ids[7:]
    elif how == "holes":
        ids = sorted(rng.sample(ids, len(texts)))
    ids = ids[: len(texts)]
    if how == "shuffled":
        rng.shuffle(ids)
    return dict(zip(texts, ids, strict=True))


def added_tokens(rng: Random, vocab: dict[str, int]) -> list[Component]:
    """Added tokens: some are in the vocabulary; ids are those of the library, or not."""
    next_id = len(vocab)
    tokens: list[Component] = []
    texts = [*rng.sample(list(vocab), 1), "\u00e9"] if rng.maybe(0.1) else []
    texts += rng.some(NAMES)[: rng.choice([0, 1, 3, 5])]
    for text in texts:
        number = vocab.get(text, next_id)
        next_id += text not in vocab
        rare = rng.maybe(0.2)
        flags = {flag: rare and rng.maybe(0.4) for flag in ("single_word", "lstrip", "rstrip")}
        flags |= {"normalized": rng.maybe(0.3) and text.isascii(), "special": rng.maybe(0.7)}
        tokens.append({"id": number + rng.maybe(0.05), "content": text, **flags})
    return tokens


def listed(added: Sequence[Component]) -> list[tuple[str, int]]:
    """The texts and ids of added tokens, as the list says them."""
    return [(str(each["content"]), int(each["id"])) for each in added]


def document(rng: Random) -> Component:
    """A document."""
    made, pairs = merged(rng)
    chars = list(CHARS)
    if rng.maybe(0.3):
        rng.shuffle(chars)
    if rng.maybe(0.05):
        chars.pop()
    texts = [*chars, *made]
    for name in rng.some(NAMES)[: rng.choice([0, 0, 1, 4])]:
        texts.insert(rng.choice([0, len(texts), rng.randrange(len(texts))]), name)
    if rng.maybe(0.3):
        texts += ["".join(rng.choices(USUAL, k=rng.randint(2, 9))) for _ in range(5)]
    texts = list(dict.fromkeys(texts))
    if rng.maybe(0.2):
        rng.shuffle(texts)
    vocab = numbered(rng, texts)
    added = added_tokens(rng, vocab)
    if rng.maybe(0.3):  # such as GPT-2's token at the end, and tokens among the others
        vocab |= {"<e>": max(vocab.values()) + 1}
        token = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
        added.append({"id": vocab["<e>"], "content": "<e>", **token, "special": True})
    legacy = rng.maybe(0.4)
    model: Component = {
        "type": "BPE",
        "dropout": None,
        "unk_token": rng.choice([None, None, "<unk>", "a", "ab"]),
        "continuing_subword_prefix": rng.choice([None, ""]),
        "end_of_word_suffix": rng.choice([None, ""]),
        "fuse_unk": rng.maybe(0.2),
        "byte_fallback": rng.maybe(0.03),
        "ignore_merges": rng.maybe(0.4),
        "vocab": vocab,
        "merges": [" ".join(pair) if legacy else pair for pair in pairs],
    }
    for option in ("type", "byte_fallback", "ignore_merges", "dropout"):
        if rng.maybe(0.1):
            del model[option]
    known = [(text, vocab.get(text, number)) for text, number in listed(added)]
    return {
        "version": "1.0",
        "truncation": {"max_length": 5} if rng.maybe(0.1) else None,
        "padding": None,
        "added_tokens": added,
        "normalizer": normalizer(rng),
        "pre_tokenizer": pre_tokenizer(rng),
        "post_processor": post_processor(rng, known),
        "decoder": byte_level() if rng.maybe(0.95) else None,
        "model": model,
    }


def settings(rng: Random) -> Component:
    """A tokenizer_config.json."""
    token = {"content": rng.choice(NAMES), "lstrip": False}
    templates: list[Any] = ["{{ 'é\u2028' }}", [{"name": "default", "template": "{{ 1 }}\x7fé😀"}]]
    decoder = {str(number): {"content": name} for number, name in enumerate(rng.some(NAMES))}
    return {
        "add_bos_token": False,
        "bos_token": rng.choice([*NAMES, token, None]),
        "model_max_length": rng.choice([1024, 1e30, 1000000000000000019884624838656]),
        "added_tokens_decoder": decoder,
        "chat_template": rng.choice([None, "", *templates]),
    }


def files(seed: str) -> dict[str, bytes]:
    """The files of a seed by their names, the document first."""
    rng = Random(seed)
    made = document(rng)
    indent = rng.choice([None, None, 1, "\t"])
    separators = (",", ":") if rng.maybe(0.3) else None
    text = json.dumps(made, ensure_ascii=rng.maybe(), indent=indent, separators=separators)
    found = {"tokenizer.json": ("\ufeff" * rng.maybe(0.05) + text).encode()}
    if rng.maybe(0.3):
        text = json.dumps(settings(rng), ensure_ascii=rng.maybe())
        found["tokenizer_config.json"] = text.encode()
    if rng.maybe(0.1):
        broken = b"\xff" * rng.maybe(0.2)
        found["chat_template.jinja"] = b"{{ messages }}\xef\xbb\xbf\r\n" + broken
    if rng.maybe(0.1):
        kind = rng.choice(["llama", "qwen2", "mistral", None])
        config = {"model_type": kind, "rope_theta": 1e6, "rms_norm_eps": 1e-05}
        found["config.json"] = json.dumps(config).encode()
    return found
