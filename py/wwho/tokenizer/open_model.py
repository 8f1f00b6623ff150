"""The base of `Tokenizer`: an open model, and what the options of its calls mean."""

from __future__ import annotations

from typing import ClassVar

from wwho.backends.backend import Backend, Info
from wwho.format.template import Template
from wwho.sampling import Sample, Sampling, read_sampling, refuse_models
from wwho.text import Text, Unk, to_bytes
from wwho.tokenizer.special_tokens import Allowed, SpecialTokens


class OpenModel:
    """A model that a backend runs, with its special tokens and its template.

    `Tokenizer.__init__` sets the attributes; the classes in the other modules of this folder add
    the public methods.
    """

    __slots__ = ()
    _backend: Backend
    _specials: SpecialTokens
    _template: Template
    _disallowed: ClassVar[Allowed] = ()
    """Special tokens whose spelling is an error in calls with `disallowed_special=None`."""

    @property
    def name(self) -> str:
        """The encoding's name, as its provenance records it; "unnamed" if it records none.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").name
            'o200k_base'
        """
        return self.info.provenance.get("name", "unnamed")

    @property
    def info(self) -> Info:
        """Sizes, routes, added tokens, template and provenance of the model.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").info.models[0].n_tokens
            199998
        """
        return self._backend.info

    def _unk_as_token(self, unk: Unk) -> bool:
        """Return the `unk` that backends take: True for "token", False for "spell".

        Raises:
            ValueError: `unk` is neither, or "token" where the model has no unknown token.
        """
        if unk == "spell":
            return False
        if unk != "token":
            raise ValueError(f"unk is {unk!r}; it is 'spell' or 'token'")
        if self.info.unk_id is None:
            raise ValueError(
                f"unk is 'token', but {self.name} has no token for unknown syllables; "
                "leave it at 'spell'"
            )
        return True

    def _sampling(self, dropout: float, sample: Sample | None, seed: int | None) -> Sampling | None:
        """Return what the options of a call draw, which the model can do; None: nothing.

        Raises:
            SamplingError: an option is out of range, or no model can do it: dropout takes a BPE
                model, `sample` a Unigram one.
        """
        sampling = read_sampling(dropout, sample, seed)
        if sampling is not None:
            refuse_models(self.name, (model.kind for model in self.info.models), sampling)
        return sampling

    def _bytes_and_mask(
        self, text: Text, allowed: Allowed, disallowed: Allowed | None
    ) -> tuple[bytes, bytes | None]:
        """Return a text as UTF-8 and the mask of allowed special tokens, as backends take both.

        Raises:
            SpecialTokenError: the text spells a disallowed special token.
            TypeError: the text is neither `str` nor bytes, or an option names no special tokens.
        """
        data = to_bytes(text)
        if allowed or disallowed or self._disallowed:
            return data, self._checked_mask(data, allowed, disallowed)
        return data, None

    def _checked_mask(
        self, data: bytes | memoryview, allowed: Allowed, disallowed: Allowed | None
    ) -> bytes | None:
        """Check UTF-8 bytes for disallowed special tokens, and return the mask of allowed ones.

        Args:
            data: the bytes of a text.
            allowed: special tokens that the text may spell.
            disallowed: special tokens whose spelling is an error; None for the class's default.

        Returns:
            The mask as backends take it; None if the call allows no special token.

        Raises:
            SpecialTokenError: the bytes spell a disallowed special token.
        """
        disallowed = self._disallowed if disallowed is None else disallowed
        if not allowed and not disallowed:
            return None
        texts = self._specials.texts_of(allowed)
        if disallowed:
            self._specials.refuse(data, disallowed, texts)
        return self._specials.mask(texts)

    def _normalized_bytes(self, text: Text) -> bytes:
        """Return a text as UTF-8 after the steps that rewrite the whole text (NORMALIZER)."""
        data = to_bytes(text)
        return self._backend.normalize(data) if self.info.n_normalizer else data
