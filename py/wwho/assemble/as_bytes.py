"""A BPE over the characters that stand for bytes, as a BPE over bytes.

Both encode alike a piece that the step SPELL has written in ByteLevel's alphabet, and that piece
before the step. The one over bytes needs no units, no spelling, and looks bytes up in a table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from wwho.assemble.bpe import id_policy
from wwho.format.bpe import BPE, BYTES
from wwho.format.decoder import Decoder, Join, Unspell
from wwho.format.model import Added, Flag, Ids, Unknown, free_ids
from wwho.format.steps import bytes_of_stand_ins
from wwho.format.template import BYTES as OF_BYTES
from wwho.format.template import Template


@dataclass(frozen=True)
class ByteForm:
    """A model over bytes, and what it has no place for.

    Attributes:
        model: the model.
        hidden: tokens with a character that stands for no byte: no text becomes them. Text to id.
    """

    model: BPE
    hidden: Mapping[str, int]


def as_bytes(model: BPE, ids: Sequence[int | None], added: Collection[Added]) -> ByteForm | None:
    """Return the model over bytes that merges as a model over ByteLevel's alphabet does.

    None: a byte has no token, unless one token stands for each unknown byte, and merges with no
    other; or the symbols are bytes already; or the model has affixes, `parts`, ties, a lone space,
    or a token without an id.

    Merges with a part, or of a token, that stands for no bytes are left out. Symbols come in the
    order of the bytes or, if ids then count up, in that of their ids.

    Args:
        model: the model.
        ids: the ids of its tokens.
        added: the added tokens, whose ids those of the model may step over.
    """
    if not model.units or model.affixes or model.parts or model.ties or model.space_id is not None:
        return None
    texts = [bytes_of_stand_ins(text.decode("utf-8")) for text in model.texts]
    numbers = {text: number for number, text in enumerate(texts) if text is not None}
    missing = [byte for byte in BYTES if byte not in numbers]
    if missing and not _may_lack_bytes(model, ids):
        return None
    n_symbols, n_made = model.n_symbols, model.n_symbols + len(model.merges)
    vocab: dict[bytes, int] = {}
    hidden: dict[str, int] = {}
    for text, token, data in zip(model.texts, ids, texts, strict=True):
        if token is None:
            return None
        if data is None:
            hidden[text.decode("utf-8")] = token
        else:
            vocab[data] = token
    made = [text for text in texts[n_symbols:n_made] if text is not None]
    unmade = sorted(text for text in texts[n_made:] if text is not None)
    taken = {token.id for token in added} | {*hidden.values()}
    symbols = list(BYTES)
    policy = Ids.STATED
    if not missing:
        by_id = sorted(BYTES, key=vocab.__getitem__)
        policy = id_policy(vocab, [*by_id, *made, *unmade], taken)
        if policy is not Ids.STATED:
            symbols = by_id
    order = [*symbols, *made, *unmade]
    place = {text: number for number, text in enumerate(order)}
    merges = []
    for pair, whole in zip(model.merges, texts[n_symbols:n_made], strict=True):
        left, right = (texts[part] for part in pair)
        if whole is not None and left is not None and right is not None:
            merges.append((place[left], place[right]))
    return ByteForm(
        BPE(
            symbols=tuple(symbols),
            merges=tuple(merges),
            unmade=tuple(unmade),
            whole=model.whole and bool(unmade),
            first_id=min(vocab.values()),
            id_policy=policy,
            stated=tuple(map(vocab.get, order)) if policy is Ids.STATED else (),
            unknown=Unknown.ID if missing else Unknown.NONE,
            unk_id=model.unk_id if missing else None,
        ),
        hidden,
    )


def _may_lack_bytes(model: BPE, ids: Sequence[int | None]) -> bool:
    """Return whether each unknown byte becomes one token, which merges with no other."""
    if model.unknown is not Unknown.ID or model.fuse or model.unk_id is None:
        return False
    parts = {part for pair in model.merges for part in pair}
    return all(ids[part] != model.unk_id for part in parts)


def added_beside(
    form: ByteForm, added: Sequence[Added], *, normalized_are_spelled: bool
) -> tuple[Added, ...] | None:
    """Return the added tokens that go with a model over bytes, by ascending id.

    They are those that go with the model over characters, and hidden ones for its tokens that stand
    for no bytes. Of two tokens that come to have one text and one id, a hidden second one goes.
    None: two others come to have one text; or an id would decode to other bytes; or a token of
    normalized text, which is found in spelled text, cannot be found in the text before it is
    spelled.

    Args:
        form: the model.
        added: the added tokens that go with the model over characters, by ascending id.
        normalized_are_spelled: whether tokens of normalized text are found in spelled text, and are
            to be found in the text before it is spelled.
    """
    found: dict[str, Added] = {}
    texts = dict(zip(form_ids(form, added), form.model.texts, strict=True))
    for token in added:
        text = token.text
        if normalized_are_spelled and Flag.NORMALIZED in token.flags:
            # The other flags look at the characters beside a token, and these would be others.
            if token.flags != Flag.NORMALIZED or (data := bytes_of_stand_ins(text)) is None:
                return None
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError:
                return None
        if texts.get(token.id, text.encode()) != text.encode():
            return None  # its id decodes to it, and to other bytes of the model
        other = found.get(text)
        if other is not None and (other.id != token.id or Flag.HIDDEN not in token.flags):
            return None
        if other is None:
            found[text] = token if text == token.text else Added(text, token.id, token.flags)
    for text, number in form.hidden.items():
        found.setdefault(text, Added(text, number, Flag.HIDDEN))
    return tuple(sorted(found.values(), key=lambda token: token.id))


def form_ids(form: ByteForm, added: Sequence[Added]) -> Sequence[int | None]:
    """Return the id of each token of a model over bytes, in the order of its texts.

    With `Ids.STATED` they are the stated ones, where None is a byte that no token is. Otherwise
    they count up from the model's first id, and with `Ids.STEP` they leave out the ids of `added`
    and of the hidden tokens.
    """
    model = form.model
    if model.id_policy is Ids.STATED:
        return model.stated
    taken = {token.id for token in added} | {*form.hidden.values()}
    taken = taken if model.id_policy is Ids.STEP else set()
    return free_ids(len(model.texts), taken, model.first_id)


def decoder_of_bytes(decoder: Decoder | None, added: Sequence[Added]) -> Decoder | None:
    """Return how the texts of a model over bytes join; without steps, they are concatenated.

    Characters that stand for bytes need not become bytes first. So where all characters of what an
    added token decodes to (its surface, or else its text) stand for bytes, these become its
    surface; none is kept that is the token's text. Of several texts with one id the first one
    counts.

    Args:
        decoder: how the texts of the model over characters join.
        added: the added tokens that go with it, by ascending id.

    Returns:
        The decoder; None if `decoder` is None, does not begin as ByteLevel's does, or has a surface
        for an id of no added token.
    """
    if decoder is None or decoder.steps[:2] != (Unspell(), Join()):
        return None
    texts: dict[int, str] = {}
    for token in added:
        texts.setdefault(token.id, token.text)
    if not decoder.surfaces.keys() <= texts.keys():
        return None
    surfaces = {}
    for number, text in texts.items():
        surface = decoder.surfaces.get(number, text.encode())
        made = None if surface.isascii() else bytes_of_stand_ins(surface.decode())
        if (made or surface) != text.encode():
            surfaces[number] = made or surface
    rest = decoder.steps[2:]
    return Decoder((Join(), *rest) if rest else (), surfaces=surfaces)


def template_of_bytes(template: Template | None) -> Template | None:
    """Return a template whose trims count the byte 20 as white space, as tokens stand for bytes."""
    if template is None:
        return None
    return Template(
        *(
            tuple(
                place._replace(id=place.id | OF_BYTES) if place.what and place.id else place
                for place in places
            )
            for places in template
        )
    )
