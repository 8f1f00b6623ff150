"""A BPE over SCRIPT's symbols: characters become pairs of symbols, which are texts of two bytes.

So the model is one over bytes: those that pieces are written with. Its first merges make the
symbols, whatever the text, and the bytes themselves have no id; all that comes after merges
symbols.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from wwho.assemble.bpe import live_pairs
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.script import Block, script_blocks
from wwho.compile.syntax import Chars, many
from wwho.errors import ArtifactError
from wwho.format import decoder as decoding
from wwho.format.bpe import BPE, BYTES
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Action, Added, Artifact, Ids, Pair, Route, Stage, Unknown
from wwho.format.rewriting import Pairs, Replace, Step, symbol_text

TAIL = 255
"""The shape of what continues a character; see `character_shapes`."""

REPLACEMENT = "\ufffd"

BLOCK_KEYS = ("script_blocks", "script_indices")

DECODER = decoding.Decoder((decoding.Join(), decoding.Pairs()))


def pair_step(
    blocks: Sequence[Block], *, n_indices: int | None = None, spell: bool = True
) -> Pairs:
    """What spells the characters of blocks."""
    most = max(len(block.characters) for block in blocks)
    return Pairs(tuple(block.ranges for block in blocks), n_indices or most, spell)


@cache
def script_step() -> Pairs:
    """That of our own models: it spells all text, with symbols of bytes what has no pair."""
    return pair_step(script_blocks())


def block_record(blocks: Sequence[Block], n_indices: int) -> dict[str, str]:
    """What the provenance says of the symbols: the blocks' names, a line each, and the indices."""
    names = (" ".join(f"{block.script} {block.kind}".split()) for block in blocks)
    return dict(zip(BLOCK_KEYS, ("\n".join(names), str(n_indices)), strict=True))


def character_shapes(symbols: Sequence[bytes]) -> bytes:
    """What keeps characters whole in training: bytes, or symbols of `script_step`.

    Returns:
        For each 0 where it is a character, 1 to 3 where it begins one that lacks so many, `TAIL`
        where it continues one.

    Example:
        >>> shapes = character_shapes([bytes([byte]) for byte in range(256)])
        >>> [shapes[byte] for byte in (0x61, 0xC3, 0xA9, 0xF0)]
        [0, 1, 255, 3]
    """
    if len(symbols) == len(BYTES):
        return bytes(TAIL if 0x80 <= each[0] < 0xC0 else _lacking(each[0]) for each in symbols)
    step = script_step()
    symbols_of_bytes = character_shapes(BYTES)
    return bytes([TAIL]) * step.n_indices + b"\1" * len(step.blocks) + symbols_of_bytes


def _lacking(byte: int) -> int:
    """How many bytes come after the first one of a character."""
    return (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0)


def dropping(kept: CodePointSet, automaton: int, *, whole: bool) -> tuple[Scanner, Replace]:
    """What drops all characters but some, and the automaton with this number that finds them.

    Args:
        kept: the others.
        automaton: the number.
        whole: whether a byte of broken UTF-8 becomes U+FFFD, if that is kept.
    """
    rules, contents = [many(Chars(ALL - kept), 1)], [""]
    if whole and (broken := CodePointSet.of(REPLACEMENT) & kept):
        kept -= broken
        rules.append(Chars(broken))
        contents.append(REPLACEMENT)
    scanner = Scanner("dropped", (*rules, Chars(kept)), longest=True)
    return scanner, Replace(automaton, (*contents, None))


def all_characters() -> CodePointSet:
    """All characters that SCRIPT has a pair for."""
    return CodePointSet(tuple(each for block in script_blocks() for each in block.ranges))


def symbol_model(n_symbols: int, merges: Sequence[Pair], first_id: int = 0) -> BPE:
    """The model with these merges of symbols, all of which replay to themselves."""
    both = (symbol_text(number) for number in range(n_symbols))
    made = [(text[0], text[1]) for text in both]
    made += [(len(BYTES) + left, len(BYTES) + right) for left, right in merges]
    return BPE(
        merges=made,
        first_id=first_id,
        id_policy=Ids.STATED,
        stated=(*(None for _ in BYTES), *range(first_id, first_id + n_symbols + len(merges))),
        unknown=Unknown.ID,
        unk_id=first_id + n_symbols - 1,  # no text has a byte alone
    )


def imported_model(n_symbols: int, merges: Sequence[Pair], first_id: int) -> BPE:
    """The same of merges that another program made: some may make nothing.

    Raises:
        ArtifactError: two tokens are made of the same symbols, or one is too long.
    """
    texts = [symbol_text(number) for number in range(n_symbols)]
    for left, right in merges:
        texts.append(texts[left] + texts[right])
        if len(texts[-1]) > MAX_TOKEN_BYTES:
            raise ArtifactError(
                f"the token {first_id + len(texts) - 1} has {len(texts[-1]) // 2} symbols; "
                f"{MAX_TOKEN_BYTES // 2} are possible",
                status="TOKEN_LENGTH",
            )
    numbers: dict[bytes, int] = {}
    for number, text in enumerate(texts):
        if numbers.setdefault(text, number) != number:
            raise ArtifactError(
                f"the tokens {first_id + numbers[text]} and {first_id + number} are made of the "
                "same symbols; each must be another text",
                status="TOKEN_DUPLICATE",
            )
    pairs = [(texts[left], texts[right]) for left, right in merges]
    live = live_pairs(numbers, pairs, set(texts[:n_symbols]), symbols_of)
    if len(live) == len(merges):
        same = all((live[a + b].left, live[a + b].right) == (a, b) for a, b in pairs)
        if same:
            return symbol_model(n_symbols, merges, first_id)
    made = sorted(live, key=lambda text: live[text].rank)
    unmade = sorted(text for text in texts[n_symbols:] if text not in live)
    order = [*texts[:n_symbols], *made, *unmade]
    place = {text: number for number, text in enumerate(order)}
    found = symbol_model(
        n_symbols, [(place[live[text].left], place[live[text].right]) for text in made], first_id
    )
    ids = (*(None for _ in BYTES), *(first_id + numbers[text] for text in order))
    return replace(found, unmade=tuple(unmade), stated=ids)


def script_from_merges(
    base: Artifact,
    *,
    merges: Sequence[Pair],
    added: tuple[Added, ...],
    provenance: Mapping[str, str],
) -> Artifact:
    """What was merged from SCRIPT's symbols, with the pretokenizer of a base of bytes.

    The symbols have the ids from 0 on: indices, blocks, bytes.
    """
    return replace(
        base,
        models=(symbol_model(script_step().n_symbols, merges),),
        added=added,
        pairs=script_step(),
        decoder=DECODER,
        provenance=provenance,
    )


def symbols_of(text: bytes) -> Sequence[bytes]:
    """The symbols of a text that is made of them."""
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def script_artifact(
    pretokenizer: Scanner | None,
    pairs: Pairs,
    model: BPE,
    provenance: Mapping[str, str],
    *,
    drops: Scanner | None = None,
    steps: tuple[Step, ...] = (),
    added: tuple[Added, ...] = (),
) -> Artifact:
    """The model over symbols, with what cuts and spells its texts.

    Args:
        pretokenizer: cuts a text into pieces; None: it is one.
        pairs: spells a piece.
        model: the model.
        provenance: where it comes from.
        drops: the automaton 0 of steps.
        steps: what rewrites a text first.
        added: added tokens.
    """
    scanners = [each for each in (drops, pretokenizer) if each]
    stages = (Stage(len(scanners) - 1, (Action.KEEP,)),) if pretokenizer else ()
    return Artifact(
        scanners=compile_scanners(scanners or [whole_text()]),
        routes=(Route("other", model=0, stages=tuple(range(len(stages)))),),
        models=(model,),
        stages=stages,
        added=added,
        normalizer=steps,
        pairs=pairs,
        decoder=DECODER,
        provenance=provenance,
    )


def whole_text() -> Scanner:
    """What takes a text as a whole."""
    return Scanner("text", (many(Chars(ALL), 1),), longest=False)
