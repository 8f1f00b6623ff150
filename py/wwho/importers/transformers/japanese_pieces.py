"""BERT Japanese with a SentencePiece model, which encodes each word as a text of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from wwho.compile.syntax import Seq, many
from wwho.errors import SourceError
from wwho.format.steps import Ends, Rewrite
from wwho.format.template import Template
from wwho.importers.huggingface.patterns import ANY, Patterns, one_of
from wwho.importers.reader import Options
from wwho.importers.source import shown
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft
from wwho.importers.transformers.python_pieces import STRETCHES, draft_of_pieces, texts_of
from wwho.importers.transformers.sentencepiece_files import read_pieces
from wwho.importers.transformers.slow_tokens import SPACES, SlowTokens, slow_tokens
from wwho.importers.transformers.unknown_texts import IN_TEXT
from wwho.importers.transformers.word_cutting import WordCutting
from wwho.interchange.sentencepiece import MARKER, Kind

FILE = "spiece.model"


def read_within_words(
    folder: ModelFolder,
    options: Options,
    cutting: WordCutting,
    roles: Mapping[str, Any],
    around: Callable[[SlowTokens], Template],
) -> Draft:
    """Return the `Draft` of a folder whose words a SentencePiece model encodes, each alone.

    Args:
        folder: the folder.
        options: what the caller says.
        cutting: how texts are cut into words.
        roles: the defaults of the class; see `Draft`.
        around: makes the template.

    Raises:
        SourceError: the file is missing or damaged; a setting is not understood; or the model has
            no piece for a space or for a comma.
    """
    model = read_pieces(folder, FILE).model
    texts = texts_of(model)
    in_text = {texts[number] for number in model.of_kind(*IN_TEXT)}
    for text in (MARKER, ","):
        if text not in in_text:
            raise SourceError(
                f"{FILE}: found no piece {shown(text)}, expected one: this class cuts pieces that "
                "end in a digit and a comma once more, by pieces that are known"
            )
    vocabulary = {text: number for number, text in enumerate(texts)}
    tokens = slow_tokens(folder, vocabulary, roles)

    def before(patterns: Patterns) -> list[Rewrite]:
        """Return the steps before those of SentencePiece: single spaces, and plain quotes."""
        space, quotes = many(one_of(*SPACES), 1), ("``", "''")
        marks = [(Seq(tuple(map(one_of, each))), '"') for each in quotes]
        return [
            patterns.replace("spaces", (space, " "), (ANY, None)),
            Ends(strip=" ", left=True, right=True),
            *(patterns.replace("quotes", each, (ANY, None)) for each in marks),
        ]

    draft = draft_of_pieces(
        folder,
        options,
        model,
        range(len(texts)),
        tokens,
        unk_id=model.unk_id,
        before=before,
        template=around(tokens),
        defaults=roles,
    )
    files = {FILE: folder.needed_file(FILE).data}
    # The class decodes all tokens as one text.
    notes = tuple(note for note in draft.notes if note != STRETCHES)
    symbols = frozenset(texts[number] for number in model.of_kind(Kind.USER_DEFINED))
    words = replace(cutting, pieces=vocabulary, symbols=symbols, files=files)
    return replace(draft, notes=notes, words=words)
