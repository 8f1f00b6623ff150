"""Classes that are refused, and why: what they do is no step of an artifact, or not one yet."""

from __future__ import annotations

from wwho.importers.transformers.model_class import ModelClass

IN_PYTHON = "which transformers runs in Python by rules of its own, that are not known here yet"
SPEECH = "which turns text into sounds by a program, and is no tokenizer of text"
REASONS: dict[str, tuple[tuple[str, ...], str]] = {
    "BartphoTokenizer": (("sentencepiece.bpe.model", "dict.txt"), IN_PYTHON),
    "BertGenerationTokenizer": (("spiece.model",), IN_PYTHON),
    "BioGptTokenizer": (
        ("vocab.json", "merges.txt"),
        "which cuts words by a program, sacremoses, with lists of its own",
    ),
    "CanineTokenizer": ((), "whose ids are code points: take ord() of each character"),
    "ClvpTokenizer": (("vocab.json", "merges.txt"), SPEECH),
    "CpmAntTokenizer": (("vocab.txt",), "which cuts words by a program, rjieba"),
    "DiaTokenizer": ((), SPEECH),
    "FSMTTokenizer": (
        ("vocab-src.json", "vocab-tgt.json", "merges.txt"),
        "which cuts words by a program, sacremoses, with lists of its own",
    ),
    "FastSpeech2ConformerTokenizer": (("vocab.json",), SPEECH),
    "FlaubertTokenizer": (
        ("vocab.json", "merges.txt"),
        "which cuts words by a program, sacremoses, with lists of its own",
    ),
    "GPTNeoXJapaneseTokenizer": (("vocab.txt", "emoji.json"), IN_PYTHON),
    "GPTSw3Tokenizer": (("spiece.model",), IN_PYTHON),
    "M2M100Tokenizer": (("vocab.json", "sentencepiece.bpe.model"), IN_PYTHON),
    "MarianTokenizer": (("source.spm", "target.spm", "vocab.json"), IN_PYTHON),
    "MistralCommonBackend": (
        ("tekken.json or tokenizer.model",),
        "which is a program of another package, mistral-common; give --as tekken.json",
    ),
    "MyT5Tokenizer": (("byte_maps.json",), IN_PYTHON),
    "PLBartTokenizer": (("sentencepiece.bpe.model",), IN_PYTHON),
    "Pop2PianoTokenizer": (("vocab.json",), "which reads notes of music, and no text"),
    "RagTokenizer": ((), "which is two tokenizers: give the folder of one of them"),
    "SiglipTokenizer": (("spiece.model",), IN_PYTHON),
    "Speech2TextTokenizer": (("vocab.json", "sentencepiece.bpe.model"), IN_PYTHON),
    "SpeechT5Tokenizer": (("spm_char.model",), IN_PYTHON),
    "TapasTokenizer": (("vocab.txt",), "which reads tables, and no plain text"),
    "VitsTokenizer": (("vocab.json",), SPEECH),
    "Wav2Vec2PhonemeCTCTokenizer": (("vocab.json",), SPEECH),
    "XLMTokenizer": (
        ("vocab.json", "merges.txt"),
        "which cuts words by a program, sacremoses, with lists of its own",
    ),
}
"""For each class its files, and why it is refused."""

CLASSES: dict[str, ModelClass] = {
    name: ModelClass(files=files, refusal=reason) for name, (files, reason) in REASONS.items()
}
