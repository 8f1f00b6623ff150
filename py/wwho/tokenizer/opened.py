"""What all methods of a tokenizer work with: the open model, and what options mean."""

from __future__ import annotations

from typing import ClassVar

from wwho.backends.backend import Backend, Info
from wwho.format.template import Template
from wwho.text import Text, Unk, to_bytes
from wwho.tokenizer.special import Allowed, Specials


class Opened:
    """An open model."""

    __slots__ = ()
    _backend: Backend
    _specials: Specials
    _template: Template
    _disallowed: ClassVar[Allowed] = ()
    """Special tokens whose spelling is an error where the call says nothing of them."""

    @property
    def name(self) -> str:
        """The encoding's name.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").name
            'o200k_base'
        """
        return self.info.provenance.get("name", "unnamed")

    @property
    def info(self) -> Info:
        """Sizes, routes, special tokens and provenance of the model.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").info.models[0].n_tokens
            199998
        """
        return self._backend.info

    def _is_token(self, unk: Unk) -> bool:
        """Whether units outside the vocabulary become [UNK].

        Raises:
            ValueError: it is neither choice, or one that this model does not have.
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

    def _prepare(
        self, text: Text, allowed: Allowed, disallowed: Allowed | None
    ) -> tuple[bytes, bytes | None]:
        """The bytes of a text and the mask of allowed special tokens."""
        data = to_bytes(text)
        if allowed or disallowed or self._disallowed:
            return data, self._mask(data, allowed, disallowed)
        return data, None

    def _form(self, text: Text) -> bytes:
        """A text as the model's first steps rewrite it."""
        data = to_bytes(text)
        return self._backend.normalize(data) if self.info.n_normalizer else data

    def _mask(
        self, data: bytes | memoryview, allowed: Allowed, disallowed: Allowed | None
    ) -> bytes | None:
        """The mask of allowed special tokens, if these bytes spell none that is disallowed."""
        disallowed = self._disallowed if disallowed is None else disallowed
        if not allowed and not disallowed:
            return None
        names = self._specials.named(allowed)
        if disallowed:
            self._specials.refuse(data, disallowed, names)
        return self._specials.mask(names)
