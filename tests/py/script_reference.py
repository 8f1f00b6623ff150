"""SCRIPT's tokenizers in plain Python, after the paper and its authors' files: slow, readable.

It shares nothing with the package: blocks, groups and pattern come from a file as the authors write
it, pieces from a loop over groups, and tokens from merging a list.
"""

from __future__ import annotations

import gzip
import itertools
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import regex

Ids = list[int]


class Script:
    """A tokenizer, by the content of its file."""

    def __init__(self, document: dict[str, Any]) -> None:
        pretokenizer = document["pretokenizer"]
        self.config = pretokenizer["config"]
        self.start = self.config.get("starting_token_id", 1)
        self.form = self.config.get("normalization", "NFC")
        self.regex = self.config.get("regex", self.config.get("regex_pattern"))
        self.newer = "config_class" in pretokenizer
        self.bytes = "Byte" in pretokenizer.get("class", "") or (
            pretokenizer.get("config_class") == "UTF8Pretokenizer"
        )
        sizes = {"SPLIT": (1,), "RTL3": (3, 2, 1)}.get(self.config.get("digit_handling"), ())
        self.digits = [str(n).zfill(size) for size in sizes for n in range(10**size)]
        self.ranks = {
            tuple(rule["tokens_from"]): (rank, rule["token_to"])
            for rank, rule in enumerate(document["merge_rules"])
        }
        self.pairs: dict[str, tuple[int, int]] = {}
        self.group: dict[str, int] = {}
        if not self.bytes:
            self.read_blocks()
        self.symbols = {self.start + k: [self.start + k] for k in range(self.n_symbols)}
        for rule in document["merge_rules"]:
            left, right = rule["tokens_from"]
            self.symbols[rule["token_to"]] = self.symbols[left] + self.symbols[right]

    @property
    def n_symbols(self) -> int:
        if self.bytes:
            return 256 + len(self.digits)
        return self.n_indices + self.n_blocks

    def read_blocks(self) -> None:
        if self.newer:
            blocks = self.config["script_config"]["blocks"]
            self.n_indices, self.n_blocks = max(len(each["chars"]) for each in blocks), len(blocks)
            self.takes_space = {
                each["script_id"] for each in blocks if each["combines_with_spaces"]
            }
            self.inherited = {each["script_id"] for each in blocks if each["script"] == "Inherited"}
            for number, each in enumerate(blocks):
                for index, character in enumerate(each["chars"]):
                    block = self.start + self.n_indices + number
                    self.pairs[character] = (block, self.start + index)
                    self.group[character] = each["script_id"]
            self.characters = {pair: each for each, pair in self.pairs.items()}
            return
        self.n_indices, self.n_blocks = self.config["num_index_tokens"], len(self.config["blocks"])
        spaced = {tuple(each) for each in self.config["script_cat_with_space"]}
        self.takes_space, self.kind = set(), {}
        for number, (group, script, kind, _, characters) in enumerate(self.config["blocks"]):
            self.kind[group] = (script, kind)
            if (script, kind) in spaced:
                self.takes_space.add(group)
            for index, each in enumerate(characters):
                block = self.start + self.n_indices + number
                self.pairs[each] = (block, self.start + index)
                self.group[each] = group
        self.characters = {pair: each for each, pair in self.pairs.items()}

    def joins(self, group: int, after: int) -> bool:
        """Whether a group goes on with what comes after it."""
        if self.newer:
            return after == group or after in self.inherited
        (script, kind), (other, other_kind) = self.kind[group], self.kind[after]
        if other == "Inherited":
            return True
        return kind == other_kind and (script == other or {script, other} == {"Han", "Hiragana"})

    def normalized(self, text: str) -> str:
        if self.newer:
            return self.kept(unicodedata.normalize(self.form, text))
        return unicodedata.normalize(self.form, self.kept(text))

    def kept(self, text: str) -> str:
        known = self.pairs or None
        return "".join(
            each
            for each in text
            if (each in known if known else unicodedata.category(each) not in ("Cn", "Co", "Cs"))
        )

    def pieces(self, text: str) -> list[str]:
        if self.digits:
            size = len(self.digits[0])
            return [
                piece
                for number, part in enumerate(re.split("([0-9]+)", text))
                for piece in (self.grouped(part, size) if number % 2 else self.cut(part))
            ]
        return self.cut(text)

    def grouped(self, digits: str, size: int) -> list[str]:
        """Groups of digits, counted from the right."""
        starts = range(len(digits) % size - size, len(digits), size)
        return [digits[max(start, 0) : start + size] for start in starts if start + size > 0]

    def cut(self, text: str) -> list[str]:
        if self.regex is not None:
            return list(regex.findall(self.regex, text, regex.DOTALL))
        if self.bytes:
            return [text]
        text = "".join(each for each in text if each in self.pairs)
        groups = [
            (group, "".join(run)) for group, run in itertools.groupby(text, self.group.__getitem__)
        ]
        pieces = []
        while groups:
            group, piece = groups.pop(0)
            if piece == " " and groups and groups[0][0] in self.takes_space:
                group, more = groups.pop(0)
                piece += more
            while groups and self.joins(group, groups[0][0]):
                piece += groups.pop(0)[1]
            pieces.append(piece)
        return pieces

    def spelled(self, piece: str) -> Ids:
        if piece in self.digits:
            return [self.start + 256 + self.digits.index(piece)]
        if self.bytes:
            return [self.start + byte for byte in piece.encode()]
        return [symbol for each in piece if each in self.pairs for symbol in self.pairs[each]]

    def merged(self, ids: Ids) -> Ids:
        while True:
            found = [
                (self.ranks[pair], at)
                for at, pair in enumerate(itertools.pairwise(ids))
                if pair in self.ranks
            ]
            if not found:
                return ids
            (_, token), at = min(found)
            ids = [*ids[:at], token, *ids[at + 2 :]]

    def encode(self, text: str) -> Ids:
        pieces = self.pieces(self.normalized(text))
        return [token for piece in pieces for token in self.merged(self.spelled(piece))]

    def decode(self, ids: Sequence[int]) -> str:
        symbols = [symbol for token in ids for symbol in self.symbols[token]]
        if self.bytes:
            numbers = [symbol - self.start for symbol in symbols]
            parts = [bytes([n]) if n < 256 else self.digits[n - 256].encode() for n in numbers]
            return b"".join(parts).decode("utf-8", "replace")
        text = ""
        while symbols:
            pair = tuple(symbols[:2])
            text += self.characters.get(pair, "\ufffd")
            del symbols[: 2 if pair in self.characters else 1]
        return text

    def shape(self, token: int) -> str:
        """Whether a token is whole characters, the head of one, or a tail."""
        symbols = self.symbols[token]
        if not self.bytes:
            lone = "tail" if symbols[0] < self.start + self.n_indices else "head"
            return lone if len(symbols) == 1 else "whole"
        data = bytes(symbol - self.start for symbol in symbols)
        if 0x80 <= data[0] < 0xC0:
            return "tail"
        need = 1 if data[0] < 0xC0 else 2 if data[0] < 0xE0 else 3 if data[0] < 0xF0 else 4
        return "head" if len(data) < need else "whole"

    def allowed(self, left: int, right: int) -> bool:
        if not self.config.get("enforce_char_boundaries"):
            return True
        return (self.shape(left), self.shape(right)) in {("whole", "whole"), ("head", "tail")}


def trained(
    pretokenizer: dict[str, Any], texts: Iterable[str], n_merges: int, min_freq: int = 1
) -> dict[str, Any]:
    """What the authors' trainer makes: the most frequent pair first, then the smallest."""
    document: dict[str, Any] = {
        "info": {"version": "sebpe-v1"},
        "merge_rules": [],
        "metadata": {"tokens": {}, "corpus": {}},
        "pretokenizer": pretokenizer,
    }
    script = Script(document)
    pieces = Counter(
        tuple(script.spelled(piece))
        for text in texts
        for piece in script.pieces(script.normalized(text))
    )
    words = {piece: list(piece) for piece in pieces}
    for number in range(n_merges):
        counts: Counter[tuple[int, int]] = Counter()
        for piece, count in pieces.items():
            for pair in itertools.pairwise(words[piece]):
                counts[pair] += count
        allowed = [pair for pair in counts if script.allowed(*pair)]
        if not allowed:
            break
        best = min(allowed, key=lambda pair: (-counts[pair], pair))
        if counts[best] < min_freq:
            break
        token = script.start + script.n_symbols + number
        document["merge_rules"].append({"tokens_from": list(best), "token_to": token})
        script.symbols[token] = script.symbols[best[0]] + script.symbols[best[1]]
        script.ranks = {best: (0, token)}
        words = {piece: script.merged(ids) for piece, ids in words.items()}
    return document


def zipped(document: dict[str, Any]) -> bytes:
    """A file as the authors write it."""
    return gzip.compress(json.dumps(document).encode(), compresslevel=1, mtime=0)
