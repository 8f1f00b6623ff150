"""Small SentencePiece models, of which tests make folders."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import pytest
from folder_judge import WORDS

sentencepiece = pytest.importorskip("sentencepiece", reason="needs sentencepiece")

LINES = [" ".join(WORDS)] * 3 + [
    "the lower and the newest words are wide, and newer ones lower still",
    "නව පාසල් දරුවන්ගේ පොත් අලුත් ය",
    "हिन्दी में नए शब्द और पुराने शब्द",
    "new lower words: 1,234 and 5.6 are numbers; U.S. is none",
] * 8
"""The text that the models are trained on."""


def train_models(options: Mapping[str, Mapping[str, Any]]) -> dict[str, bytes]:
    """The models that SentencePiece trains with some options, by the options' names."""
    made = {}
    for name, given in options.items():
        file = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(LINES),
            model_writer=file,
            minloglevel=2,
            hard_vocab_limit=False,
            num_threads=1,
            **given,
        )
        made[name] = file.getvalue()
    return made
