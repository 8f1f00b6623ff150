"""The encoder that the WWHO paper's authors publish, written anew: plain, slow, to compare with.

`PaperEncoder` reads a vocab.json and gives its ids. Nothing of the package is used but the tables
of schemas/paper; what is not in a script is left to tiktoken.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas" / "paper"
JOINERS = "\u200c\u200d"
UNKNOWN = "[UNK]"


class Script:
    """One script: its characters, and the table that cuts its text into units."""

    def __init__(self, name: str) -> None:
        schema = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
        self.characters = frozenset(characters(schema["blocks"]))
        self._class = {
            char: label
            for label, each in schema["classes"].items()
            for char in characters(each["ranges"])
        }
        table = schema["table"]
        self._start, self._next = table["start"], table["transitions"]
        self._ends = {*table["accepting"], "ORPHAN", "PASSTHROUGH"}

    def units(self, text: str) -> Iterator[str]:
        """The units of a segment; the space before it belongs to the first."""
        space = text[:1] if text[:1] == " " else ""
        at = len(space)
        while at < len(text):
            end = self._unit_end(text, at)
            yield space + text[at:end]
            space, at = "", end

    def _unit_end(self, text: str, at: int) -> int:
        """The longest way through the table; one character where there is none."""
        state, end = self._start, at + 1
        for position in range(at, len(text)):
            state = self._next.get(state, {}).get(self._class.get(text[position], "O"))
            if state is None:
                break
            if state in self._ends:
                end = position + 1
        return end


def characters(ranges: list[str | list[str]]) -> Iterator[str]:
    """The characters of some ranges of hexadecimal code points."""
    for item in ranges:
        first, last = (item, item) if isinstance(item, str) else item
        yield from map(chr, range(int(first, 16), int(last, 16) + 1))


SCRIPTS = (Script("sinhala"), Script("devanagari"))
SCRIPT_OF = {char: script for script in SCRIPTS for char in script.characters}


def segments(text: str) -> Iterator[tuple[Script | None, str]]:
    """The segments of a text, each with its script: None for other text."""
    at = len(text) - len(text.lstrip(JOINERS))
    if at:
        yield None, text[:at]
    while at < len(text):
        start = at
        while at < len(text) and text[at] not in SCRIPT_OF:
            at += 1
        if start < at < len(text) and text[at - 1] == " ":
            at -= 1
        if start < at:
            yield None, text[start:at]
        if at == len(text):
            return
        start, at = at, at + (text[at] == " ")
        script = SCRIPT_OF[text[at]]
        while at < len(text) and (SCRIPT_OF.get(text[at]) is script or text[at] in JOINERS):
            at += 1
        yield script, text[start:at]


class PaperEncoder:
    """A vocab.json over a base encoding of tiktoken."""

    def __init__(self, document: dict[str, Any], base: Any) -> None:
        self._base = base
        self._vocab: dict[str, int] = dict(document["vocab"])
        if " " not in self._vocab:
            self._vocab[" "] = max(self._vocab.values()) + 1
        self._ranks = {tuple(pair): rank for rank, pair in enumerate(document["merges"])}
        self._texts = {number: text for text, number in self._vocab.items()}

    def encode(self, text: str) -> list[int]:
        ids: list[int] = []
        for script, segment in segments(text):
            if script is None:
                ids += self._base.encode(segment, disallowed_special=())
            else:
                ids += map(self._id, self._merged(list(script.units(segment))))
        return ids

    def decode(self, ids: list[int]) -> bytes:
        base: int = self._base.n_vocab
        return b"".join(
            self._base.decode_single_token_bytes(number)
            if number < base
            else self._texts[number - base].encode()
            for number in ids
        )

    def _id(self, token: str) -> int:
        number: int = self._vocab.get(token, self._vocab[UNKNOWN])
        return int(self._base.n_vocab) + number

    def _merged(self, tokens: list[str]) -> list[str]:
        """The tokens of a segment, which is one word."""
        if len(tokens) > 1:
            tokens = [token if token in self._vocab else UNKNOWN for token in tokens]
        while True:
            ranked = [
                (self._ranks[pair], at)
                for at, pair in enumerate(pairwise(tokens))
                if pair in self._ranks and UNKNOWN not in pair
            ]
            if not ranked:
                return tokens
            _, at = min(ranked)
            tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
