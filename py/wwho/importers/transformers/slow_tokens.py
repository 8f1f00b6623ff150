"""The added tokens of classes that transformers runs in Python, and artifacts that have them.

Such a class finds added tokens in the text as it is given, and takes their ids from the settings,
where these list them; others get the next free ids. A token has the flags that the list gives it,
and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from wwho.assemble.fold import fold
from wwho.errors import SourceError
from wwho.format.decoder import Join, Replace, Step, Strip
from wwho.format.layout import MAX_IDS
from wwho.format.model import Artifact, Ids, Model
from wwho.format.steps import Rewrite
from wwho.format.template import Template
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns
from wwho.importers.huggingface.read import check_size, literal
from wwho.importers.reader import Options
from wwho.importers.source import Source, shown
from wwho.importers.transformers.byte_level import json_defaults
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft
from wwho.importers.transformers.tokens import (
    EXTRA,
    LISTED,
    ROLES,
    Token,
    is_plain_object,
    read_tokens,
)
from wwho.interchange.tokenizer_json import KEY

INPUTS = ["input_ids", "attention_mask"]
"""What a class gives that does not say what it gives."""
SPACES = "".join(chr(point) for point in range(0x3001) if chr(point).isspace())
"""White space, as Python knows it."""
WHITE_SPACE = "".join(each for each in SPACES if not "\x1c" <= each <= "\x1f")
"""White space, as Unicode and the package regex know it."""
ENDS_TWICE = (
    "a text that ends in the eos_token: a .wwho file puts another one behind it, which the class "
    "and `wwho.hf` leave out"
)
"""What an artifact does otherwise than classes that put an end behind a text unless it is there."""
AT_ENDS = Strip(" ", 255, 255)


def joined(*replaced: tuple[str, str]) -> tuple[Step, ...]:
    """Return the steps of a decoder that puts spaces between tokens, and then replaces texts.

    Args:
        replaced: pairs of a text and what replaces it.
    """
    return (Join(" "), *(Replace(old, new) for old, new in replaced), AT_ENDS)


def in_class(characters: str) -> str:
    """Return the pattern of one character out of several."""
    return "[" + "".join(f"\\x{{{ord(each):X}}}" for each in characters) + "]"


def lines_of(file: Source) -> list[str]:
    """Return the lines of a file, as Python reads them.

    Raises:
        SourceError: the file is not UTF-8.
    """
    lines = split_lines(file)
    return lines[:-1] if not lines[-1] else lines


def split_lines(file: Source) -> list[str]:
    """Return the lines of a file, and what stands behind the last line feed, if only "".

    Raises:
        SourceError: the file is not UTF-8.
    """
    try:
        text = file.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SourceError(f"{file.name}: byte {error.start} is not UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@dataclass(frozen=True, kw_only=True)
class SlowTokens:
    """The added tokens of a folder.

    Attributes:
        ids: their ids, by their texts.
        tokens: the tokens, in the order in which they are added.
        roles: the texts of the roles, and of tokens with names of their own.
        vocabulary: the ids of the class's own tokens, by their texts.
    """

    ids: Mapping[str, int]
    tokens: tuple[Token, ...]
    roles: Mapping[str, str]
    vocabulary: Mapping[str, int]

    @property
    def size(self) -> int:
        """The number of all tokens, without those that have the id of one of the vocabulary."""
        known = {*self.vocabulary.values()}
        new = (text for text, number in self.ids.items() if number not in known)
        return len({*self.vocabulary, *new})

    def id_of(self, role: str) -> int:
        """Return the id of a role.

        Raises:
            SourceError: there is no such token.
        """
        text = self.roles.get(role)
        if text is None or text not in self.ids:
            raise SourceError(
                f"{role}: found {shown(text)}, expected a token, which this class puts around texts"
            )
        return self.ids[text]

    def unknown(self) -> str:
        """Return the text of the unknown token, which is one of the vocabulary.

        Raises:
            SourceError: it is none.
        """
        text = self.roles.get("unk_token")
        if text not in self.vocabulary:
            raise SourceError(
                f"unk_token: found {shown(text)}, which is no token of the vocabulary"
            )
        return str(text)


@dataclass(frozen=True, kw_only=True)
class Counting:
    """How a class counts ids for tokens that are added, if it does not know its own tokens yet.

    Attributes:
        before: the texts of the tokens that it counts before it adds any.
        pieces: the texts of tokens for which it counts none.
    """

    before: Collection[str]
    pieces: Collection[str]


def slow_tokens(
    folder: ModelFolder,
    vocabulary: Mapping[str, int],
    defaults: Mapping[str, Any],
    first: Mapping[int, Token] | None = None,
    counting: Counting | None = None,
) -> SlowTokens:
    """Return the added tokens of a folder, as a class that transformers runs in Python adds them.

    First come `first` and the tokens that the settings list, by their ids; then the special tokens
    that are not among these: roles, tokens with names of their own, extra ones. Such a one keeps
    its id if the vocabulary has it. Else its id is the number of the texts known so far, those of
    the vocabulary and of all tokens before it, whatever the highest id is.

    Args:
        folder: the folder.
        vocabulary: the ids of the class's own tokens, by their texts.
        defaults: what the class gives itself where the settings are silent; see `Draft`.
        first: tokens that the class lists itself, by their ids, before those of the settings.
        counting: how the class counts new ids; None: all tokens that are known are counted.

    Raises:
        SourceError: a setting is not understood; a listed token has an empty text or `single_word`;
            an id, be it listed or new, belongs to another token or is out of range; or one token
            ends in white space and another takes the white space before it.
    """
    check_unique(vocabulary)
    _check_extra(folder)
    found = read_tokens(folder).with_defaults(defaults)
    roles = {name: each.content for name, each in found.roles.items() if each is not None}
    named = {name: each.content for name, each in found.named.items()}
    special = [*roles.values(), *named.values(), *(each.content for each in found.extra)]
    ids: dict[str, int] = {}
    tokens: list[Token] = []
    owners = {number: text for text, number in vocabulary.items()}
    for number, token in sorted({**(first or {}), **found.listed}.items()):
        text = token.content
        check_id(text, number)
        if not text or token.single_word:
            raise SourceError(
                f"{LISTED}: {number}: found {shown(text)}, single_word "
                f"{'true' if token.single_word else 'false'}; expected a text that is found "
                "anywhere: this class finds single words by a rule of its own"
            )
        if vocabulary.get(text, number) != number or owners.setdefault(number, text) != text:
            raise SourceError(
                f"{LISTED}: {number}: found {shown(text)}, but in the vocabulary "
                f"{shown(owners.get(number))} has this id, and {shown(text)} has "
                f"{vocabulary.get(text, 'none')}"
            )
        if ids.setdefault(text, number) != number:
            raise SourceError(
                f"{shown(text)} is found with the ids {ids[text]} and {number}, expected one"
            )
        tokens.append(replace(token, special=text in special, normalized=False))
    free = len({*(counting.before if counting else vocabulary), *ids})
    for text in dict.fromkeys(special):
        if not text or text in ids:
            continue
        if text in vocabulary:
            ids[text] = vocabulary[text]
            free += counting is not None and text not in counting.pieces
        elif counting is not None and text in counting.pieces:
            raise SourceError(
                f"{shown(text)} is a piece of the SentencePiece model and no token of the class's "
                "vocabulary: it would get the number of the piece, which is the id of another token"
            )
        else:
            if owners.setdefault(free, text) != text:
                raise SourceError(
                    f"{shown(text)} would get the id {free}, which {shown(owners[free])} has: "
                    "the vocabulary has gaps, or the class gives one id to both"
                )
            ids[text] = free
            free += 1
        tokens.append(Token(text, special=True, normalized=False))
    ends = [token.content for token in tokens if token.content[-1:].isspace()]
    if ends and (takers := [token.content for token in tokens if token.lstrip]):
        raise SourceError(
            f"{shown(ends[0])} ends in white space, which {shown(takers[0])} takes from what "
            "stands before it: transformers then finds another token; set its lstrip to false"
        )
    return SlowTokens(
        ids=ids, tokens=tuple(tokens), roles={**named, **roles}, vocabulary=dict(vocabulary)
    )


def _check_extra(folder: ModelFolder) -> None:
    """Refuse an extra token that is an object and does not say so, and roles among extra tokens.

    Raises:
        SourceError: there is such an object: transformers finds its whole text instead; or a role:
            the class makes its vocabulary before it hears of it.
    """
    extra = folder.settings.get("extra_special_tokens")
    if roles := [name for name in ROLES if isinstance(extra, dict) and name in extra]:
        raise SourceError(
            f"extra_special_tokens: found {roles[0]}, expected names of other tokens: give it "
            f"outside of the object, as {roles[0]}"
        )
    for key in EXTRA:
        value = folder.settings.get(key)
        for each in value if isinstance(value, list) else ():
            if is_plain_object(each):
                raise SourceError(
                    f"tokenizer_config.json: {key}: found {shown(each)}, expected a text, or "
                    '"__type": "AddedToken" in the object: without it this class of transformers '
                    "looks for the text of the whole object"
                )


def check_id(text: str, number: Any) -> None:
    """Refuse an id of a token that no artifact can hold.

    Raises:
        SourceError: it is no number, or one that is too large.
    """
    if type(number) is not int or not 0 <= number < MAX_IDS:
        raise SourceError(
            f"the id of {shown(text)}: found {shown(number)}, expected a number from 0 to "
            f"{MAX_IDS - 1}"
        )


def check_unique(vocabulary: Mapping[str, int]) -> None:
    """Refuse a vocabulary, ids by tokens, in which two tokens have one id.

    Raises:
        SourceError: two tokens have one id, or an id is not a whole number from 0 on.
    """
    owners: dict[int, str] = {}
    for text, number in vocabulary.items():
        check_id(text, number)
        if owners.setdefault(number, text) != text:
            raise SourceError(
                f"the vocabulary gives the id {number} to {shown(owners[number])} and to "
                f"{shown(text)}; a line or a special token comes twice"
            )


def draft_of_parts(
    folder: ModelFolder,
    options: Options,
    document: dict[str, Any],
    ids: Mapping[str, int | None],
    tokens: SlowTokens,
    *,
    rewrites: Callable[[Patterns], list[Rewrite]] | None = None,
    template: Template | None = None,
    decoder: Iterable[Step] | None = None,
    surfaces: Mapping[int, bytes] | None = None,
    defaults: Mapping[str, Any],
    notes: Iterable[str] = (),
) -> Draft:
    """Return the `Draft` of a class that transformers runs in Python, from the parts it is made of.

    The draft holds a folded artifact, and how many tokens the class counts.

    Args:
        folder: the folder, whose settings the artifact records.
        options: what the caller says: the artifact records it, and `like_tokenizers` counts.
        document: a tokenizer.json without added tokens and post-processor, whose model has the
            tokens of `ids`, by any ids.
        ids: the id of each token of the model, by its text there; None: it has none, and stands for
            the unknown token where it is what a text becomes.
        tokens: the added tokens.
        rewrites: makes the steps of the normalizer; None: there are none but the document's.
        template: what stands around texts; None: nothing, and the second text of a pair has type 1.
        decoder: the steps by which the texts of tokens are joined; None: those of the document.
        surfaces: the texts, for the decoder, of tokens that have another one in the model: by id.
        defaults: see `Draft`.
        notes: see `Draft`.

    Raises:
        SourceError, ArtifactError: no artifact can hold it.
    """
    numbers = {text: number for number, text in enumerate(ids)}
    document = {
        "version": "1.0",
        "normalizer": None,
        "pre_tokenizer": None,
        **document,
        "added_tokens": [token.entry(0) for token in tokens.tokens],
        "model": {**document["model"], "vocab": numbers},
    }
    source = Source(folder.path / "tokenizer_config.json")
    artifact, found = literal(document, source, options, rewrites)
    artifact = _with_ids(artifact, list(ids.values()), tokens.ids)
    assert artifact.decoder is not None
    if decoder is not None:
        steps, texts = tuple(decoder), surfaces or {}
        joins = replace(artifact.decoder, steps=steps, surfaces=texts)
        artifact = replace(artifact, decoder=joins)
    artifact = replace(
        artifact,
        template=template or Template(),
        provenance={
            **{key: value for key, value in artifact.provenance.items() if key != KEY},
            "vocab_size": str(len(tokens.vocabulary)),
        },
    )
    folded = fold(artifact)
    check_size(Value(document), folded)
    kept = [note for note in found if "other ids than the file says" not in note]
    return Draft(
        artifact=folded,
        tokens=tokens.size,
        in_python=True,
        defaults=json_defaults({"model_input_names": INPUTS, **defaults}),
        notes=(*kept, *notes),
    )


def _with_ids(artifact: Artifact, ids: list[int | None], added: Mapping[str, int]) -> Artifact:
    """Return an artifact with other ids for the tokens of its one model and for its added tokens.

    An added token that is not in `added` gets the new id of its old one, or goes if that is None or
    an id in `added`.

    Args:
        artifact: the artifact, whose model's ids count from 0 on.
        ids: for each of these its new id, or None for none.
        added: the ids of the added tokens, by their texts.
    """
    old = artifact.token_ids[0]
    hidden = [token for token in artifact.added if token.text not in added]
    tokens = [
        *(replace(each, id=added[each.text]) for each in artifact.added if each.text in added),
        *(
            replace(each, id=number)
            for each in hidden
            if (number := ids[each.id]) is not None and number not in added.values()
        ),
    ]
    model: Model = artifact.models[0]
    stated = tuple(None if each is None else ids[each] for each in old)
    if stated != tuple(old):
        model = replace(
            model,
            id_policy=Ids.STATED,
            stated=stated,
            first_id=min((each for each in stated if each is not None), default=0),
        )
    if model.unk_id is not None:
        model = replace(model, unk_id=ids[model.unk_id])
    new = {each.id: added[each.text] for each in artifact.added if each.text in added}
    decoder = artifact.decoder
    if decoder is not None:
        surfaces = {new[token]: text for token, text in decoder.surfaces.items() if token in new}
        decoder = replace(decoder, surfaces=surfaces)
    tokens.sort(key=lambda token: token.id)
    return replace(artifact, models=(model,), added=tuple(tokens), decoder=decoder)
