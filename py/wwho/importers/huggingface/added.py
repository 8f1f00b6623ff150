"""The added tokens of a tokenizer.json: which ids they get, and in which form they are found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wwho.format.automaton import CompiledScanners
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Added, Flag
from wwho.format.steps import Rewrite
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.models.vocabulary import Vocabulary
from wwho.importers.source import shown
from wwho.reference.piece import read_piece
from wwho.reference.rewrite import rewrite_all

FLAGS = {
    "special": Flag.SPECIAL,
    "lstrip": Flag.LSTRIP,
    "rstrip": Flag.RSTRIP,
    "single_word": Flag.SINGLE_WORD,
    "normalized": Flag.NORMALIZED,
}
NEEDS_PROPERTIES = Flag.LSTRIP | Flag.RSTRIP | Flag.SINGLE_WORD
"""The flags for which an artifact tells white space and words."""


class Listed(NamedTuple):
    """An added token as a file lists it.

    Attributes:
        value: the item of the list.
        text: the token.
        flags: how it is found.
        stated: the id that the file gives it.
        id: the id that `tokenizers` gives it, which need not be that one.
    """

    value: Value
    text: str
    flags: Flag
    stated: int
    id: int


def read_listed(root: Value) -> list[Listed]:
    """Return the added tokens of a file, in the order of the list; of equal texts, the first.

    Empty texts are left out. `tokenizers` gives a token that the model has the model's id, and the
    others the next ones, whatever the file states. A file without `added_tokens` has none.

    Raises:
        SourceError: a member is missing or of another type, or a token is too long.
    """
    if root.raw.get("added_tokens") is None:
        return []
    known, next_id = _ids_of_model(root)
    found: dict[str, Listed] = {}
    for value in root.items("added_tokens"):
        text = value.text("content")
        flags = Flag(0)
        for option, flag in FLAGS.items():
            flags |= flag if value.flag(option) else Flag(0)
        if len(text.encode()) > MAX_TOKEN_BYTES:
            value.at("content").fail(
                f"a token of {len(text.encode())} bytes; {MAX_TOKEN_BYTES} are possible"
            )
        stated = value.number("id")
        if not 0 <= stated < 1 << 32:
            value.at("id").fail(f"found {shown(stated)}, expected an id, 0 to {(1 << 32) - 1}")
        if not text or text in found:
            continue
        if text not in known:
            known[text] = next_id
            next_id += 1
        found[text] = Listed(value, text, flags, stated, known[text])
    return list(found.values())


def _ids_of_model(root: Value) -> tuple[dict[str, int], int]:
    """Return the tokens of the model, text to id, and the number of tokens: the next id.

    A vocabulary that is a list has its places as ids, of equal texts the last one; ({}, 0) if it is
    neither an object nor a list.
    """
    vocab = root.at("model").at("vocab").raw
    if not isinstance(vocab, list):
        return (dict(vocab), len(vocab)) if isinstance(vocab, dict) else ({}, 0)
    known = {
        piece[0]: number
        for number, piece in enumerate(vocab)
        if isinstance(piece, list) and piece and isinstance(piece[0], str)
    }
    return known, len(vocab)


@dataclass(frozen=True)
class Found:
    """The added tokens of an artifact.

    Attributes:
        tokens: the tokens by ascending id, with those of the model that only decode.
        notes: what a user should know of them.
    """

    tokens: tuple[Added, ...]
    notes: tuple[str, ...] = ()


def added_tokens(
    listed: Sequence[Listed],
    vocabulary: Vocabulary,
    normalizer: Sequence[Rewrite],
    scanners: CompiledScanners,
    engine: str,
) -> Found:
    """Return the added tokens as they are found, and the tokens that only decode.

    A token of normalized text is found in the form that the normalizer gives it. Of several tokens
    with one id the last one is found.

    Args:
        listed: the tokens of the file.
        vocabulary: the model, some of whose tokens only decode.
        normalizer: the steps before tokens of normalized text are found.
        scanners: the automata of these steps.
        engine: the library, as notes call it.

    Raises:
        SourceError: nothing is left of a token in its form, two have one form, or an id would
            decode to another token than there.
    """
    added: list[Added] = []
    notes: list[str] = []
    owner: dict[str, Listed] = {}
    last = {each.id: each.text for each in listed}
    rewritten: list[str] = []
    for each in listed:
        form = _form(each, normalizer, scanners)
        if last[each.id] != each.text:
            if form != each.text:
                each.value.fail(
                    f"the id {each.id} of {shown(last[each.id])} decodes to {shown(each.text)}"
                )
            notes.append(
                f"ignored: the added token {shown(each.text)}; {engine} gives its id {each.id} to "
                f"{shown(last[each.id])}, too, and finds only that"
            )
            continue
        if not form:
            each.value.fail(
                f"nothing is left of its normalized text, found {shown(each.text)}; set its "
                '"normalized" to false'
            )
        forms = [Added(form, each.id, each.flags)]
        if form != each.text:
            # What is special is known by its text there, so one that is rewritten is not.
            forms = [Added(form, each.id, each.flags & ~Flag.SPECIAL)]
            forms.append(Added(each.text, each.id, Flag.HIDDEN))
            rewritten += [each.text] if each.flags & Flag.SPECIAL else []
        for token in forms:
            other = owner.setdefault(token.text, each)
            if other is not each:
                both = each.flags & other.flags & Flag.NORMALIZED
                why = f"{engine} takes either, by chance" if both else "an artifact finds only one"
                each.value.fail(
                    f"{shown(each.text)} is found as {shown(token.text)}, as is that of "
                    f"{other.value.pointer}, of which {why}: remove one"
                )
        added += forms
    notes += _notes_on_added_tokens(listed, rewritten, engine)
    for text, number in vocabulary.hidden.items():
        if text and text not in owner:
            added.append(Added(text, number, Flag.HIDDEN))
    return Found(tuple(sorted(added, key=lambda token: token.id)), tuple(notes))


def _form(token: Listed, normalizer: Sequence[Rewrite], scanners: CompiledScanners) -> str:
    """Return the text by which an added token is found, "" if the normalizer leaves nothing."""
    if not token.flags & Flag.NORMALIZED:
        return token.text
    return rewrite_all(normalizer, read_piece(token.text.encode()), scanners).text


def _notes_on_added_tokens(
    listed: Sequence[Listed], rewritten: Sequence[str], engine: str
) -> Iterable[str]:
    """Yield notes on special tokens that are special no more, and on ids that are other ones.

    Args:
        listed: the added tokens of the file.
        rewritten: the texts of the special tokens that the normalizer changes.
        engine: the name of the program that the model is to agree with, for the notes.
    """
    if rewritten:
        yield (
            f"{', '.join(rewritten)}: found in every text, also if not allowed; as they are "
            f"normalized, {engine} takes them for special no more"
        )
    last = {each.id: each.text for each in listed}
    moved = sum(each.stated != each.id for each in listed if last[each.id] == each.text)
    if moved:
        yield (
            f"{moved} added tokens have other ids than the file says: {engine} gives a token that "
            "the model has the model's id, and the others the next ones"
        )


def ids_of(listed: Iterable[Listed]) -> Mapping[str, int]:
    """Return the ids that `tokenizers` gives to added tokens: text to id."""
    return {each.text: each.id for each in listed}
