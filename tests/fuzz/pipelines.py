"""Random pipelines of Hugging Face's tokenizers, imported: the ids and offsets of the library.

    WWHO_FUZZ_PIPELINES=50000 python -m pytest tests/py/test_fuzz_pipelines.py
    python tests/fuzz/pipelines.py --texts 50000 --seed 7
    python tests/fuzz/pipelines.py --only 123 --seed 7       # one pipeline again, in words

A pipeline is up to six normalizers, up to six pre-tokenizers, post-processors and decoders, of all
kinds and with random options, in any order, a model whose ids tell characters and where pieces
begin, and perhaps added tokens. Of each, some random texts are encoded by the library, by the
imported artifact in the core and in the reference backend, and by the literal one that the importer
makes first (`fold`), and their ids are decoded: all must agree.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "py")]

import tokenizers  # noqa: E402

from wwho.assemble.fold import fold  # noqa: E402
from wwho.backends.reference import ReferenceBackend  # noqa: E402
from wwho.compile import scanners  # noqa: E402
from wwho.errors import WwhoError  # noqa: E402
from wwho.format.model import Artifact  # noqa: E402
from wwho.format.steps import STAND_INS  # noqa: E402
from wwho.format.write import write_artifact  # noqa: E402
from wwho.importers import Options, Source  # noqa: E402
from wwho.importers.huggingface.document import Value  # noqa: E402
from wwho.importers.huggingface.normalizers import may_insert_in_front  # noqa: E402
from wwho.importers.huggingface.read import check_size, literal  # noqa: E402
from wwho.interchange.charsmap import write_charsmap  # noqa: E402
from wwho.reference.walk import Walk  # noqa: E402
from wwho.tokenizer import Tokenizer  # noqa: E402

# Pipelines have many patterns in common, and most of the time would go into compiling these again.
scanners._compile_one = cache(scanners._compile_one)

Component = dict[str, Any]
MOST_IN_A_ROW = 6
TEXTS_OF_A_PIPELINE = 40
ALPHABET = (
    "aabbcABC  .,'-_1209é\u0301\u0323ñÅ\u00a0\t\nßİΣς漢字か゚한\u1112\u1161कि्😀\u200d½²Ⅷﬁ▁Ġ#<>|"
)
PIECES = (
    "a b",
    "  ",
    "ab",
    "é",
    "e\u0301",
    "12345",
    "don't",
    "\r\n",
    "##",
    "<t>",
    "a<T>b",
    " <m> ",
)
NEXT = "\ue000"
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
PATTERNS = (
    *(r"\s+", r"[ab]", r"a|bc?", r"\d", r"\p{L}+", r"[^\s\p{L}]+", r"(?<=a)b", r"b(?=c)", r"\w+$"),
    *(r"a(?!b)", r"^.", r"\d{1,3}(?=(?:\d{3})*\b)", r"(?=(\d{3})+(?!\d))", r".{2}", r"\S\s?"),
    *(r"(?i)ab", r"[\p{M}]", r"\p{N}{1,3}", "Ġ", "Ã.", "▁+"),
)
EMPTY = (r"a*", "", r"\b", r"(?=b)", r"(?<=a)|c", r"$")
TEXTS = (" ", "a", "ab", "é", "\u0301", "▁", "Ġ", "12", ".", "e\u0301", "\n")
CHARSMAP = {
    "ﬁ": "fi",
    "½": "1/2",
    "\u00a0": " ",
    "e\u0301": "é",
    "Å": "A",
    "\t": " ",
    "\u200d": "",
    "Ⅷ": "VIII",
    "\u0323": "",
}


def pattern(rng: random.Random, empty: bool = True) -> Component:
    """A pattern of a Split or Replace."""
    if rng.random() < 0.4:
        return {"String": rng.choice(TEXTS)}
    if empty and rng.random() < 0.2:
        return {"Regex": rng.choice(EMPTY)}
    return {"Regex": rng.choice(PATTERNS)}


def flag(rng: random.Random) -> bool:
    """True half of the time."""
    return rng.random() < 0.5


NORMALIZERS: Mapping[str, Callable[[random.Random], Component]] = {
    "BertNormalizer": lambda rng: {
        "clean_text": flag(rng),
        "handle_chinese_chars": flag(rng),
        "strip_accents": rng.choice((None, True, False)),
        "lowercase": flag(rng),
    },
    "ByteLevel": lambda rng: {},
    "Lowercase": lambda rng: {},
    "NFC": lambda rng: {},
    "NFD": lambda rng: {},
    "NFKC": lambda rng: {},
    "NFKD": lambda rng: {},
    "Nmt": lambda rng: {},
    "Precompiled": lambda rng: {
        "precompiled_charsmap": base64.b64encode(
            write_charsmap(dict(rng.sample(sorted(CHARSMAP.items()), rng.randint(1, 6))))
        ).decode()
    },
    "Prepend": lambda rng: {"prepend": rng.choice((*TEXTS, "x y"))},
    "Replace": lambda rng: {
        "pattern": pattern(rng),
        "content": rng.choice(("", " ", "▁", "ab", "é", "\u0301", "x\u0301", " a ")),
    },
    "Strip": lambda rng: {"strip_left": flag(rng), "strip_right": flag(rng)},
    "StripAccents": lambda rng: {},
}
"""Makers of the options of each normalizer."""

PRE_TOKENIZERS: Mapping[str, Callable[[random.Random], Component]] = {
    "BertPreTokenizer": lambda rng: {},
    "ByteLevel": lambda rng: {
        "add_prefix_space": flag(rng),
        "trim_offsets": True,
        "use_regex": flag(rng),
    },
    "CharDelimiterSplit": lambda rng: {"delimiter": rng.choice("ab .▁Ġ1")},
    "Digits": lambda rng: {"individual_digits": flag(rng)},
    "FixedLength": lambda rng: {"length": rng.randint(1, 4)},
    "Metaspace": lambda rng: {
        "replacement": rng.choice("▁▁▁_a"),
        "prepend_scheme": rng.choice(("always", "first", "never")),
        "split": flag(rng),
    },
    "Punctuation": lambda rng: {"behavior": rng.choice(BEHAVIORS)},
    "Split": lambda rng: {
        "pattern": pattern(rng),
        "behavior": rng.choice(BEHAVIORS),
        "invert": flag(rng),
    },
    "UnicodeScripts": lambda rng: {},
    "Whitespace": lambda rng: {},
    "WhitespaceSplit": lambda rng: {},
}
"""Makers of the options of each pre-tokenizer."""


DECODERS: Mapping[str, Callable[[random.Random], Component]] = {
    "BPEDecoder": lambda rng: {"suffix": rng.choice(("</w>", "a", "b"))},
    "ByteFallback": lambda rng: {},
    "ByteLevel": lambda rng: {
        "add_prefix_space": flag(rng),
        "trim_offsets": flag(rng),
        "use_regex": flag(rng),
    },
    "CTC": lambda rng: {
        "pad_token": rng.choice(("a", "[UNK]")),
        "word_delimiter_token": rng.choice(("|", "b")),
        "cleanup": flag(rng),
    },
    "Fuse": lambda rng: {},
    "Metaspace": lambda rng: {
        "replacement": rng.choice("▁_a"),
        "prepend_scheme": rng.choice(("always", "first", "never")),
        "split": flag(rng),
    },
    "Replace": lambda rng: {
        "pattern": {"String": rng.choice(TEXTS)},
        "content": rng.choice(("", " ", "ab")),
    },
    # With a stop, the library panics at short tokens.
    "Strip": lambda rng: {"content": rng.choice("a ▁"), "start": rng.randint(0, 2), "stop": 0},
    "WordPiece": lambda rng: {"prefix": rng.choice(("##", "a")), "cleanup": flag(rng)},
}
"""Makers of the options of each decoder."""

POST_PROCESSORS: Mapping[str, Callable[[random.Random], Component]] = {
    "BertProcessing": lambda rng: {"sep": ["b", 0], "cls": ["a", 1]},
    "ByteLevel": lambda rng: {
        "add_prefix_space": flag(rng),
        "trim_offsets": flag(rng),
        "use_regex": flag(rng),
    },
    "RobertaProcessing": lambda rng: {
        "sep": ["b", 0],
        "cls": ["a", 1],
        "trim_offsets": flag(rng),
        "add_prefix_space": flag(rng),
    },
    "TemplateProcessing": lambda rng: {
        "single": [
            {"SpecialToken": {"id": "a", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": rng.randint(0, 2)}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"a": {"id": "a", "ids": [1], "tokens": ["a"]}},
    },
}
"""Makers of the options of each post-processor; ids 0 and 1 are tokens of each model."""


def components(
    rng: random.Random, makers: Mapping[str, Callable[[random.Random], Component]], key: str
) -> Component | None:
    """A Sequence of up to six components; sometimes one of them is a Sequence, or it is none."""
    names = rng.choices(list(makers), k=rng.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, MOST_IN_A_ROW)))
    parts: list[Component] = [{"type": name, **makers[name](rng)} for name in names]
    if not parts:
        return None
    if len(parts) == 1 and flag(rng):
        return parts[0]
    if len(parts) > 2 and rng.random() < 0.2:
        parts[1:3] = [{"type": "Sequence", key: parts[1:3]}]
    return {"type": "Sequence", key: parts}


def characters_model(rng: random.Random) -> Component:
    """A BPE whose ids tell characters, and which of them begin a piece."""
    letters = sorted({*ALPHABET, *ALPHABET.lower(), *STAND_INS, *"xiI1/\u0307\u212b"} - {NEXT})
    texts = ["[UNK]", *letters, *(f"{NEXT}{letter}" for letter in letters)]
    return {
        "type": "BPE",
        "unk_token": "[UNK]",
        "fuse_unk": rng.random() < 0.3,
        "continuing_subword_prefix": NEXT,
        "vocab": {text: number for number, text in enumerate(texts)},
        "merges": [],
    }


def bytes_model(rng: random.Random) -> Component:
    """A BPE over the characters that stand for bytes."""
    texts = list(STAND_INS)
    merges = []
    for _ in range(rng.randint(0, 30)):
        left, right = (rng.choice([*texts, *"abĠ12Ãé"]) for _ in range(2))
        if left + right not in texts and len(left + right) < 8:
            texts.append(left + right)
            merges.append([left, right])
    return {
        "type": "BPE",
        "ignore_merges": rng.random() < 0.2,
        "vocab": {text: number for number, text in enumerate(texts)},
        "merges": merges,
    }


def merges_model(rng: random.Random) -> Component:
    """A BPE over characters; unknown ones are left out, fused, or each one token."""
    letters = sorted({*ALPHABET})
    texts = ["[UNK]", *rng.sample(letters, rng.randint(10, len(letters)))]
    merges = []
    for _ in range(rng.randint(0, 30)):
        left, right = (rng.choice(texts[1:]) for _ in range(2))
        if left + right not in texts and len(left + right) < 8:
            texts.append(left + right)
            merges.append([left, right])
    return {
        "type": "BPE",
        "unk_token": rng.choice((None, "[UNK]", "[UNK]")),
        "fuse_unk": flag(rng),
        "ignore_merges": rng.random() < 0.2,
        "vocab": {text: number for number, text in enumerate(texts)},
        "merges": merges,
    }


def unigram_model(rng: random.Random) -> Component:
    """Unigram, with scores of few digits, as those that were f32 have."""
    letters = sorted({*ALPHABET})
    texts = ["<unk>", *rng.sample(letters, rng.randint(10, len(letters)))]
    texts += ["".join(rng.choices([*letters[:20], "▁"], k=rng.randint(2, 4))) for _ in range(20)]
    pieces = [[text, -rng.randint(0, 4000) / 256] for text in dict.fromkeys(texts)]
    return {"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": False}


def word_piece_model(rng: random.Random) -> Component:
    """WordPiece with BERT's prefix."""
    letters = sorted({*ALPHABET, *ALPHABET.lower()})
    texts = ["[UNK]", *letters, *(f"##{letter}" for letter in letters), "##ab", "ab", "##1"]
    return {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {text: number for number, text in enumerate(texts)},
    }


MODELS = (
    characters_model,
    characters_model,
    characters_model,
    bytes_model,
    merges_model,
    unigram_model,
    word_piece_model,
)


def added_tokens(rng: random.Random) -> list[Component]:
    """A few added tokens with random flags."""
    names = ("single_word", "lstrip", "rstrip", "normalized")
    return [
        {"id": number, "content": text, "special": False, **{name: flag(rng) for name in names}}
        for number, text in enumerate(rng.sample(("<t>", "<m>", "é!", "ab"), 2), 900)
    ]


def document(seed: str) -> Component:
    """The tokenizer.json of a seed."""
    rng = random.Random(seed)
    model = rng.choice(MODELS)(rng)
    return {
        "version": "1.0",
        "added_tokens": added_tokens(rng) if rng.random() < 0.15 else [],
        "normalizer": components(rng, NORMALIZERS, "normalizers"),
        "pre_tokenizer": components(rng, PRE_TOKENIZERS, "pretokenizers"),
        "post_processor": components(rng, POST_PROCESSORS, "processors") if flag(rng) else None,
        "decoder": components(rng, DECODERS, "decoders"),
        "model": model,
    }


def text_of(rng: random.Random) -> str:
    """A random text, of characters and of what is odd when it stands together."""
    pool = (*ALPHABET, *PIECES)
    return "".join(rng.choices(pool, k=rng.choice((0, 1, 2, 3, 5, 8, 13, 21))))


@dataclass
class Outcome:
    """What a run found.

    Attributes:
        texts: how many texts were compared.
        kinds: how many pipelines were compared, refused by the library, refused here (by reason),
            or not run by the library on some text.
        differences: seeds and what differs.
    """

    texts: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[str, str]] = field(default_factory=list)


Placed = list[tuple[int, tuple[int, int]]]


class Ours:
    """An artifact, encoded by the reference backend."""

    def __init__(self, artifact: Artifact) -> None:
        """Take an artifact, which need not be one that a file can hold."""
        self.walk = Walk(artifact)
        self.n_added = len(artifact.added)

    def encode(self, text: str) -> Placed:
        """The ids and their offsets in code points."""
        data, allowed = text.encode(), b"\1" * self.n_added
        found = list(self.walk.tokens(data, allowed, False))
        starts, ends = [start for _, start, _ in found], [end for _, _, end in found]
        places = ReferenceBackend.offsets(self, data, starts, ends, False)  # type: ignore[arg-type]
        return list(zip([token for token, _, _ in found], places, strict=True))


def places_are_known(made: Component) -> bool:
    """Whether the library's offsets mean anything, and are those that FORMAT.md says.

    Those of what a Replace puts in front of a text by an empty match are (0, 0) there, and here
    those of the first character. A post-processor trims by the text of tokens, which FORMAT.md has
    of BPE alone: an unknown token of Unigram has it after the normalizer there, and one of
    WordPiece with its prefix.
    """
    trims = made["post_processor"] is not None and made["model"]["type"] != "BPE"
    return not (trims or may_insert_in_front(Value(made["normalizer"])))


def try_pipeline(seed: str, outcome: Outcome) -> None:
    """Compare a pipeline on some texts."""
    made = document(seed)
    try:
        theirs = tokenizers.Tokenizer.from_str(json.dumps(made))
    except BaseException as error:  # what the library's own code gives is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        outcome.kinds["the library refuses"] += 1
        return
    source = Source("tokenizer.json", b"")
    try:
        spelled_out, _ = literal(made, source, Options())
        found = fold(spelled_out)
        check_size(Value(made), found)
        blob = write_artifact(found)
        core, reference = (
            Tokenizer.from_bytes(blob),
            Tokenizer.from_bytes(blob, backend="reference"),
        )
    except WwhoError as error:
        outcome.kinds[f"refused here: {str(error).partition(':')[2][:70]}"] += 1
        return
    one_by_one, trims = Ours(spelled_out), made["post_processor"] is not None
    rng = random.Random(f"{seed} texts")
    same_places = places_are_known(made)
    outcome.kinds["compared"] += 1
    for _ in range(TEXTS_OF_A_PIPELINE):
        text = text_of(rng)
        outcome.texts += 1
        said = ""
        ids, offsets = core.encode_with_offsets(text, allowed_special="all")
        ours, literally = list(zip(ids, offsets, strict=True)), one_by_one.encode(text)
        if (ids, offsets) != (other := reference.encode_with_offsets(text, allowed_special="all")):
            said = f"{text!r} is {ours}, in the reference {other}"
        elif [token for token, _ in literally] != ids or (literally != ours and not trims):
            said = f"{text!r} is {ours}, literally {literally}"
        else:
            try:
                encoding = theirs.encode(text)
                written = theirs.decode(encoding.ids, skip_special_tokens=False)
            except BaseException as error:  # as above
                if isinstance(error, KeyboardInterrupt):
                    raise
                outcome.kinds[f"the library fails: {str(error)[:50]}"] += 1
                continue
            expected = list(zip(encoding.ids, encoding.offsets, strict=True))
            ids, offsets = core.encode_with_offsets(
                text, allowed_special="all", add_special_tokens=True
            )
            ours = list(zip(ids, offsets, strict=True))
            if ids != encoding.ids or (same_places and ours != expected):
                said = f"{text!r} is {ours}, not {expected}"
            elif (decoded := core.decode(ids, like_tokenizers=True)) != written:
                said = f"{text!r} is {ids}, decoded to {decoded!r}, not {written!r}"
        if said:
            outcome.differences.append((seed, said))
            return


def run(seed: str, texts: int) -> Outcome:
    """Try pipelines until so many texts were compared."""
    outcome, number = Outcome(), 0
    while outcome.texts < texts:
        try_pipeline(f"{seed} {number}", outcome)
        number += 1
        if number % 100 == 0:
            print(f"{outcome.texts} texts, {len(outcome.differences)} differ", file=sys.stderr)
    return outcome


def describe_pipeline(seed: str) -> str:
    """A pipeline in words."""
    made = document(seed)
    model = {key: each for key, each in made["model"].items() if key not in ("vocab", "merges")}
    parts = {key: made[key] for key in ("normalizer", "pre_tokenizer", "added_tokens")}
    return json.dumps({**parts, "model": model}, ensure_ascii=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; 1 where there is a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--only", help="the number of one pipeline")
    options = parser.parse_args(arguments)
    outcome = Outcome()
    if options.only is not None:
        try_pipeline(f"{options.seed} {options.only}", outcome)
        print(describe_pipeline(f"{options.seed} {options.only}"))
    else:
        outcome = run(options.seed, options.texts)
    for seed, said in outcome.differences:
        print(f"{seed}: {said}\n  {describe_pipeline(seed)}")
    for kind, number in outcome.kinds.most_common():
        print(number, kind)
    print(f"{outcome.texts} texts, {len(outcome.differences)} pipelines differ")
    return 1 if outcome.differences else 0


if __name__ == "__main__":
    sys.exit(main())
