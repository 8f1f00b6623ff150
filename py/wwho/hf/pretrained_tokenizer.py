"""`WWHOTokenizer`: a WWHO model as a tokenizer of transformers."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Any

import tokenizers
from transformers import AddedToken, BatchEncoding, PreTrainedTokenizer
from transformers.utils import logging

from wwho.backends.backend import Info, unknown_id
from wwho.encodings import DEFAULT_ENCODING, list_encoding_names
from wwho.errors import ArtifactError, BackendTokenizerError, SourceError, UnknownTokenError
from wwho.format.files import write_atomic
from wwho.format.model import Flag
from wwho.format.template import Template, What
from wwho.hf import templates
from wwho.hf.added_tokens import added_tokens_of, aliases_of
from wwho.hf.backend_tokenizer import backend_tokenizer
from wwho.hf.batch_encoder import BatchEncoder, CallOptions, samples_of
from wwho.hf.input_reader import InputReader
from wwho.hf.joins import JOINS
from wwho.hf.languages import TOKEN_OF_LANGUAGE, with_language
from wwho.hf.open_model import (
    Opened,
    class_defaults,
    open_model,
    recorded_size,
    runs_in_python,
)
from wwho.hf.options import (
    check_call,
    check_decode,
    check_given,
    check_sampling,
    check_saved,
    class_attributes,
    class_parameters,
    encodes_targets_otherwise,
)
from wwho.hf.token_names import TokenNames, names_that_decode, unused_name
from wwho.hf.train_document import train_document
from wwho.hf.train_like import check_kept, train_like
from wwho.hf.word_cutters import WordCutter
from wwho.hf.word_reader import WordReader, program_name
from wwho.importers.transformers.choice import MODEL_CLASS
from wwho.interchange.tokenizer_json import KEY
from wwho.tokenizer import Tokenizer

VOCAB_FILE = "tokenizer.wwho"
CODE_FILE = "tokenization_wwho.py"
CODE = '''"""The tokenizer of this folder, for AutoTokenizer; it needs pip install 'wwho[hf]'."""

from wwho.hf import WWHOTokenizer

__all__ = ["WWHOTokenizer"]
'''
# The texts that the special token of a role may have in artifacts that do not record it; the first
# that the model has counts.
ROLE_TEXTS = {
    "bos_token": ("[BOS]",),
    "eos_token": ("[EOS]", "<|endoftext|>"),
    "unk_token": ("[UNK]",),
    "pad_token": ("[PAD]", "<|endoftext|>"),
    "mask_token": ("[MASK]",),
    "cls_token": ("[CLS]",),
    "sep_token": ("[SEP]",),
}
SENTENCEPIECE_ROLE_TEXTS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
"""More such texts, of SentencePiece, Tekken and llama.cpp, which mean nothing else by them."""
UNSAVED_OPTIONS = (
    "special_tokens_pattern",
    "token_type_ids_pattern",
    "token_type_ids_include_special_tokens",
)
"""Options that transformers takes from the arguments, but does not save."""
CALL_OPTIONS = frozenset(
    {*(each.name for each in fields(CallOptions)), "verbose", "sanitize_control_tokens"}
)
GIVEN = "_given"
"""The argument by which `from_pretrained` tells which options its caller gave."""
PLUMBING = {
    *("token", "cache_dir", "local_files_only", "_is_local", "is_local", "trust_remote_code"),
    *("vocab_file", "tokenizer_file", "name_or_path"),
}
"""Arguments that say where files are, and nothing of the tokenizer."""
OF_THE_HUB = {
    *("cache_dir", "force_download", "local_files_only", "token", "revision"),
    *("trust_remote_code", "proxies", "subfolder", "_from_pipeline", "_from_auto", "_commit_hash"),
}
"""Arguments of `from_pretrained` that say how files are fetched."""
FIXED_ATTRIBUTES = ("src_lang", "tgt_lang", "source_lang", "target_lang", "language", "task")
"""Attributes that some classes of transformers read at each call, and this one does not."""
OF_SPEECH = ("LasrTokenizer", "ParakeetTokenizer")
"""Classes whose ids come from speech: neighbours that are the same are one, and padding is none."""
SPEECH_IN_LETTERS = "Wav2Vec2CTCTokenizer"
"""The class whose special token between words is a space in decoded text."""
SPEECH_WITH_PROMPTS = "WhisperTokenizer"
"""The class that decodes no prompt and no times."""
TIMES = re.compile(r"<\|\d+\.\d+\|>")
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
    _add_bos_token: bool
    _add_eos_token: bool
    _language_template: Template | None = None
    _added_tokens_encoder: dict[str, int]
    _auto_map = {"AutoTokenizer": (f"{CODE_FILE[:-3]}.WWHOTokenizer", None)}  # noqa: RUF012

    def __init__(
        self,
        vocab_file: str | os.PathLike[str] | Tokenizer | None = DEFAULT_ENCODING,
        tokenizer_file: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        """Open a model, and find out its special tokens, added tokens and chat template.

        What the caller does not say is taken from the model's provenance, or from a tokenizer.json.

        Args:
            vocab_file: a name of `wwho.list_encoding_names()`, a `.wwho` file, a file or folder
                that `wwho.importers` reads, or an open `wwho.Tokenizer`. None for `tokenizer_file`,
                or else the folder of `from_pretrained`.
            tokenizer_file: a file to read if no `vocab_file` is given.
            options: those of `PreTrainedTokenizer`: `eos_token`, `padding_side`, `chat_template`,
                `special_tokens_pattern` and so on. For a class that cuts words by a program, such
                as BERT Japanese with MeCab, also `word_cutter`, a function that returns the words
                of a text, which takes the program's place.

        Raises:
            ArtifactError: the file is no artifact, or missing in the folder of `from_pretrained`.
            SamplingError: an option would draw the tokens of every call.
            FileNotFoundError: there is no such file, nor an encoding of this name.
            ModuleNotFoundError: a program that cuts the model's words is not installed.
        """
        if tokenizer_file is not None and vocab_file == DEFAULT_ENCODING:
            vocab_file = None
        folder = options.get("name_or_path")
        source = vocab_file or tokenizer_file or folder
        if source == tokenizer_file and GIVEN in options and not os.path.isfile(folder or ""):
            # from_pretrained has found the file in a folder, whose class makes its own of it.
            found = Path(tokenizer_file or "")
            source = found.parent if found.name == "tokenizer.json" else found
        cutter: WordCutter | None = options.pop("word_cutter", None)
        # Of what from_pretrained passes, only what its caller said goes before a folder's settings.
        names = options.pop(GIVEN, None)
        given = {
            name: value
            for name, value in options.items()
            if name in (names if names is not None else options.keys() - PLUMBING)
        }
        check_sampling(given)
        try:
            opened = open_model(source, given)
        except (SourceError, OSError) as error:
            if vocab_file is not None and not isinstance(error, SourceError):
                raise
            # from_pretrained, which gives None for a file that is not there, hides every OSError.
            lacks = f"there is no {VOCAB_FILE} in {folder}: " if vocab_file is None else ""
            raise ArtifactError(f"{lacks}{error}") from error
        self.wwho = opened.enc
        self._model_class = opened.model_class
        self._words, self._word_cutter = opened.words, cutter
        if opened.words is not None:
            options |= {MODEL_CLASS: opened.model_class, **opened.words.settings}
        elif cutter is not None:
            raise ValueError(
                "word_cutter: the model of this tokenizer cuts texts itself; leave it out"
            )
        for warning in opened.warnings:
            logger.warning(f"{source}: {warning}")
        # Then the class has read what the files of the folder say of added tokens.
        is_made_of_folder = not opened.is_fixed and class_defaults(self.wwho.info) is not None
        if is_made_of_folder:
            _drop_unknown_extra(options, given, self.wwho.info)
        for option, value in _options_of_tokenizer_json(source).items():
            options.setdefault(option, value)
        usual = class_defaults(self.wwho.info)
        if usual is None:
            usual = class_attributes(opened.model_class)
        for option, value in usual.items():
            if option not in self.SPECIAL_TOKENS_ATTRIBUTES:
                options.setdefault(option, value)
        # The class names its own tokens before it hears of others.
        own = [option for option in usual if option.endswith("_token") and option in options]
        options = {**{option: options[option] for option in own}, **options}
        self._set_special_token_options(options)
        if template := self.wwho.info.provenance.get("chat_template"):
            is_list = template.startswith("[{")
            options.setdefault("chat_template", json.loads(template) if is_list else template)
        options.setdefault("clean_up_tokenization_spaces", False)
        self._names = TokenNames(self.wwho)
        self._added_tokens_decoder = self._initial_added_tokens(options, opened)
        last = (self.wwho.info.template or Template()).pair[-1]
        if last.what is What.ID and last.type_id and not usual:
            # The [SEP] of BERT's models, which take token types.
            input_ids, *others = self.model_input_names
            options.setdefault("model_input_names", [input_ids, "token_type_ids", *others])
        unsaved = {name: options[name] for name in UNSAVED_OPTIONS if name in options}
        done = {*opened.done, *self._honour_bos_and_eos(options, given, opened)}
        if opened.model_class in TOKEN_OF_LANGUAGE:
            done |= {"src_lang", "tgt_lang"}
        check_given(given, done, opened.model_class, opened.is_fixed)
        check_saved(opened.saved, done | given.keys(), opened.model_class)
        super().__init__(**options)
        self.init_kwargs.update(unsaved)
        if opened.model_class in TOKEN_OF_LANGUAGE:
            self.tgt_lang = options.get("tgt_lang")
            self.src_lang = options.get("src_lang")

    @classmethod
    def from_pretrained(cls, name: str | os.PathLike[str], *others: Any, **options: Any) -> Any:
        """Return the tokenizer of a folder, a file, a shipped encoding, or a repository of the hub.

        Args:
            name: which one. A name of `wwho.list_encoding_names()` is that encoding, unless there
                is a folder or file of this name; the hub is not asked.
            others: arguments of `__init__`, by their place, for transformers to pass on.
            options: those of `__init__`, and how transformers fetches files.

        Raises:
            ArtifactError: there is no such tokenizer, or it is none.
            Exception: what else `__init__` raises.

        Example:
            >>> len(WWHOTokenizer.from_pretrained("o200k_base"))
            200019
        """
        if others or name not in list_encoding_names() or os.path.exists(name):
            return super().from_pretrained(name, *others, **options)
        given = {key: value for key, value in options.items() if key not in OF_THE_HUB}
        return cls(name, name_or_path=name, **given)

    @classmethod
    def _from_pretrained(
        cls, resolved_vocab_files: dict[str, Any], name: str, *others: Any, **options: Any
    ) -> WWHOTokenizer:
        """Return the tokenizer of a folder: the last step of `from_pretrained`.

        Args:
            resolved_vocab_files: the paths of the folder's files, by the names of arguments, None
                for a file that is not there.
            name: the folder, or the file or repository.
            others: further arguments of the method that this one takes the place of.
            options: what the caller of `from_pretrained` says, and how files are fetched.
        """
        files = dict(resolved_vocab_files)
        saved = _saved_settings(files)
        # An option that is saved has been honoured, if the model was made before.
        given = [
            option
            for option in options.keys() - PLUMBING
            if option not in saved or saved[option] != options[option]
        ]
        # transformers takes a tokenizer.model and the like for the file of any class. The folder
        # says more than the file.
        found = files.get("vocab_file")
        files.setdefault("vocab_file", None)
        if os.path.isdir(name) and found and not str(found).endswith(VOCAB_FILE):
            files["vocab_file"] = None
        made: WWHOTokenizer = super()._from_pretrained(
            files, name, *others, **{GIVEN: tuple(given)}, **options
        )
        return made

    @property
    def _has_own_configuration(self) -> bool:
        """Whether the model comes from a tokenizer.json, or was made by a class of transformers.

        These leave it to a tokenizer_config.json which special tokens have which role.
        """
        info = self.wwho.info
        return "vocab_size" in info.provenance or class_defaults(info) is not None

    @property
    def _has_bos_eos_template(self) -> bool:
        """Whether `add_bos_token` and `add_eos_token` make the template of the model's class."""
        return self._model_class in (None, *templates.CLASSES)

    def _honour_bos_and_eos(
        self, options: Mapping[str, Any], given: Mapping[str, Any], opened: Opened
    ) -> set[str]:
        """Give the model the template that `add_bos_token` and `add_eos_token` ask for.

        The two attributes are set in any case: as the options say, or else as the model's template
        has the tokens.

        Args:
            options: all options, which tell the tokens of the roles.
            given: those that the caller gives. If neither of the two is among them, the model keeps
                its template.
            opened: the model. Where its import has honoured one of them, nothing is left to do.

        Returns:
            The names of the options that are honoured so.

        Raises:
            ValueError: there is no such token.
        """
        single = (opened.enc.info.template or Template()).single
        for role, place in {"bos": single[0], "eos": single[-1]}.items():
            # save_pretrained leaves both options out: there the template tells.
            is_there = (
                opened.is_fixed
                and place.what is What.ID
                and place.id == self._names.ids.get(str(options.get(f"{role}_token")))
            )
            setattr(self, f"_add_{role}_token", bool(options.get(f"add_{role}_token", is_there)))
        asked = {"add_bos_token", "add_eos_token"} & given.keys()
        if not asked or asked & {*opened.done} or not self._has_bos_eos_template:
            return set()
        self._put_bos_and_eos(options)
        return asked

    def _put_bos_and_eos(self, roles: Mapping[str, Any]) -> None:
        """Open the model anew with the template that the two attributes ask for.

        It sets `wwho` and the names of tokens anew; if it raises, nothing has changed.

        Args:
            roles: the tokens of the roles, by the names of options.

        Raises:
            ValueError: a token that the template needs is missing.
        """
        ids: list[int | None] = []
        for role, is_wanted in (("bos", self._add_bos_token), ("eos", self._add_eos_token)):
            text = roles.get(f"{role}_token")
            token = self._names.ids.get(str(text)) if text and is_wanted else None
            if is_wanted and token is None:
                raise ValueError(
                    f"add_{role}_token=True needs a {role}_token that the model has, found "
                    f"{None if text is None else str(text)!r}: give {role}_token=..."
                )
            ids.append(token)
        names = {token: self._names.by_id[token] for token in ids if token is not None}
        template = templates.bos_eos_template(*ids)
        self.wwho = templates.with_template(self.wwho, template, names)
        self._names = TokenNames(self.wwho)

    @property
    def add_bos_token(self) -> bool:
        """Whether the caller has asked for a `bos_token` before each text."""
        return self._add_bos_token

    @add_bos_token.setter
    def add_bos_token(self, value: bool) -> None:
        """Put a `bos_token` before each text from now on, or none, and the `eos_token` as asked.

        Raises:
            ValueError: as for `_change_bos_and_eos`; then nothing changes.
        """
        self._change_bos_and_eos("_add_bos_token", value)

    @property
    def add_eos_token(self) -> bool:
        """Whether the caller has asked for an `eos_token` behind each text."""
        return self._add_eos_token

    @add_eos_token.setter
    def add_eos_token(self, value: bool) -> None:
        """Put an `eos_token` behind each text from now on, or none; the `bos_token` as asked.

        Raises:
            ValueError: as for `_change_bos_and_eos`; then nothing changes.
        """
        self._change_bos_and_eos("_add_eos_token", value)

    def _change_bos_and_eos(self, attribute: str, value: bool) -> None:
        """Set one of the two attributes, and give the model the template that they ask for.

        Raises:
            ValueError: the model's class has a template of another kind; or a token is missing.
        """
        if not self._has_bos_eos_template:
            raise ValueError(
                f"{attribute[1:]}={value!r}: the class of this model has a template of its own; "
                "give the option to from_pretrained"
            )
        before = getattr(self, attribute)
        object.__setattr__(self, attribute, bool(value))
        try:
            self._put_bos_and_eos(self.special_tokens_map)
        except ValueError:
            object.__setattr__(self, attribute, before)
            raise
        self._reader = self._open_reader(self._added_tokens_decoder)

    def __setattr__(self, key: str, value: Any) -> None:
        """Set an attribute, but for those by which the class of transformers changes ids.

        Raises:
            ValueError: the class encodes otherwise once this attribute is set; or there is no such
                language.
        """
        model_class = vars(self).get("_model_class")
        if model_class in TOKEN_OF_LANGUAGE and key in ("src_lang", "tgt_lang"):
            before = vars(self).get(key)
            super().__setattr__(key, value)
            try:
                self._put_language(vars(self).get("src_lang"))
            except ValueError:
                super().__setattr__(key, before)
                raise
            return
        if key in FIXED_ATTRIBUTES and key in class_parameters(model_class):
            raise ValueError(
                f"{key} cannot be changed once the tokenizer is made: open its folder with it, "
                f"from_pretrained(folder, {key}={value!r})"
            )
        super().__setattr__(key, value)

    def _put_language(self, language: str | None) -> None:
        """Let the template have the token of a language from now on; None for the model's own.

        If it raises, the model's own template is in place.

        Raises:
            ValueError: the model has no such token, or a template without a language.
        """
        self._language_template = None
        if language is None:
            return
        name = TOKEN_OF_LANGUAGE[str(self._model_class)].format(language)
        token = self._token_id(name)
        if token is None:
            raise ValueError(f"there is no language {language!r}: the model has no token {name!r}")
        template = self.wwho.info.template or Template()
        self._language_template = with_language(template, self.eos_token_id, token)

    def _switch_to_input_mode(self) -> None:
        """Let the template have the language of texts; transformers calls it before each call."""
        if self._model_class in TOKEN_OF_LANGUAGE:
            self._put_language(vars(self).get("src_lang"))

    def _switch_to_target_mode(self) -> None:
        """Let the template have the language of targets; transformers calls it for `text_target`.

        Raises:
            ValueError: the class of the model encodes targets otherwise.
        """
        if self._model_class in TOKEN_OF_LANGUAGE:
            self._put_language(self.tgt_lang or self.src_lang)
        elif encodes_targets_otherwise(self._model_class):
            raise ValueError(
                f"text_target: {self._model_class} encodes targets otherwise than texts; open the "
                "folder a second time with the target's language (src_lang=...), and encode the "
                "targets as texts"
            )

    def _set_special_token_options(self, options: dict[str, Any]) -> None:
        """Set the options for special tokens, in place, where the caller did not.

        Each role, such as `eos_token`, gets the special token that the model records for it, or
        one with a usual text, or None; if a class of transformers made the model, the class says
        which. Special tokens with names of their own go to
        `model_specific_special_tokens`, and all others of the model to `extra_special_tokens`.
        """
        info = self.wwho.info
        special_names = names_that_decode(info.specials)
        defaults = class_defaults(info)
        if defaults is None and self._model_class is not None:
            defaults = class_attributes(self._model_class)
        for role, usual_texts in ROLE_TEXTS.items():
            if defaults is not None:
                options.setdefault(role, info.provenance.get(role, defaults.get(role)))
                continue
            candidates = [info.provenance.get(role), *usual_texts]
            if not self._has_own_configuration:
                candidates.append(SENTENCEPIECE_ROLE_TEXTS.get(role))
            known = (text for text in candidates if text in special_names)
            options.setdefault(role, next(known, None))
        named, unnamed = _take_extra_special_tokens(options)
        options["model_specific_special_tokens"] = named
        with_roles = _tokens_with_roles(options, self.SPECIAL_TOKENS_ATTRIBUTES)
        listed = {str(token) for token in [*with_roles, *unnamed]}
        own = () if self._has_own_configuration else special_names
        others = [name for name in own if name not in listed]
        options["extra_special_tokens"] = [*others, *unnamed]

    def _initial_added_tokens(
        self, options: dict[str, Any], opened: Opened
    ) -> dict[int, AddedToken]:
        """Return the added tokens by id: the model's own, and those of `added_tokens_decoder`.

        How a special token is found is what the caller says of it (lstrip, rstrip, single_word),
        unless the model comes from a tokenizer.json or was made by a class of transformers. A token
        of `added_tokens_decoder` whose text the model has keeps the model's id; beside a
        tokenizer.json, also one of its vocabulary.

        Args:
            options: the options, from which `added_tokens_decoder` is removed.
            opened: how the model was made. If it was of a folder by a class, the import has read
                that list, and made of each token what the class makes of it.
        """
        is_made_of_folder = not opened.is_fixed and class_defaults(self.wwho.info) is not None
        is_beside = not opened.is_fixed and KEY in self.wwho.info.provenance
        own = added_tokens_of(self.wwho.info)
        flagged = {}
        if not self._has_own_configuration:
            with_roles = _tokens_with_roles(options, self.SPECIAL_TOKENS_ATTRIBUTES)
            flagged = _flagged_tokens([*with_roles, *options["extra_special_tokens"]])
        added = {
            token_id: _changed_token(
                flagged.get(token.content, token),
                special=token.special,
                normalized=token.normalized,
            )
            for token_id, token in own.items()
        }
        ids = {token.content: token_id for token_id, token in own.items()}
        for token_id, token in options.pop("added_tokens_decoder", {}).items():
            if is_made_of_folder and token.content in ids:
                continue
            if is_beside and token.content not in ids:
                token_id = self._names.ids.get(token.content, token_id)
            # A token that the model has, too, keeps the id that it has there.
            _put_added_token(added, ids.setdefault(token.content, token_id), token)
        return added

    # Methods that transformers expects of a tokenizer

    @property
    def vocab_size(self) -> int:
        """How many ids the model has, used or not; tokens that are added later get ids after them.

        If the model comes from a tokenizer.json, it is how many tokens the model in it has,
        without its added tokens.
        """
        return int(self.wwho.info.provenance.get("vocab_size", self.wwho.n_vocab))

    def _update_total_vocab_size(self) -> None:
        """Set `total_vocab_size`, which is `len(self)`: one more than the highest id.

        If a class of transformers made the model, it is how many tokens there are, as there.
        """
        size, n_vocab = recorded_size(self.wwho.info), self.wwho.n_vocab
        if size is not None:
            self.total_vocab_size = size + sum(id >= n_vocab for id in self._added_tokens_decoder)
            return
        self.total_vocab_size = 1 + max(self._added_tokens_decoder, default=-1)
        self.total_vocab_size = max(self.total_vocab_size, self.wwho.n_vocab)

    @property
    def vocab(self) -> dict[str, int]:
        """The id of each name, as `get_vocab` returns it."""
        return self.get_vocab()

    def get_vocab(self) -> dict[str, int]:
        """Return the id of each name: one name for each id, used or not, added tokens included.

        An id that is not used has a made-up name. An added token's name is its content; of two ids
        with one name, the higher counts.
        """
        n_ids = 1 + max(self._added_tokens_decoder, default=-1)
        names = self._names.by_id + list(map(unused_name, range(self.wwho.n_vocab, n_ids)))
        for token, added in self._added_tokens_decoder.items():
            names[token] = added.content
        return {name: token for token, name in enumerate(names)}

    def _convert_token_to_id(self, token: str) -> int | None:
        """Return the id of the model's token with a name; the id of `unk_token` for other names.

        transformers looks among added tokens first. None if there is no `unk_token`.
        """
        token_id: int | None = self._names.ids.get(token, self.unk_token_id)
        return token_id

    def _convert_id_to_token(self, index: int) -> str:
        """Return the name of an id that is no added token's; unused ids have names, too.

        Raises:
            UnknownTokenError: the id is negative, or beyond all ids.
        """
        n_ids = max(len(self), self.wwho.n_vocab)
        if not 0 <= index < n_ids:
            raise UnknownTokenError(unknown_id(index, n_ids))
        return self._names.by_id[index] if index < self.wwho.n_vocab else unused_name(index)

    def convert_tokens_to_string(self, tokens: Iterable[str]) -> str:
        """Return the text of the tokens with these names; bytes that are not UTF-8 become U+FFFD.

        A name that no token has, or only an id that is not used, stands for itself as text.
        """
        text = b""
        ids_and_names = ((self._token_id(name), name) for name in tokens)
        for is_known, run in groupby(ids_and_names, lambda pair: pair[0] is not None):
            if is_known:
                ids = [token for token, _ in run if token is not None]
                text += self._reader.enc._backend.decode_part(ids, False, bool(text), False)[0]
            else:
                text += "".join(name for _, name in run).encode("utf-8")
        return text.decode("utf-8", "replace")

    def _token_id(self, name: str) -> int | None:
        """Return the id of the token with a name; None if there is none, or no token has its id."""
        token: int | None = self._added_tokens_encoder.get(name, self._names.ids.get(name))
        return None if token is None or unused_name(token) == name else token

    def _decode(
        self,
        token_ids: int | list[int],
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        like_tokenizers: bool = False,
        **options: Any,
    ) -> str:
        """Return the text of some tokens; ids that no token has become their names.

        Args:
            token_ids: one id, or several.
            skip_special_tokens: whether special tokens are left out.
            clean_up_tokenization_spaces: whether spaces before punctuation are taken out; None for
                the tokenizer's own option. For BPE models this is ignored, with a warning, unless
                `clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output` is set, or
                the model was made for a class that transformers runs in Python.
            like_tokenizers: as for `wwho.Tokenizer.decode`.
            options: others that callers give, which change no text.

        Raises:
            ValueError: an option would change the text in a class of transformers, or says nothing
                to this model.
        """
        check_decode(options, self._model_class)
        ids = [token_ids] if isinstance(token_ids, int) else token_ids
        if self._model_class == SPEECH_WITH_PROMPTS and skip_special_tokens:
            ids = self._without_prompt(ids)
        if self._model_class in OF_SPEECH:
            ids = [token for token, _ in groupby(ids) if token != self.pad_token_id]
        if skip_special_tokens:
            kept = self._delimiter_ids()
            ids = [token for token in ids if token in kept or token not in self._reader.special]
        # SentencePiece decodes for BERT Japanese, and leaves the ends as they are.
        in_pieces = self._words is not None and self._words.pieces is not None
        joins = None if in_pieces else JOINS.get(str(self._model_class))
        # None of the classes that join stretches can decode as tokenizers does: the model says so.
        if joins is not None and joins.stretches and not like_tokenizers:
            is_upper = joins.may_be_upper and self.init_kwargs.get("do_upper_case")
            change = str.upper if is_upper else str
            text = joins.joined(
                (text if is_special else change(text), is_special)
                for text, is_special in self._stretches(ids)
            )
        else:
            text = self._text_of(ids, like_tokenizers)
        if self._model_class == "CLIPTokenizer" or (joins is not None and joins.strips):
            # The last step of the model's decoder takes spaces; the class takes all white space.
            text = text.strip()
        if self._model_class == SPEECH_IN_LETTERS and self.init_kwargs.get("do_lower_case"):
            text = text.lower()
        if self._model_class == SPEECH_WITH_PROMPTS:
            text = TIMES.sub("", text)
        clean_up = self.clean_up_tokenization_spaces
        if clean_up_tokenization_spaces is not None:
            clean_up = clean_up_tokenization_spaces
        if not clean_up:
            return text
        is_forced = self.clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output
        # Classes in Python take them out whatever the model is.
        is_forced = is_forced or runs_in_python(self.wwho.info)
        if not is_forced and any(model.kind == "bpe" for model in self.wwho.info.models):
            logger.warning_once(
                "clean_up_tokenization_spaces=True is ignored: it takes spaces out of what a BPE"
                " model decodes. clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt"
                "_output=True does so all the same."
            )
            return text
        cleaned: str = self.clean_up_tokenization(text)
        return cleaned

    def _without_prompt(self, ids: list[int]) -> list[int]:
        """Return ids of Whisper without the text before them that a prompt begins with."""
        prompt, start = self.convert_tokens_to_ids(["<|startofprev|>", "<|startoftranscript|>"])
        if not ids or ids[0] != prompt:
            return ids
        return ids[ids.index(start) :] if start in ids else []

    def _text_of(self, ids: list[int], like_tokenizers: bool = False) -> str:
        """Return the text of some ids as the model decodes them; of ids without a token, names.

        Raises:
            ValueError: `like_tokenizers` says nothing to this model.
        """
        try:
            text: str = self._reader.enc.decode(ids, like_tokenizers=like_tokenizers)
        except UnknownTokenError:
            text = self.convert_tokens_to_string(self.convert_ids_to_tokens(ids))
        return text

    def _stretches(self, ids: list[int]) -> Iterator[tuple[str, bool]]:
        """Yield the text of each special token in a list of ids, and that of all ids between two.

        With each text comes whether it is that of a special token.
        """
        special = self._reader.special
        for is_special, run in groupby(ids, special.__contains__):
            if is_special:
                yield from ((str(self._added_tokens_decoder[token]), True) for token in run)
            else:
                yield self._text_of(list(run)), False

    def _delimiter_ids(self) -> set[int]:
        """Return the ids of special tokens that decoded text always has: the one between words."""
        if self._model_class != SPEECH_IN_LETTERS:
            return set()
        return {token for token, each in self._added_tokens_decoder.items() if each.content == "|"}

    def _add_tokens(self, new_tokens: Sequence[Any], special_tokens: bool = False) -> int:
        """Add tokens as fast tokenizers do, and open the model anew with them.

        A token with the name of one that the model has gets its id; any other gets the next id
        after all. The model is opened anew only if a token is new or changed, or at the first
        call. Nothing changes if an error is raised.

        Args:
            new_tokens: texts, or `AddedToken`s; empty ones are left out.
            special_tokens: whether they become special tokens.

        Returns:
            How many are new, or are found in another way than before.

        Raises:
            ValueError: a token is the name of a token with another text, which would then be lost.
                Or the model cannot have such a token.
        """
        with_roles = [*self._special_tokens_map.values(), *self._extra_special_tokens]
        flagged = _flagged_tokens(with_roles)
        aliases = aliases_of(self.wwho.info)
        added, ids = dict(self._added_tokens_decoder), {**aliases, **self._added_tokens_encoder}
        n_new, last_id = 0, max([self.wwho.n_vocab - 1, *added])
        for given in filter(str, new_tokens):
            name = str(given)
            if name in aliases:
                continue
            token = flagged.get(name, given) if special_tokens else given
            if not isinstance(token, AddedToken):
                token = AddedToken(token, normalized=not special_tokens)
            if special_tokens:
                token.special = True
            token_id = ids.get(name)
            if token_id is None:
                self._check_new_name(name)
                token_id = self._names.ids.get(name)
                if token_id is None or token_id in added:
                    token_id = last_id = last_id + 1
            n_new += _put_added_token(added, token_id, token)
            ids[name] = token_id
        if n_new or "_reader" not in vars(self):
            self._reader = self._open_reader(added)
        self._added_tokens_decoder, self._added_tokens_encoder = added, ids
        self._update_total_vocab_size()
        return n_new

    def _open_reader(self, added: Mapping[int, AddedToken]) -> InputReader:
        """Return what reads inputs with the model and its added tokens by id.

        Raises:
            ValueError: the model cannot have these tokens.
            ModuleNotFoundError: a program that cuts words is not installed.
        """
        if self._words is None:
            return InputReader(self.wwho, added)
        return WordReader(self.wwho, added, self._words, self._word_cutter)

    def _check_split(self) -> None:
        """Raise ValueError if special tokens would be found here although they are to be split.

        The classes that transformers runs in Python have ways of their own: that of ProphetNet, for
        one, finds special tokens all the same. Where a program cuts the words, its way is followed.
        And an import takes a special token for an ordinary one if it is found by another text, its
        normalized one.

        Raises:
            ValueError: it is such a class, or there is such a token.
        """
        if self._words is None and runs_in_python(self.wwho.info):
            raise ValueError(
                f"split_special_tokens=True: {self._model_class} cuts special tokens in a way of "
                "its own, which is not followed here; leave the option out"
            )
        own = self.wwho.info.added
        hidden = {(token.id, token.text) for token in own if token.flags & Flag.HIDDEN}
        normalized = {token.id for token in own if token.flags & Flag.NORMALIZED}
        for text, token_id in zip(self.all_special_tokens, self.all_special_ids, strict=True):
            if token_id in normalized - self._reader.special and (token_id, text) in hidden:
                raise ValueError(
                    f"split_special_tokens=True: {text!r} is found by its normalized text, and not "
                    "split here; leave the option out, or let the token not be normalized"
                )

    def _check_new_name(self, name: str) -> None:
        """Raise ValueError if a token with this name has another text than the name.

        A name that no token has is fine, and so is that of a token whose text it is.

        Raises:
            ValueError: the message names the token.
        """
        token, text = self._token_id(name), name.encode("utf-8")
        if token is None:
            return
        token_text = self.wwho.decode_single_token_bytes(token)
        if text not in (token_text, self.wwho.decode_bytes([token])):
            raise ValueError(
                f"cannot add the token {name!r}: it is what {token_text!r}, the token {token}, is "
                "called here; choose another text"
            )

    def save_vocabulary(
        self, save_directory: str, filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Write the model into a folder, and the Python file by which AutoTokenizer opens it.

        `save_pretrained` calls it. The model is written without tokens that were added to it:
        transformers writes those into its own files. Of a class that cuts words by a program, such
        as BERT Japanese with MeCab, the class's own files are written, without a prefix.

        Args:
            save_directory: a folder that is there.
            filename_prefix: a prefix for the name of the model's file, followed by a hyphen.

        Returns:
            The paths of the files. They replace files that are there.

        Raises:
            OSError: a file cannot be written.
        """
        prefix = f"{filename_prefix}-" if filename_prefix else ""
        if self._words is None:
            paths = [os.path.join(save_directory, prefix + VOCAB_FILE)]
            self.wwho.save(paths[0])
        else:
            # An artifact cannot cut words; the files of the class are read again.
            paths = [os.path.join(save_directory, name) for name in self._words.files]
            for path, content in zip(paths, self._words.files.values(), strict=True):
                write_atomic(path, content)
        code_path = os.path.join(save_directory, CODE_FILE)
        write_atomic(code_path, CODE.encode())
        return *paths, code_path

    def build_inputs_with_special_tokens(self, *texts: list[int]) -> list[int]:
        """Return the ids of one text, or of two, with special tokens around them.

        These are those of the option `special_tokens_pattern`, if it was given, otherwise those of
        the model's template.

        Args:
            texts: one or two lists of ids, which are not changed.

        Raises:
            ValueError: the pattern needs a special token that this tokenizer does not have.
        """
        if (template := self.template) is not None:
            if (end := self.single_end) is not None:
                texts = tuple(ids[:-1] if ids and ids[-1] == end else ids for ids in texts)
            return template.ids(*texts)
        ids: list[int] = super().build_inputs_with_special_tokens(*texts)
        if None in ids:
            roles = self.special_tokens_pattern.replace("double_", "").split("_")
            missing = [f"{role}_token" for role in roles if getattr(self, f"{role}_token") is None]
            raise ValueError(
                f"special_tokens_pattern={self.special_tokens_pattern!r} needs a "
                f"{' and a '.join(missing)}, which this model does not have: name it "
                f"({missing[0]}='...'), or choose another pattern"
            )
        return ids

    def create_token_type_ids_from_sequences(
        self, token_ids_0: list[int], token_ids_1: list[int] | None = None
    ) -> list[int]:
        """Return the token type of each id of what `build_inputs_with_special_tokens` returns.

        Args:
            token_ids_0: the ids of the first text.
            token_ids_1: those of the second; None for no second text.
        """
        if (template := self.template) is not None:
            places = template.fill(token_ids_0, token_ids_1, lambda place: place.id)
            return [place.type_id for place, _ in places]
        type_ids: list[int] = super().create_token_type_ids_from_sequences(token_ids_0, token_ids_1)
        return type_ids

    @property
    def template(self) -> Template | None:
        """The model's template, with the language of texts or targets.

        It is None if the model has none, or if `special_tokens_pattern` was given.
        """
        if self.special_tokens_pattern is not None:
            return None
        return self._language_template or self.wwho.info.template

    @property
    def single_end(self) -> int | None:
        """The id that is put behind a text unless it is there; None if that makes no difference."""
        is_once = self._model_class in templates.END_ONCE and self.special_tokens_pattern is None
        return self.eos_token_id if is_once else None

    # Encoding

    @property
    def is_fast(self) -> bool:
        """True if offsets, words and `char_to_token` work, as they do for Rust tokenizers.

        They do not if a program cuts the words of the model's class, such as MeCab. That they work
        does not mean that there is a `backend_tokenizer`.
        """
        return self._words is None

    @property
    def backend_tokenizer(self) -> tokenizers.Tokenizer:
        """The model as a `tokenizers.Tokenizer` with the same ids, made at first use.

        It is no part of this tokenizer: what is changed in it changes nothing here.

        Raises:
            BackendTokenizerError: (also an AttributeError) the model cannot be expressed so, such
                as one with syllables, or puts special tokens around texts that an option names.
        """
        return self._make_backend_tokenizer()

    def __getattr__(self, key: str) -> Any:
        """Return an attribute that is not there otherwise, such as `eos_token_id`.

        Raises:
            AttributeError: there is none. Python asks here, too, where a property raises it: that
                of `backend_tokenizer` keeps its reason.
        """
        if key == "backend_tokenizer":
            return self._make_backend_tokenizer()
        return super().__getattr__(key)

    def _make_backend_tokenizer(self) -> tokenizers.Tokenizer:
        """Return what `backend_tokenizer` is, or raise what it raises."""
        if self._words is not None:
            raise BackendTokenizerError(
                f"{self.wwho.name} has no backend_tokenizer: {program_name(self._words)} cuts the "
                "words of its class, and no tokenizer of `tokenizers` runs that program"
            )
        if self.template != self._reader.enc.info.template:
            raise BackendTokenizerError(
                f"{self.wwho.name} has no backend_tokenizer: an option of this tokenizer "
                "(special_tokens_pattern or a language), not the model, says what stands around a "
                "text"
            )
        if self._reader.backend is None:
            self._reader.backend = backend_tokenizer(self._reader.enc)
        return self._reader.backend

    def _encode_plus(self, text: Any, text_pair: Any = None, **options: Any) -> BatchEncoding:
        """Encode a text, a pair, or a batch of either: the implementation of calling a tokenizer.

        Args:
            text: a text, words or ids; or a batch: a list of these, or of pairs of these.
            text_pair: the second inputs, in the same form; None for none.
            options: the fields of `CallOptions`, and others, which change no ids. Where tokens are
                drawn, each text of the call has a number as in `wwho.Tokenizer.encode_batch`: of
                pairs each text counts, and of inputs in words each word.

        Returns:
            Columns with a list for each row; for a single text without overflow or tensors, the
            list of its only row. transformers may log a warning that it is too long for a model.

        Raises:
            SamplingError: the model cannot be sampled as the options say, or there is no seed.
            TypeError: an input is neither text, words nor ids.
            ValueError: the options do not fit the inputs; or one would change ids in a class of
                transformers, and is no option of a call here.
        """
        check_call(options, CALL_OPTIONS)
        call = CallOptions.from_arguments(options)
        samples, is_batch = samples_of(text, text_pair, call.is_split_into_words)
        if not is_batch and text_pair is not None and runs_in_python(self.wwho.info):
            samples = [(text, text_pair)]
        # apply_chat_template of newer versions of transformers asks for it.
        if options.get("sanitize_control_tokens"):
            from transformers.utils.chat_template_utils import encode_marked_chat

            samples = [(encode_marked_chat(self, chat), pair) for chat, pair in samples]
        batch = BatchEncoder(self, self._reader, samples, call).to_batch_encoding()
        longest: list[int] = max(batch["input_ids"], key=len, default=[])
        verbose = options.get("verbose", True)
        self._eventual_warn_about_too_long_sequence(longest, call.max_length, verbose)
        if is_batch or call.return_tensors is not None or call.return_overflowing_tokens:
            return batch
        row = {name: rows[0] if isinstance(rows[0], list) else rows for name, rows in batch.items()}
        return BatchEncoding(row, batch.encodings, n_sequences=batch.n_sequences)

    def tokenize(
        self, text: str, pair: str | None = None, add_special_tokens: bool = False, **options: Any
    ) -> list[str]:
        """Return the names of the tokens of a text, or of two.

        Args:
            text: the text.
            pair: a second text.
            add_special_tokens: whether special tokens are put around the texts.
            options: others of a call of the tokenizer.
        """
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
        """Train a tokenizer with a new vocabulary, and all else as here (needs the extra `train`).

        If this one has a base and schemas, the new one is trained over the same base, whose ids
        stay. If it is a base vocabulary, such as o200k_base, the pretokenizer stays and all tokens
        are learnt anew. If it comes from a tokenizer.json with a byte-level BPE, its normalizer,
        pretokenizer, template, decoder and added tokens stay, with new ids, and the merges are
        those that `tokenizers` learns from the same texts.

        Args:
            text_iterator: texts, or batches of them.
            vocab_size: how many ids there may be, the base's among them.
            length: ignored.
            new_special_tokens: special tokens that the new one has beyond those of this one.
            special_tokens_map: new texts for some special tokens, by their old texts.
            options: of `wwho.train.train`: `min_freq`, `prune`, `processes` and so on. If this one
                comes from a tokenizer.json, `min_freq` alone; it is 1 there.

        Raises:
            ImportError: the extra `train` is not installed.
            ValueError: the base alone has that many ids, or as for `wwho.train.train`. Or this one
                is of a kind for which there is no trainer, such as WordPiece and Unigram; or has
                something that training cannot keep; the message names it.

        Example:
            >>> texts = ["low", "lower", "new", "newer"] * 10
            >>> tokenizer = WWHOTokenizer("o200k_base").train_new_from_iterator(texts, 300)
            >>> tokenizer.tokenize("newer or lower")
            ['newer', ' ', 'o', 'r', ' ', 'lower']
        """
        if self._words is not None:
            raise ValueError(
                f"train_new_from_iterator: {program_name(self._words)} cuts the words of this "
                "model, which no trainer here does: train with transformers' own class"
            )
        new_texts = special_tokens_map or {}
        old = {str(token): token for token in self.added_tokens_decoder.values() if token.special}
        new = list(new_special_tokens or ())

        def with_new_text(text: str) -> AddedToken:
            """Return the special token with an old text, with its new text if it has one."""
            content = new_texts.get(text, text)
            return _changed_token(old[text], content=content, special=True, normalized=False)

        specials = [*(new_texts.get(text, text) for text in old), *map(str, new)]
        if KEY in self.wwho.info.provenance:
            kept = [
                with_new_text(token.content) if token.special else token
                for token in self.added_tokens_decoder.values()
            ]
            added = [*kept, *map(_special, new)]
            enc = train_document(self.wwho, added, text_iterator, vocab_size, new_texts, **options)
        else:
            check_kept(self.wwho)
            enc = train_like(self.wwho, text_iterator, vocab_size, specials, **options)
        with_roles = {role: with_new_text(text) for role, text in self.special_tokens_map.items()}
        usual_roles = type(self).SPECIAL_TOKENS_ATTRIBUTES
        arguments = {
            **self.init_kwargs,
            **{role: token for role, token in with_roles.items() if role in usual_roles},
            "model_specific_special_tokens": {
                role: token for role, token in with_roles.items() if role not in usual_roles
            },
            "extra_special_tokens": [*map(with_new_text, self.extra_special_tokens), *new],
            "chat_template": self.chat_template,
            # Options have done what they do: the components have them.
            GIVEN: (),
        }
        return type(self)(enc, **arguments)

    @classmethod
    def register_for_auto_class(cls, auto_class: str = "AutoTokenizer") -> None:
        """Do nothing: `save_pretrained` writes what AutoTokenizer needs anyway."""


def _take_extra_special_tokens(options: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """Take the special tokens beyond the usual roles out of the options, which are changed.

    Of the two names for those without a name, the older counts only if the newer is not given.

    Returns:
        The tokens with a name of their own, by name; and those without.
    """
    named = dict(options.pop("model_specific_special_tokens", None) or {})
    older = options.pop("additional_special_tokens", None)
    tokens = options.pop("extra_special_tokens", older) or []
    if isinstance(tokens, dict):
        return {**named, **tokens}, []
    return named, [*tokens]


def _drop_unknown_extra(options: dict[str, Any], given: Mapping[str, Any], info: Info) -> None:
    """Leave out, in place, extra tokens of a folder's files that the class of the folder drops.

    transformers reads them from special_tokens_map.json for any class.

    Args:
        options: the options, in which lists of extra tokens change.
        given: those that the caller gives, which stay as they are.
        info: of the model, as the class has made it of the folder: its added tokens are all that
            count, and none of the files' if the class has extra tokens of its own in their place.
    """
    known = {token.content for token in added_tokens_of(info).values()}
    has_own = "extra_special_tokens" in (class_defaults(info) or {})
    for name in {"extra_special_tokens", "additional_special_tokens"} - given.keys():
        if not isinstance(options.get(name), (list, tuple)):
            continue
        if has_own:
            del options[name]
        else:
            options[name] = [token for token in options[name] if str(token) in known]


def _tokens_with_roles(
    options: dict[str, Any], usual_roles: Iterable[str]
) -> list[str | AddedToken]:
    """Return the special tokens that options give to roles, usual ones first, then named ones."""
    usual = [options[role] for role in usual_roles if options.get(role)]
    return [*usual, *options["model_specific_special_tokens"].values()]


def _flagged_tokens(tokens: Iterable[str | AddedToken]) -> dict[str, AddedToken]:
    """Return, by their texts, the tokens that say how they are found: those that are no `str`."""
    return {str(token): token for token in tokens if isinstance(token, AddedToken)}


def _changed_token(token: AddedToken, **changes: Any) -> AddedToken:
    """Return a copy of an added token with other values for some of its attributes."""
    return AddedToken(**{**token.__getstate__(), **changes})


def _special(token: str | AddedToken) -> AddedToken:
    """Return a special token, found by its text as it stands unless the token says otherwise."""
    if isinstance(token, AddedToken):
        return _changed_token(token, special=True)
    return AddedToken(token, special=True, normalized=False)


def _put_added_token(added: dict[int, AddedToken], token_id: int, token: AddedToken) -> bool:
    """Put an added token at an id into `added`, in place, over the token that has this id.

    If the token before has the same content and is special, a copy of the new one that is special
    is put there.

    Returns:
        True if this changes `added`; False if the same token was there already.
    """
    before = added.get(token_id)
    was_special = before is not None and before.special and before.content == token.content
    token = _changed_token(token, special=token.special or was_special)
    if before == token:
        return False
    added[token_id] = token
    return True


def _saved_settings(files: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings in the tokenizer_config.json that was saved beside an artifact.

    Args:
        files: the paths of a folder's files, by the keys that transformers gives them:
            "vocab_file" for the vocabulary, "tokenizer_config_file" for the settings.

    Returns:
        The file's content; {} if it is missing, or if the vocabulary is not an artifact
        (a file named `VOCAB_FILE`), for such settings are read with the vocabulary.
    """
    path = files.get("tokenizer_config_file")
    if not path or not str(files.get("vocab_file")).endswith(VOCAB_FILE):
        return {}
    settings: dict[str, Any] = json.loads(Path(path).read_text("utf-8"))
    return settings


def _options_of_tokenizer_json(source: Any) -> dict[str, Any]:
    """Return the sides, the padding token and its type id of a tokenizer.json, for transformers.

    The keys are truncation_side and padding_side ("left" or "right"), pad_token and
    pad_token_type_id, each only if the file has it. Lengths and strategies are left out.

    Args:
        source: the file, or the folder that it is in. There are no options ({}) if it is no path,
            if there is no such file, if its name does not end in .json, or if it has no model.
    """
    if not isinstance(source, (str, os.PathLike)):
        return {}
    path = Path(source)
    path = path / "tokenizer.json" if path.is_dir() else path
    if path.suffix != ".json" or not path.is_file():
        return {}
    document = json.loads(path.read_text("utf-8-sig"))
    if not (isinstance(document, dict) and isinstance(document.get("model"), dict)):
        return {}
    options: dict[str, Any] = {}
    for key in ("truncation", "padding"):
        if settings := document.get(key):
            options[f"{key}_side"] = settings.get("direction", "Right").lower()
    padding = document.get("padding") or {}
    for option, key in {"pad_token": "pad_token", "pad_token_type_id": "pad_type_id"}.items():
        if (value := padding.get(key)) is not None:
            options[option] = value
    return options
