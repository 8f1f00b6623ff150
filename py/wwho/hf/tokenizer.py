"""The tokenizer class for transformers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from transformers import AddedToken, BatchEncoding, PreTrainedTokenizer

from wwho.core.base import unknown_id
from wwho.encodings import DEFAULT_ENCODING, get_encoding, list_encoding_names
from wwho.errors import ArtifactError, SourceError, UnknownTokenError
from wwho.format.files import write_atomic
from wwho.format.model import Flag
from wwho.format.template import Template, What
from wwho.hf.batch import Batch, Options, samples_of
from wwho.hf.names import Names, first_names, unused
from wwho.hf.read import Reader, own_token
from wwho.hf.train import trained_like
from wwho.tokenizer import Tokenizer

VOCAB_FILE = "tokenizer.wwho"
CODE_FILE = "tokenization_wwho.py"
CODE = '''"""The tokenizer of this folder, for AutoTokenizer; it needs pip install 'wwho[hf]'."""

from wwho.hf import WWHOTokenizer

__all__ = ["WWHOTokenizer"]
'''
# What the special tokens that models know are called in artifacts that do not say which they are;
# the first that is there counts.
ROLES = {
    "bos_token": ("[BOS]",),
    "eos_token": ("[EOS]", "<|endoftext|>"),
    "unk_token": ("[UNK]",),
    "pad_token": ("[PAD]", "<|endoftext|>"),
    "mask_token": ("[MASK]",),
    "cls_token": ("[CLS]",),
    "sep_token": ("[SEP]",),
}
FRAME = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
"""The same of SentencePiece, Tekken and llama.cpp, which mean nothing else by these texts."""
KEPT = (
    "special_tokens_pattern",
    "token_type_ids_pattern",
    "token_type_ids_include_special_tokens",
)
"""Options that transformers takes from the arguments, but does not save."""


class WWHOTokenizer(PreTrainedTokenizer):  # type: ignore[misc]
    """A `.wwho` model as a `transformers.PreTrainedTokenizer`.

    Special tokens in a text are recognized, as by every tokenizer of transformers;
    `split_special_tokens=True` makes them ordinary text. Models without [BOS], [EOS] and [PAD],
    such as o200k_base, end and pad with <|endoftext|>; their `bos_token` must be given.

    `AutoTokenizer.from_pretrained(folder, trust_remote_code=True)` opens what `save_pretrained`
    wrote, beside a model's files too; where `wwho.hf` is imported, it needs no trust.

    Example:
        >>> tokenizer = WWHOTokenizer("o200k_base")
        >>> tokenizer("hello world", return_offsets_mapping=True)["offset_mapping"]
        [(0, 5), (5, 11)]
        >>> tokenizer.decode(tokenizer("hello world")["input_ids"])
        'hello world'
    """

    vocab_files_names = {  # noqa: RUF012 - transformers' name and type
        "vocab_file": VOCAB_FILE,
        "tokenizer_file": "tokenizer.json",
    }
    model_input_names = ["input_ids", "attention_mask"]  # noqa: RUF012
    _auto_map = {"AutoTokenizer": (f"{CODE_FILE[:-3]}.WWHOTokenizer", None)}  # noqa: RUF012

    def __init__(
        self,
        vocab_file: str | os.PathLike[str] | Tokenizer | None = DEFAULT_ENCODING,
        tokenizer_file: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        """Open a model.

        Args:
            vocab_file: a name of `wwho.list_encoding_names()`, a `.wwho` file, a file or folder
                that `wwho.importers` reads, or an open `wwho.Tokenizer`. None: `tokenizer_file`,
                or the folder of `from_pretrained`.
            tokenizer_file: such a file, too.
            options: those of `PreTrainedTokenizer`: `eos_token`, `padding_side`, `chat_template`,
                `special_tokens_pattern` and so on.

        Raises:
            ArtifactError: the file is no artifact, or missing in the folder of `from_pretrained`.
            FileNotFoundError: there is no such file, nor an encoding of this name.
        """
        folder = options.get("name_or_path")
        try:
            self.wwho = _open(vocab_file or tokenizer_file or folder)
        except (SourceError, OSError) as error:
            if vocab_file is not None and not isinstance(error, SourceError):
                raise
            # from_pretrained, which gives None for a file that is not there, hides every OSError.
            lacks = f"there is no {VOCAB_FILE} in {folder}: " if vocab_file is None else ""
            raise ArtifactError(f"{lacks}{error}") from error
        info = self.wwho.info
        specials, record = first_names(info.specials), info.provenance
        # A tokenizer.json leaves it to its configuration which special tokens are whose.
        configured = "vocab_size" in record
        for role, names in ROLES.items():
            candidates = record.get(role), *names, None if configured else FRAME.get(role)
            options.setdefault(role, next((name for name in candidates if name in specials), None))
        if template := record.get("chat_template"):
            several = template.startswith("[{")
            options.setdefault("chat_template", json.loads(template) if several else template)
        named, more = _extra_special_tokens(options)
        options["model_specific_special_tokens"] = named
        cast = [options[role] for role in self.SPECIAL_TOKENS_ATTRIBUTES if options.get(role)]
        cast += named.values()
        own_ones = () if configured else specials
        others = [name for name in own_ones if name not in map(str, [*cast, *more])]
        options["extra_special_tokens"] = [*others, *more]
        options.setdefault("clean_up_tokenization_spaces", False)
        given = {str(each): each for each in [*cast, *more] if isinstance(each, AddedToken)}
        found = [token for token in reversed(info.added) if not token.flags & Flag.HIDDEN]
        own = {token.id: own_token(token) for token in found}
        self._added_tokens_decoder = {
            number: _token_like(token.content, given.get(token.content, token), token.special)
            for number, token in own.items()
        }
        last = (info.template or Template()).pair[-1]
        if last.what is What.ID and last.type_id:  # [SEP] of BERT's models, which take types
            usual = [self.model_input_names[0], "token_type_ids", *self.model_input_names[1:]]
            options.setdefault("model_input_names", usual)
        kept = {name: options[name] for name in KEPT if name in options}
        self._names = Names(self.wwho)
        super().__init__(**options)
        self._update_trie()
        self._update_total_vocab_size()
        self.init_kwargs.update(kept)

    # What transformers asks of a tokenizer

    @property
    def vocab_size(self) -> int:
        """How many ids the model has, used or not; tokens that are added come after them.

        Of a tokenizer.json, how many tokens its model has: without its added tokens.
        """
        return int(self.wwho.info.provenance.get("vocab_size", self.wwho.n_vocab))

    def _update_total_vocab_size(self) -> None:
        self.total_vocab_size = 1 + max(self._added_tokens_decoder, default=-1)
        self.total_vocab_size = max(self.total_vocab_size, self.wwho.n_vocab)

    def get_vocab(self) -> dict[str, int]:
        """One name for each id, used or not, up to the last token that was added."""
        names = self._names.by_id + list(map(unused, range(self.wwho.n_vocab, len(self))))
        for token, added in self._added_tokens_decoder.items():
            names[token] = added.content
        return {name: token for token, name in enumerate(names)}

    def _convert_token_to_id(self, token: str) -> int | None:
        found: int | None = self._names.ids.get(token, self.unk_token_id)
        return found

    def _convert_id_to_token(self, index: int) -> str:
        if not 0 <= index < len(self):
            raise UnknownTokenError(unknown_id(index, len(self)))
        return self._names.by_id[index] if index < self.wwho.n_vocab else unused(index)

    def convert_tokens_to_string(self, tokens: Iterable[str]) -> str:
        """The text of tokens with these names; bytes that are not UTF-8 become U+FFFD.

        Names that no token of the model has, or only an unused id, are texts.
        """
        ids, text = self._names.ids, b""
        for is_known, run in groupby(tokens, lambda name: unused(ids.get(name, -1)) != name in ids):
            if is_known:
                part = [ids[name] for name in run]
                text += self.wwho._backend.decode_part(part, False, bool(text), False)[0]
            else:
                text += "".join(run).encode("utf-8")
        return text.decode("utf-8", "replace")

    def _decode(
        self,
        token_ids: int | list[int],
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **options: Any,
    ) -> str:
        ids = [token_ids] if isinstance(token_ids, int) else token_ids
        if skip_special_tokens:
            special = {n for n, token in self._added_tokens_decoder.items() if token.special}
            special.update(self.all_special_ids)
            ids = [token for token in ids if token not in special]
        try:
            text = self.wwho.decode(ids) if self._renamed.isdisjoint(ids) else None
        except UnknownTokenError:  # one was added, or has a name alone
            text = None
        if text is None:
            text = self.convert_tokens_to_string(self.convert_ids_to_tokens(ids))
        clean = self.clean_up_tokenization_spaces
        if clean_up_tokenization_spaces is not None:
            clean = clean_up_tokenization_spaces
        return self.clean_up_tokenization(text) if clean else text

    def _bytes(self, name: str) -> bytes:
        token = self._names.ids.get(name)
        if token is None or unused(token) == name:
            return name.encode("utf-8")
        return self.wwho.decode_single_token_bytes(token)

    def _add_tokens(self, new_tokens: Sequence[Any], special_tokens: bool = False) -> int:
        """Add tokens, as transformers does.

        Raises:
            ValueError: one is the name of a token with another text: what spells it would be lost.
        """
        if not new_tokens:  # names need not be made
            return 0
        for name in map(str, new_tokens):
            if name in self._names.ids and (text := self._bytes(name)) != name.encode("utf-8"):
                raise ValueError(
                    f"cannot add the token {name!r}: it is what {text!r}, the token "
                    f"{self._names.ids[name]}, is called here; choose another text"
                )
        added: int = super()._add_tokens(new_tokens, special_tokens)
        return added

    def save_vocabulary(
        self, save_directory: str, filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Write the model into a folder, as `save_pretrained` does; its path."""
        prefix = f"{filename_prefix}-" if filename_prefix else ""
        path = os.path.join(save_directory, prefix + VOCAB_FILE)
        self.wwho.save(path)
        code = os.path.join(save_directory, CODE_FILE)
        write_atomic(code, CODE.encode())
        return path, code

    def build_inputs_with_special_tokens(self, *texts: list[int]) -> list[int]:
        """A text's ids, or two texts', with special tokens around them.

        They are those of the pattern, where one is given, and else of the model's template.

        Raises:
            ValueError: the pattern needs a special token that this tokenizer does not have.
        """
        if (template := self.template) is not None:
            return template.ids(*texts)
        found: list[int] = super().build_inputs_with_special_tokens(*texts)
        if None in found:
            names = self.special_tokens_pattern.replace("double_", "").split("_")
            missing = [f"{name}_token" for name in names if getattr(self, f"{name}_token") is None]
            raise ValueError(
                f"special_tokens_pattern={self.special_tokens_pattern!r} needs a "
                f"{' and a '.join(missing)}, which this model does not have: name it "
                f"({missing[0]}='...'), or choose another pattern"
            )
        return found

    def create_token_type_ids_from_sequences(
        self, token_ids_0: list[int], token_ids_1: list[int] | None = None
    ) -> list[int]:
        """The types of the same ids."""
        if (template := self.template) is not None:
            places = template.fill(token_ids_0, token_ids_1, lambda place: place.id)
            return [place.type_id for place, _ in places]
        given = token_ids_0, token_ids_1
        found: list[int] = super().create_token_type_ids_from_sequences(*given)
        return found

    @property
    def template(self) -> Template | None:
        """The model's template, where the caller gave no pattern."""
        return self.wwho.info.template if self.special_tokens_pattern is None else None

    # Encoding

    @property
    def is_fast(self) -> bool:
        """True: offsets, words and `char_to_token` work, as they do for Rust tokenizers."""
        return True

    def _encode_plus(self, text: Any, text_pair: Any = None, **options: Any) -> BatchEncoding:
        given = Options.of(options)
        samples, several = samples_of(text, text_pair, given.is_split_into_words)
        # Newer versions' apply_chat_template asks for it.
        if options.get("sanitize_control_tokens"):
            from transformers.utils.chat_template_utils import encode_marked_chat

            samples = [(encode_marked_chat(self, chat), pair) for chat, pair in samples]
        found = Batch(self, self._reader, samples, given).encoded()
        longest: list[int] = max(found["input_ids"], key=len, default=[])
        verbose = options.get("verbose", True)
        self._eventual_warn_about_too_long_sequence(longest, given.max_length, verbose)
        if several or given.return_tensors is not None or given.return_overflowing_tokens:
            return found
        row = {name: rows[0] if isinstance(rows[0], list) else rows for name, rows in found.items()}
        return BatchEncoding(row, found.encodings, n_sequences=found.n_sequences)

    def tokenize(
        self, text: str, pair: str | None = None, add_special_tokens: bool = False, **options: Any
    ) -> list[str]:
        """The names of a text's tokens."""
        ids = self(text, pair, add_special_tokens=add_special_tokens, **options)["input_ids"]
        names: list[str] = self.convert_ids_to_tokens(ids)
        return names

    def _update_trie(self, unique_no_split_tokens: list[str] | None = None) -> None:
        self._reader = Reader(self.wwho, self._added_tokens_decoder)  # of the tokens added by now
        self._renamed = frozenset(self._ids_of_other_tokens())

    def _ids_of_other_tokens(self) -> Iterator[int]:
        """Ids at which a configuration puts an added token, and the model has another."""
        own = {token.id for token in self.wwho.info.added}
        for token, added in self._added_tokens_decoder.items():
            if token in own:
                continue
            with suppress(UnknownTokenError):
                if self.wwho.decode_single_token_bytes(token) != added.content.encode("utf-8"):
                    yield token

    # Training and saving

    def train_new_from_iterator(
        self,
        text_iterator: Iterable[str] | Iterable[list[str]],
        vocab_size: int,
        length: int | None = None,
        new_special_tokens: Sequence[str | AddedToken] | None = None,
        special_tokens_map: Mapping[str, str] | None = None,
        **options: Any,
    ) -> WWHOTokenizer:
        """A tokenizer with a new vocabulary, and everything else as here (extra `train`).

        Where this one has a base and schemas, the new one is trained over the same base, whose ids
        stay; of a base vocabulary, such as o200k_base, its pretokenizer stays.

        Args:
            text_iterator: texts, or batches of them.
            vocab_size: how many ids there may be, the base's among them.
            length: of no meaning here.
            new_special_tokens: special tokens that the new one has beyond those of this one.
            special_tokens_map: new texts for some special tokens, by the old ones.
            options: of `wwho.train.train`: `min_freq`, `prune`, `processes` and so on.

        Raises:
            ImportError: the extra `train` is not installed.
            ValueError: the base alone has that many ids, or as for `wwho.train.train`.

        Example:
            >>> texts = ["low", "lower", "new", "newer"] * 10
            >>> tokenizer = WWHOTokenizer("o200k_base").train_new_from_iterator(texts, 300)
            >>> tokenizer.tokenize("newer or lower")
            ['newer', ' ', 'o', 'r', ' ', 'lower']
        """
        texts = special_tokens_map or {}
        old = {str(token): token for token in self.added_tokens_decoder.values() if token.special}
        new = list(new_special_tokens or ())

        def renamed(text: str) -> AddedToken:
            return _token_like(texts.get(text, text), old[text])

        specials = [*(texts.get(text, text) for text in old), *map(str, new)]
        enc = trained_like(self.wwho, text_iterator, vocab_size, specials, **options)
        cast = {role: renamed(text) for role, text in self.special_tokens_map.items()}
        usual = type(self).SPECIAL_TOKENS_ATTRIBUTES
        given = {
            **self.init_kwargs,
            **{role: token for role, token in cast.items() if role in usual},
            "model_specific_special_tokens": {
                role: cast[role] for role in cast if role not in usual
            },
            "extra_special_tokens": [*map(renamed, self.extra_special_tokens), *new],
            "chat_template": self.chat_template,
        }
        return type(self)(enc, **given)

    @classmethod
    def register_for_auto_class(cls, auto_class: str = "AutoTokenizer") -> None:
        """Nothing: `save_pretrained` writes what AutoTokenizer needs anyway."""


def _extra_special_tokens(options: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """Special tokens beyond the usual roles, taken from the options: those with names, and others.

    transformers has three names for them, and reads one only where the others are not given.
    """
    named = dict(options.pop("model_specific_special_tokens", None) or {})
    more: list[Any] = []
    for option in ("extra_special_tokens", "additional_special_tokens"):
        found = options.pop(option, None) or []
        if isinstance(found, dict):
            named.update(found)
        else:
            more += found
    return named, more


def _token_like(text: str, like: AddedToken, special: bool = True) -> AddedToken:
    """A token of the artifact, found as another one is."""
    strips = {name: getattr(like, name) for name in ("lstrip", "rstrip", "single_word")}
    return AddedToken(text, special=special, normalized=False, **strips)


def _open(source: str | os.PathLike[str] | Tokenizer | None) -> Tokenizer:
    """The shipped encoding with this name, or the model in this file."""
    if isinstance(source, Tokenizer):
        return source
    if source in list_encoding_names():
        return get_encoding(str(source))
    return Tokenizer.from_file(source or "")
