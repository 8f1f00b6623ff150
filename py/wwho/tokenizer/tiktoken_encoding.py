"""`wwho.Encoding`: a tokenizer with tiktoken's constructor and the rest of tiktoken's methods."""

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
"""The white space that tokens of only white space consist of, as tiktoken tells them."""


class Encoding(Tokenizer):
    """A `Tokenizer` with the constructor of tiktoken's `Encoding`, and the rest of its methods.

    `wwho.get_encoding` returns one. Text that spells a special token is ordinary text unless
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

    __slots__ = ("_ranks", "_sorted_tokens")
    _ranks: dict[bytes, int]
    _sorted_tokens: list[bytes]

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: Mapping[bytes, int],
        special_tokens: Mapping[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        """Build a byte-level BPE model in memory, and open it with the best backend.

        Args:
            name: the name of the encoding.
            pat_str: the regular expression that cuts text into pretokens, in tiktoken's dialect.
            mergeable_ranks: each token's bytes and rank, which is its id; all 256 bytes must be
                among them.
            special_tokens: special tokens, text to id.
            explicit_n_vocab: how many ids there should be, which is then checked: so many tokens,
                and no id that is not used. None or 0 checks nothing.

        Raises:
            ArtifactError: a byte has no rank, or two tokens have the same rank.
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

    # The attributes that tiktoken's recipe for more special tokens reads

    @property
    def _pat_str(self) -> str:
        """The regular expression that cuts text into pretokens; that of the base if it has one."""
        record = self.info.provenance
        return record.get("pattern") or record["base:pattern"]

    @property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        """The tokens of the first model (the base) by bytes, with their ids; made at first use.

        An id that decodes to nothing is left out.
        """
        if not hasattr(self, "_ranks"):
            self._ranks = {}
            for token in self.info.model_ids(0):
                with suppress(UnknownTokenError):
                    self._ranks[self._backend.token_bytes(token)] = token
        return self._ranks

    @property
    def _special_tokens(self) -> dict[str, int]:
        """The special tokens, text to id, in a new dict."""
        return dict(self.info.specials)

    # Texts that are not finished

    def encode_with_unstable(
        self,
        text: Text,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
    ) -> tuple[list[int], list[list[int]]]:
        """Return the ids of an unfinished text that will stay, and the ids that its rest may get.

        Args:
            text: the beginning of a text.
            allowed_special: special tokens that the text may spell, or "all".
            disallowed_special: those that are an error in the text, or "all"; see `encode`.

        Returns:
            stable: the ids of a beginning of the text, which no continuation changes.
            completions: sequences of ids that may follow them, each the ids of a text that begins
                with the rest. They come in no order, none twice.

        Raises:
            SpecialTokenError: the text spells a disallowed special token.
            ValueError: the encoding has tokens of syllables or characters, which are not made by
                merging bytes.

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
        data, mask = self._bytes_and_mask(text, allowed_special, disallowed_special)
        stable, rest = self._encode_but_last_pretoken(data, mask)
        return stable, [list(completion) for completion in self._completions(rest)]

    def _encode_but_last_pretoken(self, data: bytes, mask: bytes | None) -> tuple[list[int], bytes]:
        """Return the ids of a text without its last pretoken, and the bytes of that pretoken.

        If the pretoken begins with a token of white space, the tokens of white space before it go
        with it, because more white space may join them. If the text ends with a special token, it
        is all encoded, and the bytes are empty.

        Args:
            data: the text.
            mask: the allowed special tokens, as backends take them.
        """
        ids, _, ends = self._backend.encode_with_places(data, mask, False)
        special_ids = {*self.info.specials.values()}
        # Tokens up to and including the last special one, which no pretoken crosses.
        n_stable = next((k for k in range(len(ids), 0, -1) if ids[k - 1] in special_ids), 0)
        if n_stable == len(ids):
            return ids, b""
        start = ends[n_stable - 1] if n_stable else 0
        last_pretoken = start + self._backend.spans(data[start:])[-1].start
        first = bisect_right(ends, last_pretoken)

        def is_space(token: int) -> bool:
            """Return whether a token is white space only, and no special token."""
            if token in special_ids:
                return False
            return not self.decode_single_token_bytes(token).strip(SPACES)

        while first and is_space(ids[first]) and is_space(ids[first - 1]):
            first -= 1
        return ids[:first], data[ends[first - 1] if first else 0 :]

    def _completions(self, rest: bytes) -> set[tuple[int, ...]]:
        """Return the ids that a text's last pretoken may get when the text goes on.

        They are, as in tiktoken: each token that begins with `rest`; for each token that begins
        with an end of `rest`, the ids of what is before that end together with the token, as far
        as they cover `rest`; and if `rest` ends with white space after something else, the ids of
        both apart, because a word that follows may take the white space.
        """
        completions: set[tuple[int, ...]] = set()
        completions.update((self._mergeable_ranks[token],) for token in self._tokens_with(rest))
        for at in range(1, len(rest)):
            for token in self._tokens_with(rest[at:]):
                completions.add(self._first_tokens(rest[:at] + token, len(rest)))
        last_characters = (rest[-size:].decode("utf-8", "ignore") for size in range(1, 5))
        last = next((character for character in last_characters if len(character) == 1), "")
        size = len(last.encode("utf-8"))
        # Python calls the separators U+001C to U+001F spaces, Rust does not.
        if size < len(rest) and last.isspace() and not "\x1c" <= last <= "\x1f":
            pieces = map(self._backend.encode_piece, (rest[:-size], rest[-size:]))
            completions.add(tuple(chain.from_iterable(pieces)))
        return completions

    def _first_tokens(self, text: bytes, n_bytes: int) -> tuple[int, ...]:
        """Return the first tokens of a text, as many as are needed to cover `n_bytes` bytes.

        A text that is not UTF-8 is encoded as one pretoken.
        """
        try:
            text.decode("utf-8")
            ids = self._backend.encode(text, None, False)
        except UnicodeDecodeError:
            ids = self._backend.encode_piece(text)
        ends = accumulate(map(len, self.decode_tokens_bytes(ids)))
        n_tokens = next((k for k, end in enumerate(ends, 1) if end >= n_bytes), len(ids))
        return tuple(ids[:n_tokens])

    def _tokens_with(self, prefix: bytes) -> Iterator[bytes]:
        """Yield the tokens of the base that begin with a prefix, in byte order; none for b"".

        The sorted list of all tokens is made by the first call, and kept.
        """
        if not prefix:
            return
        if not hasattr(self, "_sorted_tokens"):
            self._sorted_tokens = sorted(self._mergeable_ranks)
        for at in range(bisect_left(self._sorted_tokens, prefix), len(self._sorted_tokens)):
            if not self._sorted_tokens[at].startswith(prefix):
                return
            yield self._sorted_tokens[at]

    # Methods that tiktoken has without documenting them

    def _encode_single_piece(self, text_or_bytes: Text) -> list[int]:
        """Return the ids of a text that is taken as one pretoken of the base."""
        return self._backend.encode_piece(to_bytes(text_or_bytes))

    def _encode_only_native_bpe(self, text: str) -> list[int]:
        """Return the ids of a text that the package `regex` cuts, in place of the core.

        Raises:
            ImportError: `regex` is not installed.
        """
        import regex

        pieces = regex.findall(self._pat_str, text)
        return [token for piece in pieces for token in self._encode_single_piece(piece)]

    def _encode_bytes(self, text: bytes) -> list[int]:
        """Return the ids of bytes as tiktoken does, which takes broken UTF-8 in its own way.

        All that follows from the last pretoken before the first broken byte is one pretoken.
        """
        try:
            text.decode("utf-8")
        except UnicodeDecodeError as error:
            stable, rest = self._encode_but_last_pretoken(text[: error.start], None)
            return stable + self._backend.encode_piece(rest + text[error.start :])
        return self.encode_ordinary(text)
