"""How a program cuts a text into words before a model sees them, as BERT Japanese does.

No artifact can run such a program, so `wwho import` refuses a folder that needs one; `wwho.hf` runs
it, and gives the model one word after another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wwho.errors import SourceError
from wwho.importers.source import shown
from wwho.importers.transformers.folder import ModelFolder

SETTINGS = (
    *("do_lower_case", "do_word_tokenize", "do_subword_tokenize", "word_tokenizer_type"),
    *("subword_tokenizer_type", "never_split", "mecab_kwargs", "sudachi_kwargs", "jumanpp_kwargs"),
)
"""The settings of a folder that say how words are cut, and become tokens."""
PROGRAMS = {
    "basic": "BERT's rules",
    "mecab": "MeCab (the package fugashi, with a dictionary)",
    "sudachi": "Sudachi (the package sudachipy, with a dictionary)",
    "jumanpp": "Juman++ (the package rhoknp, and a program that no package brings)",
}
"""What cuts words, by the values of `word_tokenizer_type`."""
OPTIONS: Mapping[str, Mapping[str, type]] = {
    "basic": {},
    "mecab": {"normalize_text": bool, "mecab_dic": str, "mecab_option": str},
    "sudachi": {
        "normalize_text": bool,
        "trim_whitespace": bool,
        "sudachi_split_mode": str,
        "sudachi_config_path": str,
        "sudachi_resource_dir": str,
        "sudachi_dict_type": str,
        "sudachi_projection": str,
    },
    "jumanpp": {"normalize_text": bool, "trim_whitespace": bool},
}
"""The options that a program's settings (`mecab_kwargs` and so on) may have, and their types."""
NOT_NULL = ("normalize_text", "trim_whitespace", "sudachi_split_mode", "sudachi_dict_type")


@dataclass(frozen=True, kw_only=True)
class WordCutting:
    """What is done to a text before the model encodes each word alone, and to the model's ids.

    Attributes:
        program: what cuts the words: a key of `PROGRAMS`; None: each text is one word.
        lower: whether words become lower case.
        never_split: words that are neither cut further nor changed.
        options: the program's own options; see `OPTIONS`.
        whole: whether each word is a token, so that one that equals an added token is that.
        pieces: for a SentencePiece model the ids of its pieces, by their texts: the class cuts
            those that end in a digit and a comma once more; None for another model.
        symbols: those pieces that SentencePiece finds as a whole (user-defined symbols).
        settings: those of `SETTINGS` that the folder has, for saving.
        files: the content of the files that the class reads, by their names, for saving.
    """

    program: str | None
    lower: bool = False
    never_split: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    whole: bool = False
    pieces: Mapping[str, int] | None = None
    symbols: frozenset[str] = frozenset()
    settings: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)

    def why_refused(self) -> str:
        """Return why no artifact can do this, and what would do."""
        if self.program in (None, "basic") and self.pieces is not None:
            why = "subword_tokenizer_type: found sentencepiece, which encodes each word alone"
        elif self.program == "basic":
            why = f"never_split: found {shown([*self.never_split])}, words that are never cut"
        else:
            program = PROGRAMS[str(self.program)]
            why = f"word_tokenizer_type: found {self.program}: {program} cuts the words"
        return (
            f"{why}, which no artifact can do. WWHOTokenizer.from_pretrained(folder) of wwho.hf "
            "does it in Python (pip install 'wwho[hf,japanese]'), with the same ids"
        )


def read_never_split(folder: ModelFolder) -> tuple[str, ...]:
    """Return the words that are never cut.

    Raises:
        SourceError: the setting is no list of texts.
    """
    found = folder.settings.get("never_split")
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise SourceError(f"never_split: found {shown(found)}, expected a list of words, or null")
    return tuple(found)


def read_program_options(folder: ModelFolder, program: str) -> dict[str, Any]:
    """Return the options of a program: the object in `mecab_kwargs`, `sudachi_kwargs` and so on.

    Those of the other programs say nothing.

    Raises:
        SourceError: it is no object, or has an option that the program does not know, or one with a
            value of another type.
    """
    for each in OPTIONS:
        if each != program:
            folder.settings.get(f"{each}_kwargs")
    name, types = f"{program}_kwargs", OPTIONS[program]
    found = folder.settings.get(name) or {}
    if not isinstance(found, dict):
        raise SourceError(f"{name}: found {shown(found)}, expected an object, or null")
    for key, value in found.items():
        if key not in types:
            raise SourceError(f"{name}: found {shown(key)}, expected {', '.join(types) or 'none'}")
        if value is None and key not in NOT_NULL:
            continue
        if not isinstance(value, types[key]):
            kind = "true or false" if types[key] is bool else "a text"
            or_null = "" if key in NOT_NULL else ", or null"
            raise SourceError(f"{name}: {key}: found {shown(value)}, expected {kind}{or_null}")
    return dict(found)
