"""A tokenizer small enough to read: hand-picked tokens over the shipped schemas.

It has every feature of the format: gaps between ids, special tokens on both sides of n_base (one
inside another, one in Sinhala), atoms with and without their space, merges over merges,
superwords, a lone space and [UNK]. `tests/vectors/tiny.wwho` is its artifact. What excludes
superwords is in another, made of a vocab.json: `tests/vectors/paper.wwho`.
"""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from typing import Any

from wwho.assemble.atoms import AtomKind, Words, cut_with_routes, schema_cut
from wwho.assemble.base import base_model, byte_base
from wwho.assemble.bpe import bpe_model
from wwho.assemble.paper import import_vocab
from wwho.assemble.patterns import PATTERNS
from wwho.assemble.script import blocks_step, script_artifact, symbol_model
from wwho.assemble.training_artifacts import added_tokens, special_ids, trained_model
from wwho.assemble.unigram import unigram_over_base
from wwho.assemble.vocab_json import parse_vocab_json
from wwho.compile.normal_forms import lower_case, normal_form
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.schema_loader import load_schema
from wwho.compile.schema_scanners import compile_schemas
from wwho.compile.script import Block, script_pieces
from wwho.compile.unicode import UNICODE_VERSION
from wwho.format.bpe import BPE
from wwho.format.decoder import Bytes, Decoder, Join, Step
from wwho.format.greedy import Greedy
from wwho.format.model import (
    Added,
    Artifact,
    Flag,
    Ids,
    Model,
    Pair,
    Route,
    Unknown,
)
from wwho.format.steps import Action, Cut, Ends, Map, Replace, Spell
from wwho.format.template import BYTES, KEEP, KEEP_ALONE, Place, Template, What
from wwho.format.viterbi import Viterbi
from wwho.reference.sampling import f32

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
SPECIALS_BEHIND = ("[PAD]", "[UNK]")


def specials_of(artifact: Artifact) -> dict[str, int]:
    """The added tokens of an artifact, text to id."""
    return {token.text: token.id for token in artifact.added}


def bpe_of(model: Model) -> BPE:
    """A model, which is a BPE."""
    assert isinstance(model, BPE)
    return model


def tiny_model() -> Artifact:
    """The model."""
    tokens = [*(bytes([byte]) for byte in range(255, -1, -1)), *BASE_TOKENS]
    # ids between the tokens and the special tokens are left free, as in o200k_base and cl100k_base
    specials = {text: len(tokens) + 2 + 3 * k for k, text in enumerate(SPECIALS_BASE)}
    behind = max(specials.values()) + 3
    specials |= {text: behind + k for k, text in enumerate(SPECIALS_BEHIND)}
    first_id = max(specials.values()) + 2
    schemas = [load_schema(name) for name in SCHEMAS]
    atoms = tuple(sorted(text.encode("utf-8") for text in ATOMS))
    scanners = compile_schemas(schemas, parse_regex(PATTERNS["o200k_base"]))
    ranks = {token: rank for rank, token in enumerate(tokens)}
    base = bpe_model(ranks, ranks)
    syllables = BPE(
        symbols=atoms,
        merges=merge_pairs(atoms),
        units=True,
        first_id=first_id,
        unknown=Unknown.SPELL,
        unk_id=specials["[UNK]"],
        space_id=first_id + len(ATOMS) + len(MERGES) + len(SUPERWORDS),
        n_superwords=len(SUPERWORDS),
    )
    return Artifact(
        **schema_cut(scanners, schemas),
        models=(base, syllables),
        added=added_tokens(specials),
        provenance={
            "name": "tiny",
            "source": "tests/py/tiny.py",
            "license": "Apache-2.0",
            "unicode": UNICODE_VERSION,
            "schemas": " ".join(SCHEMAS),
        },
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


def paper_base() -> Artifact:
    """The base of `paper_model`: that of `tiny_model` with bytes in ascending order."""
    return base_model(
        [*(bytes([byte]) for byte in range(256)), *BASE_TOKENS],
        pattern="o200k_base",
        specials={text: 300 + k for k, text in enumerate(SPECIALS_BASE)},
        provenance={"name": "tiny base"},
    )


def paper_model() -> Artifact:
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


def small_model() -> Artifact:
    """A model with every section and little in it, to make broken files of; all `k`s are units."""
    letters, rest = parse_regex("k+"), parse_regex("[^k]+")
    scanners = compile_scanners(
        [
            Scanner("router", (rest, letters), longest=False),
            Scanner("other", (parse_regex("[a-z]+|[^a-z]"),), longest=False),
            Scanner("letters", (parse_regex("k"), parse_regex("[^k]")), longest=False),
        ]
    )
    units = BPE(
        symbols=(b"j", b"k"),
        merges=((1, 1), (2, 2)),
        units=True,
        first_id=262,
        unknown=Unknown.SPELL,
        unk_id=261,
        space_id=266,
    )
    return Artifact(
        **cut_with_routes(scanners, [Route("letters", 1, units=2)], pretokenizer=1),
        models=(BPE(merges=((97, 98), (256, 99))), units),
        added=(Added("<|a|>", 259), Added("[UNK]", 261)),
        provenance={"name": "small"},
    )


def stated_model() -> Artifact:
    """As `small_model`, with ids of its own, for broken files; one token has none."""
    small = small_model()
    ids = (265, 262, None, 264)
    base, units = map(bpe_of, small.models)
    units = replace(units, space_id=263, id_policy=Ids.STATED, stated=ids, unknown=Unknown.ID)
    return replace(small, models=(base, units))


def byte_tokens_model() -> Artifact:
    """A model of characters, some of which its bytes' tokens stand for; the last byte has none."""
    scanners = compile_scanners([Scanner("characters", (parse_regex("a|[^a]"),), longest=False)])
    characters = BPE(
        symbols=(b" ", b"a", "ක".encode()),
        merges=((1, 1), (0, 3), (2, 2)),
        units=True,
        first_id=3,
        id_policy=Ids.STATED,
        stated=(5, 4, 3, 8, 6, None),
        unknown=Unknown.BYTES,
        fuse=True,
        unk_id=0,
        byte_ids=(*range(9, 264), None),
    )
    return Artifact(
        scanners=scanners,
        router=None,
        routes=(Route("text", model=0, units=0),),
        models=(characters,),
        added=(Added("<unk>", 0),),
        provenance={"name": "byte tokens"},
    )


def empty_model() -> Artifact:
    """The same without a character: each text is tokens of bytes."""
    small = byte_tokens_model()
    empty = replace(bpe_of(small.models[0]), symbols=(), merges=(), stated=())
    return replace(small, models=(empty,), provenance={"name": "empty"})


def steps_of(kind: str, **options: Any) -> tuple[Step, ...]:
    """The steps of a decoder of Hugging Face's tokenizers."""
    from wwho.importers.huggingface import decoders
    from wwho.importers.huggingface.decoders.replace import Pattern
    from wwho.importers.huggingface.document import Value

    found = decoders.steps(Value({"type": kind, **options}))
    return tuple(step for step in found if not isinstance(step, Pattern))


def fallback_model() -> Artifact:
    """The same, decoded as Llama 2 decodes: tokens of bytes are characters, a space goes."""
    fallback = (Bytes(), Join(), *steps_of("Strip", content=" ", start=1, stop=0))
    markers = steps_of("Metaspace", replacement="a", prepend_scheme="never")
    decoder = Decoder((*markers, *fallback), surfaces={5: b"\xe2\x81\x87"})
    return replace(byte_tokens_model(), decoder=decoder, provenance={"name": "fallback"})


def ctc_model() -> Artifact:
    """The same, decoded as CTC models decode: nothing can be said before the last token."""
    decoder = Decoder(steps_of("CTC", pad_token="a", word_delimiter_token="\u0d9a", cleanup=True))
    return replace(byte_tokens_model(), decoder=decoder, provenance={"name": "ctc"})


def template_model() -> Artifact:
    """A small WordPiece with BERT's template and decoder."""
    first, later = ("'", ".", "a", "ab", "do", "not"), ("a", "b", "n't", "\u00e9")
    model = Greedy(
        first=tuple(text.encode() for text in first),
        later=tuple(text.encode() for text in later),
        first_id=3,
        unknown=Unknown.ID,
        unk_id=0,
        max_characters=8,
    )
    words = tuple(map(parse_regex, (r"\s+", r"\S+")))
    return Artifact(
        scanners=compile_scanners([Scanner("words", words, longest=False)]),
        router=None,
        routes=(Route("text", model=0, steps=(Cut(0, (Action.DROP, Action.KEEP)),)),),
        models=(model,),
        added=(Added("[UNK]", 0), Added("[CLS]", 1), Added("[SEP]", 2)),
        template=Template.around(before=[1], behind=[2], between=[2]),
        decoder=Decoder(steps_of("WordPiece", prefix="##", cleanup=True), "##", {2: b"|"}),
        provenance={"name": "template"},
    )


def trimmed_model() -> Artifact:
    """Byte level, with RoBERTa's template and offsets trimmed in every way."""
    words = tuple(map(parse_regex, (r"\s+", r"\S+")))
    scanners = compile_scanners([Scanner("words", words, longest=False)])
    first, second = BYTES + KEEP, BYTES + KEEP_ALONE + 4
    return Artifact(
        scanners=scanners,
        router=None,
        routes=(Route("text", model=0, steps=(Cut(0, (Action.KEEP, Action.KEEP)),)),),
        models=(BPE(merges=((0x20, 0x20), (0x20, ord("a")), (ord("a"), ord("b")))),),
        added=(
            Added("<s>", 300, Flag.SPECIAL),
            Added("<m>", 301, Flag.LSTRIP | Flag.RSTRIP),
            Added("\u0120 ", 302),
        ),
        properties=bytes(sample.isspace() for sample in scanners.classes.samples),
        normalizer=(lower_case(),),
        template=Template(
            (Place(What.ID, 0, 300), Place(What.FIRST, 0, first)),
            (Place(What.FIRST, 0, 1), Place(What.ID, 0, 300), Place(What.SECOND, 1, second)),
        ),
        provenance={"name": "trimmed"},
    )


def steps_model() -> Artifact:
    """Steps before and after the added tokens of normalized text, and a cut that drops."""
    patterns = {
        "words": ("\u2581[^\u2581\n]*", "[^\u2581\n]+", r"\n+"),
        "space": (" ", r"[\s\S]"),
        "quotes": ("``|''", r"[\s\S]"),
    }
    scanners = [
        Scanner(name, tuple(map(parse_regex, rules)), longest=False)
        for name, rules in patterns.items()
    ]
    merges = ((0xE2, 0x96), (256, 0x81), (257, ord("a")), (ord("t"), ord("h")), (259, ord("e")))
    texts = ("<s>", "\u00c9t", "\u00e9t", "the end")
    flags = (Flag.SPECIAL, Flag.HIDDEN, Flag.NORMALIZED, Flag(0))
    return Artifact(
        scanners=compile_scanners(scanners),
        router=None,
        routes=(Route("text", 0, (Cut(0, (Action.KEEP, Action.KEEP, Action.DROP)),)),),
        models=(BPE(merges=merges),),
        added=tuple(map(Added, texts, (300, 301, 301, 302), flags)),
        normalizer=(normal_form("nfkc"), lower_case(), Replace(2, ('"', None))),
        second=(Replace(1, ("\u2581", None)), Ends(prefix="\u2581", unless=True)),
        provenance={"name": "steps"},
    )


def routed_model() -> Artifact:
    """Two routes of steps that cut and rewrite in turns, some of which widen characters."""
    patterns = {
        "router": (r"[^0-9\n]+", r"[0-9\n]+"),
        "words": ("\u2581[^\u2581\n]*", "[^\u2581\n]+", r"\n+"),
        "letters": (r"[a-z]+", r"[^a-z]"),
        "digits": (r"[0-9]+", r"[^0-9]+"),
    }
    scanners = [
        Scanner(name, tuple(map(parse_regex, rules)), longest=False)
        for name, rules in patterns.items()
    ]
    spaces = Map({0x20: (0x2581,), ord("x"): tuple(map(ord, "the")), 0xBD: (0x31, 0x2044, 0x32)})
    text = (
        spaces,
        Ends(prefix="\u2581", unless=True),
        Cut(1, (Action.KEEP, Action.KEEP, Action.DROP)),
        Cut(2, (Action.KEEP, Action.BEFORE)),
        Spell(),
    )
    digits = (
        Cut(3, (Action.COUNT, Action.DROP), (3, 0), short_joins=True),
        Ends(prefix="#", first=True),
        Map({ord("9"): (0xBD,)}),
    )
    merges = ((0xE2, 0x96), (256, 0x81), (ord("t"), ord("h")), (258, ord("e")), (0x31, 0x32))
    return Artifact(
        scanners=compile_scanners(scanners),
        router=0,
        routes=(Route("text", 0, text), Route("digits", 0, digits)),
        models=(BPE(merges=merges),),
        added=(Added("<s>", 300), Added("the end", 301, Flag.NORMALIZED)),
        normalizer=(lower_case(),),
        provenance={"name": "routed"},
    )


def affixes_model() -> Artifact:
    """Characters whose symbols have a prefix and a suffix; some words are tokens as a whole."""
    patterns = {"words": (r"\s+", r"\S+"), "characters": (r"[\s\S]",)}
    scanners = [
        Scanner(name, tuple(map(parse_regex, rules)), longest=False)
        for name, rules in patterns.items()
    ]
    texts = ("##a", "##a</w>", "##b", "##b</w>", "##c", "a", "a</w>", "b", "c", "\u00e9</w>")
    symbols = tuple(sorted(text.encode() for text in texts))
    place = {symbol.decode(): number for number, symbol in enumerate(symbols)}
    merges: list[Pair] = []
    for left, right in (("a", "##b"), ("ab", "##a</w>"), ("##c", "##a"), ("c", "##ca")):
        merges.append((place[left], place[right]))
        place[left + right.removeprefix("##")] = len(symbols) + len(merges) - 1
    model = BPE(
        symbols=symbols,
        merges=merges,
        units=True,
        unmade=(b"cab",),
        whole=True,
        prefix="##",
        suffix="</w>",
        unknown=Unknown.ID,
        unk_id=20,
    )
    cut = Cut(0, (Action.DROP, Action.KEEP))
    return Artifact(
        scanners=compile_scanners(scanners),
        routes=(Route("text", 0, (cut, Map({ord("x"): (ord("a"), ord("b"))})), units=1),),
        models=(model,),
        added=(Added("[UNK]", 20),),
        normalizer=(lower_case(),),
        decoder=Decoder(steps_of("BPEDecoder", suffix="</w>")),
        provenance={"name": "affixes"},
    )


def leaving_out_model() -> Artifact:
    """The same without a suffix and an unknown token: what is unknown is left out."""
    model = affixes_model()
    symbols = (b"##a", b"##b", b"a", "\u0d9a".encode())
    units = BPE(symbols=symbols, merges=((2, 1), (4, 0)), units=True, prefix="##")
    return replace(model, models=(units,), added=(), decoder=None, provenance={"name": "left_out"})


def odd_bpe_model() -> Artifact:
    """A model of characters: parts after what they make, merges of one rank, tokens none makes."""
    scanners = compile_scanners([Scanner("characters", (parse_regex("a|[^a]"),), longest=False)])
    characters = BPE(
        symbols=(b"a", b"b", b"c"),
        merges=((4, 0), (1, 1), (0, 4), (2, 0)),
        ties=(2,),
        unmade=(b"cc", b"zz"),
        whole=True,
        units=True,
        unknown=Unknown.ID,
        unk_id=20,
    )
    return Artifact(
        scanners=scanners,
        router=None,
        routes=(Route("text", model=0, units=0),),
        models=(characters,),
        added=(Added("<unk>", 20),),
        provenance={"name": "odd"},
    )


def odd_added_model() -> Artifact:
    """Pieces between white space and commas, and an added token for each flag."""
    rules = tuple(map(parse_regex, (r"[a-z]+", r"\s", r",", r"[^a-z\s,]")))
    scanners = compile_scanners([Scanner("words", rules, longest=False)])
    flags = {
        "<s>": Flag.SPECIAL,
        "<always>": Flag(0),
        "<left>": Flag.LSTRIP,
        "<right>": Flag.RSTRIP | Flag.SPECIAL,
        "<both>": Flag.LSTRIP | Flag.RSTRIP,
        "word": Flag.SINGLE_WORD,
        "words": Flag.SINGLE_WORD,
        "late": Flag.NORMALIZED,
        "<always>late": Flag.NORMALIZED | Flag.RSTRIP,
        "ab": Flag(0),
    }
    classes = scanners.classes
    properties = bytes(
        sample.isspace() | 2 * (sample.isalnum() or sample == "_") for sample in classes.samples
    )
    actions = (Action.KEEP, Action.DROP, Action.BEFORE, Action.GROUP)
    return Artifact(
        scanners=scanners,
        router=None,
        routes=(Route("text", model=0, steps=(Cut(0, actions),)),),
        models=(BPE(merges=((97, 98), (256, 97), (44, 44))),),
        added=tuple(
            Added(text, 256 if text == "ab" else 300 + k, flag)
            for k, (text, flag) in sorted(
                enumerate(flags.items()), key=lambda item: item[1][0] != "ab"
            )
        ),
        properties=properties,
        provenance={"name": "odd"},
    )


def smallest_model() -> Artifact:
    """The least that is a tokenizer, whose file FORMAT.md prints: any text is one piece."""
    return Artifact(
        scanners=compile_scanners(
            [Scanner("pretokenizer", (parse_regex("(?:a|[^a])+"),), longest=False)]
        ),
        router=None,
        routes=(Route("other", model=0),),
        models=(BPE(),),
        provenance={"name": "minimal"},
    )


def kinds_model() -> Artifact:
    """A model of each kind, and what is unknown to them in every way.

    Words of Latin letters are GREEDY, spelled by a BPE of bytes where they are unknown, as all that
    is no word. Sinhala and Devanagari are VITERBI: with sums in f32, and byte tokens for all
    but a few bytes; with sums in f64, and [UNK].
    """
    rules = ("[A-Za-z]+", "[\u0d80-\u0dff\u200d]+", "[\u0900-\u097f\u200c]+")
    other = "[^A-Za-z\u0d80-\u0dff\u200d\u0900-\u097f\u200c]+"
    router = Scanner("router", tuple(map(parse_regex, (other, *rules))), longest=False)
    cased = tuple(map(parse_regex, ("[^A-Z]+", "[A-Z]+")))
    letters = Scanner("letters", cased, longest=False)
    words = sorted(
        {*map(chr, range(97, 119)), "the", "kettle", "line", "one", "waiting", "it", "be"}
    )
    rests = sorted({*map(chr, range(97, 120)), "ing", "le", "ettl", "en", "itin", "lu"})
    greedy = Greedy(
        first=tuple(word.encode() for word in words),
        later=tuple(rest.encode() for rest in rests),
        max_characters=12,
        first_id=300,
        unknown=Unknown.SPELL,
        speller=0,
        unk_id=700,
    )
    sinhala = {"ක": -3.5, "කක": -7.0, "කකක": -10.5, "්": -4.0, "ක්": -6.75, "ග": -2.0, "ං": -1.1}
    names = sorted(sinhala)
    narrow = Viterbi(
        tokens=tuple(name.encode() for name in names),
        scores=tuple(struct.unpack("<f", struct.pack("<f", sinhala[name]))[0] for name in names),
        narrow=True,
        first_id=400,
        id_policy=Ids.STATED,
        stated=(None, *range(656, 655 + len(names))),
        unknown=Unknown.BYTES,
        unk_id=701,
        byte_ids=(*range(400, 608), None, *range(609, 656)),
    )
    devanagari = {"क": -0.1, "कक": -0.2, "ककक": -0.3, "म": 30.0, "्": -4.0, "द्या": 31.0, "तत": -5.0}
    names = sorted(devanagari)
    wide = Viterbi(
        tokens=tuple(name.encode() for name in names),
        scores=tuple(devanagari[name] for name in names),
        first_id=680,
        unknown=Unknown.ID,
        unk_id=700,
    )
    return Artifact(
        scanners=compile_scanners([router, letters]),
        router=0,
        routes=(
            Route("other", 0),
            Route("latin", 1, (Cut(1, (Action.KEEP, Action.BEHIND)),)),
            Route("sinhala", 3),
            Route("devanagari", 2),
        ),
        models=(BPE(), greedy, wide, narrow),
        added=(Added("[UNK]", 700), Added("[NONE]", 701)),
        provenance={"name": "kinds"},
    )


def unigram_model() -> Artifact:
    """VITERBI over units: tokens whose scores are best where they would cut a syllable."""
    scores = {
        **{"ක": -3.5, " ක": -4.0, "කක": -6.9, "කකක": -10.5, "ල": -3.0, " ක ල": 9.0},
        **{"කල": -6.5, "ම": -3.0, "ය": -2.0, "න්ද්‍ර": -9.0, "ච": -4.0, "යා": -9.5},
        **{"චන්": 20.0, "ලංකා": -1.0, "ං": -5.0, "ශ්": -2.0, "‍රී": -1.0, "ා": 3.0},
        **{"්": -0.5, "ක්‍": 2.0, "ඔයා": -7.0, " ඔ": -6.0, "वि": -4.0, "द्या": -9.0},
        **{"द्": -0.25, "या": -0.5, "विद्": 11.0, "ल": -3.0, "विद्याल": -14.0},
        **{"य": -3.5, "क": -0.5, "कक": -1.0, "ककक": -1.5, "र": -2.0, "रर": -4.0},
        **{"क्": 1.5, "ष": 1.0, "।": -4.0, " में": -7.0, "में": -6.0, " ": -8.0},
        **{"हो": -5.0, "ती": -5.0, "होती": -10.0},
    }
    base = base_model(
        [*(bytes([byte]) for byte in range(256)), *BASE_TOKENS],
        pattern="o200k_base",
        specials={},
        provenance={"name": "unigram"},
    )
    model = unigram_over_base(
        [load_schema(name) for name in SCHEMAS],
        base,
        specials=special_ids(base, ["[UNK]", "[MASK]"]),
        tokens=[(text.encode(), f32(score)) for text, score in scores.items()],
        kind=AtomKind.SYLLABLE,
    )
    return replace(model, provenance={"name": "unigram"})


def script_model() -> Artifact:
    """Seven blocks, tokens that begin and end within characters, and some syllables above them."""
    groups = (
        *(("Latin", "LM", "abcdexyz\u00e9"), ("Common", "Z", " \n"), ("Inherited", "LM", "\u0301")),
        *(("Han", "LM", "\u6f22\u5b57"), ("Common", "PS", ".,"), ("Hiragana", "LM", "\u3042")),
        ("Sinhala", "LM", "\u0d9a\u0d9c\u0d9d\u0dca\u0dd2"),
    )
    blocks = [
        Block(script, kind, tuple(map(ord, letters)), {5: 3}.get(number, number), number in (0, 4))
        for number, (script, kind, letters) in enumerate(groups)
    ]
    latin, space, sinhala, symbols = 9, 10, 15, 9 + 7 + 256
    a, b, gap = symbols, symbols + 1, symbols + 4
    merges = [
        (latin, 0),
        (latin, 1),
        (a, b),
        (0, latin),
        (space, 0),
        (gap, a),
        (b, latin),
        (sinhala, 0),
    ]
    model = symbol_model(symbols, merges, first_id=1)
    added = (Added("<s>", 400),)
    step = blocks_step(blocks)
    base = script_artifact(script_pieces(blocks), step, model, {}, added=added)
    return trained_model(
        [load_schema("sinhala")],
        base,
        specials={"<s>": 400},
        atoms=tuple(text.encode() for text in (" \u0d9a", "\u0d9a", "\u0d9c\u0dd2")),
        merges=((0, 2), (1, 1)),
        provenance={"name": "script"},
    )


def published_model() -> Artifact:
    """A file of SCRIPT's authors: it drops characters, and brings the rest into NFC."""
    # Here, since all other models can be made without the importers.
    from wwho.importers.detect import import_source
    from wwho.importers.reader import Options
    from wwho.importers.source import Source

    groups = [
        *([0, "Latin", "LM", 0, [*"abcdexyz\u00e9"]], [1, "Common", "Z", 0, [*" \n"]]),
        *([2, "Inherited", "LM", 0, ["\u0301"]], [3, "Han", "LM", 0, ["\u6f22", "\u5b57"]]),
        *([4, "Common", "PS", 0, [*".,\ufffd"]], [5, "Hiragana", "LM", 0, ["\u3042"]]),
    ]
    config = {
        "num_index_tokens": 9,
        "num_blocks": len(groups),
        "script_cat_with_space": [["Latin", "LM"], ["Common", "PS"]],
        "blocks": groups,
    }
    pairs = [(10, 1), (10, 2), (16, 17), (1, 10), (11, 1), (20, 16), (10, 9)]
    rules = [{"tokens_from": pair, "token_to": token} for token, pair in enumerate(pairs, 16)]
    document = {
        "info": {"version": "sebpe-v1"},
        "merge_rules": rules,
        "pretokenizer": {"class": "ScriptEncodingPretokenizer", "config": config},
    }
    source = Source("published.json", json.dumps(document).encode())
    return import_source(source, Options(name="published")).artifact


def ospe_model() -> Artifact:
    """Words of Kannada that end with their space, and protected tokens that begin alike."""
    units = sorted(text.encode() for text in (*"ಅರಮ ,.12ab\u00e9", "ನೆ", "ಒಂ", "ದೇ", "ಕೃ", "ಷ್ಣ"))
    texts = [*units]
    merges = []
    for left, right in (
        *(("ನೆ", " "), ("ದೇ", " "), ("ಒಂ", "ದೇ "), ("ಅ", "ರ"), ("ಅರ", "ಮ"), ("ಕೃ", "ಷ್ಣ"), (",", " ")),
        *(("ನೆ", ", "), ("ಅರಮ", "ನೆ"), ("ಅರಮ", "ನೆ "), ("a", "b")),
    ):
        merges.append((texts.index(left.encode()), texts.index(right.encode())))
        texts.append(f"{left}{right}".encode())
    protect = ("[a]", "[a][b]", "[b]", " ಒಂ|", "ನೆ#", "b\u00e9#")
    base = byte_base()
    return trained_model(
        [load_schema("kannada")],
        base,
        specials=special_ids(base, ["<s>", *protect]),
        atoms=tuple(units),
        merges=merges,
        provenance={"name": "ospe"},
        words=Words(whitespace=True, end_of_word=True),
        protect=protect,
    )
