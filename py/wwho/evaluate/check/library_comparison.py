"""The comparison of an imported model with the library whose ids it is to give."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from wwho.errors import BackendError, UnknownTokenError
from wwho.format.model import Artifact
from wwho.format.write import write_artifact
from wwho.importers import (
    Imported,
    Options,
    Source,
    llama_cpp,
    ranks,
    sentencepiece,
    tekken,
    tiktoken_js,
)
from wwho.importers.huggingface import read as tokenizer_json
from wwho.importers.huggingface import vocabulary_files
from wwho.importers.transformers.folder import ModelFolder
from wwho.tokenizer import Tokenizer
from wwho.tokenizer.special_tokens import Allowed

HARD_TEXTS = (
    # White space, alone and beside a letter.
    "",
    " ",
    "  ",
    "a",
    " a",
    "a ",
    "\n",
    "\r\n",
    "\t",
    " \n ",
    "\n\n\n",
    "\u00a0",
    "\u3000",
    # English: contractions, also with letters that fold to s; long words.
    "Hello, world!",
    "hello  world   again",
    "don't DON'T we'll I'\u017f they\u2019re",
    "x" * 300,
    # Numbers of several scripts, and long runs of one thing.
    "1 12 123 1234 1234567 3.14 1,000 ١٢٣ १२३ ２３ Ⅷ ½ ²",
    " " * 100,
    "\n" * 50,
    "ab" * 200,
    # Code, addresses and markup.
    "def f(x):\n    return {'a': x[0], \"b\": -1e9}  # ok\n",
    "\tif (a&&b) { c->d++; }\r\n",
    "https://example.org/a?b=c&d=%20#e",
    "snake_case camelCase HTTPServer2",
    "<b>bold</b> &amp;",
    # Letters with case and marks, composed and decomposed.
    "Ünïcödé naïve Ελλάδα ΣΊΣΥΦΟΣ Москва İstanbul ıi ßſ ǅ",
    "e\u0301 é a\u0323\u0307 \u1e69 Å",
    # Scripts with combining marks, without spaces, and from right to left.
    "ශ්‍රී ලංකාව ක්‍ෂ",
    "स्वतंत्रता क्ष",
    "বাংলা தமிழ் ไทย မြန်မာ ខ្មែរ",
    "한국어 \u1112\u1161\u11ab 漢字かなカナ ｶﾞ",
    "שָׁלוֹם مَرْحَبًا \u200fabc",
    "中文没有空格，标点。",
    # Characters beyond U+FFFF, compatibility characters, emoji.
    "𠀀𝒜𐍈",
    "ﬁ ﷺ Ⓐ Ａ㎏",
    "😀👍🏽👨‍👩‍👧🇱🇰❤️",
    # Characters without a width, and those that stand for spaces and line feeds in tokens.
    "\u200b\u200c\u200d\ufeff\u2028\u2029\u0085",
    "\u2581a \u2581\u2581b",
    "Ġa Ċ",
    # Controls, noncharacters, private characters, combining marks without a letter.
    "\x00\x01\x1f\x7f",
    "\ufffd\ufffe\uffff",
    "\ue000\U000f0000\U0010ffff",
    "\u0301\u0301 \u0301",
    # Text that spells tokens.
    "<0x41><0xE0>",
    "<s> </s> <unk> [CLS] [UNK] <|endoftext|> <|im_start|>",
    "##ing ## @@ </w>",
    # Punctuation and symbols.
    "¿Qué? «oui» „ja“ … — – ‘x’ $€£ ©®™ +-=<>~^`|\\",
    "a.b,c;d:e!f?g(h)i[j]k{l}m/n_o-p",
    "!!!???...",
)
"""Texts on which tokenizers are known to differ."""

_N_MIXES = 400
"""How many texts are made of random characters of the hard texts."""
_N_TOKENS = 200
"""How many random tokens of a model are joined to texts."""
_Item = TypeVar("_Item")


class Difference(NamedTuple):
    """A text of which the other library makes something else than the model.

    Attributes:
        text: the text.
        what: "ids", or "text" where the ids are the same and decode otherwise.
        here: the ids or the text of the model; a message, where it refuses the text.
        there: the ids or the text of the library; a message, where it refuses the text.
    """

    text: str
    what: str
    here: list[int] | str
    there: list[int] | str


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison.

    Attributes:
        engine: the package that the model was compared with, its version, and its class.
        texts: how many texts were compared.
        differences: the texts that differ, in their order.
    """

    engine: str
    texts: int
    differences: tuple[Difference, ...]


class Engine(NamedTuple):
    """A tokenizer of another library, with the file opened.

    Attributes:
        package: the library's name on PyPI.
        encode: turns a text into ids, including those of the template where `template` says so.
        decode: turns ids into text, with the text of special tokens; None: it is not compared.
        allowed: the special tokens that `encode` finds in a text.
        template: whether `encode` puts the ids of the file's template around those of the text.
        detail: what else to say of the library, after its version.
    """

    package: str
    encode: Callable[[str], Sequence[int]]
    decode: Callable[[Sequence[int]], str] | None
    allowed: Allowed = frozenset()
    template: bool = False
    detail: str = ""


def compare_with_library(
    source: Source | ModelFolder, options: Options, imported: Imported, more: Sequence[str] = ()
) -> Comparison:
    """Compare an imported model with the library that its file is for, on about 950 hard texts.

    Compared are the ids, and what the model and the library decode them to, except where the
    library's decoding cannot be (see `Engine`). A text that both refuse is no difference.

    Args:
        source: the file, as the importer read it; or a folder, of which AutoTokenizer is asked.
        options: what the importer was told of it.
        imported: what the importer made of it.
        more: further texts to compare.

    Raises:
        BackendError: the library is not installed, cannot open the file, or there is none for this
            kind of file; the message says what to install.
    """
    if isinstance(source, ModelFolder):
        engine = open_auto_tokenizer(source.path)
    else:
        engine = open_engine(source, options, imported)
    model = Tokenizer.from_bytes(write_artifact(imported.artifact))
    texts = list(dict.fromkeys([*make_hard_texts(model), *more]))
    differences = (_find_difference(model, engine, text, imported.own_texts) for text in texts)
    return Comparison(
        engine=f"{engine.package} {version(engine.package)}{engine.detail}",
        texts=len(texts),
        differences=tuple(each for each in differences if each is not None),
    )


def open_engine(source: Source, options: Options, imported: Imported) -> Engine:
    """Open a file with the library whose ids its model is to give; the library is imported here.

    Args:
        source: the file.
        options: what the importer was told of the file, which some libraries must be told too.
        imported: what the importer made of the file, and its kind.

    Raises:
        BackendError: the library is not installed, cannot open the file, or there is none for this
            kind of file.
    """
    kind = imported.kind
    if kind not in _ENGINES:
        raise BackendError(
            f"{source.path}: no library on PyPI runs {kind}, so it cannot be checked with one"
        )
    package, module, open_file = _ENGINES[kind]
    try:
        library = import_module(module)
    except ImportError as error:
        raise BackendError(
            f"{source.path}: {package} runs {kind}, and is not installed: pip install {package}"
        ) from error
    try:
        return Engine(package, **open_file(library, source, options, imported.artifact))
    except Exception as error:  # engines have no common class of errors
        raise BackendError(f"{source.path}: {package} cannot open it: {error}") from error


def open_auto_tokenizer(folder: Path) -> Engine:
    """Open a model's folder with AutoTokenizer of transformers, template and added tokens included.

    Raises:
        BackendError: transformers is not installed, or cannot open the folder.
    """
    try:
        transformers = import_module("transformers")
    except ImportError as error:
        raise BackendError(
            f"{folder}: transformers opens folders of models, and is not installed: pip install "
            "'wwho[hf]'"
        ) from error
    try:
        theirs = transformers.AutoTokenizer.from_pretrained(folder)
    except Exception as error:  # it raises errors of many classes
        raise BackendError(f"{folder}: transformers cannot open it: {error}") from error
    kind = type(theirs).__name__
    is_rebuilt = (folder / "tokenizer.json").is_file() and "__init__" in vars(type(theirs))
    rebuilt = (
        f"; {kind} builds its own normalizer and pre-tokenizer, whatever tokenizer.json says"
        if is_rebuilt and kind != "TokenizersBackend"
        else ""
    )
    return Engine(
        "transformers",
        encode=lambda text: theirs(text)["input_ids"],
        decode=theirs.decode,
        allowed="all",
        template=True,
        detail=f", AutoTokenizer: {kind}{rebuilt}",
    )


def make_hard_texts(model: Tokenizer) -> Iterator[str]:
    """Yield texts on which tokenizers may differ, the same in every run; some come twice.

    They are `HARD_TEXTS`, alone and with spaces and letters around; random mixes of their
    characters; each special token of the model within text; and pairs of random tokens of it.
    """
    chance = random.Random(328)
    yield from HARD_TEXTS
    for text in HARD_TEXTS:
        yield f" {text}"
        yield f"a{text}  "
    characters = "".join(HARD_TEXTS)
    for _ in range(_N_MIXES):
        yield "".join(_choose(characters, 1 + int(chance.random() * 40), chance))
    for text in model.info.specials:
        yield f"a {text} b{text}\n{text}"
    ids = [
        token for number in range(len(model.info.models)) for token in model.info.model_ids(number)
    ]
    tokens = []
    for token in _choose(ids, _N_TOKENS, chance) if ids else ():
        # Not each id is that of a token: a vocab.txt may have a line twice.
        with suppress(UnknownTokenError):
            tokens.append(model.decode([token]))
    for first, second in zip(tokens, tokens[::-1], strict=True):
        yield first + second
        yield f"{second} {first}"


def _choose(items: Sequence[_Item], number: int, chance: random.Random) -> list[_Item]:
    """Choose so many of the items at random, some perhaps several times."""
    # `random()` is the one method whose numbers no version of Python will change.
    return [items[int(chance.random() * len(items))] for _ in range(number)]


def _find_difference(
    model: Tokenizer, engine: Engine, text: str, own_texts: frozenset[int]
) -> Difference | None:
    """Return the first difference of a model and a library on a text, or None if there is none.

    Ids are compared first; the model finds special tokens and adds the template as the library
    does. If both raise errors, that is no difference; if one does, its class and message stand for
    the ids. Equal ids are decoded by both, and the texts are compared, unless the library does not
    decode, or one of the ids is among `own_texts`.

    Args:
        model: the imported model.
        engine: the library with the file that was imported.
        text: the text to encode.
        own_texts: the ids that the model decodes to another text than the library, on purpose.
    """
    here = _encode_or_message(
        lambda: model.encode(
            text, allowed_special=engine.allowed, add_special_tokens=engine.template
        )
    )
    there = _encode_or_message(lambda: list(engine.encode(text)))
    both_refuse = isinstance(here, str) and isinstance(there, str)
    if both_refuse:
        return None
    if here != there:
        return Difference(text, "ids", here, there)
    if engine.decode is None or own_texts.intersection(here):
        return None
    ours, theirs = model.decode(here), engine.decode(here)
    return None if ours == theirs else Difference(text, "text", ours, theirs)


def _encode_or_message(encode: Callable[[], list[int]]) -> Any:
    """Return the ids that a function gives, or the class and text of the error it raises."""
    try:
        return encode()
    except Exception as error:  # engines have no common class of errors
        return f"{type(error).__name__}: {error}"


# One function for each kind of file opens it with its library. It takes the library's module, the
# file, the options of the import and the artifact, and returns fields of an `Engine`.


def _open_tokenizer_json(library: Any, source: Source, _: Options, __: Artifact) -> dict[str, Any]:
    """Open a tokenizer.json with `tokenizers`, without its truncation and padding."""
    tokenizer = library.Tokenizer.from_buffer(source.data)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return _fields_of_tokenizers(tokenizer)


def _open_vocab_txt(library: Any, source: Source, options: Options, _: Artifact) -> dict[str, Any]:
    """Open BERT's vocab.txt with `tokenizers`, by tokenizer_config.json in the file's folder.

    The option `lowercase`, where it is given, overrides that file.
    """
    config = source.json_beside()
    lowercase = config.get("do_lower_case") if options.lowercase is None else options.lowercase
    tokenizer = library.BertWordPieceTokenizer(
        str(source.path),
        lowercase=lowercase,
        strip_accents=config.get("strip_accents"),
        handle_chinese_chars=config.get("tokenize_chinese_chars", True),
    )
    return _fields_of_tokenizers(tokenizer)


def _open_vocab_json(library: Any, source: Source, _: Options, __: Artifact) -> dict[str, Any]:
    """Open GPT-2's vocab.json and merges.txt with `tokenizers`, as the tokenizer.json they mean."""
    document, _notes = vocabulary_files.gpt2_document(source)
    return _fields_of_tokenizers(library.Tokenizer.from_str(json.dumps(document)))


def _fields_of_tokenizers(tokenizer: Any) -> dict[str, Any]:
    """Return the fields of an `Engine` for a tokenizer of the library `tokenizers`."""
    return {
        "encode": lambda text: tokenizer.encode(text).ids,
        "decode": lambda ids: tokenizer.decode(ids, skip_special_tokens=False),
        "allowed": "all",
        "template": True,
    }


def _open_rank_file(library: Any, source: Source, _: Options, artifact: Artifact) -> dict[str, Any]:
    """Open a rank file with tiktoken, with the artifact's pattern and special tokens."""
    lines = (line.split() for line in source.data.splitlines() if line.strip())
    encoding = library.Encoding(
        artifact.name,
        pat_str=artifact.provenance["pattern"],
        # A line of padding alone stands for no token.
        mergeable_ranks={
            base64.b64decode(text): int(rank) for text, rank in lines if text.strip(b"=")
        },
        special_tokens={token.text: token.id for token in artifact.added},
    )
    return {
        "encode": lambda text: encoding.encode(text, allowed_special="all"),
        "decode": encoding.decode,
        "allowed": "all",
    }


def _open_tiktoken_js(
    library: Any, source: Source, _: Options, artifact: Artifact
) -> dict[str, Any]:
    """Open a JSON of tiktoken for JavaScript with tiktoken."""
    document = source.document
    encoding = library.Encoding(
        artifact.name,
        pat_str=document["pat_str"],
        mergeable_ranks=tiktoken_js.parse_ranks(document["bpe_ranks"]),
        special_tokens=document["special_tokens"],
    )
    return {
        "encode": lambda text: encoding.encode(text, allowed_special="all"),
        "decode": encoding.decode,
        "allowed": "all",
    }


def _open_tekken(library: Any, source: Source, _: Options, __: Artifact) -> dict[str, Any]:
    """Open Mistral's tekken.json with mistral-common, without tokens at the beginning and end."""
    tokenizer = library.Tekkenizer.from_file(source.path)
    return {
        "encode": lambda text: tokenizer.encode(text, bos=False, eos=False),
        "decode": lambda ids: tokenizer.decode(ids, library.SpecialTokenPolicy.KEEP),
    }


def _open_sentencepiece(library: Any, source: Source, _: Options, __: Artifact) -> dict[str, Any]:
    """Open a SentencePiece model with its own library; it finds no special tokens in text."""
    processor = library.SentencePieceProcessor(model_proto=source.data)
    return {"encode": processor.encode, "decode": processor.decode}


def _open_gguf(library: Any, source: Source, _: Options, __: Artifact) -> dict[str, Any]:
    """Open the vocabulary of a GGUF file with llama.cpp; decoding is not compared."""
    llama = library.Llama(str(source.path), vocab_only=True, verbose=False)
    return {
        "encode": lambda text: llama.tokenize(text.encode(), special=True),
        "decode": None,
        "allowed": "all",
        "template": True,
    }


_ENGINES: dict[str, tuple[str, str, Callable[[Any, Source, Options, Artifact], dict[str, Any]]]] = {
    tokenizer_json.READER.kind: ("tokenizers", "tokenizers", _open_tokenizer_json),
    vocabulary_files.LINES.kind: ("tokenizers", "tokenizers", _open_vocab_txt),
    vocabulary_files.VOCAB.kind: ("tokenizers", "tokenizers", _open_vocab_json),
    ranks.READER.kind: ("tiktoken", "tiktoken", _open_rank_file),
    tiktoken_js.READER.kind: ("tiktoken", "tiktoken", _open_tiktoken_js),
    tekken.READER.kind: (
        "mistral-common",
        "mistral_common.tokens.tokenizers.tekken",
        _open_tekken,
    ),
    sentencepiece.READER.kind: ("sentencepiece", "sentencepiece", _open_sentencepiece),
    llama_cpp.READER.kind: ("llama-cpp-python", "llama_cpp", _open_gguf),
}
"""For each kind of file the package on PyPI, its module, and what opens the file with it."""
