"""Programs that cut a text into words, as classes of transformers run them: MeCab and Sudachi.

They are transformers' own objects, which run the packages fugashi and sudachipy: the words are the
same by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeAlias

from wwho.errors import SourceError
from wwho.importers.transformers.word_cutting import PROGRAMS, WordCutting

WordCutter: TypeAlias = Callable[[str], Sequence[str]]
"""What cuts a text, of any length but 0, into its words."""

MODULE = "transformers.models.bert_japanese.tokenization_bert_japanese"
CLASSES = {"basic": "BasicTokenizer", "mecab": "MecabTokenizer", "sudachi": "SudachiTokenizer"}
"""The class of transformers that runs each program."""
EXTRA = "pip install 'wwho[japanese]'"


class ProgramCutter:
    """A program that cuts words, as the class of a model runs it.

    Copies and pickles run the program anew: neither MeCab nor Sudachi can be copied.
    """

    def __init__(self, words: WordCutting, special: Sequence[str]) -> None:
        """Start the program.

        Args:
            words: the program and its options.
            special: the texts of special tokens, which never become lower case.

        Raises:
            ModuleNotFoundError: its package, or that of its dictionary, is not installed.
            SourceError: no package brings it, or it does not start with these options.
        """
        self._made_of = words, list(special)
        self._special = list(special)
        self._program = _start(words)

    def __call__(self, text: str) -> list[str]:
        """Return the words of a text."""
        words: list[str] = self._program.tokenize(text, never_split=self._special)
        return words

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle, and copy, by what the program was started with."""
        return ProgramCutter, self._made_of


def one_word(text: str) -> list[str]:
    """Return a text as its only word."""
    return [text]


def open_cutter(words: WordCutting, special: Sequence[str]) -> WordCutter:
    """Return what cuts the words of a model.

    Args:
        words: how its class does it.
        special: the texts of special tokens.

    Raises:
        ModuleNotFoundError, SourceError: as `ProgramCutter` does.
    """
    return one_word if words.program is None else ProgramCutter(words, special)


def _start(words: WordCutting) -> Any:
    """Return the object of transformers that runs a program; raises as `ProgramCutter` does."""
    name = CLASSES.get(str(words.program))
    if name is None:
        raise SourceError(
            f"word_tokenizer_type: found {words.program}: {PROGRAMS[str(words.program)]} cuts the "
            "words, and is not run here: give word_cutter=FUNCTION, which returns the words of a "
            "text"
        )
    kind = getattr(import_module(MODULE), name)
    options: dict[str, Any] = dict(words.options)
    if words.program == "basic":
        options["tokenize_chinese_chars"] = False
    try:
        return kind(do_lower_case=words.lower, never_split=[*words.never_split], **options)
    except ImportError as error:
        raise ModuleNotFoundError(
            f"{PROGRAMS[str(words.program)]} cuts the words of this model: {EXTRA} installs what "
            f"is missing ({error})",
            name=error.name,
        ) from error
    except Exception as error:  # both programs raise errors of many classes
        raise SourceError(
            f"{words.program}_kwargs: found {dict(words.options)}, with which "
            f"{PROGRAMS[str(words.program)]} does not start: {error}"
        ) from error
