r"""Write tests/vectors: what every backend must give, computed by the reference backend.

    python tools/gen_vectors.py

One JSON object a line, in one file per encoding (tiny.jsonl, ...). Lines of three kinds:

encode   {"encoding", "text" | "bytes_hex", "allowed": [special tokens],
          "unk": true where [UNK] is asked for, "ids", "count",
          "offsets": [[first, behind last] in code points], "utf16": [the same in UTF-16 units],
          "segments": [{"route", "text" | "bytes_hex", "units" | "units_hex"}]}
decode   {"encoding", "ids", "decode_hex"}
error    {"encoding", "error": name of the exception, and the call's arguments: "text" with
          "allowed" and "disallowed" ("all" or a list), or "ids" to decode, or "token" to look up}

chunks.json is a list of texts that are cut: {"encoding", "text", "limit", "overlap", "prefer",
"chunks": [[start, end, tokens] in code points], null where one character is over the limit,
"truncated": code points of the text that truncate keeps}.

rewritten.json is a list of texts that models with a normalizer or steps that rewrite take, such as
`steps`: {"encoding", "text", "ids", "normalized", "offsets" in code points of the text}, and of
some "chunks" and "truncated", as in chunks.json, with a limit of 40 tokens.

after.json is a list of texts around which a template stands, {"encoding", "text", "pair": null or a
text, "special": whether its ids are added, "ids", "types"}, and of ids whose texts a decoder joins,
{"encoding", "ids", "skip": whether special tokens are left out, "decoded"}.

letters.json is a list of byte-level models whose added tokens are of letters that stand for bytes:
{"file": the artifact in base64, "lines": [{"ids", "skip", "decoded", "like_hex": the bytes that
`tokenizers` makes of them}]}.

drawn.json is a list of batches of which tokens are drawn: {"file": the artifact in base64, "lines":
[{"texts", "dropout", "sample": [alpha, n_best] or null, "seed", "ids" of each text}]}.

"text" is a string that may hold lone surrogates (read as U+FFFD); "bytes_hex" are bytes that need
not be UTF-8, and the segments of such a line are hexadecimal too. Units stand only in segments of
routes that have them. The artifacts of `tiny`, `paper` and so on lie in tests/vectors.
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "py"), str(ROOT / "tests" / "py"), str(ROOT / "tests" / "fuzz")]

from generators import STRATEGIES  # noqa: E402
from tiny import (  # noqa: E402
    affixes_model,
    byte_tokens_model,
    ctc_model,
    fallback_model,
    kinds_model,
    leaving_out_model,
    odd_added_model,
    ospe_model,
    paper_model,
    published_model,
    routed_model,
    script_model,
    steps_model,
    template_model,
    tiny_model,
    trimmed_model,
    unigram_model,
)

from wwho.backends.reference import ReferenceBackend  # noqa: E402
from wwho.compile.normal_forms import lower_case, normal_form  # noqa: E402
from wwho.encodings import get_encoding, list_encoding_names, model_bytes  # noqa: E402
from wwho.errors import LimitError  # noqa: E402
from wwho.format.files import write_atomic  # noqa: E402
from wwho.format.model import Added, Artifact, Flag, Unknown  # noqa: E402
from wwho.format.steps import stand_in  # noqa: E402
from wwho.format.viterbi import Viterbi  # noqa: E402
from wwho.format.write import write_artifact  # noqa: E402
from wwho.importers import Options, Source, import_source  # noqa: E402
from wwho.text import to_bytes  # noqa: E402
from wwho.tokenizer import Tokenizer  # noqa: E402
from wwho.tokenizer.boundaries import BOUNDARIES  # noqa: E402
from wwho.tokenizer.special_tokens import allowed_mask  # noqa: E402

VECTORS = ROOT / "tests" / "vectors"
TWINS = ("gpt2", "p50k_base")  # have the ids of r50k_base and of p50k_edit
SMALL = {
    "tiny": tiny_model,
    "paper": paper_model,
    "kinds": kinds_model,
    "unigram": unigram_model,
    "characters": byte_tokens_model,
    "odd": odd_added_model,
}

AFTER = {
    "template": template_model,
    "fallback": fallback_model,
    "ctc": ctc_model,
    "script": script_model,
    "trimmed": trimmed_model,
    "published": published_model,
    "ospe": ospe_model,
}

SCRIPT_TEXTS = (
    *(" ab, ab.b a\n a  b", "\u0301a\u0301b\u6f22\u3042\u5b57 \u6f22 \u0301b", "<s>a<s> a"),
    *(
        " \u0d9a\u0d9c\u0dd2 \u0d9c\u0d9d\u0dcaa \u0d9c\u0dd2\u0d9a\u0d9a",
        "\u0d9a\u0dd3 \u0d9d\u0dd2\u0d9c",
    ),
    *("a\u0378b \U0010ffff\ufffd\x01\x00", "ab" * 60 + " " + "\u6f22" * 50, "e\u0301\u00e9 .a,b"),
)

PROTECTED = ("[a]", "[a][b]", " ಒಂ|", "ನೆ#", "b\u00e9#")
OSPE_TEXTS = (
    *("ಒಂದೇ ಅರಮನೆ, ಅರಮನೆ 12.  ಒಂದೇ\tಕೃಷ್ಣ \u0ca8\u0cc6 ", "[a][b][a] [b]x ಒಂ|[a [a]]b\u00e9# ನೆ#ನೆ"),
    *("\u0ccd\u0cc6 <s> ಕೃಷ್ಣab \ufffd \u0caf\u200d\u0ccd\u0caf", "ಅರಮನೆ " * 20 + " [a]" * 9),
    *(
        "".join(f"{'x' * (n + k)}{token}" for n in (0, 7, 16, 23, 31))
        for k, token in enumerate(PROTECTED)
    ),
)
MORE = {"script": SCRIPT_TEXTS, "published": SCRIPT_TEXTS, "ospe": OSPE_TEXTS}

TRIMMED_TEXTS = ("", " ab", "  ab  a ", "\n <m>\u3000b", "\U0001f600 ab\u0120 \u00e9 <m>", "<s>")

MANY = 5
SCRIPTS = (
    "ক্ষিণক্\u200cক நில் క్ష్మ్యౌ",
    "เกม\u200bน้ำ ແມ່\u200bນຳ អ្នក မြန်မာ ကင်္က",
    "བོད་ཡིག། ꦏ꧀ꦏ \U00011315\U0001134d\U00011315 \U00011f12\U00011f42\U00011f12\U00011f34",
    " ක්\u200dෂ්\u200dම්\u200dයෝං क्ष्म्ल्वौँ \u0d4d\u0d4d\u0d4d",
)
"""For models of many scripts; some of these syllables are too rare for an id."""

TEXTS = (
    "",
    " ",
    "  ",
    "a",
    "Hello, world!",
    "The kettle's on; they'll've been waiting, I'd say, but WE'RE late. DON'T!",
    "it\u2019s IT'S It's 's 'S \u017f'\u017f '\u017fo'\u017f K\u212a'\u212a I'LL i'Ll we'vE'RE'd'm",
    "line one\r\nline two\r\n\r\n\r\n   indented\n\n\ttab \r alone\n ",
    "next\u0085line nb\u00a0sp \u00a0 wide\u3000space\u3000\u3000x \ufeffBOM\ufeff",
    " \u2028para\u2029 \u200b zero \u200c\u200d joiners \u180e\u2060",
    "caf\u00e9 cafe\u0301 a\u0301\u0302\u0303 \u0301alone ःං \u20dd",
    "\u01c5ungla \u01f2\u01c4\u01c6 \u1f88\u1fbc \u0130I\u0131i \u1e9e\u00df CamelCaseHTTPServer",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f3f3\ufe0f\u200d\U0001f308",
    "\U0001f600\U0001f600 \U0001f1f1\U0001f1f0 \U0001f44d\U0001f3fd",
    "nul\0byte \x01\x02\x7f\x1b[0m",
    "0 12 123 1234 12345 3.14159 1,000,000",
    "\u0664\u0665\u0666\u0667 ෧෨ १२३४ \u00bd\u2167\u00b2",
    "你好\uff0c世界\u3002こんにちは 안녕하세요",
    "Привет \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 สว\u0e31สด\u0e35",
    "\u0378\u0379 \ue000\uf8ff \U000e0001 \U0010ffff \ufffd \ufffe\uffff",
    "def f(x):\n    return {'a': x[0], 'b': x**2}  # ok\n\n\n",
    'if __name__ == "__main__":\n\tprint(f([1, 2]))\n',
    "https://example.org/a/b?c=d&e=%20#f //// \\\\ ---- ____ ====>",
    "lone \ud83d high, \ude00 low, \ude00\ud83d swapped, end \ud800",
    "ඔයා 1 special अद्भुत",
    "චන්ද්\u200dරයාගේ ආලෝකය",
    "विद्यालय में पढ़ाई होती है।",
    "ශ\u200d්\u200dරී ශ්\u200dරී ක\u200d්ෂ ක්\u200d ක්\u200dෂ්\u200dය",
    "් ාා ිිං ංඃ \u200dක ක\u200d ක\u200d\u200dx \u200cक क\u200c",
    "ॐ ॐं ऽ रामऽ । ॥ क।ख ०१ ॰ क़्\u200dष",
    "ඇpple කaක කकක aकb කक कක",
    "ක ක ක ල ක ල ල කම ක ල ඔක ක ක",
    "विद्यालय में विद्याल में वि में। में वि, में क में ක क ක ක\u200dක ක",
    "ක ඤ ක ක ඤතෝ ක ල " + "ක " * 70 + "ල" * 65 + " ල" * 70,
    "  ක   ක\nක\tक\u00a0क \n ක \u200dක",
    "ක,ක.ක!ක?ක-ක(ක)ක 1ක2ක ෴ක",
    "ඤතෝ ඤතෝක කඤතෝ ङ्ङ कङ्ङर ලංකා",
    "කකකකකකක ररररर " + "ක" * 60 + " " + "र" * 61,
    "ಕ್ಷ தமிழ் ក\u17d2ម \u1cd0क \ua8e0क क\u1cd0",
    "a" * 300,
    " " * 300,
    "ab" * 100 + "\n" * 70 + "_" * 100,
    "क्" * 100,
    "\U0001f600" * 60,
)

BYTES = (
    b"\xff",
    b"\x80\x80 a\xc3",
    b"ok \xe0\xb6 cut \xe0\xb6\x9a\xe0 \xf0\x9f\x98",
    b"\xc0\x80 \xed\xa0\x80 \xed\xb0\x80 \xf4\x90\x80\x80 \xf8\x88\x80\x80\x80 \xe0\x80\x80",
    b"\xe0\xb6\x9a\xff\xe0\xb6\x9a \xe0\xa4\x95\xe0\xa4\xe0\xa4\x95",
    b"\xf0\x9f\x98\x80\xf0\x9f\x98 \x98\x80 \xef\xbf\xbd\xbf\xbd",
    bytes(range(256)),
)


SEED = 20261121  # of a long run of tests/fuzz/differential.py
PER_KIND, SHORT = 3, 160


def fuzzed_texts() -> Iterator[str]:
    """The beginnings of some texts of each kind that tests/fuzz/differential.py makes."""
    for name, make in STRATEGIES.items():
        rng = Random(f"{SEED} {name}")
        for _ in range(PER_KIND):
            yield make(rng)[:SHORT]


def some_specials(specials: Mapping[str, int]) -> list[str]:
    """Special tokens: all of a few; of many, the first, the last, and those that share an id."""
    names, ids = list(specials), list(specials.values())
    if len(names) <= 8:
        return names
    shared = [name for name in names if ids.count(specials[name]) > 1]
    return [*names[:4], *shared, *names[-2:]]


def special_texts(names: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Texts that spell special tokens, with those to allow."""
    for name in names:
        yield f"a {name} b{name}{name}", [name]
        yield f"a {name} b{name}", []
    yield " ".join(names) + "".join(names), names
    yield f"{names[0]}ක {names[-1]}x  {names[0][:-1]}", names
    yield f"ක{names[0]}ක क {names[0]} क", names


def added_texts(tokens: Iterable[Added]) -> Iterator[str]:
    """Texts with added tokens that need no leave, by their flags: beside spaces and letters."""
    texts = [token.text for token in tokens if not token.flags & (Flag.SPECIAL | Flag.HIDDEN)]
    for text in texts:
        yield f"a {text} b"
        yield f" \t{text}\u3000 {text}{text} "
        yield f"x{text}, {text}1 ,{text}"
    if texts:
        yield " ".join(texts) + "".join(texts)


def encode_line(
    name: str, backend: ReferenceBackend, text: str | bytes, allowed: list[str], unk: bool
) -> dict[str, object]:
    """Return the line of a text: its ids, their offsets and number, and its segments."""
    data = to_bytes(text)
    ids, starts, ends = backend.encode_with_places(
        data, allowed_mask(frozenset(allowed), backend.info.added), unk
    )
    line: dict[str, object] = {"encoding": name}
    line |= {"bytes_hex": text.hex()} if isinstance(text, bytes) else {"text": text}
    if unk:
        line["unk"] = True
    line |= {"allowed": allowed, "ids": ids}
    line["offsets"] = backend.offsets(data, starts, ends, False)
    line["utf16"] = backend.offsets(data, starts, ends, True)
    return line | {
        "count": len(ids),
        "segments": segments(backend, data, isinstance(text, bytes)),
    }


def segments(backend: ReferenceBackend, data: bytes, raw: bool) -> list[dict[str, object]]:
    """Return the segments of a text: route, text and units, with `raw` as hexadecimal digits."""

    def show(start: int, end: int) -> str:
        return data[start:end].hex() if raw else data[start:end].decode("utf-8")

    spans = backend.spans(data)
    starts = [k for k, span in enumerate(spans) if span.first]
    found = []
    for begin, behind in pairwise([*starts, len(spans)]):
        units = spans[begin:behind]
        route = backend.info.routes[units[0].route]
        segment: dict[str, object] = {"route": route.name}
        segment["bytes_hex" if raw else "text"] = show(units[0].start, units[-1].end)
        if route.units is not None:
            segment["units_hex" if raw else "units"] = [show(u.start, u.end) for u in units]
        found.append(segment)
    return found


def used_ids(backend: ReferenceBackend) -> set[int]:
    """Return the ids that decode."""
    artifact = backend.artifact
    extra = (token for model in artifact.models for token in model.extra_ids)
    ids = (token for ids in artifact.token_ids for token in ids if token is not None)
    return {*ids, *extra, *(token.id for token in artifact.added)}


def decode_lines(name: str, backend: ReferenceBackend) -> Iterator[dict[str, object]]:
    """Yield lines of ids and the bytes they decode to: one by one, and in an order no text has."""
    info = backend.info
    used = used_ids(backend)
    some = [0, 255, 256, info.models[0].n_tokens - 1]
    some += [info.specials[name] for name in some_specials(info.specials)]
    some += [token for model in info.models[1:] for token in (model.first_id, info.n_vocab - 1)]
    some = [token for token in some if token in used]
    for ids in ([], *([token] for token in some), some[::-1], some * 3):
        yield {"encoding": name, "ids": ids, "decode_hex": backend.decode(ids).hex()}


def errors(name: str, backend: ReferenceBackend) -> Iterator[dict[str, object]]:
    """Yield lines of texts and ids that are refused, with the name of the error."""
    info = backend.info
    special = next(iter(info.specials))
    refused = {"encoding": name, "error": "SpecialTokenError", "text": f"a {special} b"}
    yield refused | {"allowed": [], "disallowed": "all"}
    yield refused | {"allowed": [], "disallowed": [special]}
    used = used_ids(backend)
    free = [token for token in range(info.n_vocab) if token not in used][:1]
    for wrong in (*free, info.n_vocab, 2**32 - 1):
        yield {"encoding": name, "error": "UnknownTokenError", "ids": [0, wrong, 1]}
    for text in ("", "no token spells all of this", "\u0d9a\u0915"):
        yield {"encoding": name, "error": "UnknownTokenError", "token": text}


def lines(name: str, blob: bytes) -> Iterator[dict[str, object]]:
    """Yield all lines of an encoding."""
    backend = ReferenceBackend(blob)
    scripts = SCRIPTS if len(backend.info.routes) > MANY else ()
    texts: tuple[str | bytes, ...] = (*TEXTS, *scripts, *fuzzed_texts(), *BYTES)
    for text in texts:
        yield encode_line(name, backend, text, [], unk=False)
        # a model that writes it anyway needs no leave
        if backend.info.unk_id is not None and backend.info.models[-1].unknown != "id":
            yield encode_line(name, backend, text, [], unk=True)
    for text in added_texts(backend.info.added):
        yield encode_line(name, backend, text, [], unk=False)
    for text, allowed in special_texts(some_specials(backend.info.specials)):
        yield encode_line(name, backend, text, allowed, unk=False)
        yield encode_line(name, backend, text.encode("utf-8") + b"\xff", allowed, unk=False)
    yield from decode_lines(name, backend)
    yield from errors(name, backend)


CUT = (4, 5, 13, 15, 19, 24, 26, 27, 29, 30, 33, 43)  # numbers of TEXTS
PROSE = (
    "One. Two three.\n\nFour five? Six!\r\n\r\nSeven eight nine ten eleven.\n"
    "\u4e00\u4e8c\u3002\u4e09\uff01\u56db \u2029x\n \n \ny 'z.' ) \"q.\" ok\x1c\x85 \ufeff end\n"
    "\n\nගමේ පාසල. दो शब्द। तीन शब्द हैं॥ फिर\tend"
)


def chunks() -> Iterator[dict[str, object]]:
    """Yield lines of chunks.json: texts, how they are cut into chunks, and to a beginning."""
    texts = [*(to_bytes(TEXTS[number]).decode() for number in CUT), PROSE, f"{PROSE} " * 4]
    for name in ("o200k_base", "wwho_328k", "wwho_super_328k"):
        tokenizer = get_encoding(name, "reference")
        for number, text in enumerate(texts):
            for limit in (2, 7, 30):
                prefer = BOUNDARIES[number % len(BOUNDARIES)]
                overlap = (0, limit // 2, limit - 1)[number % 3]
                line: dict[str, object] = {"encoding": name, "text": text, "limit": limit}
                line |= {"overlap": overlap, "prefer": prefer}
                try:
                    found = tokenizer.chunk(
                        text, limit, overlap=overlap, prefer=prefer, oversize="error"
                    )
                    line["chunks"] = [chunk[1:] for chunk in found]
                except LimitError:
                    line["chunks"] = None
                yield line | {"truncated": len(tokenizer.truncate(text, limit))}


def normal_model() -> Artifact:
    """Return a model that rewrites compatible characters, and capitals."""
    return replace(tiny_model(), normalizer=(normal_form("nfkc"), lower_case()))


REWRITTEN = {
    "normal": normal_model,
    "steps": steps_model,
    "routed": routed_model,
    "affixes": affixes_model,
    "left_out": leaving_out_model,
}
CHUNKED = ("normal", "steps")
LIMIT = 40
REWRITTEN_TEXTS = (
    "the  cats' ``toes''\n\n\u2581\u2581 a \u2581the end the end",
    "<s>a the \u00c9te\u0301\u0301 E\u0301t<s>",
    "\n\na\n \n'' <s>\n the\n",
    "\u2581a ``",
    "the end\n",
    "\ufb03 \u1e9b\u0323\u0307\u0323\u00c9T \u00e9t``''`` \u2581<S>",
    "The end 1234567x 99\n12 the end\u00bd<s>9",
    "AB abA aab cab xcab b\u00e9 abab \u0d9aA xx \u00e9 a\u0d9ab [UNK]",
)


def rewritten() -> Iterator[dict[str, object]]:
    """Yield lines of rewritten.json: texts that a model rewrites, none with lone surrogates."""
    texts = [*TEXTS, *fuzzed_texts()]
    texts = [text for text in texts if not any("\ud800" <= char <= "\udfff" for char in text)]
    cut = {TEXTS[number] for number in CUT} | {*REWRITTEN_TEXTS}
    for name in REWRITTEN:
        tokenizer = Tokenizer.load(VECTORS / f"{name}.wwho", backend="reference")
        backend = tokenizer._backend
        for text in (*texts, *REWRITTEN_TEXTS):
            ids, offsets = tokenizer.encode_with_offsets(text)
            line: dict[str, object] = {"encoding": name, "text": text, "ids": ids}
            line |= {"offsets": offsets, "normalized": backend.normalize(text.encode()).decode()}
            # Of some scripts, runtimes know other clusters than this version of Unicode has; and
            # the others make of a cluster more tokens than any real model.
            if text in cut and name in CHUNKED:
                found = tokenizer.chunk(text, LIMIT, overlap=2)
                line["chunks"] = [chunk[1:] for chunk in found]
                line["truncated"] = len(tokenizer.truncate(text, LIMIT))
            yield line


def after() -> Iterator[dict[str, object]]:
    """Pairs, templates and decoders, by the reference backend."""
    for name in AFTER:
        tokenizer = Tokenizer.load(VECTORS / f"{name}.wwho", backend="reference")
        random = Random(name)
        firsts, seconds = ["", "ab b", "a\u00e9b"], [None, "", "b ab"]
        if name == "trimmed":
            firsts, seconds = [*TRIMMED_TEXTS], [None, "  ab <m> a", " ab"]
        more = ((text, None, False) for text in MORE.get(name, ()))
        for text, pair, special in (*product(firsts, seconds, (False, True)), *more):
            ids, types = tokenizer.encode_with_types(text, pair, add_special_tokens=special)
            line: dict[str, object] = {"encoding": name, "text": text, "pair": pair}
            _, offsets = tokenizer.encode_with_offsets(text, pair, add_special_tokens=special)
            yield line | {"special": special, "ids": ids, "types": types, "offsets": offsets}
        known = sorted(AFTER[name]().decoded)
        for number in range(60):
            ids = random.choices(known, k=number % 13)
            for skip in (False, True):
                text = tokenizer.decode(ids, skip_special_tokens=skip)
                yield {"encoding": name, "ids": ids, "skip": skip, "decoded": text}


LETTERS = ("\u0111em", "Caf\u00e9", "gr\u00f6\u00dfe", "\u65e5\u672c", "<x>")
"""Added tokens, of which the first three are made of letters that stand for bytes."""
BYTE_LEVEL: dict[str, object] = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": False,
}
REPLACE = {"type": "Replace", "pattern": {"String": "x"}, "content": "yy"}
LETTERS_MODELS: tuple[tuple[dict[str, object], bool], ...] = (
    (BYTE_LEVEL, False),
    (BYTE_LEVEL, True),
    ({"type": "Sequence", "decoders": [REPLACE, BYTE_LEVEL]}, False),
    ({"type": "Fuse"}, False),
)
"""Decoders, and whether `wwho import` has the option --like-tokenizers."""


def letters_tokenizer(decoder: Mapping[str, object]) -> dict[str, object]:
    """Return a byte-level tokenizer.json whose added tokens are LETTERS, the last a special one."""
    alphabet = sorted(chr(stand_in(byte)) for byte in range(256))
    options = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [
        {"id": 256 + number, "content": text, "special": text == LETTERS[-1]} | options
        for number, text in enumerate(LETTERS)
    ]
    return {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": BYTE_LEVEL,
        "post_processor": None,
        "decoder": dict(decoder),
        "model": {
            "type": "BPE",
            "vocab": {text: number for number, text in enumerate(alphabet)},
            "merges": [],
        },
    }


def letters() -> Iterator[dict[str, object]]:
    """Yield models of letters.json: ids, their text, and the bytes that `tokenizers` decodes."""
    random = Random("letters")
    for decoder, like in LETTERS_MODELS:
        data = json.dumps(letters_tokenizer(decoder)).encode()
        options = Options(like_tokenizers=like)
        blob = write_artifact(import_source(Source("tokenizer.json", data), options).artifact)
        tokenizer = Tokenizer.from_bytes(blob, backend="reference")
        found: list[dict[str, object]] = []
        for number in range(20):
            ids = random.choices([*range(60, 66), *range(256, 261)], k=number % 9)
            skip = number % 3 == 0
            decoded = tokenizer.decode(ids, skip_special_tokens=skip)
            peer = tokenizer.decode_bytes(ids, skip_special_tokens=skip, like_tokenizers=True)
            line: dict[str, object] = {"ids": ids, "skip": skip, "decoded": decoded}
            found.append(line | {"like_hex": peer.hex()})
        yield {"file": b64encode(blob).decode(), "lines": found}


UNIGRAM = Viterbi(
    tokens=(b"a", b"ab", b"aba", b"b", b"ba", b"bb"),
    scores=(-1.0, -1.5, -2.5, -1.25, -3.0, -2.0),
    unknown=Unknown.ID,
    unk_id=9,
)
DRAWN_TEXTS = [
    "abaabbab",
    "bbaab",
    "",
    "abaabbab",
    "ab \u0d9a\u0d9a\u0d9a\u0d9a\u0d9a \u0d94\u0dba\u0dcf \u0915\u0915\u0915\u0915",
]


def drawn() -> Iterator[dict[str, object]]:
    """Yield models of drawn.json, with batches: a Unigram model, and one beside a BPE model."""
    from kinds import tokenizer_of  # needs sentencepiece

    unigram = (1.0, -1), (0.25, -1), (0.0, -1), (1.0, 1)
    for artifact, dropouts in ((tokenizer_of(UNIGRAM), (0.0,)), (unigram_model(), (0.0, 0.4))):
        blob = write_artifact(artifact)
        tokenizer = Tokenizer.from_bytes(blob, backend="reference")
        samples = unigram if len(dropouts) == 1 else (None, *unigram)
        found: list[dict[str, object]] = []
        for dropout, sample, seed in product(dropouts, samples, (1, 2**64 - 1)):
            ids = tokenizer.encode_batch(DRAWN_TEXTS, dropout=dropout, sample=sample, seed=seed)
            line: dict[str, object] = {"texts": DRAWN_TEXTS, "dropout": dropout, "sample": sample}
            found.append(line | {"seed": str(seed), "ids": ids})
        yield {"file": b64encode(blob).decode(), "lines": found}


def main() -> None:
    """Write the small artifacts and the vectors of all encodings."""
    blobs = {name: write_artifact(make()) for name, make in SMALL.items()}
    for name, blob in blobs.items():
        write_atomic(VECTORS / f"{name}.wwho", blob)
    blobs |= {name: model_bytes(name) for name in list_encoding_names() if name not in TWINS}
    for name, blob in blobs.items():
        rows = [json.dumps(line, separators=(",", ":")) + "\n" for line in lines(name, blob)]
        write_atomic(VECTORS / f"{name}.jsonl", "".join(rows).encode("ascii"))
        print(f"{name}: {len(rows)} vectors")
    for name, make in (AFTER | REWRITTEN).items():
        write_atomic(VECTORS / f"{name}.wwho", write_artifact(make()))
    lists = {"chunks": chunks, "rewritten": rewritten, "after": after}
    lists |= {"letters": letters, "drawn": drawn}
    for name, made in lists.items():
        rows = [json.dumps(line, separators=(",", ":")) for line in made()]
        body = "[\n" + ",\n".join(rows) + "\n]\n"
        write_atomic(VECTORS / f"{name}.json", body.encode("ascii"))
        print(f"{name}: {len(rows)} vectors")


if __name__ == "__main__":
    main()
