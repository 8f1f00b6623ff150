"""Random tokenizer.json documents, and whether an import of one equals Hugging Face's tokenizers.

A document mixes components at random, each made by one of the functions that the tables below name.
`python tests/py/documents.py FIRST N` tries N documents and prints where they differ; the seed of a
document is its number.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wwho import Tokenizer
from wwho.errors import WwhoError
from wwho.format.steps import STAND_INS as BYTE_OF
from wwho.format.steps import bytes_of_stand_ins
from wwho.format.write import write_artifact
from wwho.importers import Options, Source, import_source

Component = dict[str, Any]
Make = Callable[[random.Random], Component | None]

ALPHABET = "abcABx01 .,'-_\n\té漢क\u094dİ▁#<>ß\u0301"
WORDS = (
    "ab",
    "abc",
    "aab",
    "ba",
    "éa",
    "漢字",
    "##a",
    "▁a",
    "a\u0301",
    "<0x61>",
    "</w>",
    " a",
    "a b",
)
STAND_INS = {byte: char for char, byte in BYTE_OF.items()}


class Random(random.Random):
    """A generator with the questions that makers of documents ask."""

    def maybe(self, chance: float = 0.5) -> bool:
        """True that often."""
        return self.random() < chance

    def word(self, alphabet: Sequence[str] = ALPHABET, most: int = 4) -> str:
        """A short text of an alphabet."""
        return "".join(self.choices(alphabet, k=self.randint(1, most)))

    def some(self, items: Sequence[str], least: int = 0) -> list[str]:
        """Some of the items, in random order."""
        return self.sample(items, self.randint(least, len(items)))


def numbered(rng: Random, texts: Sequence[str]) -> dict[str, int]:
    """A vocabulary: ids in order, or in another order, or with holes."""
    texts = list(dict.fromkeys(texts))
    ids = list(range(len(texts)))
    if rng.maybe(0.3):
        ids = rng.sample(range(2 * len(texts) + 3), len(texts))
    elif rng.maybe(0.3):
        rng.shuffle(ids)
    return dict(zip(texts, ids, strict=True))


def merged(rng: Random, symbols: Sequence[str], n: int, prefix: str) -> tuple[list[str], list[Any]]:
    """Tokens that merges make, and the merges in random order."""
    texts, pairs = list(symbols), []
    for _ in range(n):
        left, right = rng.choice(texts), rng.choice(texts)
        if len(left + right) > 12 or (prefix and not right.startswith(prefix)):
            continue
        pairs.append((left, right))
        texts.append(left + (right[len(prefix) :] if prefix else right))
    if rng.maybe(0.3):
        rng.shuffle(pairs)
    legacy = rng.maybe(0.2) and not any(" " in text for pair in pairs for text in pair)
    return texts, [" ".join(pair) if legacy else list(pair) for pair in pairs]


def bpe(rng: Random, byte_level: bool) -> Component:
    """BPE over bytes or characters, with each of its options."""
    alphabet = sorted(STAND_INS.values()) if byte_level else sorted(set(ALPHABET))
    symbols = alphabet if rng.maybe(0.6) else rng.some(alphabet, 3)
    prefix = rng.choice(["##", "▁", "a"]) if rng.maybe(0.12) else ""
    suffix = rng.choice(["</w>", "_", "b"]) if rng.maybe(0.2) else ""
    usual = [STAND_INS[ord(char)] for char in "ab c"] if byte_level else list("abc é▁")
    pool = [char for char in usual if char in symbols] or symbols
    pool += [prefix + char for char in pool] if prefix else []
    pool += [char + suffix for char in pool] if suffix else []
    texts, merges = merged(rng, pool, rng.randint(0, 25), prefix)
    texts = [*symbols, *texts]
    if prefix or suffix:
        texts += [f"{prefix}{char}" for char in symbols if rng.maybe(0.8)]
        texts += [f"{char}{suffix}" for char in symbols if rng.maybe(0.8)]
    texts += rng.some(WORDS)[:3]
    unk = rng.choice(["<unk>", *pool[:1]]) if rng.maybe(0.6) else None
    if unk and rng.maybe(0.95):
        texts.append(unk)
    fallback = rng.maybe(0.3)
    if fallback:
        texts += [
            f"<0x{byte:02X}>" for byte in range(256) if byte > 127 or rng.maybe(0.9) or unk is None
        ]
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": unk,
        "continuing_subword_prefix": prefix or None,
        "end_of_word_suffix": suffix or None,
        "fuse_unk": rng.maybe(0.4),
        "byte_fallback": fallback,
        "ignore_merges": rng.maybe(0.3),
        "vocab": numbered(rng, texts),
        "merges": merges,
    }


def word_piece(rng: Random, byte_level: bool) -> Component:
    """WordPiece with any prefix and limit."""
    prefix = rng.choice(["##", "##", "##", "▁", "a", ""])
    first = rng.some(ALPHABET, 3) + rng.some(WORDS)
    later = [prefix + text for text in rng.some(ALPHABET, 3) + rng.some(WORDS)]
    unk = rng.choice(["[UNK]", first[0]])
    return {
        "type": "WordPiece",
        "unk_token": unk,
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": rng.choice([100, 100, 5, 2, 0]),
        "vocab": numbered(rng, [*first, *later, *([unk] if rng.maybe(0.9) else [])]),
    }


def word_level(rng: Random, byte_level: bool) -> Component:
    """WordLevel."""
    texts = rng.some(ALPHABET, 3) + rng.some(WORDS) + [rng.word() for _ in range(9)]
    unk = rng.choice(["[UNK]", texts[0]])
    vocab = numbered(rng, [*texts, *([unk] if rng.maybe(0.9) else [])])
    return {"type": "WordLevel", "vocab": vocab, "unk_token": unk}


def unigram(rng: Random, byte_level: bool) -> Component:
    """Unigram, with ties and scores of any sign."""
    texts = ["<unk>", *rng.some(ALPHABET, 3), *rng.some(WORDS), *(rng.word() for _ in range(12))]
    fallback = rng.maybe(0.3)
    if fallback:
        texts += [f"<0x{byte:02X}>" for byte in range(256) if rng.maybe(0.95)]
    scores = [-1.0, -2.0, -3.0, -0.5] if rng.maybe(0.4) else None
    if rng.maybe(0.8):
        texts = list(dict.fromkeys(texts))
    pieces = [[text, rng.choice(scores) if scores else rng.uniform(-12, 0)] for text in texts]
    return {
        "type": "Unigram",
        "unk_id": rng.randrange(len(pieces)) if rng.maybe(0.15) else 0 if rng.maybe(0.9) else None,
        "vocab": pieces,
        "byte_fallback": fallback,
    }


MODELS = (bpe, bpe, bpe, word_piece, word_level, unigram)

NORMALIZERS: Mapping[str, Make] = {
    "none": lambda rng: None,
    "Lowercase": lambda rng: {"type": "Lowercase"},
    "Replace": lambda rng: {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    "Prepend": lambda rng: {"type": "Prepend", "prepend": "▁"},
}
PRE_TOKENIZERS: Mapping[str, Make] = {
    "none": lambda rng: None,
    "Whitespace": lambda rng: {"type": "Whitespace"},
    "WhitespaceSplit": lambda rng: {"type": "WhitespaceSplit"},
    "Metaspace": lambda rng: {
        "type": "Metaspace",
        "replacement": "▁",
        "prepend_scheme": rng.choice(["always", "first", "never"]),
        "split": rng.random() < 0.5,
    },
    "BertPreTokenizer": lambda rng: {"type": "BertPreTokenizer"},
}
DECODERS: Mapping[str, Make] = {
    "none": lambda rng: None,
    "WordPiece": lambda rng: {"type": "WordPiece", "prefix": "##", "cleanup": rng.random() < 0.5},
    "Metaspace": lambda rng: {
        "type": "Metaspace",
        "replacement": "▁",
        "prepend_scheme": rng.choice(["always", "first", "never"]),
        "split": True,
    },
    "BPEDecoder": lambda rng: {"type": "BPEDecoder", "suffix": "</w>"},
    "Llama": lambda rng: {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    },
}
BYTE_LEVEL: Make = lambda rng: {  # noqa: E731
    "type": "ByteLevel",
    "add_prefix_space": rng.random() < 0.3,
    "trim_offsets": False,
    "use_regex": rng.random() < 0.7,
}


def added_tokens(rng: Random, vocab: Sequence[str]) -> list[Component]:
    """Added tokens: some are in the vocabulary, and the ids that the list says need not be true."""
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    texts = {rng.choice([rng.choice(vocab), rng.word(), "<s>", "[UNK]"]) for _ in range(3)}
    made: list[Component] = [
        {"id": len(vocab) + place, "content": text, **{flag: rng.maybe(0.3) for flag in flags}}
        for place, text in enumerate(sorted(texts))
        if text.strip()  # tokenizers finds one of white space twice where it takes more of it
    ]
    for each in made:  # one that a normalizer changes is no special token there any more
        each["special"] = each["special"] and not each["normalized"]
    return made


def document(seed: int) -> Component:
    """The document of a number."""
    rng = Random(seed)
    byte_level = rng.maybe(0.25)
    make = rng.choice(MODELS) if not byte_level else bpe
    model = make(rng, byte_level)
    vocab = model["vocab"]
    texts = list(vocab) if isinstance(vocab, dict) else [text for text, _ in vocab]
    parts = {
        key: table[rng.choice(list(table))](rng)
        for key, table in (
            ("normalizer", NORMALIZERS),
            ("pre_tokenizer", PRE_TOKENIZERS),
            ("decoder", DECODERS),
        )
    }
    if byte_level:
        parts |= {"pre_tokenizer": BYTE_LEVEL(rng), "decoder": BYTE_LEVEL(rng)}
    added = added_tokens(rng, texts) if rng.maybe(0.4) else []
    for each in added:  # a word that becomes a special token needs leave with us, and none there
        each["special"] &= not (model.get("ignore_merges") and each["content"] in texts)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        **parts,
        "post_processor": None,
        "model": model,
    }


def texts_for(seed: int, made: Component) -> list[str]:
    """Texts that are hard for a document: of its own tokens, and of others."""
    rng = Random(seed)
    vocab = made["model"]["vocab"]
    tokens = list(vocab) if isinstance(vocab, dict) else [text for text, _ in vocab]
    meant = (data for data in map(bytes_of_stand_ins, tokens) if data is not None)
    spelled = [data.decode("utf-8", "ignore") for data in meant]
    pool = [*tokens, *spelled, *(token["content"] for token in made["added_tokens"])]
    pool = [*rng.sample(pool, min(len(pool), 30)), *WORDS, *ALPHABET]
    return ["", *("".join(rng.choices(pool, k=rng.randint(1, 9))) for _ in range(30))]


def compare(made: Component, texts: Sequence[str], backend: Any = None) -> str:
    """What an import of a document does on texts.

    Returns:
        "equal"; "both refuse" or "we refuse: " and why (tokenizers' error at the first text that
        needs what a file lacks is an import's error); or "differs: " and where.
    """
    import tokenizers

    data = json.dumps(made)
    try:
        theirs = tokenizers.Tokenizer.from_str(data)
    except Exception:
        return "both refuse"
    try:
        found = import_source(
            Source("tokenizer.json", data.encode()), Options(like_tokenizers=True)
        )
        ours = Tokenizer.from_bytes(write_artifact(found.artifact), backend=backend)
    except WwhoError as error:
        return f"we refuse: {error}"
    for text in texts:
        try:
            expected = theirs.encode(text, add_special_tokens=False)
        except Exception as error:
            return f"differs: {text!r} is an error there: {error}"
        ids, places = ours.encode_with_offsets(text, allowed_special="all")
        if ids != expected.ids:
            return f"differs: {text!r} is {ids}, not {expected.ids} {expected.tokens}"
        if ids != ours.encode(text, allowed_special="all"):
            return f"differs: {text!r} is {ids} with offsets, without {ours.encode(text)}"
        if places != expected.offsets and tells_places(made["model"]):
            return f"differs: {text!r} {expected.tokens} at {places}, not {expected.offsets}"
        for skip in (False, True):
            decoded = theirs.decode(ids, skip_special_tokens=skip)
            if (again := ours.decode(ids, skip_special_tokens=skip)) != decoded:
                return (
                    f"differs: {ids} {expected.tokens} decode to {again!r}, not {decoded!r} {skip}"
                )
    return "equal"


def tells_places(model: Component) -> bool:
    """Whether offsets are those of tokenizers.

    Where symbols vanish, its own move to the left, as if they had never been there; ours do so
    where symbols are characters, and no option makes others of them. Of several unknown symbols in
    one, and of their bytes, ours are more exact.
    """
    if model["type"] != "BPE":
        return True
    if not model.get("unk_token"):
        others = ("continuing_subword_prefix", "end_of_word_suffix", "ignore_merges")
        return not any(model.get(option) for option in (*others, "byte_fallback"))
    return len(model["unk_token"]) > 1 and not model.get("byte_fallback")


def main() -> None:
    """Try documents from one number on."""
    first, n = (int(each) for each in sys.argv[1:3])
    kinds: Counter[str] = Counter()
    for seed in range(first, first + n):
        made = document(seed)
        said = compare(made, texts_for(seed, made))
        kinds[
            said.split(":")[0] + (": " + said.split(": ", 2)[-1] if "refuse:" in said else "")
        ] += 1
        if said.startswith("differs"):
            parts = {key: made[key] for key in ("normalizer", "pre_tokenizer", "decoder")}
            model = {k: v for k, v in made["model"].items() if k not in ("vocab", "merges")}
            print(seed, said, json.dumps({**parts, "model": model}), sep="\n  ")
    for kind, number in kinds.most_common():
        print(number, kind)


if __name__ == "__main__":
    main()
