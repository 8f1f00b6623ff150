"""The added tokens of a folder, as the fast classes of transformers add them.

The settings name tokens in several places, of several ages. Tokens that the vocabulary has keep
their ids there; others get the next free ids in the order in which they are added, whatever ids the
settings tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from wwho.errors import SourceError
from wwho.importers.source import shown
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.given_twice import check_given_twice

ROLES = (
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
)
"""The roles that every tokenizer of transformers knows, in the order in which tokens are added."""
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
EXTRA = ("additional_special_tokens", "extra_special_tokens")
LISTED = "added_tokens_decoder"


@dataclass(frozen=True)
class Token:
    """A token that is found in a text as a whole.

    Attributes:
        content: its text.
        special: whether it is left out of decoded text.
        single_word: whether it is found only where no letter or digit is beside it.
        lstrip: whether it takes the white space before it.
        rstrip: whether it takes the white space after it.
        normalized: whether it is found in normalized text; None: unless it is special.
        is_bare: whether the settings give its text alone, so that the class may say the rest.
    """

    content: str
    special: bool = False
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool | None = None
    is_bare: bool = field(default=False, compare=False)

    def entry(self, number: int) -> dict[str, Any]:
        """Return the token as a tokenizer.json lists it, with an id."""
        return {"id": number, **self.flags()}

    def flags(self) -> dict[str, Any]:
        """Return the token's text and all of its flags, by name."""
        normalized = not self.special if self.normalized is None else self.normalized
        flags = {name: getattr(self, name) for name in FLAGS} | {"normalized": normalized}
        return {"content": self.content, **flags}


@dataclass(kw_only=True)
class Tokens:
    """The tokens that the settings of a folder name.

    Attributes:
        roles: those with a role of `ROLES`; None: the settings say that there is none.
        named: those with a name of the model's own, such as "image_token".
        to_class: those of them that the class itself is given, as arguments; None for null. It is
            not given a text alone of tokenizer_config.json.
        extra: other special ones.
        names_extra: whether the settings have a list of these, be it empty, that goes before the
            extra tokens of a SentencePiece model.
        listed: those with ids, by these.
    """

    roles: dict[str, Token | None] = field(default_factory=dict)
    named: dict[str, Token] = field(default_factory=dict)
    to_class: dict[str, Token | None] = field(default_factory=dict)
    extra: list[Token] = field(default_factory=list)
    names_extra: bool = False
    listed: dict[int, Token] = field(default_factory=dict)

    def with_defaults(self, defaults: Mapping[str, Any]) -> Tokens:
        """Return these tokens, and for each role that the settings do not mention the default.

        Args:
            defaults: texts or tokens by role or by a name that ends in "_token", and a list of
                texts as "extra_special_tokens", which counts where the settings have no list.
        """
        usual = {
            name: Token(token, special=True) if isinstance(token, str) else token
            for name, token in defaults.items()
            if name.endswith("_token") and isinstance(token, (str, Token))
        }
        roles = {
            role: replace(usual[role], content=token.content)
            if token is not None and token.is_bare and role in usual
            else token
            for role in ROLES
            if role in self.roles or role in usual
            for token in [self.roles.get(role, usual.get(role))]
        }
        named = {
            name: token
            for name, token in usual.items()
            if name not in ROLES and self.to_class.get(name, token) is not None
        } | self.named
        extra = self.extra
        if not extra and not self.names_extra:
            texts = defaults.get("extra_special_tokens", ())
            extra = [Token(text, special=True) for text in texts]
        return replace(self, roles=roles, named=named, extra=extra)

    def in_order(self) -> Iterator[Token]:
        """Yield the tokens in the order in which they are added; a text may come several times.

        One that has a role or a name is special, whatever the list says of it.
        """
        roles = [token for role in ROLES if (token := self.roles.get(role)) is not None]
        special = {token.content for token in (*roles, *self.named.values())}
        listed = [token for _, token in sorted(self.listed.items())]
        known = {token.content for token in listed}
        others = [*roles, *self.named.values(), *self.extra]
        for token in (*listed, *(each for each in others if each.content not in known)):
            yield replace(token, special=True) if token.content in special else token

    def again(self) -> Iterator[Token]:
        """Yield the tokens that some classes add a second time, all of them as special ones.

        They are those with roles and names and the extra ones, without those that are listed.
        """
        roles = [token for role in ROLES if (token := self.roles.get(role)) is not None]
        for token in (*roles, *self.named.values(), *self.extra):
            yield replace(token, special=True)


def read_tokens(folder: ModelFolder) -> Tokens:
    """Return the tokens that the settings of a folder name.

    tokenizer_config.json counts; where it has no list with ids, special_tokens_map.json goes before
    it, and added_tokens.json has the ids, or the folder's `document`.

    Raises:
        SourceError: a token is none, or the settings are damaged.
    """
    settings = folder.settings
    listed = settings.get(LISTED)
    older = {} if listed is not None else folder.json("special_tokens_map.json")
    extra, names_extra, by_name = _extra(settings, older)
    tokens = Tokens(listed=_listed_tokens(listed or {}), extra=extra, names_extra=names_extra)
    if listed is None:
        tokens.listed = _older_listed(folder, settings, older)
    by_text = {token.content: token for token in tokens.listed.values()}
    by_text_alone = {}
    for source, values in (("tokenizer_config.json", settings), ("special_tokens_map.json", older)):
        is_older = values is older
        for key in [*values]:
            if not key.endswith("_token") or isinstance(values[key], bool):
                continue
            if not is_older and is_plain_object(values.get(key)):
                # transformers takes it for no token: with a role it is an error, else nothing.
                if key in ROLES and key not in older:
                    _refuse(f"{source}: {key}", values[key], 'a text, or "__type": "AddedToken"')
                continue
            token = _token(values.get(key), f"{source}: {key}", special=is_older)
            if key in ROLES:
                tokens.roles[key] = token
            elif token is not None and token.is_bare and not is_older:
                by_text_alone[key] = token
            else:
                tokens.to_class[key] = token
    tokens.named = {key: token for key, token in tokens.to_class.items() if token is not None}
    tokens.named |= by_text_alone
    for key, value in by_name.items():
        found = _token(value, f"extra_special_tokens: {key}")
        if key in ROLES:
            tokens.roles[key] = found
        elif found is not None:
            tokens.named[key] = found
    for role, named in tokens.roles.items():
        if named is not None:
            tokens.roles[role] = by_text.get(named.content, named)
    return tokens


def _extra(
    settings: Mapping[str, Any], older: Mapping[str, Any]
) -> tuple[list[Token], bool, Mapping[str, Any]]:
    """Return the extra tokens of the settings, whether their list counts, and tokens by names.

    The older name of the list counts where the newer one has nothing. special_tokens_map.json adds
    to a list of the newer name. Its list of the older name is for settings without any, and gives
    way to the extra tokens of a SentencePiece model.

    Args:
        settings: the object in tokenizer_config.json.
        older: the object in special_tokens_map.json; {} if that does not count.

    Raises:
        SourceError: a list is none, or holds what is no token.
    """
    value: Any = settings.get("extra_special_tokens")
    if "additional_special_tokens" in settings and not value:
        value = settings.get("additional_special_tokens")
    is_there = any(key in settings for key in EXTRA)
    named: Mapping[str, Any] = {}
    if isinstance(value, dict):
        # Once these are taken out, the older name is the only one.
        named, value = value, settings.get("additional_special_tokens")
        is_there = value is not None
    found = _tokens_of(value, special=False)
    more = older.get("extra_special_tokens")
    if isinstance(more, dict):
        named = {**named, **more}
    elif more is not None:
        is_there = True
        found += [token for token in _tokens_of(more, special=True) if token not in found]
    if not is_there and "additional_special_tokens" in older:
        value = older["additional_special_tokens"]
        for each in value if isinstance(value, list) else ():
            if isinstance(each, dict):
                what = "special_tokens_map.json: additional_special_tokens"
                _refuse(what, each, "a text: transformers takes an object here for no token")
        found = _tokens_of(value, special=False)
    return found, is_there, named


def _tokens_of(value: Any, *, special: bool) -> list[Token]:
    """Return the tokens of a list in settings; none for null.

    A null in the list is passed over.

    Args:
        special: whether tokens given as texts are special.
        value: the value of the setting.

    Raises:
        SourceError: it is no list of tokens.
    """
    if value is None:
        return []
    if not isinstance(value, (list, tuple)):
        _refuse("extra_special_tokens", value, "a list or an object of tokens")
    found = (_token(each, "extra_special_tokens", special=special) for each in value)
    return [token for token in found if token is not None]


def _older_listed(
    folder: ModelFolder, settings: Mapping[str, Any], older: Mapping[str, Any]
) -> dict[int, Token]:
    """Return the tokens of added_tokens.json by their ids; one with a role or an extra is special.

    It is so if the settings give it as a text alone, or special_tokens_map.json in any form.

    The older name of the list of extra tokens does not count in special_tokens_map.json here. A
    token that is not special is normalized, and a special one is not. Tokens of a tokenizer.json go
    before those with the same ids, also for a class that takes nothing else from it.

    Args:
        folder: the folder of the model.
        settings: its settings.
        older: those of special_tokens_map.json, which count before them.

    Raises:
        SourceError: an id is no number from 0 on.
    """
    # An object of tokenizer_config.json is no token yet where transformers compares the texts.
    own = {role: settings.get(role) for role in ROLES}
    of_older = {role: _text(older[role]) for role in ROLES if role in older}
    special = {each for each in (own | of_older).values() if isinstance(each, str)}
    of_settings = settings.get("extra_special_tokens") or settings.get("additional_special_tokens")
    if isinstance(of_settings, list):
        special |= {each for each in of_settings if isinstance(each, str)}
    of_map = older.get("extra_special_tokens")
    if isinstance(of_map, list):
        special |= {each for each in map(_text, of_map) if each is not None}
    found: dict[int, Token] = {}
    for text, number in folder.json("added_tokens.json").items():
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            _refuse(f"added_tokens.json: the id of {shown(text)}", number, "a number from 0 on")
        found[number] = Token(text, special=text in special, normalized=text not in special)
    document = folder.document or folder.json("tokenizer.json")
    for each in document.get("added_tokens") or ():
        token = _token(each, "tokenizer.json: added_tokens")
        if token is None or type(each.get("id")) is not int:
            _refuse("tokenizer.json: added_tokens", each, "an object with a content and an id")
        found[each["id"]] = token
    return found


def _listed_tokens(listed: Any) -> dict[int, Token]:
    """Return the tokens of an added_tokens_decoder by their ids.

    Raises:
        SourceError: it is no object, a key is no number, or an item is no object with a content.
    """
    if not isinstance(listed, dict):
        _refuse(LISTED, listed, "an object")
    found: dict[int, Token] = {}
    for key, value in listed.items():
        if not key.isdecimal():
            _refuse(f"{LISTED}: an id", key, "a number from 0 on")
        if not isinstance(value, dict):
            _refuse(f"{LISTED}: {key}", value, "an object with a content")
        token = _token(value, f"{LISTED}: {key}")
        assert token is not None
        found[int(key)] = token
    return found


def _token(value: Any, where: str, *, special: bool = False) -> Token | None:
    """Return a token of the settings: a text, an object with one, or None for null.

    Args:
        value: the token as JSON has it.
        where: its place, for an error.
        special: whether an object is special without saying so.

    Raises:
        SourceError: it is none of these, or says of itself what is not known.
    """
    if value is None:
        return None
    if isinstance(value, str):
        return Token(value, special=True, is_bare=True)
    if not isinstance(value, dict) or not isinstance(value.get("content"), str):
        _refuse(where, value, "a text, or an object with a content")
    if unknown := value.keys() - {"content", "__type", "id", *FLAGS}:
        _refuse(where, min(unknown), f"content, {', '.join(FLAGS)}")
    flags = {name: value[name] for name in FLAGS if name in value}
    if wrong := [flag for flag in flags.values() if not isinstance(flag, bool)]:
        _refuse(where, wrong[0], "true or false")
    return Token(value["content"], **({"special": True} if special else {}) | flags)


def is_plain_object(value: Any) -> bool:
    """Return whether a token in tokenizer_config.json is an object that does not say it is one."""
    return isinstance(value, dict) and value.get("__type") != "AddedToken"


def _text(value: Any) -> str | None:
    """Return the text of a token in settings: a text, or an object with one; else None."""
    text = value.get("content") if isinstance(value, dict) else value
    return text if isinstance(text, str) else None


def _refuse(where: str, value: Any, expected: str) -> NoReturn:
    """Raise the error of a setting.

    Raises:
        SourceError: always.
    """
    raise SourceError(f"{where}: found {shown(value)}, expected {expected}")


def role(folder: ModelFolder, name: str, defaults: Mapping[str, Any]) -> str | None:
    """Return the text of a role, such as "cls_token", after all settings are read; None for none.

    Raises:
        SourceError: as `read_tokens` does.
    """
    token = read_tokens(folder).with_defaults(defaults).roles.get(name)
    return None if token is None else token.content


def with_tokens(
    folder: ModelFolder,
    document: dict[str, Any],
    defaults: Mapping[str, Any],
    extra: Sequence[Token] | None = None,
    *,
    twice: bool = False,
    by_texts: bool = False,
    raw: bool = False,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a document with the added tokens that transformers would give it, and notes.

    If the document has no post-processor, it gets the one that puts tokens for the beginning and
    the end around a text, as `add_bos_token` and `add_eos_token` say.

    Args:
        folder: the folder.
        document: a tokenizer.json without added tokens; it is not changed.
        defaults: what the class gives itself where the settings are silent: roles, and
            `extra_special_tokens`, `add_bos_token`, `add_eos_token`.
        extra: the extra tokens of a SentencePiece model, which count where tokenizer_config.json
            has no list of its own, whatever older files say.
        twice: whether the class adds its tokens a second time; see `Tokens.again`.
        by_texts: whether it does so by their texts alone, without what is said of them.
        raw: whether tokens with ids in the settings are found in text as it is given, whatever the
            settings say.

    Raises:
        SourceError: as `read_tokens` does.
    """
    tokens = read_tokens(folder).with_defaults(defaults)
    if extra is not None and not tokens.names_extra:
        tokens = replace(tokens, extra=list(extra))
    if raw:
        listed = {each: replace(one, normalized=False) for each, one in tokens.listed.items()}
        tokens = replace(tokens, listed=listed)
    vocab = vocabulary_ids(document)
    again: Iterable[Token] = tokens.again() if twice or by_texts else ()
    if by_texts:
        again = (Token(token.content, special=True) for token in again)
    in_order = [*tokens.in_order(), *again]
    check_given_twice(folder, document, [token.entry(0) for token in in_order])
    ids = new_ids(vocab, in_order, len(document["model"]["vocab"]))
    entries = [token.entry(number) for number, token in sorted(ids.items())]
    numbers = {**vocab, **{token.content: number for number, token in ids.items()}}
    notes = [
        f"added: {token.content!r} has the id {number}, and not {given}, which the settings tell: "
        "transformers counts on from the vocabulary"
        for number, token in ids.items()
        for given, listed in tokens.listed.items()
        if listed.content == token.content and given != number
    ]
    document = {**document, "added_tokens": entries}
    if "post_processor" not in document:
        document["post_processor"] = _around(folder, tokens, defaults, numbers)
    return document, tuple(notes)


def vocabulary_ids(document: Mapping[str, Any]) -> dict[str, int]:
    """Return the ids of the tokens of a document's model, without its added tokens."""
    vocab = document["model"]["vocab"]
    if isinstance(vocab, dict):
        return vocab
    return {text: number for number, (text, _) in enumerate(vocab)}


def new_ids(vocab: Mapping[str, int], tokens: Iterable[Token], size: int) -> dict[int, Token]:
    """Return the id of each added token, by the rule of `tokenizers`; of equal texts the last.

    Args:
        vocab: the ids of the model's own tokens.
        tokens: the tokens in the order in which they are added.
        size: how many tokens the model has, be it several with the same text.
    """
    ids: dict[int, Token] = {}
    numbers: dict[str, int] = {}
    for token in tokens:
        if not token.content:
            continue
        highest = max(ids, default=-1)
        free = highest + 1 if highest >= size else size
        ids[numbers.setdefault(token.content, vocab.get(token.content, free))] = token
    return ids


def _around(
    folder: ModelFolder, tokens: Tokens, defaults: Mapping[str, Any], ids: Mapping[str, int]
) -> dict[str, Any]:
    """Return the post-processor that puts the first and the last token around a text.

    A token is put if the settings, or else `defaults`, say so (add_bos_token, add_eos_token) and
    the tokenizer has one.
    """
    texts = {}
    for option, name in (("add_bos_token", "bos_token"), ("add_eos_token", "eos_token")):
        is_wanted = folder.settings.get(option, defaults.get(option, False))
        token = tokens.roles.get(name)
        texts[name] = token.content if is_wanted and token is not None else ""
    return template(texts["bos_token"], texts["eos_token"], ids)


def template(before: str, behind: str, ids: Mapping[str, int]) -> dict[str, Any]:
    """Return the post-processor that puts a token before each text and one behind it; "" for none.

    Args:
        before: the text of the first token.
        behind: the text of the last one.
        ids: the ids of both.
    """

    def pieces(name: str, kind: int) -> list[Any]:
        """Return the places of one of two texts."""
        first, last = (
            [{"SpecialToken": {"id": text, "type_id": kind}}] if text else [] for text in both
        )
        return [*first, {"Sequence": {"id": name, "type_id": kind}}, *last]

    both = (before, behind)
    first, second = pieces("A", 0), pieces("B", 1)
    used = {text: {"id": text, "ids": [ids[text]], "tokens": [text]} for text in both if text}
    return {
        "type": "TemplateProcessing",
        "single": first,
        "pair": first + second,
        "special_tokens": used,
    }
