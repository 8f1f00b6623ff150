"""An encoding as tiktoken has it: made of ranks, with guesses at how a text goes on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import accumulate, chain

from wwho.errors import UnknownTokenError
from wwho.text import Text, to_bytes
from wwho.tokenizer import Tokenizer
from wwho.tokenizer.special_tokens import Allowed

SPACES = b" \n\t"


class Encoding(Tokenizer):
    """A `Tokenizer` with the constructor of tiktoken's `Encoding`, and the rest of its methods.

    What `wwho.get_encoding` gives is one. Text that spells a special token is ordinary text unless
    a call says otherwise; `wwho.tiktoken` has the same class with tiktoken's default.

    Example:
        >>> import wwho
        >>> base = wwho.get_encoding("r50k_base")
        >>> enc = wwho.Encoding(
        ...     "r50k_chat",
        ...     pat_str=base._pat_str,
        ...     mergeable_ranks=base._mergeable_ranks,
        ...     special_tokens={**base._special_tokens, "<|user|>": 50257},
        ... )
        >>> enc.encode("<|user|>hello", allowed_special="all")
        [50257, 31373]
    """

    __slots__ = ("_ranks", "_sorted")
    _ranks: dict[bytes, int]
    _sorted: list[bytes]

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: Mapping[bytes, int],
        special_tokens: Mapping[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        """Make an encoding.

        Args:
            name: its name.
            pat_str: the regular expression that cuts text into pretokens.
            mergeable_ranks: tokens and their ranks, which are their ids.
            special_tokens: special tokens, text to id.
            explicit_n_vocab: how many ids there are, to be checked.

        Raises:
            ArtifactError: a byte has no rank, or two tokens have the same.
            PatternError: the pattern cannot be compiled.
            SpecialTokenError: a special token cannot be one, or has the id of another token.
            ValueError: there are more or fewer ids than `explicit_n_vocab`.
        """
        from wwho.assemble.base import base_model
        from wwho.format.write import write_artifact

        model = base_model(
            mergeable_ranks,
            pattern=pat_str,
            specials=special_tokens,
            provenance={"name": name},
        )
        n_ids = len(mergeable_ranks) + len(special_tokens)
        if explicit_n_vocab and not n_ids == model.n_vocab == explicit_n_vocab:
            raise ValueError(
                f"explicit_n_vocab is {explicit_n_vocab}, but there are {n_ids} tokens, and ids up "
                f"to {model.n_vocab - 1}"
            )
        super().__init__(write_artifact(model))

    # What tiktoken's recipe for more special tokens reads

    @property
    def _pat_str(self) -> str:
        """The pattern of the base."""
        record = self.info.provenance
        return record.get("pattern") or record["base:pattern"]

    @property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        """The tokens of the base and their ids."""
        if not hasattr(self, "_ranks"):
            self._ranks = {}
            for token in self.info.model_ids(0):
                with suppress(UnknownTokenError):
                    self._ranks[self._backend.token_bytes(token)] = token
        return self._ranks

    @property
    def _special_tokens(self) -> dict[str, int]:
        """Special tokens, text to id."""
        return dict(self.info.specials)

    # Texts that are not finished

    def encode_with_unstable(
        self,
        text: Text,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
    ) -> tuple[list[int], list[list[int]]]:
        """The ids of an unfinished text that stay, and what the rest may become.

        Args:
            text: the beginning of a text.
            allowed_special: as for `encode`.
            disallowed_special: as for `encode`.

        Returns:
            The ids of a beginning of the text that no continuation changes; and sequences of ids
            that may follow them, each of which begins with the rest of the text. They come in no
            order.

        Raises:
            SpecialTokenError: the text spells a disallowed special token.
            ValueError: the encoding has tokens of syllables or characters, which are not bytes
                that merge.

        Example:
            >>> import wwho
            >>> enc = wwho.get_encoding("gpt2")
            >>> stable, completions = enc.encode_with_unstable("hello fanta")
            >>> stable, [8842] in completions
            ([31373], True)
        """
        if any(model.symbols == "units" for model in self.info.models):
            raise ValueError(
                f"{self.name} has tokens of syllables or characters; give an encoding of bytes"
            )
        data, mask = self._prepare(text, allowed_special, disallowed_special)
        stable, rest = self._cut_last_piece(data, mask)
        return stable, [list(each) for each in self._completions(rest)]

    def _cut_last_piece(self, data: bytes, mask: bytes | None) -> tuple[list[int], bytes]:
        """The ids of a text but for its last pretoken, and the bytes of that.

        Where it begins with white space, tokens of white space before it go with it: more of it may
        join them. After a special token there is no pretoken.
        """
        ids, _, ends = self._backend.encode_with_places(data, mask, False)
        specials = {*self.info.specials.values()}
        n_before = next((k for k in range(len(ids), 0, -1) if ids[k - 1] in specials), 0)
        if n_before == len(ids):
            return ids, b""
        start = ends[n_before - 1] if n_before else 0
        first = bisect_right(ends, start + self._backend.spans(data[start:])[-1].start)

        def is_space(token: int) -> bool:
            return token not in specials and not self.decode_single_token_bytes(token).strip(SPACES)

        while first and is_space(ids[first]) and is_space(ids[first - 1]):
            first -= 1
        return ids[:first], data[ends[first - 1] if first else 0 :]

    def _completions(self, rest: bytes) -> set[tuple[int, ...]]:
        """What the rest of a text may become: with each token that holds its end, from any byte."""
        found: set[tuple[int, ...]] = set()
        found.update((self._mergeable_ranks[token],) for token in self._starting_with(rest))
        for at in range(1, len(rest)):
            head = rest[:at]
            for token in self._starting_with(rest[at:]):
                found.add(self._tokens_over(head + token, len(rest)))
        last = next(
            (c for k in range(1, 5) if len(c := rest[-k:].decode("utf-8", "ignore")) == 1), ""
        )
        size = len(last.encode("utf-8"))
        if size < len(rest) and last.isspace() and not "\x1c" <= last <= "\x1f":
            # What follows may keep the last space to itself.
            pieces = map(self._backend.encode_piece, (rest[:-size], rest[-size:]))
            found.add(tuple(chain.from_iterable(pieces)))
        return found

    def _tokens_over(self, text: bytes, size: int) -> tuple[int, ...]:
        """The first tokens of a text that hold so many of its bytes."""
        try:
            text.decode("utf-8")
            ids = self._backend.encode(text, None, False)
        except UnicodeDecodeError:
            ids = self._backend.encode_piece(text)
        ends = accumulate(map(len, self.decode_tokens_bytes(ids)))
        n = next((k for k, end in enumerate(ends, 1) if end >= size), len(ids))
        return tuple(ids[:n])

    def _starting_with(self, start: bytes) -> Iterator[bytes]:
        """The tokens of the base that start with these bytes, one byte at least."""
        if not start:
            return
        if not hasattr(self, "_sorted"):
            self._sorted = sorted(self._mergeable_ranks)
        for at in range(bisect_left(self._sorted, start), len(self._sorted)):
            if not self._sorted[at].startswith(start):
                return
            yield self._sorted[at]

    # What tiktoken has without documenting it

    def _encode_single_piece(self, text_or_bytes: Text) -> list[int]:
        """The ids of a text as one pretoken of the base."""
        return self._backend.encode_piece(to_bytes(text_or_bytes))

    def _encode_only_native_bpe(self, text: str) -> list[int]:
        """The ids of a text, cut by `regex` instead of the core."""
        import regex

        pieces = regex.findall(self._pat_str, text)
        return [token for piece in pieces for token in self._encode_single_piece(piece)]

    def _encode_bytes(self, text: bytes) -> list[int]:
        """The ids of bytes. From the last pretoken before broken UTF-8 on, all is one pretoken."""
        try:
            text.decode("utf-8")
        except UnicodeDecodeError as error:
            stable, rest = self._cut_last_piece(text[: error.start], None)
            return stable + self._backend.encode_piece(rest + text[error.start :])
        return self.encode_ordinary(text)
