"""Classes that are refused, and why: what they do is no step of an artifact, or not one yet."""

from __future__ import annotations

from wwho.importers.transformers.model_class import ModelClass

REASONS: dict[str, tuple[tuple[str, ...], str]] = {
    "BioGptTokenizer": (
        ("vocab.json", "merges.txt"),
        "which cuts words by a program, sacremoses, with lists of its own",
    ),
    "ClvpTokenizer": (
        ("vocab.json", "merges.txt"),
        "which writes numbers and abbreviations out in English by a program of its own",
    ),
    "CpmAntTokenizer": (("vocab.txt",), "which cuts words by a program, rjieba"),
    "FSMTTokenizer": (
        ("vocab-src.json", "vocab-tgt.json", "merges.txt"),
        "which cuts words by a program, sacremoses, with lists of its own",
    ),
    "FastSpeech2ConformerTokenizer": (
        ("vocab.json",),
        "which turns text into sounds by a program, g2p_en",
    ),
    "FlaubertTokenizer": (
        ("vocab.json", "merges.txt"),
        "which cuts words by a program, sacremoses, with lists of its own",
    ),
    "GPTNeoXJapaneseTokenizer": (
        ("vocab.txt", "emoji.json"),
        "which takes of all tokens at a place the one with the lowest id, and not the longest",
    ),
    "MistralCommonBackend": (
        ("tekken.json or tokenizer.model",),
        "which is a program of another package, mistral-common; give --as tekken.json",
    ),
    "MyT5Tokenizer": (
        ("byte_maps.json",),
        "which rewrites bytes by two maps of its own before it numbers them",
    ),
    "Pop2PianoTokenizer": (("vocab.json",), "which reads notes of music, and no text"),
    "RagTokenizer": ((), "which is two tokenizers: give the folder of one of them"),
    "TapasTokenizer": (("vocab.txt",), "which reads tables, and no plain text"),
    "VitsTokenizer": (
        ("vocab.json",),
        "which turns text into sounds by a program, phonemizer, with a blank between any two",
    ),
    "Wav2Vec2PhonemeCTCTokenizer": (
        ("vocab.json",),
        "which turns text into sounds by a program, phonemizer",
    ),
    "XLMTokenizer": (
        ("vocab.json", "merges.txt"),
        "which cuts words by a program, sacremoses, with lists of its own",
    ),
}
"""For each class its files, and why it is refused."""

CLASSES: dict[str, ModelClass] = {
    name: ModelClass(files=files, refusal=reason) for name, (files, reason) in REASONS.items()
}
