"""Vocabularies alone: vocab.txt of BERT, and vocab.json with merges.txt of GPT-2.

They say little of the rest of a tokenizer. What is taken for it is what `tokenizers` does of its
own: BertWordPieceTokenizer and ByteLevelBPETokenizer.
"""

from __future__ import annotations

from typing import Any

from wwho.compile.unicode import white_space
from wwho.errors import SourceError
from wwho.importers.huggingface.read import make
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import Source, shown

BERT_SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def _added(texts: tuple[str, ...], vocab: dict[str, int]) -> list[dict[str, Any]]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return [
        {"id": vocab[text], "content": text, "special": True, **flags}
        for text in texts
        if text in vocab
    ]


def _sniff_lines(source: Source) -> bool:
    lines = source.head.split(b"\n")
    texts = {line.strip() for line in lines}
    several = sum(len(line.split()) > 1 for line in lines)  # words of a token: there are few
    return bool(texts & {b"[UNK]", b"[PAD]"}) and 2 * several < len(lines)


def _read_lines(source: Source, options: Options) -> Imported:
    settings = source.settings_beside()
    lowercase = options.lowercase
    if lowercase is None:
        lowercase = settings.get("do_lower_case")
    if not isinstance(lowercase, bool):
        raise SourceError(
            "a vocab.txt does not say whether text is lower-cased: give --lowercase or "
            "--no-lowercase, or put its tokenizer_config.json beside it"
        )
    spaces = "".join(map(chr, white_space()))
    vocab = {line.rstrip(spaces): number for number, line in enumerate(_lines(source))}
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
        "added_tokens": _added(BERT_SPECIALS, vocab),
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


def _lines(source: Source) -> list[str]:
    """The lines of a file."""
    try:
        lines = source.data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{source.name}: byte {error.start} is not UTF-8: "
            f"{source.data[error.start : error.start + 16]!r}; fetch the file again"
        ) from None
    return lines[:-1] if lines[-1] == "" else lines


def _sniff_vocab(source: Source) -> bool:
    return source.is_json and any(text.startswith("\u0120") for text in source.document)


def _read_vocab(source: Source, options: Options) -> Imported:
    merges = source.beside("merges.txt")
    if merges is None:
        raise SourceError("the vocabulary of a BPE needs its merges: put merges.txt beside it")
    pairs = []
    for number, line in enumerate(_lines(merges), 1):
        line = line.removeprefix("\ufeff").removesuffix("\r")
        if not line or line.startswith("#version"):
            continue
        if len(pair := line.split(" ")) != 2:
            raise SourceError(
                f"merges.txt beside it, line {number}: expected two tokens and a space between "
                f"them, found {shown(line)}"
            )
        pairs.append(pair)
    vocab = source.document
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    document = {
        "added_tokens": _added(("<|endoftext|>", "<|startoftext|>"), vocab),
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "vocab": vocab,
            "merges": pairs,
        },
    }
    note = "the files name no pretokenizer: GPT-2's was taken"
    return make(document, source, options, VOCAB.kind, note)


LINES = Reader(
    kind="a vocab.txt of BERT",
    sniff=_sniff_lines,
    read=_read_lines,
    takes=frozenset({"lowercase"}),
)
VOCAB = Reader(kind="a vocab.json with merges.txt", sniff=_sniff_vocab, read=_read_vocab)
