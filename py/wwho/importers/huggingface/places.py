"""BPE whose symbols are others where a piece begins, goes on or ends: `##b`, `b</w>`."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from itertools import product
from typing import NoReturn

from wwho.assemble.bpe import live_pairs
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.syntax import seq
from wwho.format.decoder import Replace, Step, Strip
from wwho.format.steps import MATCH, Rules
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.draft import ANY, Draft, one
from wwho.importers.huggingface.pieces import (
    MARKS,
    spell_unknown,
    spelled_in,
    tell_places,
)
from wwho.importers.source import shown

MAX_WHOLE = 1000
"""Tokens of ignore_merges: each is a rule of a scanner."""

SUFFIXED = "\ud801"
"""Stands between steps after a piece that has a suffix in the text, which `behind` will replace."""


class Places:
    """Tokens with characters in them that say where their symbols stand.

    Steps put `front` in front of each character of a piece but the first, and `behind` behind the
    last: so that `a`, `##b` and `b</w>` are symbols of their own, and a token has its symbols'
    texts, one after another. The decoder puts prefix and suffix in their place again.

    Where unknown symbols become bytes, `lead` stands in front of those that begin a piece, so that
    no character alone is a symbol: it becomes bytes, and so do those of prefix and suffix.

    Attributes:
        lead: the character that stands in front of symbols which begin a piece, or nothing.
        front: the character that stands in front of symbols which do not begin a piece.
        behind: the one that stands behind the last symbol of a piece.
        known: the symbols: what is in front, characters, what is behind.
    """

    def __init__(
        self, value: Value, prefix: str, suffix: str, private: str, *, leads: bool
    ) -> None:
        """Take the options of a model, characters that no token has, and whether all have leads."""
        self.value, self.prefix, self.suffix = value, prefix, suffix
        self.lead = private[4] if leads else ""
        self.front = private[1] if prefix else self.lead
        self.behind = private[2] if suffix else ""
        self._mark, self._ended, self._private = private[3], private[7], private
        self._texts: dict[str, str] = {}
        self._whole: dict[str, str] = {}
        self._rules: dict[str, str] = {}
        self.known: list[tuple[str, CodePointSet, str]] = []

    def read(self, vocab: Collection[str], merges: Sequence[tuple[str, str]]) -> None:
        """Find the texts of all tokens.

        Raises:
            SourceError: a token is made of symbols in two ways.
        """
        for front, behind in product(sorted({self.lead, self.front}), sorted({"", self.behind})):
            before = self.prefix if front == self.front else ""
            after = self.suffix if behind else ""
            size = len(before) + 1 + len(after)
            found = [
                text[len(before)]
                for text in vocab
                if len(text) == size and text.startswith(before) and text.endswith(after)
            ]
            for char in found:
                self._add(before + char + after, front + char + behind)
            self.known.append((front, CodePointSet.of(*found), behind))
        left = list(merges)
        while later := [pair for pair in left if not self._merge(pair)]:
            if len(later) == len(left):
                self.refuse(f"cannot be told where {shown(later[0][0])} is made of no symbols")
            left = later

    def take_whole(
        self, vocab: Iterable[str], special: Container[str], merges: Sequence[tuple[str, str]]
    ) -> list[tuple[str, str]]:
        """Let a piece with the text of a token be that token, whatever merges make of it.

        Args:
            vocab: the tokens.
            special: the special tokens; one that nothing makes is none of the model's.
            merges: the merges.

        Returns:
            The merges that ever make a token.

        Raises:
            SourceError: there are too many tokens.
        """
        unmade = self._unmade(merges)
        self._texts |= {text: text + self._mark for text in unmade}
        for text in vocab:
            if text in special and text not in self._texts:
                continue
            spelled = self._texts.setdefault(text, text + self._mark)
            told = self.lead + self.front.join(text) + self.behind
            if spelled.startswith(text):
                self._whole[text] = MATCH + spelled[len(text) :]
            elif self.suffix and spelled == text.removesuffix(self.suffix) + self.behind:
                self._whole[text] = MATCH + SUFFIXED
            elif spelled != told:  # the places of the first symbol and the last are the piece's
                self._whole[text] = MATCH + self._ended + spelled[-1]
                self._rules[text + self._ended] = spelled[:-1]
        if len(self._whole) > MAX_WHOLE:
            self.refuse(
                f"go with ignore_merges, found true, up to {MAX_WHOLE} tokens; found "
                f"{len(self._whole)}. With false, pretokens that are tokens get other ids"
            )
        made = ((*pair, pair[0] + pair[1][len(self.prefix) :]) for pair in merges)
        return [(left, right) for left, right, text in made if not {left, right, text} & unmade]

    def _unmade(self, merges: Sequence[tuple[str, str]]) -> set[str]:
        """The tokens that merges make on paper alone, as others come before them."""
        told = {text: each.encode() for text, each in self._texts.items()}
        symbols = {each for each in told.values() if len(self.units(each)) == 1}
        pairs = [(told[left], told[right]) for left, right in merges]
        known = symbols | live_pairs({*told.values()}, pairs, symbols, self.units).keys()
        return {text for text, each in told.items() if each not in known}

    def tell(self, draft: Draft) -> None:
        """Let steps tell a text's symbols as those of tokens are told."""
        tell_places(self.value, draft, self.lead, self.front, self.behind, self._whole)
        if self._rules:
            draft.steps.append(Rules(self._rules))
        if MATCH + SUFFIXED in self._whole.values():
            suffix = seq(*map(one, self.suffix + SUFFIXED)), self.behind
            draft.steps.append(draft.replacing("suffixes", suffix, (ANY, None)))

    @property
    def ending(self) -> str:
        """What stands at the end of pieces that are tokens which no merge makes."""
        return self._mark if self._whole else ""

    def spell_unknown(self, draft: Draft, bytes_of: Collection[int], *, vanish: bool) -> None:
        """Let unknown symbols become the characters of which the model writes the bytes.

        Args:
            draft: the draft.
            bytes_of: the bytes that have tokens.
            vanish: whether those vanish of which some byte has none; else one character stands for
                them that the model does not know, nor all of its bytes.
        """
        before, after = ({*text.encode()} <= {*bytes_of} for text in (self.prefix, self.suffix))
        chars = spelled_in(bytes_of)
        ways = {
            (front, behind): (self.prefix if front == self.front else "", self.suffix)
            for front, _, behind in self.known
            if (front != self.front or before) and (not behind or after)
        }
        unknown = next((chr(char) for char in ALL - chars - MARKS.chars), "")
        spell_unknown(
            self.value,
            draft,
            self.known,
            {way: (chars, texts) for way, texts in ways.items()},
            "" if vanish else unknown,
            self._private[5:7],
            self.ending,
        )

    @property
    def decoding(self) -> tuple[Step, ...]:
        """What puts prefix and suffix where they are in the file."""
        gone = [each for each in (self.ending, self.lead) if each]
        steps: list[Step] = [Replace(each, "") for each in gone]
        if self.prefix:
            steps += [Strip(self.front, 1, 0, self._mark), Replace(self.front, "")]
            steps += [Strip(self._mark, 1, 0, self.prefix)]
        return (*steps, *([Replace(self.behind, self.suffix)] if self.suffix else []))

    def refuse(self, why: str) -> NoReturn:
        """Refuse the model for its prefix or suffix."""
        option = "continuing_subword_prefix" if self.prefix else "end_of_word_suffix"
        self.value.at(option).fail(f"found {shown(self.prefix or self.suffix)}; its tokens {why}")

    def _add(self, text: str, spelled: str) -> None:
        if self._texts.setdefault(text, spelled) != spelled:
            self.refuse(f"cannot be told where {shown(text)} is made in two ways")

    def _merge(self, pair: tuple[str, str]) -> bool:
        left, right = (self._texts.get(text) for text in pair)
        if left is None or right is None:
            return False
        self._add(pair[0] + pair[1][len(self.prefix) :], left + right)
        return True

    def spell(self, text: str) -> bytes | None:
        """The text of a token; None for one that no text becomes."""
        found = self._texts.get(text)
        return None if found is None else found.encode()

    def units(self, text: bytes) -> Sequence[bytes]:
        """The symbols of a text."""
        found: list[str] = []
        for char in text.decode():
            if found and (char == self.behind or found[-1] in (self.lead, self.front)):
                found[-1] += char
            else:
                found.append(char)
        return [each.encode() for each in found]
