"""The tokenizer class for transformers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from transformers import AddedToken, BatchEncoding, PreTrainedTokenizer
from transformers.utils import logging

from wwho.backends.backend import unknown_id
from wwho.encodings import DEFAULT_ENCODING, get_encoding, list_encoding_names
from wwho.errors import ArtifactError, SourceError, UnknownTokenError
from wwho.format.files import write_atomic
from wwho.format.template import Template, What
from wwho.hf.added_tokens import own_tokens
from wwho.hf.batch_encoder import Batch, Options, samples_of
from wwho.hf.input_reader import Reader
from wwho.hf.token_names import Names, first_names, unused
from wwho.hf.train_like import trained_like
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
logger = logging.get_logger(__name__)


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
    _added_tokens_encoder: dict[str, int]
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
        for option, value in _stored(vocab_file or tokenizer_file or folder).items():
            options.setdefault(option, value)
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
        own = own_tokens(info)
        numbers = {token.content: number for number, token in own.items()}
        given = {} if configured else _flagged([*cast, *more])
        self._added_tokens_decoder = {
            number: _changed(
                given.get(token.content, token), special=token.special, normalized=token.normalized
            )
            for number, token in own.items()
        }
        listed = options.pop("added_tokens_decoder", {})
        for number, token in listed.items():  # what the model has, too, keeps its id there
            _put(self._added_tokens_decoder, numbers.setdefault(token.content, number), token)
        last = (info.template or Template()).pair[-1]
        if last.what is What.ID and last.type_id:  # [SEP] of BERT's models, which take types
            usual = [self.model_input_names[0], "token_type_ids", *self.model_input_names[1:]]
            options.setdefault("model_input_names", usual)
        kept = {name: options[name] for name in KEPT if name in options}
        self._names = Names(self.wwho)
        super().__init__(**options)
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

    @property
    def vocab(self) -> dict[str, int]:
        """The same as `get_vocab`."""
        return self.get_vocab()

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
        text = b""
        named = ((self._token_id(name), name) for name in tokens)
        for is_known, run in groupby(named, lambda pair: pair[0] is not None):
            if is_known:
                part = [token for token, _ in run if token is not None]
                text += self._reader.enc._backend.decode_part(part, False, bool(text), False)[0]
            else:
                text += "".join(name for _, name in run).encode("utf-8")
        return text.decode("utf-8", "replace")

    def _token_id(self, name: str) -> int | None:
        """The id of the token with this name; None if there is none, or the name alone."""
        token: int | None = self._added_tokens_encoder.get(name, self._names.ids.get(name))
        return None if token is None or unused(token) == name else token

    def _decode(
        self,
        token_ids: int | list[int],
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **options: Any,
    ) -> str:
        ids = [token_ids] if isinstance(token_ids, int) else token_ids
        if skip_special_tokens:
            ids = [token for token in ids if token not in self._reader.special]
        try:
            text: str = self._reader.enc.decode(ids)
        except UnknownTokenError:  # one has a name alone
            text = self.convert_tokens_to_string(self.convert_ids_to_tokens(ids))
        clean = self.clean_up_tokenization_spaces
        if clean_up_tokenization_spaces is not None:
            clean = clean_up_tokenization_spaces
        if not clean:
            return text
        forced = self.clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output
        if not forced and any(model.kind == "bpe" for model in self.wwho.info.models):
            logger.warning_once(
                "clean_up_tokenization_spaces=True is ignored: it takes spaces out of what a BPE"
                " model decodes. clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt"
                "_output=True does so all the same."
            )
            return text
        cleaned: str = self.clean_up_tokenization(text)
        return cleaned

    def _add_tokens(self, new_tokens: Sequence[Any], special_tokens: bool = False) -> int:
        """Add tokens, as fast tokenizers do; how many are new, or found in another way than before.

        Raises:
            ValueError: one is the name of a token with another text: what spells it would be lost.
                Or the model cannot take one.
        """
        flagged = _flagged([*self._special_tokens_map.values(), *self._extra_special_tokens])
        tokens, ids = dict(self._added_tokens_decoder), dict(self._added_tokens_encoder)
        n_new, last = 0, max([self.wwho.n_vocab - 1, *tokens])
        for each in filter(str, new_tokens):
            name = str(each)
            token = flagged.get(name, each) if special_tokens else each
            if not isinstance(token, AddedToken):
                token = AddedToken(token, normalized=not special_tokens)
            if special_tokens:
                token.special = True
            number = ids.get(name)
            if number is None:
                self._check_name(name)
                number = self._names.ids.get(name)
                if number is None or number in tokens:
                    number = last = last + 1
            n_new += _put(tokens, number, token)
            ids[name] = number
        if n_new or "_reader" not in vars(self):  # else the model need not be opened again
            self._reader = Reader(self.wwho, tokens)
        self._added_tokens_decoder, self._added_tokens_encoder = tokens, ids
        self._update_total_vocab_size()
        return n_new

    def _check_name(self, name: str) -> None:
        token, text = self._token_id(name), name.encode("utf-8")
        if token is None:
            return
        known = self.wwho.decode_single_token_bytes(token)
        if text not in (known, self.wwho.decode_bytes([token])):
            raise ValueError(
                f"cannot add the token {name!r}: it is what {known!r}, the token {token}, is "
                "called here; choose another text"
            )

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
            content = texts.get(text, text)
            return _changed(old[text], content=content, special=True, normalized=False)

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


def _flagged(tokens: Iterable[str | AddedToken]) -> dict[str, AddedToken]:
    """The tokens that say how they are found, by their texts."""
    return {str(each): each for each in tokens if isinstance(each, AddedToken)}


def _changed(token: AddedToken, **changes: Any) -> AddedToken:
    """A copy with other values."""
    return AddedToken(**{**token.__getstate__(), **changes})


def _put(tokens: dict[int, AddedToken], number: int, token: AddedToken) -> bool:
    """Give an id to an added token, which stays special if it was; whether that is new."""
    before = tokens.get(number)
    was_special = before is not None and before.special and before.content == token.content
    token = _changed(token, special=token.special or was_special)
    if before == token:
        return False
    tokens[number] = token
    return True


def _open(source: str | os.PathLike[str] | Tokenizer | None) -> Tokenizer:
    """The shipped encoding with this name, or the model in this file."""
    if isinstance(source, Tokenizer):
        return source
    if source in list_encoding_names():
        return get_encoding(str(source))
    return Tokenizer.from_file(source or "")


def _stored(source: Any) -> dict[str, Any]:
    """What a tokenizer.json says of padding and truncation, as options of transformers."""
    if not isinstance(source, (str, os.PathLike)):
        return {}
    path = Path(source)
    path = path / "tokenizer.json" if path.is_dir() else path
    if path.suffix != ".json" or not path.is_file():
        return {}
    document = json.loads(path.read_text("utf-8-sig"))
    if not (isinstance(document, dict) and isinstance(document.get("model"), dict)):
        return {}
    found: dict[str, Any] = {}
    for key in ("truncation", "padding"):
        if said := document.get(key):
            found[f"{key}_side"] = said.get("direction", "Right").lower()
    for option, key in {"pad_token": "pad_token", "pad_token_type_id": "pad_type_id"}.items():
        if (value := (document.get("padding") or {}).get(key)) is not None:
            found[option] = value
    return found
