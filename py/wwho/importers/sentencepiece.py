"""A `.model` of SentencePiece as an artifact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from wwho.assemble import decoders
from wwho.assemble.bpe import bpe_model
from wwho.assemble.fold import fold
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.scanners import Scanner, regex_scanner
from wwho.compile.syntax import Behind, Chars, End, Look, Node, alt, many, seq
from wwho.errors import SourceError
from wwho.format.bpe import BPE
from wwho.format.model import Added, Artifact, Flag, Ids, Route, Unknown
from wwho.format.steps import Ends, Map, Replace, Rewrite, Rules
from wwho.format.viterbi import Viterbi
from wwho.importers.huggingface.patterns import Patterns
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import Source
from wwho.interchange import protobuf
from wwho.interchange.sentencepiece import (
    MARKER,
    PIECES,
    Algorithm,
    Kind,
    Model,
    Piece,
    byte_of,
    parse_model,
)
from wwho.reference.sampling import f32

ENGINE = "sentencepiece 0.2.3"

Rewrites: TypeAlias = Callable[[Patterns], list[Rewrite]]
"""What makes steps, and adds their patterns to those of an artifact."""


def sniff(source: Source) -> bool:
    """Return whether a file is a protocol buffer whose first field is a piece with a text."""
    try:
        number, wire, value = next(protobuf.fields(source.head, "it"))
        assert isinstance(value, bytes)
        inner = [(number, wire) for number, wire, _ in protobuf.fields(value, "it")]
    except SourceError:
        return False
    return (number, wire) == (PIECES, protobuf.LENGTH) and (1, protobuf.LENGTH) in inner


def read(source: Source, options: Options) -> Imported:
    """Return the model of a `.model`; raises what `parse_model` and `artifact_of` raise."""
    record = options.record(source) | {"engine": ENGINE}
    artifact = artifact_of(parse_model(source.data), record)
    return Imported(artifact=artifact, kind=READER.kind, engine=ENGINE)


def artifact_of(model: Model, record: Mapping[str, str]) -> Artifact:
    """Return the artifact that gives the ids of a model, in the form that runs fast.

    Args:
        model: the model.
        record: the provenance.

    Raises:
        SourceError, ArtifactError, PatternError: as `literal` does.
    """
    return fold(literal(model, record))


def no_steps(_: Patterns) -> list[Rewrite]:
    """Return no step."""
    return []


def literal(
    model: Model,
    record: Mapping[str, str],
    before: Rewrites = no_steps,
    behind: Rewrites = no_steps,
    *,
    properties: bool = False,
) -> Artifact:
    """Return the artifact that gives the ids of a model, step by step as SentencePiece does it.

    Args:
        model: the model.
        record: the provenance.
        before: makes the steps that come before those of SentencePiece.
        behind: makes the steps that come behind them.
        properties: whether classes tell white space and words apart, as the flags of added tokens
            need.

    Raises:
        SourceError: SentencePiece does something with it that no artifact does, or it has no piece
            that text becomes.
        ArtifactError: its pieces are no BPE.
        PatternError: its scanners are too large.
    """
    _check_reach(model)
    made = unigram(model) if model.algorithm is Algorithm.UNIGRAM else units_model(model)
    patterns = Patterns()
    scanners = patterns.scanners
    normalizer = (*before(patterns), *_normalizer(model, scanners), *behind(patterns))
    units = None
    if isinstance(made, BPE):
        words = model.algorithm is Algorithm.WORD
        unit = f"{MARKER}[^{MARKER}]*|[^{MARKER}]+" if words else r"[\s\S]"
        units = len(scanners)
        scanners.append(regex_scanner("units", unit))
    compiled, classes = patterns.compile(properties=properties)
    return Artifact(
        scanners=compiled,
        properties=classes,
        routes=(Route("text", model=0, units=units),),
        models=(made,),
        added=_added_tokens(model, made),
        normalizer=normalizer,
        decoder=decoders.sentencepiece(
            dict.fromkeys(model.of_kind(Kind.CONTROL), b"")
            | {model.unk_id: model.unk_surface.encode()},
            dummy_prefix=model.add_dummy_prefix,
            remove_spaces=model.remove_extra_whitespaces,
        ),
        provenance=record,
    )


def _no_text_error() -> SourceError:
    """Return the error of a model that has no piece for any text."""
    return SourceError("no piece is of a type that text becomes; a model needs one")


def _check_reach(model: Model) -> None:
    """Raise SourceError if SentencePiece does something with a model that no artifact does.

    That is: U+2581 in unk_surface; the suffix form with repeated spaces in pieces of the user; and
    in a BPE, an unused piece that pieces merge to, or a normal piece with a character that is no
    piece.
    """
    if MARKER in model.unk_surface:
        raise SourceError(
            f"unk_surface is {model.unk_surface!r}: U+2581 in it stays in decoded text, while that "
            "of pieces becomes a space"
        )
    if model.suffix and _keeps_spaces(model):
        raise SourceError(
            "treat_whitespace_as_suffix is on, and pieces of the user have repeated spaces, which "
            "remove_extra_whitespaces takes from all others: no artifact does both"
        )
    if model.algorithm is Algorithm.BPE:
        texts = {number: model.pieces[number].text.decode() for number in range(len(model.pieces))}
        lone = {texts[number] for number in model.of_kind(Kind.NORMAL)}
        unused = model.of_kind(Kind.UNUSED)
        merged = (
            _mergeable_texts(texts[n] for n in model.of_kind(Kind.NORMAL, Kind.UNUSED))
            if unused
            else ()
        )
        for number in unused:
            if texts[number] in merged:
                raise SourceError(
                    f"piece {number}, {texts[number]!r}, is of the type unused: a BPE merges to "
                    "it, and then takes it apart again, which no artifact does"
                )
        for number in model.of_kind(Kind.NORMAL):
            if len(texts[number]) > 1 and not lone.issuperset(texts[number]):
                raise SourceError(
                    f"piece {number}, {texts[number]!r}, has a character that is no piece of its "
                    "own: a BPE merges by it all the same, which no artifact does"
                )


def _mergeable_texts(texts: Iterable[str]) -> set[str]:
    """Return those texts that consist of two parts, each a character or such a text itself."""
    merged: set[str] = set()
    for text in sorted(texts, key=len):
        halves = ((text[:place], text[place:]) for place in range(1, len(text)))
        if any(all(len(half) == 1 or half in merged for half in both) for both in halves):
            merged.add(text)
    return merged


def unigram(model: Model) -> Viterbi:
    """Return the Unigram model of normal pieces and of those of the user, with sums in f32.

    Pieces of the user have a score by their length, whatever the file says.

    Raises:
        SourceError: there is no such piece.
    """
    scores = {
        model.pieces[number].text: (number, _score(model.pieces[number]))
        for number in model.of_kind(Kind.NORMAL, Kind.USER_DEFINED)
    }
    texts = tuple(sorted(scores, key=lambda text: scores[text][0]))
    if not texts:
        raise _no_text_error()
    return Viterbi(
        tokens=texts,
        scores=tuple(scores[text][1] for text in texts),
        narrow=True,
        first_id=0,
        id_policy=Ids.STATED,
        stated=tuple(scores[text][0] for text in texts),
        unknown=Unknown.BYTES if model.byte_fallback else Unknown.ID,
        unk_id=model.unk_id,
        byte_ids=_byte_ids(model),
    )


def _score(piece: Piece) -> float:
    """Return the score of a piece; for a piece of the user it grows with its length in bytes."""
    return f32(0.1 * (len(piece.text) - 1)) if piece.kind is Kind.USER_DEFINED else piece.score


def units_model(model: Model) -> BPE:
    """Return the BPE of a model of the algorithm BPE, or, without merges, of CHAR or WORD.

    Raises:
        SourceError: no piece is one that text becomes.
        ArtifactError: the pieces are no BPE.
    """
    words = (Kind.USER_DEFINED,) if model.algorithm is Algorithm.WORD else ()
    found = model.of_kind(Kind.NORMAL, *words)
    normal = {model.pieces[number].text: (number, model.pieces[number].score) for number in found}
    fuse = not model.byte_fallback
    if not normal:
        raise _no_text_error()
    if model.algorithm is Algorithm.BPE:
        return bpe_model(
            {text: number for text, (number, _) in normal.items()},
            {text: -score for text, (_, score) in normal.items() if len(text.decode()) > 1},
            units=True,
            unk_id=model.unk_id,
            fuse=fuse,
            byte_ids=_byte_ids(model),
        )
    if model.algorithm is Algorithm.CHAR:
        normal = {text: each for text, each in normal.items() if len(text.decode()) == 1}
    texts = tuple(sorted(normal))
    if not texts:
        raise _no_text_error()
    return BPE(
        symbols=texts,
        units=True,
        id_policy=Ids.STATED,
        stated=tuple(normal[text][0] for text in texts),
        unknown=Unknown.BYTES if model.byte_fallback else Unknown.ID,
        unk_id=model.unk_id,
        fuse=fuse,
        byte_ids=_byte_ids(model),
    )


def _byte_ids(model: Model) -> tuple[int, ...]:
    """Return the numbers of the pieces of the 256 bytes; none if no piece is of a byte."""
    found = {byte_of(model.pieces[number]): number for number in model.of_kind(Kind.BYTE)}
    return tuple(found[byte] for byte in range(256)) if found else ()


def _added_tokens(model: Model, made: BPE | Viterbi) -> tuple[Added, ...]:
    """Return the pieces that the model does not have, as added tokens by ascending id.

    A control piece is special; a piece of the user is one token wherever normalized text has it (in
    a Unigram model it has a score instead); all others are hidden.

    Args:
        model: the pieces.
        made: the model that was made of them.
    """
    flags = {Kind.CONTROL: Flag.SPECIAL, Kind.USER_DEFINED: Flag.NORMALIZED}
    known = {*made.stated, *made.byte_ids}
    if isinstance(made, BPE) and made.id_policy is not Ids.STATED:
        known |= {made.first_id + place for place in range(len(made.texts))}
    return tuple(
        Added(piece.text.decode(), number, flags.get(piece.kind, Flag.HIDDEN))
        for number, piece in enumerate(model.pieces)
        if number not in known
    )


def _normalizer(model: Model, scanners: list[Scanner]) -> tuple[Rewrite, ...]:
    """Return what SentencePiece does to a text first; the automata it takes go to `scanners`.

    Characters that vanish do so last of all where a marker is put beside the text: one of nothing
    but such characters still gets it.

    Raises:
        SourceError: the marker itself vanishes, or what is replaced becomes what vanishes.
    """
    marker = MARKER if model.escape_whitespaces else " "
    remove, add = model.remove_extra_whitespaces, model.add_dummy_prefix
    rules = _rules(model)
    vanishing = {ord(key) for key, text in rules.items() if not text and len(key) == 1}
    if not add or (remove and not model.suffix):
        vanishing = set()
    if vanishing:
        rules = {key: text for key, text in rules.items() if key not in map(chr, vanishing)}
        if vanishing & {0x20, ord(marker), *map(ord, "".join(rules.values()))}:
            raise SourceError(
                "the charsmap replaces characters by some that it removes, or removes what stands "
                "for a space: no artifact does both"
            )
    vanish = [Map(dict.fromkeys(vanishing, ()))] if vanishing else []
    if _keeps_spaces(model):
        ends = Ends(strip=marker, right=True, prefix=marker * add)
        return (*_spaces_of_user(model, rules, marker, scanners), ends)
    steps: list[Rewrite] = [Rules(rules)] if rules else []
    if remove:
        steps.append(Ends(strip=" ", left=True))
    if remove and add and model.suffix:
        # A space more at the end makes one marker of it and of all that stand there.
        steps += [Ends(suffix=" "), *vanish, _spaces_to(marker, scanners, at_start=bool(vanish))]
        return (*steps, _one_at_the_end(marker, scanners))
    if remove or model.escape_whitespaces:
        steps.append(_spaces_to(marker, scanners, repeated=remove))
    if remove or add:
        before, after = (marker * (add and each == model.suffix) for each in (False, True))
        space = marker if remove else ""
        steps.append(Ends(strip=space, right=remove, prefix=before, suffix=after))
    return (*steps, *vanish)


def _rules(model: Model) -> dict[str, str]:
    """Return what texts become, text to text: by the charsmap, but that pieces of the user stay.

    A rule whose text begins with a piece of the user is left out, and that piece becomes itself.
    """
    rules, own = dict(model.charsmap.rules), _of_user(model)
    if own and rules:
        rules = {key: text for key, text in rules.items() if not key.startswith(tuple(own))}
        rules |= {text: text for text in own}
    return rules


def _of_user(model: Model) -> list[str]:
    """Return the texts of the pieces that the user has defined."""
    return [model.pieces[number].text.decode() for number in model.of_kind(Kind.USER_DEFINED)]


def _keeps_spaces(model: Model) -> bool:
    """Return whether pieces of the user keep repeated spaces, which all other text loses."""
    return model.remove_extra_whitespaces and any("  " in text for text in _of_user(model))


def _spaces_of_user(
    model: Model, rules: Mapping[str, str], marker: str, scanners: list[Scanner]
) -> list[Rewrite]:
    """Return the steps that make one marker of side-by-side spaces, but keep those of pieces.

    The pieces are those that the user has defined: each space within one becomes a marker of its
    own. A piece loses the spaces at its beginning where a space or the start of the text is before
    it. Spaces at the start of a text vanish; those at its end become a marker, which is for the
    caller to strip.

    Args:
        model: the model, which does not treat white space as a suffix.
        rules: the charsmap, text to text, in which pieces of the user become themselves. Empty: one
            step does it all. Otherwise three single characters that the charsmap replaces by
            others, and that nothing else has, stand for the spaces of pieces between the steps.
        marker: the marker.
        scanners: the automaton is appended to them, and a step has its number.

    Raises:
        SourceError: the charsmap leaves no three such characters.
    """
    if not rules:
        scanner, contents = _spaces_by_neighbours(_of_user(model), marker)
        scanners.append(scanner)
        return [Replace(len(scanners) - 1, contents)]
    # Characters that the charsmap replaces are in no text after it: they may stand for spaces.
    taken = {*"".join(rules.values()), *"".join(_of_user(model)), " ", marker}
    free = [key for key, text in rules.items() if len(key) == 1 and text != key]
    first, after, kept = ([key for key in free if key not in taken] + [""] * 3)[:3]
    if not kept:
        raise SourceError(
            "pieces of the user have repeated spaces, which remove_extra_whitespaces takes from "
            "all other text, and the charsmap leaves no character to tell them: no artifact does "
            "both. Train the model with --remove_extra_whitespaces=false"
        )
    told = dict(rules)
    for text in _of_user(model):
        rest = text.lstrip(" ")
        head = first + after * (len(text) - len(rest) - 1) if rest != text else ""
        told[text] = head + rest.replace(" ", kept)
    loose = CodePointSet.of(" ", first, after)
    behind = Behind(negative=False, chars=loose | CodePointSet.of(kept))
    head_of_piece = seq(Chars(CodePointSet.of(first)), many(Chars(CodePointSet.of(after))))
    nodes = (seq(behind, many(Chars(loose), 1)), head_of_piece, Chars(ALL))
    scanners.append(Scanner("spaces", nodes, longest=False))
    return [
        Rules(told),
        Ends(strip=f" {first}{after}", left=True),
        Replace(len(scanners) - 1, ("", None, None)),
        Map({ord(each): (ord(marker),) for each in f" {first}{after}{kept}" if each != marker}),
    ]


def _spaces_by_neighbours(
    own: Iterable[str], marker: str
) -> tuple[Scanner, tuple[str | None, ...]]:
    """Return what finds pieces of the user and spaces, and what stands for each of its rules.

    Args:
        own: the texts of these pieces.
        marker: what stands for a space.
    """
    space = CodePointSet.of(" ")
    after_space = alt(Behind(negative=False, chars=space), Behind(negative=True, chars=ALL))
    rules: list[tuple[Node, str | None]] = []
    for text in [*sorted(own, key=len, reverse=True), " "]:
        characters = [Chars(CodePointSet.of(char)) for char in text]
        rest = text.lstrip(" ")
        if rest != text:
            rules.append((seq(after_space, *characters), rest.replace(" ", marker)))
        rules.append((seq(*characters), text.replace(" ", marker) if " " in text else None))
    rules.append((Chars(ALL), None))
    scanner = Scanner("spaces", tuple(node for node, _ in rules), longest=False)
    return scanner, tuple(content for _, content in rules)


def _spaces_to(
    marker: str, scanners: list[Scanner], *, repeated: bool = True, at_start: bool = False
) -> Replace:
    """Return the step that makes a marker of spaces.

    Args:
        marker: the marker.
        scanners: the scanner is appended to them, and the step has its number.
        repeated: whether it makes one of all spaces side by side.
        at_start: whether spaces at the start of a text that has anything else are taken away.
    """
    space = Chars(CodePointSet.of(" "))
    run = many(space, 1) if repeated else space
    rules: list[tuple[Node, str | None]] = [(run, marker), (Chars(ALL), None)]
    if at_start:
        first = seq(Behind(negative=True, chars=ALL), run, Look(negative=False, chars=~space.chars))
        rules.insert(0, (first, ""))
    scanners.append(Scanner("spaces", tuple(node for node, _ in rules), longest=False))
    return Replace(len(scanners) - 1, tuple(content for _, content in rules))


def _one_at_the_end(marker: str, scanners: list[Scanner]) -> Replace:
    """Return the step that leaves one of the markers at the end of a text."""
    markers = Chars(CodePointSet.of(marker))
    rules = seq(many(markers, 1), End()), alt(many(markers, 1), Chars(~markers.chars))
    scanners.append(Scanner("end", rules, longest=False))
    return Replace(len(scanners) - 1, (marker, None))


READER = Reader(kind="a SentencePiece model", begins=rb"\n[\x03-\xff]", sniff=sniff, read=read)
