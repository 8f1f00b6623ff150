"""Vocabularies alone: vocab.txt of BERT, and vocab.json with merges.txt of GPT-2.

They say little of the rest of a tokenizer. What is taken for it is what `tokenizers` does of its
own: BertWordPieceTokenizer and ByteLevelBPETokenizer. Where the settings of the folder name a class
of transformers, that class reads the folder (`wwho.importers.transformers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wwho.compile.unicode import white_space
from wwho.errors import SourceError
from wwho.importers.huggingface.read import make
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import JSON_BEGINS, Source, shown

FLAGS = ("single_word", "lstrip", "rstrip", "normalized")
GUESSED = ("<|endoftext|>", "<|startoftext|>")
"""Special tokens that a vocabulary of GPT-2's kind may have although no file names them."""
BERT_SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def _special_tokens(texts: Sequence[str], vocab: dict[str, int]) -> list[dict[str, Any]]:
    """Return items of "added_tokens" for the texts that the vocabulary has, as special tokens."""
    flags = dict.fromkeys(FLAGS, False)
    return [
        {"id": vocab[text], "content": text, "special": True, **flags}
        for text in texts
        if text in vocab
    ]


def _sniff_lines(source: Source) -> bool:
    """Return whether a file is a vocab.txt: most lines are one word, one is [UNK] or [PAD]."""
    lines = source.head.split(b"\n")
    texts = {line.strip() for line in lines}
    several = sum(len(line.split()) > 1 for line in lines)  # words of a token: there are few
    return bool(texts & {b"[UNK]", b"[PAD]"}) and 2 * several < len(lines)


def _read_lines(source: Source, options: Options) -> Imported:
    """Return the model of a vocab.txt with what BertWordPieceTokenizer does.

    Raises:
        SourceError: nothing tells whether text is lower-cased, [SEP] or [CLS] is missing, or as
            `make` does.
    """
    settings = source.json_beside()
    lowercase = options.lowercase
    if lowercase is None:
        lowercase = settings.get("do_lower_case")
    if not isinstance(lowercase, bool):
        raise SourceError(
            "a vocab.txt does not say whether text is lower-cased: give --lowercase or "
            "--no-lowercase, or put its tokenizer_config.json beside it"
        )
    vocab = pieces_in(source)
    special = [text for text in ("[SEP]", "[CLS]") if text not in vocab]
    if special:
        raise SourceError(f"there is no token {special[0]}; is it a vocab.txt of BERT?")
    normalizer = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": settings.get("tokenize_chinese_chars", True),
        "strip_accents": settings.get("strip_accents"),
        "lowercase": lowercase,
    }
    document = {
        "added_tokens": _special_tokens(BERT_SPECIALS, vocab),
        "normalizer": normalizer,
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "sep": ["[SEP]", vocab["[SEP]"]],
            "cls": ["[CLS]", vocab["[CLS]"]],
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocab,
        },
    }
    return make(document, source, options, LINES.kind)


def pieces_in(file: Source) -> dict[str, int]:
    """Return the ids of the lines of a vocab.txt; of equal lines, the last one counts.

    Raises:
        SourceError: the file is not UTF-8.
    """
    spaces = "".join(map(chr, white_space()))
    return {line.rstrip(spaces): number for number, line in enumerate(_lines(file))}


def _lines(source: Source) -> list[str]:
    """Return the lines of a file, without line feeds.

    Raises:
        SourceError: it is not UTF-8.
    """
    try:
        lines = source.data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{source.name}: byte {error.start} is not UTF-8: "
            f"{source.data[error.start : error.start + 16]!r}; fetch the file again"
        ) from None
    return lines[:-1] if lines[-1] == "" else lines


def _sniff_vocab(source: Source) -> bool:
    return any(text.startswith("\u0120") for text in source.document)


def _vocab_and_merges(source: Source) -> tuple[dict[str, int], list[list[str]]]:
    """Return the content of a vocab.json, unchecked, and the pairs of the merges.txt beside it.

    Raises:
        SourceError: there is no merges.txt, or a file is malformed.
    """
    merges = source.beside("merges.txt")
    if merges is None:
        raise SourceError("the vocabulary of a BPE needs its merges: put merges.txt beside it")
    return source.document, merges_in(merges)


def merges_in(file: Source) -> list[list[str]]:
    """Return the pairs of tokens in a merges.txt, each a list of two texts, in order.

    Empty lines and those that begin with `#version` are passed over.

    Raises:
        SourceError: a line is no pair, or not UTF-8.
    """
    pairs = []
    for number, line in enumerate(_lines(file), 1):
        line = line.removeprefix("\ufeff").removesuffix("\r")
        if not line or line.startswith("#version"):
            continue
        if len(pair := line.split(" ")) != 2:
            raise SourceError(
                f"merges.txt beside it, line {number}: expected two tokens and a space between "
                f"them, found {shown(line)}"
            )
        pairs.append(pair)
    return pairs


def gpt2_document(source: Source) -> tuple[dict[str, Any], list[str]]:
    """Return a tokenizer.json made of a vocab.json and the files beside it, and notes on both.

    Nothing says how text is cut: where the settings of a folder do, its class reads the folder. So
    the document has GPT-2's ByteLevel, with the `add_prefix_space` of the settings, and the first
    note says that.

    Raises:
        SourceError: the merges are missing, or their tokens are not GPT-2's kind, such as those
            that end in `</w>`.
    """
    vocab, merges = _vocab_and_merges(source)
    settings = source.json_beside()
    if "added_tokens_decoder" not in settings:  # as transformers kept them before
        settings = settings | source.json_beside("special_tokens_map.json")
    if any(right.endswith("</w>") for _, right in merges):
        raise SourceError(
            "its tokens end in </w>, and nothing beside it says of what kind it is: take a "
            "tokenizer.json, or put the tokenizer_config.json beside it"
        )
    added, notes = _added_beside(source, settings, vocab)
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": bool(settings.get("add_prefix_space")),
        "trim_offsets": True,
    }
    document: dict[str, Any] = {
        "added_tokens": added,
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {"type": "BPE", "vocab": vocab, "merges": merges},
    }
    return document, ["the files name no pretokenizer: GPT-2's was taken", *notes]


def _text(token: Any) -> str | None:
    """Return the text of a token in settings: a text, or an object with one."""
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) else None


def _added_beside(
    source: Source, settings: dict[str, Any], vocab: dict[str, int]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the added tokens of the files beside a vocabulary, sorted by id, and notes on others.

    Of equal texts the first counts: in added_tokens_decoder, in added_tokens.json (read only if the
    former is missing), then among the tokens with roles, which must be in the vocabulary. The notes
    name those that are not.

    Args:
        source: the vocabulary, beside which added_tokens.json may lie.
        settings: the tokenizer_config.json; {} if there is none.
        vocab: the ids of the vocabulary, by text.

    Raises:
        SourceError: added_tokens.json is damaged.
    """
    listed = settings.get("added_tokens_decoder")
    older = source.json_beside("added_tokens.json") if listed is None else {}
    roles = [each for name, each in settings.items() if name.endswith("_token")]
    for name in ("additional_special_tokens", "extra_special_tokens"):
        roles += each if isinstance(each := settings.get(name), list) else []
    texts = {*map(_text, roles)}
    wanted = [
        *((each, id) for id, each in (listed.items() if isinstance(listed, dict) else ())),
        *(
            ({"content": text, "special": text in texts, "normalized": text not in texts}, str(id))
            for text, id in older.items()
        ),
        *((each, None) for each in (*roles, *GUESSED)),
    ]
    tokens: dict[str, dict[str, Any]] = {}
    gone: dict[str, None] = {}
    for each, id in wanted:
        text, said = _text(each), each if isinstance(each, dict) else {}
        number: Any = vocab.get(text or "") if id is None else int(id) if id.isdecimal() else None
        if text and not isinstance(number, int) and text not in tokens:
            gone[text] = None
        elif text and isinstance(number, int):
            flags = {name: bool(said.get(name)) for name in FLAGS}
            special = bool(said.get("special", True))
            tokens.setdefault(text, {"id": number, "content": text, "special": special, **flags})
    left = [text for text in gone if text not in GUESSED]
    notes = [f"left out: {', '.join(left)}; the vocabulary has no such token"] if left else []
    return sorted(tokens.values(), key=lambda each: each["id"]), notes


def _read_vocab(source: Source, options: Options) -> Imported:
    document, notes = gpt2_document(source)
    return make(document, source, options, VOCAB.kind, *notes)


LINES = Reader(
    kind="a vocab.txt of BERT",
    begins=rb".*?\[(?:UNK|PAD)\]",
    sniff=_sniff_lines,
    read=_read_lines,
    takes=frozenset({"lowercase"}),
)
VOCAB = Reader(
    kind="a vocab.json with merges.txt",
    begins=JSON_BEGINS,
    sniff=_sniff_vocab,
    read=_read_vocab,
    marks=('"\u0120',),
)
