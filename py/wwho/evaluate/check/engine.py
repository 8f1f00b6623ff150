"""An imported model beside the engine whose ids it is to give."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import Any, NamedTuple, TypeVar

from wwho.errors import BackendError
from wwho.format.model import Artifact
from wwho.format.write import write_artifact
from wwho.importers import Imported, Options, Source, llama_cpp, ranks, sentencepiece, tekken
from wwho.importers.huggingface import read as tokenizer_json
from wwho.importers.huggingface import vocabulary_files
from wwho.tokenizer import Tokenizer
from wwho.tokenizer.special_tokens import Allowed

HARD = (
    *("", " ", "  ", "a", " a", "a ", "\n", "\r\n", "\t", " \n ", "\n\n\n", "\u00a0", "\u3000"),
    *(
        "Hello, world!",
        "hello  world   again",
        "don't DON'T we'll I'\u017f they\u2019re",
        "x" * 300,
    ),
    *("1 12 123 1234 1234567 3.14 1,000 ١٢٣ १२३ ２３ Ⅷ ½ ²", " " * 100, "\n" * 50, "ab" * 200),
    *("def f(x):\n    return {'a': x[0], \"b\": -1e9}  # ok\n", "\tif (a&&b) { c->d++; }\r\n"),
    *("https://example.org/a?b=c&d=%20#e", "snake_case camelCase HTTPServer2", "<b>bold</b> &amp;"),
    *("Ünïcödé naïve Ελλάδα ΣΊΣΥΦΟΣ Москва İstanbul ıi ßſ ǅ", "e\u0301 é a\u0323\u0307 \u1e69 Å"),
    *(
        "ශ්‍රී ලංකාව ක්‍ෂ",
        "स्वतंत्रता क्ष",
        "বাংলা தமிழ் ไทย မြန်မာ ខ្មែរ",
        "한국어 \u1112\u1161\u11ab 漢字かなカナ ｶﾞ",
    ),
    *("שָׁלוֹם مَرْحَبًا \u200fabc", "中文没有空格，标点。", "𠀀𝒜𐍈", "ﬁ ﷺ Ⓐ Ａ㎏"),
    *(
        "😀👍🏽👨‍👩‍👧🇱🇰❤️",
        "\u200b\u200c\u200d\ufeff\u2028\u2029\u0085",
        "\u2581a \u2581\u2581b",
        "Ġa Ċ",
    ),
    *(
        "\x00\x01\x1f\x7f",
        "\ufffd\ufffe\uffff",
        "\ue000\U000f0000\U0010ffff",
        "\u0301\u0301 \u0301",
    ),
    *("<0x41><0xE0>", "<s> </s> <unk> [CLS] [UNK] <|endoftext|> <|im_start|>", "##ing ## @@ </w>"),
    *(
        "¿Qué? «oui» „ja“ … — – ‘x’ $€£ ©®™ +-=<>~^`|\\",
        "a.b,c;d:e!f?g(h)i[j]k{l}m/n_o-p",
        "!!!???...",
    ),
)
"""Texts on which tokenizers differ."""

_MIXES, _TOKENS = 400, 200
_Item = TypeVar("_Item")


class Difference(NamedTuple):
    """A text of which the engine makes something else.

    Attributes:
        text: the text.
        what: "ids", or "text" where the ids are the same and decode otherwise.
        here: what the model makes of it; the message, where it refuses the text.
        there: what the engine does.
    """

    text: str
    what: str
    here: list[int] | str
    there: list[int] | str


@dataclass(frozen=True)
class Checked:
    """What a comparison found.

    Attributes:
        engine: the package, and its version.
        texts: how many texts were compared.
        differences: those that differ.
    """

    engine: str
    texts: int
    differences: tuple[Difference, ...]


class Engine(NamedTuple):
    """What another library does with a file.

    Attributes:
        package: what it is called on PyPI.
        encode: a text to ids, those of the template among them where it puts them by itself.
        decode: ids to text, with the text of special tokens; None: that is not compared.
        allowed: the special tokens that it finds in a text.
        template: whether `encode` puts the template's ids around.
    """

    package: str
    encode: Callable[[str], Sequence[int]]
    decode: Callable[[Sequence[int]], str] | None
    allowed: Allowed = frozenset()
    template: bool = False


def check(source: Source, options: Options, found: Imported, more: Sequence[str] = ()) -> Checked:
    """Compare ids, and the text of these ids, on hard texts and on some more.

    Args:
        source: the file, as the importer read it.
        options: what the importer was told of it.
        found: what the importer made of it.
        more: texts of the caller's.

    Raises:
        BackendError: the engine is not installed, or there is none for this kind of file; the
            message says what to install.
    """
    engine = open_engine(source, options, found)
    model = Tokenizer.from_bytes(write_artifact(found.artifact))
    texts = list(dict.fromkeys([*hard_texts(model), *more]))
    differences = tuple(each for text in texts if (each := _compared(model, engine, text)))
    return Checked(f"{engine.package} {version(engine.package)}", len(texts), differences)


def open_engine(source: Source, options: Options, found: Imported) -> Engine:
    """The library whose ids a model is to give, with the file opened.

    Raises:
        BackendError: it is not installed, or there is none for this kind of file.
    """
    if found.kind not in _ENGINES:
        raise BackendError(
            f"{source.path}: no library on PyPI runs {found.kind}, so it cannot be checked with one"
        )
    package, module, opened = _ENGINES[found.kind]
    try:
        library = import_module(module)
    except ImportError as error:
        raise BackendError(
            f"{source.path}: {package} runs {found.kind}, and is not installed: "
            f"pip install {package}"
        ) from error
    try:
        return Engine(package, **opened(library, source, options, found.artifact))
    except Exception as error:  # engines have no common class of errors
        raise BackendError(f"{source.path}: {package} cannot open it: {error}") from error


def hard_texts(model: Tokenizer) -> Iterator[str]:
    """Texts on which tokenizers differ: fixed ones, mixes of them, and of the model's own tokens.

    They are the same each time.
    """
    chance = random.Random(328)
    yield from HARD
    for text in HARD:
        yield f" {text}"
        yield f"a{text}  "
    pool = "".join(HARD)
    for _ in range(_MIXES):
        yield "".join(_some(pool, 1 + int(chance.random() * 40), chance))
    for text in model.info.specials:
        yield f"a {text} b{text}\n{text}"
    ids = [
        token for number in range(len(model.info.models)) for token in model.info.model_ids(number)
    ]
    texts = [model.decode([token]) for token in _some(ids, _TOKENS, chance)] if ids else []
    for first, second in zip(texts, texts[::-1], strict=True):
        yield first + second
        yield f"{second} {first}"


def _some(items: Sequence[_Item], number: int, chance: random.Random) -> list[_Item]:
    """Some of the items; `random()` alone gives the same numbers in every version of Python."""
    return [items[int(chance.random() * len(items))] for _ in range(number)]


def _compared(model: Tokenizer, engine: Engine, text: str) -> Difference | None:
    here = _outcome(
        lambda: model.encode(
            text, allowed_special=engine.allowed, add_special_tokens=engine.template
        )
    )
    there = _outcome(lambda: list(engine.encode(text)))
    if isinstance(here, str) and isinstance(there, str):  # both refuse it
        return None
    if here != there:
        return Difference(text, "ids", here, there)
    if engine.decode is None:
        return None
    ours, theirs = model.decode(here), engine.decode(here)
    return None if ours == theirs else Difference(text, "text", ours, theirs)


def _outcome(encode: Callable[[], list[int]]) -> Any:
    """The ids, or the message of the error: engines have no common class of errors."""
    try:
        return encode()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


# How each library is told what the file, and the options of the import, say.


def _tokenizer_json(library: Any, source: Source, _: Options, __: Artifact) -> dict[str, Any]:
    opened = library.Tokenizer.from_buffer(source.data)
    opened.no_truncation()
    opened.no_padding()
    return _of_tokenizers(opened)


def _vocab_txt(library: Any, source: Source, options: Options, _: Artifact) -> dict[str, Any]:
    said = source.json_beside()
    lowercase = said.get("do_lower_case") if options.lowercase is None else options.lowercase
    opened = library.BertWordPieceTokenizer(
        str(source.path),
        lowercase=lowercase,
        strip_accents=said.get("strip_accents"),
        handle_chinese_chars=said.get("tokenize_chinese_chars", True),
    )
    return _of_tokenizers(opened)


def _vocab_json(library: Any, source: Source, _: Options, __: Artifact) -> dict[str, Any]:
    document, _notes = vocabulary_files.gpt2_document(source)
    return _of_tokenizers(library.Tokenizer.from_str(json.dumps(document)))


def _of_tokenizers(opened: Any) -> dict[str, Any]:
    return {
        "encode": lambda text: opened.encode(text).ids,
        "decode": lambda ids: opened.decode(ids, skip_special_tokens=False),
        "allowed": "all",
        "template": True,
    }


def _rank_file(library: Any, source: Source, _: Options, artifact: Artifact) -> dict[str, Any]:
    lines = (line.split() for line in source.data.splitlines() if line.strip())
    opened = library.Encoding(
        artifact.name,
        pat_str=artifact.provenance["pattern"],
        mergeable_ranks={
            base64.b64decode(text): int(rank) for text, rank in lines if text.strip(b"=")
        },
        special_tokens={token.text: token.id for token in artifact.added},
    )
    return {
        "encode": lambda text: opened.encode(text, allowed_special="all"),
        "decode": opened.decode,
        "allowed": "all",
    }


def _tekken(library: Any, source: Source, _: Options, __: Artifact) -> dict[str, Any]:
    opened = library.Tekkenizer.from_file(source.path)
    return {
        "encode": lambda text: opened.encode(text, bos=False, eos=False),
        "decode": lambda ids: opened.decode(ids, library.SpecialTokenPolicy.KEEP),
    }


def _sentencepiece(library: Any, source: Source, _: Options, __: Artifact) -> dict[str, Any]:
    opened = library.SentencePieceProcessor(model_proto=source.data)
    return {"encode": opened.encode, "decode": opened.decode}


def _gguf(library: Any, source: Source, _: Options, __: Artifact) -> dict[str, Any]:
    opened = library.Llama(str(source.path), vocab_only=True, verbose=False)
    return {
        "encode": lambda text: opened.tokenize(text.encode(), special=True),
        "decode": None,
        "allowed": "all",
        "template": True,
    }


_ENGINES: dict[str, tuple[str, str, Callable[[Any, Source, Options, Artifact], dict[str, Any]]]] = {
    tokenizer_json.READER.kind: ("tokenizers", "tokenizers", _tokenizer_json),
    vocabulary_files.LINES.kind: ("tokenizers", "tokenizers", _vocab_txt),
    vocabulary_files.VOCAB.kind: ("tokenizers", "tokenizers", _vocab_json),
    ranks.READER.kind: ("tiktoken", "tiktoken", _rank_file),
    tekken.READER.kind: (
        "mistral-common",
        "mistral_common.tokens.tokenizers.tekken",
        _tekken,
    ),
    sentencepiece.READER.kind: ("sentencepiece", "sentencepiece", _sentencepiece),
    llama_cpp.READER.kind: ("llama-cpp-python", "llama_cpp", _gguf),
}
"""For each kind of file the package, its module, and what opens the file with it."""
