"""Reading inputs with a model whose words a program cuts: the model encodes each word alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NoReturn

from tokenizers import AddedToken
from transformers.tokenization_python import Trie

from wwho.errors import BackendError, SamplingError
from wwho.format.added import write_added
from wwho.format.container import read_container
from wwho.format.layout import Kind
from wwho.format.model import Flag
from wwho.format.write import assemble
from wwho.hf.input_reader import Input, InputReader, texts_and_ids
from wwho.hf.word_cutters import WordCutter, open_cutter
from wwho.importers.transformers.word_cutting import PROGRAMS, WordCutting
from wwho.interchange.sentencepiece import MARKER
from wwho.sampling import Sampling
from wwho.tokenizer import Tokenizer


class WordModel(Tokenizer):
    """A model of words: it decodes, and refuses to encode or to be saved.

    A text that nobody has cut into words would get wrong ids, without a word.
    """

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        """Return an attribute, but none that encodes, counts, cuts or saves texts.

        Raises:
            BackendError: it is one.
        """
        if name in REFUSED:
            raise BackendError(
                f"{name}: this model has the ids of words, which another program cuts; "
                "WWHOTokenizer encodes texts with it, and saves it"
            )
        return super().__getattribute__(name)


REFUSED = frozenset(
    name
    for name in dir(Tokenizer)
    if name.startswith(("encode", "count", "segment", "chunk", "truncate", "save"))
) - {"encode_single_token"}
"""The methods of a `Tokenizer` that a model of words lacks."""


class WordReader(InputReader):
    """Reads inputs as a class in Python does that cuts words by a program.

    It finds added tokens first, in the text as it is given. A program cuts each stretch between two
    of them into words, and the model encodes each word alone.
    """

    def __init__(
        self,
        base: Tokenizer,
        added: Mapping[int, AddedToken],
        words: WordCutting,
        cutter: WordCutter | None,
    ) -> None:
        """Take a model, its added tokens by id, and what cuts words.

        Args:
            base: the model of words.
            added: its added tokens, its own ones among them.
            words: how its class cuts words.
            cutter: cuts words in place of the class's own program; None for that program.

        Raises:
            ModuleNotFoundError: the program, or its dictionary, is not installed.
            ValueError: the model cannot have these tokens; or the program does not start.
        """
        super().__init__(base, added)
        self._made_of = base, dict(added), words, cutter
        special = [token.content for token in added.values() if token.special]
        self._cut = open_cutter(words, special) if cutter is None else cutter
        self._added = {
            token.content: (number, token)
            for number, token in added.items()
            if not (token.normalized and token.content in words.symbols)
        }
        self._trie = Trie()
        for text in self._added:
            self._trie.add(text)
        self._model = _encoding_words(base, words)
        self._commas = _cut_at_commas(words.pieces, self._model)
        self._whole = {text: number for text, (number, _) in self._added.items()}
        if not words.whole:
            self._whole = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what the reader is made of."""
        return WordReader, self._made_of

    def ids(
        self,
        inputs: Sequence[Input],
        split_special_tokens: bool,
        sampling: Sampling | None = None,
    ) -> list[list[int]]:
        """Return the ids of each input; ids in an input stay as they are.

        Args:
            inputs: texts, lists of words, or lists of ids. Words are read as texts, one by one.
            split_special_tokens: whether special tokens, and all added ones, are ordinary text.
            sampling: None; anything else is refused.

        Raises:
            SamplingError: something is to be drawn.
            TypeError: an input is none of these.
        """
        if sampling is not None:
            raise SamplingError(
                "the class of this model cuts words before the model, and nothing is drawn for "
                "such words here: leave dropout and sample out"
            )
        parts_of_inputs = [
            [*self._words_and_ids(texts_and_ids(given), split_special_tokens)] for given in inputs
        ]
        words = {part for part in chain(*parts_of_inputs) if isinstance(part, str)}
        ids_of = dict(zip(words, self._ids_of_words([*words]), strict=True))
        return [
            [
                token
                for part in parts
                for token in (ids_of[part] if isinstance(part, str) else [part])
            ]
            for parts in parts_of_inputs
        ]

    def places(
        self,
        inputs: Sequence[Input],
        split_special_tokens: bool,
        sampling: Sampling | None = None,
    ) -> NoReturn:
        """Refuse: a program that cuts words also rewrites text, and does not say where it was.

        Raises:
            NotImplementedError: always, as transformers' class does.
        """
        raise NotImplementedError(
            "return_offsets_mapping=True: the program that cuts this model's words rewrites text "
            "and tells no places, as in transformers' own class; is_fast is False"
        )

    def words(
        self, given: Input, split_special_tokens: bool, sampling: Sampling | None = None
    ) -> NoReturn:
        """Refuse, as `places` does.

        Raises:
            NotImplementedError: always.
        """
        self.places([given], split_special_tokens)

    def _words_and_ids(
        self, parts: Iterable[str | int], split_special_tokens: bool
    ) -> Iterator[str | int]:
        """Yield the words of texts, and the ids of added tokens and of those given, in order."""
        for part in parts:
            if not isinstance(part, str):
                yield part
            elif split_special_tokens:
                yield from self._cut(part) if part else ()
            else:
                for stretch in self._stretches(part):
                    if stretch in self._added:
                        yield self._added[stretch][0]
                    elif stretch:
                        yield from self._cut(stretch)

    def _stretches(self, text: str) -> list[str]:
        """Return the added tokens of a text and the stretches between them, some of them empty.

        A stretch lacks the white space that an added token beside it takes. A single word that is
        found within another one goes to the text before or behind it.
        """
        found: list[str] = self._trie.split(text)
        for place, stretch in enumerate(found):
            if stretch not in self._added:
                continue
            token = self._added[stretch][1]
            before = found[place - 1] if place else ""
            behind = found[place + 1] if place + 1 < len(found) else ""
            if token.rstrip and behind:
                found[place + 1] = behind.lstrip()
            if token.lstrip and before:
                found[place - 1] = before.rstrip()
            if token.single_word and before and before[-1] != " ":
                found[place - 1] += stretch
                found[place] = ""
            elif token.single_word and behind and behind[0] != " ":
                found[place + 1] = stretch + found[place + 1]
                found[place] = ""
        return found

    def _ids_of_words(self, words: list[str]) -> list[list[int]]:
        """Return the ids of each word."""
        rows = self._model.encode_ordinary_batch(words)
        if self._whole:
            rows = [
                [self._whole[word]] if word in self._whole else row
                for word, row in zip(words, rows, strict=True)
            ]
        if self._commas:
            rows = [
                [each for token in row for each in self._commas.get(token, (token,))]
                for row in rows
            ]
        return rows


def program_name(words: WordCutting) -> str:
    """Return what cuts the words of a model, for messages."""
    return PROGRAMS[words.program] if words.program else "nothing"


def _encoding_words(base: Tokenizer, words: WordCutting) -> Tokenizer:
    """Return a model that finds no added tokens but SentencePiece's own symbols.

    The others are found before words are cut. They keep their ids, but only decode.
    """
    added = [
        replace(each, flags=Flag.NORMALIZED if each.text in words.symbols else Flag.HIDDEN)
        for each in base.info.added
    ]
    # The other sections are copied: some take long to read and to write.
    sections = [
        (each.kind, base._blob[each.offset : each.end])
        for each in read_container(base._blob).sections
    ]
    changed = [
        (kind, write_added(added, b"") if kind is Kind.ADDED else content)
        for kind, content in sections
    ]
    return Tokenizer.from_bytes(assemble(changed))


def _cut_at_commas(pieces: Mapping[str, int] | None, model: Tokenizer) -> dict[int, list[int]]:
    """Return the ids that take the place of those of pieces that end in a digit and a comma.

    Args:
        pieces: the ids of a SentencePiece model's pieces, by their texts; None: no model of that
            kind, and {} is returned.
        model: encodes texts by that model.
    """
    texts = {number: text for text, number in (pieces or {}).items()}
    found: dict[int, list[int]] = {}
    for number, text in texts.items():
        if len(text) < 2 or text[-1] != "," or not text[-2].isdigit():
            continue
        ids = model.encode_ordinary(text[:-1].replace(MARKER, ""))
        first = texts.get(ids[0], "") if ids else ""
        if not text.startswith(MARKER) and first.startswith(MARKER):
            ids = ids[1:] if first == MARKER else [_id_of(first[1:], pieces, model), *ids[1:]]
        found[number] = [*ids, _id_of(",", pieces, model)]
    return found


def _id_of(text: str, pieces: Mapping[str, int] | None, model: Tokenizer) -> int:
    """Return the id of a piece; that of unknown text if there is no such piece."""
    unknown = model.info.unk_id
    assert pieces is not None
    return pieces.get(text, 0 if unknown is None else unknown)
