"""Joining the texts of tokens, in plain Python (FORMAT.md, DECODER)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby

from wwho.format import steps
from wwho.format.decoder import (
    Blocks,
    Bytes,
    Decoder,
    Join,
    Replace,
    Some,
    Strip,
    Unique,
    Unspell,
    Where,
)
from wwho.format.greedy import Greedy
from wwho.format.model import Artifact
from wwho.format.steps import bytes_of_stand_ins, symbol_at
from wwho.text import read_characters

LOST = "\ufffd".encode()
BYTE = re.compile(rb"<0x(?:[0-9A-Fa-f]|\+)[0-9A-Fa-f]>")
"""A token that is a byte; a plus is a sign to Rust, which reads the number."""


def listed_texts(artifact: Artifact) -> Mapping[int, bytes]:
    """Return the texts with which tokens begin a decoder's list, if not with those of `decoded`.

    By id, they are `<0xHH>` for bytes, tokens with the prefix of those that continue a pretoken,
    and surfaces, which count before the others. An id that also begins a pretoken has no prefix.
    Without a decoder there are none.
    """
    if artifact.decoder is None:
        return {}
    prefix = artifact.decoder.continuing.encode()
    texts: dict[int, bytes] = {}
    for model, ids in zip(artifact.models, artifact.token_ids, strict=True):
        if isinstance(model, Greedy):
            later = list(zip(ids, model.texts, strict=True))[model.n_symbols :]
            texts |= {token: prefix + text for token, text in later if token is not None}
            firsts = {*ids[: model.n_symbols]}
            texts = {token: text for token, text in texts.items() if token not in firsts}
        for byte, token in enumerate(model.byte_ids):
            if token is not None:
                texts[token] = b"<0x%02X>" % byte
    texts = {token: text for token, text in texts.items() if token not in artifact.shadowed}
    return {**texts, **artifact.decoder.surfaces}


def join(
    decoder: Decoder,
    tokens: list[bytes],
    after: bool = False,
    more: bool = False,
    blocks: steps.Blocks | None = None,
) -> tuple[bytes, int]:
    """Return the text of a list of tokens, as far as it is certain.

    Args:
        decoder: the decoder whose steps are taken.
        tokens: the texts of the tokens.
        after: whether tokens with text that is not empty came before.
        more: whether tokens come after.
        blocks: the step of a route whose symbols the decoder's `Blocks` joins.

    Returns:
        The text that tokens after these cannot change, as bytes that may be broken UTF-8, and how
        many of the last tokens are not in it: 0 without `more`, all of them if the decoder waits
        for the last token.
    """
    if more and decoder.waits:
        return b"", len(tokens)
    held, joined = 0, False
    if more and any(getattr(s, "where", 0) in (Where.LAST, Where.BUT_LAST) for s in decoder.steps):
        held = len(tokens[-1:])
        tokens = tokens[:-1]
    elif more and blocks is not None:
        while tokens and blocks.is_block(symbol_at(tokens[-1], len(tokens[-1]) - 2)):
            tokens, held = tokens[:-1], held + 1
    for step in decoder.steps:
        match step:
            case Replace() | Strip():
                tokens = _each(step, tokens, after and not joined, more and not joined, after)
            case Bytes(each):
                runs = [
                    (key, list(run))
                    for key, run in groupby(tokens, key=lambda token: bool(BYTE.fullmatch(token)))
                ]
                if more and runs and runs[-1][0]:
                    held += len(runs.pop()[1])
                tokens = [text for is_byte, run in runs for text in _text(run, is_byte, each)]
            case Join(separator):
                gap = separator.encode()
                text = gap.join(tokens)
                tokens = [gap + text if after and tokens and not joined else text]
                joined = True
            case Blocks():
                assert blocks is not None
                tokens = [_characters_of_blocks(blocks, token) for token in tokens]
            case Unique():
                tokens = [key for key, _ in groupby(tokens)]
            case Unspell():
                tokens = [_unspell(token) for token in tokens]
            case Some():
                tokens = [text for text in tokens if text]
    return b"".join(tokens), held


def _characters_of_blocks(blocks: steps.Blocks, token: bytes) -> bytes:
    """Return a token in which symbols of blocks are replaced by what they stand for.

    A block and an index become their character, a byte's symbol that byte, and any other symbol, or
    a block without an index of it, U+FFFD. Bytes that are no symbols stay.
    """
    out, at, block = bytearray(), 0, None
    while at < len(token) or block is not None:
        symbol = symbol_at(token, at)
        if block is not None:
            found = blocks.characters.get((block, -1 if symbol is None else symbol))
            out += LOST if found is None else chr(found).encode()
            at += 0 if found is None else 2
            block = None
            continue
        number = -1 if symbol is None else symbol - blocks.n_indices - len(blocks.blocks)
        if symbol is None:
            out.append(token[at])
        elif blocks.is_block(symbol):
            block = symbol - blocks.n_indices
        else:
            out += bytes([number]) if 0 <= number < 256 else LOST
        at += 1 if symbol is None else 2
    return bytes(out)


def _each(
    step: Replace | Strip, tokens: list[bytes], after: bool, more: bool, begun: bool
) -> list[bytes]:
    """Return the list after a step that applies to each token of some.

    Args:
        step: the step.
        tokens: the list.
        after: whether tokens came before that the step has not yet joined with these.
        more: whether tokens come after that it has not yet joined with these.
        begun: whether text came before.
    """
    out: list[bytes] = []
    opening = not begun
    for number, token in enumerate(tokens):
        first = not number and not after
        last = number == len(tokens) - 1 and not more
        chosen = (True, first, not first, last, not last, opening, opening)[step.where]
        text = _done(step, token, begun and not after) if chosen else token
        once = step.where is Where.OPENING_ONCE and len(text) < len(token)
        opening = opening and not text and not once
        out.append(text)
    return out


def _done(step: Replace | Strip, token: bytes, begun: bool) -> bytes:
    """Return a token after a step; `begun` says that its beginning was decoded before.

    REPLACE replaces all matches. STRIP takes its text off the start, `left` times at most, or else
    puts `otherwise` there, and off the end, `right` times at most; the start stays if it has begun.
    """
    if isinstance(step, Replace):
        return token.replace(step.pattern.encode(), step.content.encode())
    text, found = step.text.encode(), begun
    for _ in range(0 if begun else step.left):
        if not token.startswith(text):
            break
        token, found = token[len(text) :], True
    if not found:
        token = step.otherwise.encode() + token
    for _ in range(step.right):
        token = token.removesuffix(text)
    return token


def _unspell(token: bytes) -> bytes:
    """Return the bytes that the characters of a token stand for, or else the token itself.

    It is returned as it is if it is not UTF-8, or if one of its characters stands for no byte.
    """
    try:
        found = bytes_of_stand_ins(token.decode())
    except UnicodeDecodeError:
        return token
    return token if found is None else found


def _text(run: list[bytes], is_byte: bool, each: bool) -> list[bytes]:
    """Return the tokens that a run of tokens becomes after BYTES.

    A run of bytes becomes one token of text; if it is not UTF-8, each of its bytes becomes U+FFFD.
    A run of other tokens stays.

    Args:
        run: neighbouring tokens, all of which are bytes, or none.
        is_byte: whether they are bytes.
        each: whether each character of their text becomes a token.
    """
    if not is_byte:
        return run
    data = bytes(int(token[3:5], 16) for token in run)
    if each:
        return [character.encode() for character in read_characters(data)[0]]
    try:
        data.decode()
    except UnicodeDecodeError:
        return [LOST] * len(run)
    return [data]
