"""What happens after the model: post-processors as a template, decoders as steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NoReturn, cast

from wwho.assemble import decoders
from wwho.compile.codepoints import CodePointSet
from wwho.compile.syntax import Alt, Chars, Seq
from wwho.format.decoder import MAX_STEPS, Decoder, Replace, Step, Strip, Unspell, Where
from wwho.format.template import BYTES, KEEP, KEEP_ALONE, Place, Template, What
from wwho.importers.huggingface.cutting import pattern_of
from wwho.importers.huggingface.document import Value, check_options
from wwho.importers.huggingface.draft import Draft
from wwho.importers.huggingface.rewriting import add_normalizer
from wwho.importers.source import shown
from wwho.reference.decoding import join
from wwho.reference.rewrite import normalize

MAX_SURFACES = 0xFFFF
MAX_TYPE = 255
Parts = Sequence[tuple[Place, ...]]
"""What post-processors are given and give: parts of two texts, whose trim is in place of an id."""


def read_template(
    value: Value, ids: Mapping[str, int], *, byte_level: bool = False
) -> Template | None:
    """What a post-processor puts around the ids of a text, and how it trims offsets.

    Args:
        value: the post-processor.
        ids: all tokens, text to id.
        byte_level: whether tokens are bytes.

    Returns:
        The template; None where there is none, and offsets are not trimmed.

    Raises:
        SourceError: it is not known, names a token that is not there, or does what no artifact can.
    """
    single: Parts = [(place,) for place in Template().single]
    pair: Parts = [(place,) for place in Template().pair]
    processors = list(_processors(value))
    for each in processors:
        check_options(each)
        process = each.dispatch(_PROCESSORS, "post-processor", ids)
        single, pair = process(single), process(pair)
    bits = BYTES if byte_level else 0
    made = Template(
        *(
            tuple(
                place._replace(id=place.id | bits) if place.what and place.id else place
                for part in parts
                for place in part
            )
            for parts in (single, pair)
        )
    )
    for places, needed in zip(made, Template(), strict=True):
        if sorted(place.what for place in places if place.what) != [each.what for each in needed]:
            value.fail("one text must stand in it once, and two of a pair once each")
    # One that names the types of a pair makes WWHOTokenizer give them, even where they are usual.
    named = any(each.kind() != "ByteLevel" for each in processors)
    return made if named or made != Template() else None


def _processors(value: Value) -> Iterator[Value]:
    """Those of a Sequence, which may be in one again."""
    if value.raw is None:
        return
    if value.kind() != "Sequence":
        yield value
        return
    check_options(value)
    for each in value.items("processors"):
        yield from _processors(each)


def _trimmed(value: Value, parts: Parts) -> Parts:
    """Texts with one more move in their trim; `add_prefix_space` is of those that begin a part."""
    trims, keeps = value.flag("trim_offsets"), value.flag("add_prefix_space")
    if not trims:
        return parts
    if any(place.what and place.id > 3 for part in parts for place in part):
        value.at("trim_offsets").fail("found a third of a Sequence that trims; two may")
    return [
        tuple(
            place._replace(
                id=place.id
                | ((KEEP_ALONE if number else KEEP) if keeps else 1) << 2 * bool(place.id)
            )
            if place.what
            else place
            for number, place in enumerate(part)
        )
        for part in parts
    ]


def _special(value: Value, key: str, ids: Mapping[str, int]) -> int:
    """A token and its id, as BertProcessing has them."""
    pair = value.at(key)
    raw = pair.be(list)
    if len(raw) != 2 or not isinstance(raw[0], str) or not isinstance(raw[1], int):
        pair.fail(f"found {shown(raw)}, expected a text and an id")
    return _known(pair, raw[1], ids)


def _known(value: Value, number: int, ids: Mapping[str, int]) -> int:
    if number not in ids.values():
        value.fail(f"found {shown(value.raw)}, but no token has the id {number}")
    return number


def _bert(value: Value, ids: Mapping[str, int]) -> Callable[[Parts], Parts]:
    sep, cls = (Place(What.ID, 0, _special(value, key, ids)) for key in ("sep", "cls"))
    return lambda parts: [
        (*part, sep._replace(type_id=1)) if number else (cls, *part, sep)
        for number, part in enumerate(parts)
    ]


def _roberta(value: Value, ids: Mapping[str, int]) -> Callable[[Parts], Parts]:
    sep, cls = (Place(What.ID, 0, _special(value, key, ids)) for key in ("sep", "cls"))
    return lambda parts: [
        (sep if number else cls, *(place._replace(type_id=0) for place in part), sep)
        for number, part in enumerate(_trimmed(value, parts))
    ]


def _template(value: Value, ids: Mapping[str, int]) -> Callable[[Parts], Parts]:
    special = value.at("special_tokens")
    names = special.be(dict)
    forms = [
        [tuple(_places(each, special, names, ids)) for each in value.items(key)]
        for key in ("single", "pair")
    ]

    def process(parts: Parts) -> Parts:
        if len(parts) > 2:
            value.fail("what is before it in the Sequence makes more than two parts of a text")
        form = forms[len(parts) - 1]
        if any(place.what > len(parts) for made in form for place in made):
            value.at("single").fail("found B in the template of one text")
        return [
            tuple(
                each._replace(type_id=place.type_id)
                for place in made
                for each in (parts[place.what - 1] if place.what else [place])
            )
            for made in form
        ]

    return process


_PROCESSORS: dict[str, Callable[[Value, Mapping[str, int]], Callable[[Parts], Parts]]] = {
    "BertProcessing": _bert,
    "ByteLevel": lambda value, _: partial(_trimmed, value),
    "RobertaProcessing": _roberta,
    "TemplateProcessing": _template,
}


def _places(
    value: Value, special: Value, names: Mapping[str, object], ids: Mapping[str, int]
) -> Sequence[Place]:
    """What an item of a template is: a text, or a special token, which may be several ids."""
    value.be(dict)
    if set(value.raw) == {"Sequence"}:
        inner = value.at("Sequence")
        which = inner.text("id")
        if which not in ("A", "B"):
            inner.at("id").fail(f"found {shown(which)}, expected A or B")
        what = What.FIRST if which == "A" else What.SECOND
        return [Place(what, _type_id(inner))]
    if set(value.raw) != {"SpecialToken"}:
        value.fail(f"found {shown(value.raw)}, expected a Sequence or a SpecialToken")
    inner = value.at("SpecialToken")
    name, kind = inner.text("id"), _type_id(inner)
    if name not in names:
        inner.at("id").fail(f"found {shown(name)}, which is not among special_tokens")
    numbers = special.at(name).items("ids")
    return [Place(What.ID, kind, _known(each, each.be(int), ids)) for each in numbers]


def _type_id(value: Value) -> int:
    """A type of ids, for which an artifact has a byte."""
    kind = value.number("type_id")
    if not 0 <= kind <= MAX_TYPE:
        value.at("type_id").fail(f"found {kind}, expected 0 to {MAX_TYPE}")
    return kind


def read_decoder(
    value: Value,
    *,
    byte_level: bool,
    continuing: str,
    before: tuple[Step, ...],
    texts: Callable[[], Mapping[int, bytes]],
) -> Decoder | None:
    """How the texts of tokens join; None where that is without a gap.

    Args:
        value: the decoder.
        byte_level: whether tokens are bytes.
        continuing: what stands before tokens that only continue a word.
        before: what makes of tokens their texts in the file.
        texts: gives the text of each token without a decoder.

    Raises:
        SourceError: it is not known, or does what no artifact can.
    """
    steps = _steps(value, byte_level)
    if byte_level:
        if steps and steps[0] != decoders.BYTE_LEVEL[0]:
            value.fail("of tokens that are spelled in bytes, the first decoder must be ByteLevel")
        for step in steps:
            if isinstance(step, _Pattern):
                step.refuse()
        return Decoder(cast(tuple[Step, ...], steps)) if len(steps) > 1 else None
    steps = (*before, *steps)
    *_, last = -1, *(place for place, step in enumerate(steps) if isinstance(step, _Pattern))
    if last < 0:
        return Decoder(cast(tuple[Step, ...], steps), continuing=continuing)
    changed = texts()
    surfaces = {
        token: text
        for token, text in _rewritten(steps[: last + 1], changed).items()
        if text != changed[token]
    }
    if len(surfaces) > MAX_SURFACES:
        value.fail(f"its patterns change {len(surfaces)} tokens; {MAX_SURFACES} are possible")
    return Decoder(cast(tuple[Step, ...], steps[last + 1 :]), continuing, surfaces)


@dataclass(frozen=True)
class _Pattern:
    """A Replace of a pattern: no step of an artifact, but the texts of tokens say what it does."""

    value: Value

    def refuse(self) -> NoReturn:
        """Refuse it where it does not change each token alone."""
        self.value.at("pattern").fail(
            f"found {shown(self.value.raw['pattern'])} after what joins tokens or tells them "
            "by their place; only texts can be replaced there"
        )


def _rewritten(steps: Sequence[Step | _Pattern], texts: Mapping[int, bytes]) -> dict[int, bytes]:
    """The texts of tokens after steps, which must change each token alone."""
    found = dict(texts)
    for step in steps:
        if isinstance(step, _Pattern):
            draft = Draft()
            add_normalizer(step.value, draft)
            scanners, _ = draft.compiled(properties=False)
            made = {text: normalize(draft.normalizer, text, scanners)[0] for text in found.values()}
            found = {token: made[text] for token, text in found.items()}
        elif isinstance(step, (Replace, Strip)) and step.where is Where.ALL:
            only = Decoder((step,))
            found = {token: join(only, [text])[0] for token, text in found.items()}
        else:
            next(each for each in steps[::-1] if isinstance(each, _Pattern)).refuse()
    return found


def _steps(value: Value, byte_level: bool) -> tuple[Step | _Pattern, ...]:
    if value.raw is None:
        return () if byte_level else decoders.NO_DECODER
    check_options(value)
    kinds: dict[str, Callable[[Value], tuple[Step | _Pattern, ...]]] = {
        "BPEDecoder": lambda value: decoders.bpe(_some(value, "suffix")),
        "ByteFallback": lambda _: decoders.BYTE_FALLBACK,
        "ByteLevel": lambda _: _byte_level(byte_level),
        "CTC": _ctc,
        "Fuse": lambda _: decoders.FUSE,
        "Metaspace": lambda value: decoders.metaspace(
            value.text("replacement"), value.text("prepend_scheme", "always") != "never"
        ),
        "Replace": _replace,
        "Sequence": lambda value: tuple(
            step for each in value.items("decoders") for step in _steps(each, byte_level)
        ),
        "Strip": lambda value: decoders.strip(
            value.text("content"), value.number("start"), value.number("stop")
        ),
        "WordPiece": lambda value: decoders.word_piece(value.text("prefix"), value.flag("cleanup")),
    }
    return value.dispatch(kinds, "decoder")


def _some(value: Value, key: str) -> str:
    """A text, which is not empty."""
    if not (found := value.text(key)):
        value.at(key).fail("an empty text is everywhere; name one that tokens may have")
    return found


def _ctc(value: Value) -> tuple[Step, ...]:
    pad, delimiter, cleanup = (
        value.text("pad_token"),
        value.text("word_delimiter_token"),
        value.flag("cleanup"),
    )
    if cleanup:
        _some(value, "word_delimiter_token")
    return decoders.ctc(pad, delimiter, cleanup)


def _byte_level(byte_level: bool) -> tuple[Step, ...]:
    return decoders.BYTE_LEVEL if byte_level else (Unspell(), *decoders.BYTE_LEVEL)


def _replace(value: Value) -> tuple[Step | _Pattern, ...]:
    node, content = pattern_of(value) or Seq(), value.text("content")
    if isinstance(node, Alt) and all(isinstance(each, Chars) for each in node.options):
        options = cast(tuple[Chars, ...], node.options)
        node = Chars(CodePointSet.of(*(char for each in options for char in each.chars.ranges)))
    parts = node.parts if isinstance(node, Seq) else (node,)
    chars = [each.chars for each in parts if isinstance(each, Chars)]
    if parts and len(chars) == len(parts) and all(len(each) == 1 for each in chars):
        return (Replace("".join(chr(char) for each in chars for char in each), content),)
    few = isinstance(node, Chars) and len(node.chars) < MAX_STEPS // 2
    if few and not any(char in chars[0] for char in content):
        return tuple(Replace(chr(char), content) for char in chars[0])
    return (_Pattern(value),)
