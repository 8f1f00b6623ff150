"""Vocabulary files of each class of transformers, small and at random, for folders.py."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from random import Random
from typing import Any

import sentencepiece
import tokenizers

from wwho.importers.transformers.choice import tables
from wwho.importers.transformers.classes import CLASSES

Files = dict[str, bytes]

WORDS = """
    the a an in on low lower new newer newest wide Hello world café naïve 123 4567 don't U.S. ab-c
    x_y ශ්‍රී ලංකාව नमस्ते हिन्दी 中文 字 日本語 한국어 Straße İ ǅ ﬁ ½ １２ 🙂 e\u0301 . , ! ? : ; ' ( )
    LOW New größe đem ağaç
""".split()  # noqa: SIM905
"""Words of which vocabularies are made, and texts."""
LINES = [" ".join(WORDS)] * 4 + ["low lower lowest, new newer newest; don't we'll 12 345"] * 9
SPECIAL = (
    *("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>", "<|startoftext|>", "[PAD]"),
    *("[UNK]", "[CLS]", "[SEP]", "[MASK]", "<cls>", "<sep>", "<eos>", "<bos>", "[QUESTION]"),
)
"""Special tokens that some class gives itself."""
BERT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

SENTENCEPIECE: Mapping[str, Mapping[str, Any]] = {
    "unigram": {"vocab_size": 280},
    "bpe": {"model_type": "bpe", "vocab_size": 320},
    "bytes": {"model_type": "bpe", "vocab_size": 560, "byte_fallback": True,
              "normalization_rule_name": "identity", "remove_extra_whitespaces": False},
    "user": {"vocab_size": 300, "user_defined_symbols": ["<x>", "lower"],
             "control_symbols": ["<ctl>"], "normalization_rule_name": "nmt_nfkc_cf"},
    "merged": {"model_type": "bpe", "vocab_size": 330, "user_defined_symbols": ["<x>", "lower"],
               "control_symbols": ["<ctl>"]},
    "padded": {"vocab_size": 300, "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
    "albert": {"vocab_size": 300, "pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": -1,
               "control_symbols": ["[CLS]", "[SEP]", "[MASK]"]},
    "gemma": {"model_type": "bpe", "vocab_size": 560, "byte_fallback": True, "pad_id": 0,
              "eos_id": 1, "bos_id": 2, "unk_id": 3, "pad_piece": "<pad>", "eos_piece": "<eos>",
              "bos_piece": "<bos>", "user_defined_symbols": ["<mask>", "<start_of_turn>"],
              "normalization_rule_name": "identity", "add_dummy_prefix": False},
    "char": {"model_type": "char", "vocab_size": 120, "character_coverage": 0.98},
    "whole": {"vocab_size": 540, "byte_fallback": True, "add_dummy_prefix": False,
              "treat_whitespace_as_suffix": False, "normalization_rule_name": "nfkc"},
}  # fmt: skip
"""How SentencePiece models are trained, by name."""
KINDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("T5Tokenizer", "LasrTokenizer", "VideoPrismTokenizer"), ("padded", "user")),
    **dict.fromkeys(
        ("AlbertTokenizer", "BigBirdTokenizer", "RemBertTokenizer", "FNetTokenizer"),
        ("albert", "unigram"),
    ),
    **dict.fromkeys(("DebertaV2Tokenizer", "XLNetTokenizer"), ("albert", "unigram")),
    **dict.fromkeys(("LlamaTokenizer", "CodeLlamaTokenizer", "Tipsv2Tokenizer"), ("bytes", "bpe")),
    **dict.fromkeys(("GemmaTokenizer", "Siglip2Tokenizer"), ("gemma", "bytes")),
    **dict.fromkeys(("NllbTokenizer", "SeamlessM4TTokenizer", "ReformerTokenizer"), ("bpe",)),
    "PegasusTokenizer": ("padded",),
    "SpeechT5Tokenizer": ("char", "unigram"),
}
"""The models that a class is most often given; now and then it gets another one."""


@cache
def sentencepiece_model(kind: str) -> bytes:
    """Return the SentencePiece model of a name in `SENTENCEPIECE`."""
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES * 3),
        model_writer=file,
        minloglevel=2,
        hard_vocab_limit=False,
        num_threads=1,
        **SENTENCEPIECE[kind],
    )
    return file.getvalue()


@cache
def bpe(kind: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the tokens and merges of a trained BPE.

    Args:
        kind: "bytes" for a byte-level one, "clip" for one whose words end in </w>, "words" for one
            of characters whose words end so.
    """
    suffix = "" if kind == "bytes" else "</w>"
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(end_of_word_suffix=suffix))
    cut: Any = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    if kind == "words":
        cut = tokenizers.pre_tokenizers.WhitespaceSplit()
    if kind == "clip":
        theirs.normalizer = tokenizers.normalizers.Lowercase()
    theirs.pre_tokenizer = cut
    alphabet = [] if kind == "words" else tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=420 if kind == "words" else 700,
        initial_alphabet=alphabet,
        end_of_word_suffix=suffix,
        show_progress=False,
    )
    theirs.train_from_iterator(LINES, trainer)
    model = json.loads(theirs.to_str())["model"]
    return sorted(model["vocab"], key=model["vocab"].get), [tuple(each) for each in model["merges"]]


def _json(value: Any) -> bytes:
    """Return a value as JSON, in one of the two forms in which such files are written."""
    return json.dumps(value, ensure_ascii=False).encode()


def _with_special(chance: Random, texts: Iterable[str], special: Iterable[str]) -> list[str]:
    """Return tokens with special ones before, behind or among them; now and then one is missing."""
    kept = [text for text in special if chance.random() < 0.95]
    texts = [text for text in texts if text not in kept]
    where = chance.random()
    if where < 0.5:
        return [*kept, *texts]
    if where < 0.8:
        return [*texts, *kept]
    half = len(kept) // 2
    return [*kept[:half], *texts, *kept[half:]]


def _merges(chance: Random, merges: Iterable[tuple[str, str]]) -> bytes:
    """Return a merges.txt."""
    lines = "".join(f"{left} {right}\n" for left, right in merges)
    head = "" if chance.random() < 0.1 else "#version: 0.2\n"
    return (head + lines).encode()


def byte_level(chance: Random, name: str) -> Files:
    """Return the vocab.json and merges.txt of a class that reads both."""
    kind = {"CLIPTokenizer": "clip", "HerbertTokenizer": "words", "OpenAIGPTTokenizer": "words"}
    texts, merges = bpe(kind.get(name, "bytes"))
    special = list(SPECIAL)
    if name == "WhisperTokenizer":
        languages = [f"<|{code}|>" for code in tables()["whisper_languages"]]
        special += ["<|startoftranscript|>", *languages, "<|translate|>", "<|transcribe|>"]
        special += ["<|notimestamps|>", "<|startofprev|>", "<|0.00|>"]
    tokens = _with_special(chance, texts, special)
    if chance.random() < 0.1:
        tokens += ["more", "Ġmore"]  # which no merge makes
    vocab = {text: number for number, text in enumerate(dict.fromkeys(tokens))}
    if chance.random() < 0.1:
        vocab |= {"gap": len(vocab) + 7}
    return {"vocab.json": _json(vocab), "merges.txt": _merges(chance, merges)}


def word_bpe(chance: Random, name: str) -> Files:
    """Return the files of a class of merged words in Python."""
    tokens, merges = bpe("words")
    made = {text for pair in merges for text in (*pair, "".join(pair))} | {*tokens}
    ends = [
        text.removesuffix("</w>") if text.endswith("</w>") else f"{text}@@" for text in sorted(made)
    ]
    kept = [text for text in dict.fromkeys(ends) if chance.random() < 0.9]
    if name in ("PhobertTokenizer", "BertweetTokenizer"):
        kept = [text for text in kept if text not in SPECIAL]
        return {
            "vocab.txt": "".join(f"{text} 7\n" for text in kept).encode(),
            "bpe.codes": "".join(f"{left} {right} 7\n" for left, right in merges).encode(),
        }
    special = ["<unk>", "__unk__", "__start__", "__end__", "__null__"]
    vocab = {text: number for number, text in enumerate([*special, *kept])}
    return {"vocab.json": _json(vocab), "merges.txt": _merges(chance, merges)}


def word_pieces(chance: Random, name: str) -> Files:
    """Return the vocab.txt of a class of word pieces."""
    letters = sorted({letter for word in WORDS for letter in word.lower() + word})
    pieces = [*letters, *(f"##{each}" for each in letters), *WORDS, "##er", "##est", "ne", "##w"]
    pieces += [word.lower() for word in WORDS]
    kept = [piece for piece in dict.fromkeys(pieces) if chance.random() < 0.95]
    chance.shuffle(kept)
    special = BERT if chance.random() < 0.5 else (*BERT, *SPECIAL, ".")
    lines = [*dict.fromkeys(_with_special(chance, kept, dict.fromkeys(special)))]
    if chance.random() < 0.05:
        lines.insert(len(lines) // 2, lines[3])  # a line that comes twice
    end = "\r\n" if chance.random() < 0.1 else "\n"
    data = end.join(lines).encode() + (end.encode() if chance.random() < 0.9 else b"")
    file = "prophetnet.tokenizer" if name == "ProphetNetTokenizer" else "vocab.txt"
    files = {file: data}
    if name == "RoCBertTokenizer":
        numbers = _json({piece: number for number, piece in enumerate(dict.fromkeys(lines))})
        files |= {"word_shape.json": numbers, "word_pronunciation.json": numbers}
    return files


def _model(chance: Random, name: str) -> bytes:
    """Return a SentencePiece model such as a class is given."""
    usual = KINDS.get(name, ("unigram", "bpe", "user"))
    kinds = usual if chance.random() < 0.85 else tuple(SENTENCEPIECE)
    return sentencepiece_model(chance.choice(kinds))


def pieces(chance: Random, name: str) -> Files:
    """Return the SentencePiece model of a class, under the name that it has there."""
    (file,) = CLASSES[name].files
    return {file: _model(chance, name)}


def _numbers(chance: Random, model: bytes, more: Iterable[str]) -> dict[str, int]:
    """Return ids of most pieces of a model, and of texts that are none, in another order."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    texts = [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
    kept = [text for text in texts if chance.random() < 0.9] + ["한국어", "字", "▁字", *more]
    chance.shuffle(kept)
    found = dict.fromkeys(["<s>", "<pad>", "</s>", "<unk>", *kept])
    return {text: number for number, text in enumerate(found)}


def numbered_pieces(chance: Random, name: str) -> Files:
    """Return the files of a class that numbers the pieces of a model by a list of its own."""
    model = sentencepiece_model(chance.choice(("unigram", "bpe", "user")))
    numbers = _numbers(chance, model, ["▁madeup", ">>fr<<", ">>cmn_Hans<<"])
    if name == "MarianTokenizer":
        return {"vocab.json": _json(numbers), "source.spm": model,
                "target.spm": sentencepiece_model("unigram")}  # fmt: skip
    files = {"sentencepiece.bpe.model": model}
    if name == "BartphoTokenizer":
        texts = [text for text in numbers if text not in SPECIAL]
        return files | {"dict.txt": "".join(f"{text} 7\n" for text in texts).encode()}
    return files | {"vocab.json": _json(numbers)}


def letters(chance: Random, name: str) -> Files:
    """Return the file of a class of single letters."""
    if name == "EsmTokenizer":
        texts = ["<cls>", "<pad>", "<eos>", "<unk>", *"LAGVSERTIDPKQNFYMHWCXBUZO.-", "<null_1>"]
        return {"vocab.txt": "\n".join([*texts, "<mask>"]).encode()}
    if name == "MgpstrTokenizer":
        texts = ["[GO]", "[s]", *"0123456789abcdefghijklmnopqrstuvwxyz "]
    else:
        texts = ["<pad>", "<s>", "</s>", "<unk>", "|", "lo", *"abcdefghijklmnopqrstuvwxyzHÉ字ß."]
    vocab = {text: number for number, text in enumerate(texts)}
    return {"vocab.json": _json(vocab)}


def nothing(_: Random, __: str) -> Files:
    """Return no file, for a class that needs none."""
    return {}


MAKERS: tuple[tuple[Callable[[Random, str], Files], tuple[str, ...]], ...] = (
    (byte_level, ("vocab.json", "merges.txt")),
    (word_pieces, ("vocab.txt",)),
    (word_bpe, ("vocab.txt", "bpe.codes")),
    (nothing, ()),
)
BY_NAME: Mapping[str, Callable[[Random, str], Files]] = {
    **dict.fromkeys(("BlenderbotSmallTokenizer", "CTRLTokenizer"), word_bpe),
    **dict.fromkeys(
        ("M2M100Tokenizer", "MarianTokenizer", "Speech2TextTokenizer", "BartphoTokenizer"),
        numbered_pieces,
    ),
    **dict.fromkeys(("EsmTokenizer", "MgpstrTokenizer", "Wav2Vec2CTCTokenizer"), letters),
    **dict.fromkeys(("ProphetNetTokenizer", "BertJapaneseTokenizer"), word_pieces),
}


def files_of(chance: Random, name: str) -> Files:
    """Return vocabulary files of a class, at random.

    Args:
        chance: the generator whose numbers count.
        name: the class, without "Fast"; one of `NAMES`.
    """
    by_files = {files: each for each, files in MAKERS}
    maker = BY_NAME.get(name) or by_files.get(CLASSES[name].files, pieces)
    return maker(chance, name)


NAMES = tuple(sorted(name for name, each in CLASSES.items() if each.read is not None))
"""The classes that are read."""
