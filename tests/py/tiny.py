"""A tokenizer small enough to read: hand-picked tokens over the shipped schemas.

It has every feature of the format: gaps between ids, special tokens on both sides of n_base (one
inside another, one in Sinhala), atoms with and without their space, merges over merges,
superwords, a lone space and [UNK]. `tests/vectors/tiny.wwho` is its artifact. What excludes
superwords is in another, made of a vocab.json: `tests/vectors/paper.wwho`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from wwho.build.base import base_model
from wwho.build.pairs import canonical_pairs
from wwho.build.paper import import_vocab
from wwho.build.patterns import PATTERNS
from wwho.build.vocab_json import parse_vocab_json
from wwho.format.model import Model, Pair, Route
from wwho.grammar.compile import Scanner, compile_scanners
from wwho.grammar.parse import parse_regex
from wwho.grammar.unicode import UNICODE_VERSION
from wwho.schema.compile import compile_schemas
from wwho.schema.load import load_schema

SCHEMAS = ("sinhala", "devanagari")

BASE_TOKENS = (
    *(b"th", b"the", b" t", b" the", b"in", b"ing", b"an", b" a", b"er", b"aa", b"aaaa", b"  "),
    *(b"00", b"\r\n", b"\n\n", b"'s", b"\xc3\xa9", b"\xe0\xb6", b"\xe0\xb6\x9a", b" \xe0"),
    *(b"\xe0\xa4", b"\xe0\xa4\x95", b"\xf0\x9f", b"\xf0\x9f\x98", b"\x98\x80"),
)

ATOMS = (
    *("ක", "ග", "ච", "ම", "ය", "ර", "ල", "ශ්‍රී", "න්ද්‍ර", "යා", "ගේ", "ලා", "ඔ", " ඔ", " ක", " ල", "ං"),
    *("क", "म", "य", "र", "ल", "वि", "द्या", " वि", " में", "ती", "हो", "।", " ।", "ॐ"),
)

MERGES = (
    *(
        ("ච", "න්ද්‍ර"),
        ("යා", "ගේ"),
        ("චන්ද්‍ර", "යාගේ"),
        ("ම", "ල"),
        (" ක", "ම"),
        ("ක", "ක"),
        ("කක", "කක"),
    ),
    *(("द्या", "ल"), ("वि", "द्याल"), ("विद्याल", "य"), (" वि", "द्याल"), ("हो", "ती"), ("र", "र")),
)

SUPERWORDS = (
    *(("ක", " ක"), (" ක", " ල"), ("ක ක", " ක ල"), (" කම", " ක"), ("ල", " ඔ"), (" ල", " ල")),
    *((" में", " वि"), (" विद्याल", " में"), ("य", " में")),
)

SPECIALS_BASE = ("<|end|>", "<|end|>x", "<|ක|>")
SPECIALS_SGPE = ("[PAD]", "[UNK]")


def tiny_model() -> Model:
    """The model."""
    tokens = [*(bytes([byte]) for byte in range(255, -1, -1)), *BASE_TOKENS]
    # ids between the tokens and the special tokens are left free, as in o200k_base and cl100k_base
    specials = {text: len(tokens) + 2 + 3 * k for k, text in enumerate(SPECIALS_BASE)}
    n_base = max(specials.values()) + 2
    specials |= {text: n_base + 1 + k for k, text in enumerate(SPECIALS_SGPE)}
    first_atom = max(specials.values()) + 2
    schemas = [load_schema(name) for name in SCHEMAS]
    atoms = tuple(sorted(text.encode("utf-8") for text in ATOMS))
    return Model(
        scanners=compile_schemas(schemas, parse_regex(PATTERNS["o200k_base"])),
        router=0,
        routes=(
            Route("other", 1, sgpe=False),
            *(Route(schema.name, k, sgpe=True) for k, schema in enumerate(schemas, 2)),
        ),
        n_base=n_base,
        base_bytes=b"".join(tokens[:256]),
        base_pairs=canonical_pairs(tokens),
        first_atom=first_atom,
        atoms=atoms,
        merges=merge_pairs(atoms),
        space_id=first_atom + len(ATOMS) + len(MERGES) + len(SUPERWORDS),
        unk_id=specials["[UNK]"],
        specials=specials,
        provenance={
            "name": "tiny",
            "source": "tests/py/tiny.py",
            "license": "Apache-2.0",
            "unicode": UNICODE_VERSION,
            "schemas": " ".join(SCHEMAS),
        },
        n_superwords=len(SUPERWORDS),
    )


def paper_document() -> dict[str, Any]:
    """A vocab.json with all that one may hold.

    Ids in no order, a lone space in their midst, units outside the vocabulary that merges use,
    merged tokens outside it, a pair that is listed twice, tokens that nothing makes, and merges
    that never happen.
    """
    merges = [
        *(("ක", "ම"), (" ක", "ම"), ("कि", "।"), ("क", "म"), ("ම", "ල"), ("කම", "ල"), ("ක", "මල")),
        *(("ක", "ක"), ("කක", "කක"), ("\u200d", "\u200c"), ("ශ්‍රී", "ය"), ("x", "y"), (" ක", "මල")),
        *((" क", "म"), (" कम", "।"), ("ය", "ර"), ("क", "म"), ("कम", "ල"), ("කිි", "ක්")),
        *(("෧", "෴"), ("ර", "ර"), ("රර", "රර"), ("ල", " ක"), (" කම", "ල")),
    ]
    tokens = [
        *("ක", "කකකක", "ර", " ", "ල", " ක", "කම", "\u200c", "कम", "कि", "।", "hello", "ල ක", "෧"),
        *("ම", " කමල", "क", "\u200d", "කිි", "ක්", "කිික්", "෴", "म", " क", "රරරර", "मල", "මල"),
        *("किक।", "\u200d\u200c", "කි", "ක්\u200d", " कम।"),
    ]
    specials = ["[PAD]", "[UNK]", "[CLS]"]
    return {
        "version": "wwho_sgpe",
        "script_mode": "mixed",
        "special_tokens": specials,
        "prune_freq": 3,
        "leading_space": True,
        "merges": [list(pair) for pair in merges],
        "vocab": {text: number for number, text in enumerate([*specials, *tokens])},
    }


def paper_base() -> Model:
    """The base of `paper_model`: that of `tiny_model` with bytes in ascending order."""
    return base_model(
        [*(bytes([byte]) for byte in range(256)), *BASE_TOKENS],
        pattern="o200k_base",
        specials={text: 300 + k for k, text in enumerate(SPECIALS_BASE)},
        provenance={"name": "tiny base"},
    )


def paper_model() -> Model:
    """A model with ids of its own."""
    file = parse_vocab_json(json.dumps(paper_document()).encode())
    schemas = [load_schema(f"paper/{name}", allow_invalid=True) for name in SCHEMAS]
    model = import_vocab(file, schemas, paper_base(), name="paper").model
    return replace(model, provenance={"name": "paper", "source": "tests/py/tiny.py"})


def merge_pairs(atoms: tuple[bytes, ...]) -> list[Pair]:
    """The merges as pairs of ids counted from the first atom."""
    ids = {text.decode("utf-8"): k for k, text in enumerate(atoms)}
    pairs = []
    for left, right in (*MERGES, *SUPERWORDS):
        pairs.append((ids[left], ids[right]))
        ids[left + right] = len(ids)
    return pairs


def small_model() -> Model:
    """A model with every section and little in it, to make broken files of; SGPE gets all `k`s."""
    letters, rest = parse_regex("k+"), parse_regex("[^k]+")
    scanners = compile_scanners(
        [
            Scanner("router", (rest, letters), longest=False),
            Scanner("other", (parse_regex("[a-z]+|[^a-z]"),), longest=False),
            Scanner("letters", (parse_regex("k"), parse_regex("[^k]")), longest=False),
        ]
    )
    return Model(
        scanners=scanners,
        router=0,
        routes=(Route("other", 1, sgpe=False), Route("letters", 2, sgpe=True)),
        n_base=261,
        base_bytes=bytes(range(256)),
        base_pairs=((97, 98), (256, 99)),
        first_atom=262,
        atoms=(b"j", b"k"),
        merges=((1, 1), (2, 2)),
        space_id=266,
        unk_id=261,
        specials={"<|a|>": 259, "[UNK]": 261},
        provenance={"name": "small"},
    )


def stated_model() -> Model:
    """As `small_model`, with ids of its own, for broken files; one token has none."""
    return replace(small_model(), space_id=263, ids=(265, 262, None, 264))


def smallest_model() -> Model:
    """The least that is a tokenizer, whose file FORMAT.md prints: any text is one piece."""
    return Model(
        scanners=compile_scanners(
            [Scanner("pretokenizer", (parse_regex("(?:a|[^a])+"),), longest=False)]
        ),
        router=None,
        routes=(Route("other", 0, sgpe=False),),
        n_base=256,
        base_bytes=bytes(range(256)),
        base_pairs=(),
        first_atom=256,
        atoms=(),
        merges=(),
        space_id=None,
        unk_id=None,
        specials={},
        provenance={"name": "minimal"},
    )
