"""The making of models over SCRIPT's symbols: each character becomes a block and an index.

A symbol is written as a text of two bytes, so such a model is a byte-pair encoding over the bytes
of symbols. Its first merges make the symbols, whatever the text, and the bytes themselves have no
id; all later merges join symbols.
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
from wwho.format.model import Added, Artifact, Ids, Pair, Route, Unknown
from wwho.format.steps import Action, Blocks, Cut, Replace, Rewrite, Step, symbol_text

TAIL = 255
"""The shape of a symbol that continues a character; `character_shapes` explains shapes."""

REPLACEMENT = "\ufffd"

BLOCK_KEYS = ("script_blocks", "script_indices")
"""The keys of provenance that name the blocks and the number of indices."""

# Symbols join, then become characters.
DECODER = decoding.Decoder((decoding.Join(), decoding.Blocks()))


def blocks_step(
    blocks: Sequence[Block], *, n_indices: int | None = None, spell: bool = True
) -> Blocks:
    """Return the step that writes characters as two symbols: that of a block, then of an index.

    Args:
        blocks: The blocks, in the order of their symbols.
        n_indices: The number of index symbols; by default as many as the largest block has
            characters.
        spell: Whether a character of no block is written in symbols of its bytes; else it is lost.
    """
    most = max(len(block.characters) for block in blocks)
    return Blocks(tuple(block.ranges for block in blocks), n_indices or most, spell)


@cache
def script_step() -> Blocks:
    """Return the step of models that are trained here; it can write any text.

    Its blocks are those of `script_blocks`; characters of none are written in symbols of bytes.
    """
    return blocks_step(script_blocks())


def block_record(blocks: Sequence[Block], n_indices: int) -> dict[str, str]:
    """Return the part of a model's provenance that describes its symbols (keys BLOCK_KEYS).

    Args:
        blocks: The blocks; the text has a line of script and kind for each.
        n_indices: The number of index symbols.
    """
    names = (" ".join(f"{block.script} {block.kind}".split()) for block in blocks)
    return dict(zip(BLOCK_KEYS, ("\n".join(names), str(n_indices)), strict=True))


def character_shapes(symbols: Sequence[bytes]) -> bytes:
    """Return the shape of each symbol, by which the trainer keeps characters whole.

    Args:
        symbols: The 256 bytes, in any order; or all symbols of `script_step` (anything of another
            length is taken for those): indices, blocks, bytes.

    Returns:
        A byte for each symbol: 0 if it is a character, 1 to 3 if it begins a character that needs
        so many more symbols, `TAIL` (255) if it continues one.

    Example:
        >>> shapes = character_shapes([bytes([byte]) for byte in range(256)])
        >>> [shapes[byte] for byte in (0x61, 0xC3, 0xA9, 0xF0)]
        [0, 1, 255, 3]
    """
    if len(symbols) == len(BYTES):
        return bytes(
            TAIL if 0x80 <= each[0] < 0xC0 else _n_continuation_bytes(each[0]) for each in symbols
        )
    step = script_step()
    symbols_of_bytes = character_shapes(BYTES)
    return bytes([TAIL]) * step.n_indices + b"\1" * len(step.blocks) + symbols_of_bytes


def _n_continuation_bytes(byte: int) -> int:
    """Return how many bytes follow the first byte of a character in UTF-8, 0 to 3."""
    return (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0)


def drop_all_but(kept: CodePointSet, automaton: int, *, whole: bool) -> tuple[Scanner, Replace]:
    """Return a scanner and a step that together drop all characters of a text but some.

    Args:
        kept: The characters that stay.
        automaton: The number that the scanner's automaton will have in the artifact.
        whole: Whether a byte of broken UTF-8, which an automaton reads as U+FFFD, is replaced by
            the three bytes of U+FFFD; if not, it stays as it is. If U+FFFD is not among the
            characters that stay, such a byte is dropped in either case.
    """
    rules, contents = [many(Chars(ALL - kept), 1)], [""]
    replacement = CodePointSet.of(REPLACEMENT) & kept
    if whole and replacement:
        kept -= replacement
        rules.append(Chars(replacement))
        contents.append(REPLACEMENT)
    scanner = Scanner("dropped", (*rules, Chars(kept)), longest=True)
    # No content: what the last rule matches stays as it is.
    return scanner, Replace(automaton, (*contents, None))


def all_characters() -> CodePointSet:
    """Return the set of characters that SCRIPT has a pair for."""
    return CodePointSet(tuple(each for block in script_blocks() for each in block.ranges))


def symbol_model(n_symbols: int, merges: Sequence[Pair], first_id: int = 0) -> BPE:
    """Return a model over the bytes of symbols with the given merges of symbols.

    Args:
        n_symbols: The number of symbols.
        merges: Pairs of indices of symbols and earlier merges, in order of rank. Each must happen:
            the text of what it makes is merged by lower ranks to just its two parts.
        first_id: The id of symbol 0; further symbols and then merges count up from it. Bytes have
            no id.
    """
    symbol_texts = (symbol_text(number) for number in range(n_symbols))
    # Tokens are numbered: the 256 bytes, the symbols, the merges of symbols.
    pairs = [(text[0], text[1]) for text in symbol_texts]
    pairs += [(len(BYTES) + left, len(BYTES) + right) for left, right in merges]
    return BPE(
        merges=pairs,
        first_id=first_id,
        id_policy=Ids.STATED,
        stated=(*(None for _ in BYTES), *range(first_id, first_id + n_symbols + len(merges))),
        unknown=Unknown.ID,
        # The format wants an id for bytes without one; no text has such a byte alone.
        unk_id=first_id + n_symbols - 1,
    )


def imported_model(n_symbols: int, merges: Sequence[Pair], first_id: int) -> BPE:
    """Return a model over the bytes of symbols with merges that another program made.

    Unlike those for `symbol_model`, some may never happen. The tokens that they would make are
    decode-only; ids stay what they were.

    Args:
        n_symbols: The number of symbols.
        merges: Pairs of indices of symbols and earlier merges, in order of rank.
        first_id: The id of symbol 0; further symbols and then merges count up from it.

    Raises:
        ArtifactError: If two tokens are made of the same symbols (status TOKEN_DUPLICATE), or one
            has more than MAX_TOKEN_BYTES / 2 symbols (TOKEN_LENGTH).
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
    live = live_pairs(numbers, pairs, set(texts[:n_symbols]), split_symbols)
    all_happen = len(live) == len(merges)
    if all_happen and all(live[a + b][1:] == (a, b) for a, b in pairs):
        return symbol_model(n_symbols, merges, first_id)
    merged = sorted(live, key=lambda text: live[text].rank)
    unmade = sorted(text for text in texts[n_symbols:] if text not in live)
    order = [*texts[:n_symbols], *merged, *unmade]
    place_of = {text: place for place, text in enumerate(order)}
    live_merges = [(place_of[live[text].left], place_of[live[text].right]) for text in merged]
    model = symbol_model(n_symbols, live_merges, first_id)
    ids = (*(None for _ in BYTES), *(first_id + numbers[text] for text in order))
    return replace(model, unmade=tuple(unmade), stated=ids)


def script_from_merges(
    base: Artifact,
    *,
    merges: Sequence[Pair],
    added: tuple[Added, ...],
    provenance: Mapping[str, str],
) -> Artifact:
    """Return a vocabulary of tokens that were merged from the symbols of `script_step`.

    Args:
        base: A base of 256 bytes, whose pretokenizer stays.
        merges: Pairs of indices of symbols and earlier merges, in order of rank. Ids are the same
            numbers: from 0 on indices, blocks, bytes, and then merges.
        added: The added tokens.
        provenance: The record of where the model comes from.
    """
    return replace(
        base,
        routes=with_blocks(base.routes, script_step()),
        models=(symbol_model(script_step().n_symbols, merges),),
        added=added,
        decoder=DECODER,
        provenance=provenance,
    )


def with_blocks(routes: Sequence[Route], blocks: Blocks | None) -> tuple[Route, ...]:
    """Return routes in which a step is the last one of all whose model is the base, model 0.

    Args:
        routes: The routes.
        blocks: The step, in place of any other BLOCKS; None: they stay as they are.
    """
    if blocks is None:
        return tuple(routes)
    return tuple(
        replace(route, steps=(*(s for s in route.steps if not isinstance(s, Blocks)), blocks))
        if route.model == 0
        else route
        for route in routes
    )


def split_symbols(text: bytes) -> Sequence[bytes]:
    """Return the symbols, of two bytes each, that a text is made of."""
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def script_artifact(
    pretokenizer: Scanner | None,
    blocks: Blocks,
    model: BPE,
    provenance: Mapping[str, str],
    *,
    drops: Scanner | None = None,
    normalizer: tuple[Rewrite, ...] = (),
    added: tuple[Added, ...] = (),
) -> Artifact:
    """Return an artifact of a model over symbols.

    Args:
        pretokenizer: The scanner that cuts a text into pieces; None: each text is one piece.
        blocks: The step that writes each pretoken as symbols.
        model: The model.
        provenance: The record of where it comes from.
        drops: The scanner that `normalizer` names as automaton 0, if any: the first result of
            `drop_all_but`.
        normalizer: The steps that rewrite a text before it is cut.
        added: The added tokens.
    """
    scanners = [each for each in (drops, pretokenizer) if each]
    steps: tuple[Step, ...] = (blocks,)
    if pretokenizer:
        steps = (Cut(len(scanners) - 1, (Action.KEEP,)), blocks)
    return Artifact(
        scanners=compile_scanners(scanners or [whole_text_scanner()]),
        routes=(Route("other", model=0, steps=steps),),
        models=(model,),
        added=added,
        normalizer=normalizer,
        decoder=DECODER,
        provenance=provenance,
    )


def whole_text_scanner() -> Scanner:
    """Return a scanner whose one match is the whole text."""
    return Scanner("text", (many(Chars(ALL), 1),), longest=False)
