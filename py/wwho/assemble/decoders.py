"""The decoders of other engines, as decoding steps of an artifact (FORMAT.md, DECODER).

Each decoder of Hugging Face's `tokenizers` is a tuple of steps; its Sequence is their tuples, one
after another. Decoding steps take the list of a text's tokens and join them, unlike the steps of a
normalizer or route, which take a piece.
"""

from __future__ import annotations

from wwho.format.decoder import (
    Bytes,
    Decoder,
    Join,
    Replace,
    Some,
    Step,
    Strip,
    Unique,
    Where,
)

SPACE_MARK = "\u2581"
"""SentencePiece's marker for a space."""

CLEAN_UP = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)
"""What WordPiece's cleanup replaces, and by what, in this order."""

NO_DECODER: tuple[Step, ...] = (Join(" "),)
"""The steps of a file that names no decoder: `tokenizers` joins tokens with spaces."""

BYTE_LEVEL: tuple[Step, ...] = (Join(),)
"""ByteLevel: tokens are bytes here, which join. As the only step, no decoder is needed at all."""

FUSE: tuple[Step, ...] = (Join(),)
"""Fuse: all tokens join."""

BYTE_FALLBACK: tuple[Step, ...] = (Bytes(),)
"""ByteFallback: runs of tokens such as ``<0xE0>`` become the text of their bytes."""


def strip(content: str, left: int, right: int) -> tuple[Step, ...]:
    """Return the steps of Strip: remove a character from the ends of each token.

    Args:
        content: The character.
        left: How many times at most it is removed from the start of a token, 0 to 255.
        right: How many times at most it is removed from the end.
    """
    return (Strip(content, left, right),)


def metaspace(mark: str = SPACE_MARK, prepends: bool = True) -> tuple[Step, ...]:
    """Return the steps of Metaspace: each marker becomes a space, and in the first token goes.

    Args:
        mark: The marker.
        prepends: Whether the marker goes in the first token: False if its `prepend_scheme` is
            "never".
    """
    first: tuple[Step, ...] = (Replace(mark, "", Where.FIRST),) if prepends else ()
    return (*first, Replace(mark, " "))


def word_piece(prefix: str = "##", cleanup: bool = True) -> tuple[Step, ...]:
    """Return the steps of WordPiece: tokens join with spaces, except those that continue a word.

    Args:
        prefix: The start of tokens that continue a word. It goes; `Decoder.continuing` should be
            the prefix of the model.
        cleanup: Whether `clean_up` follows.
    """
    return (Strip(prefix, 1, 0, " ", Where.REST), *(clean_up() if cleanup else ()))


def clean_up() -> tuple[Step, ...]:
    """Return the steps of the cleanup of WordPiece and CTC: English punctuation, token by token."""
    return tuple(Replace(pattern, content) for pattern, content in CLEAN_UP)


def bpe(suffix: str = "</w>") -> tuple[Step, ...]:
    """Return the steps of BPEDecoder: the suffix becomes a space, and in the last token goes.

    Args:
        suffix: The end of tokens that end a word; it may not be empty.
    """
    return (Replace(suffix, "", Where.LAST), Replace(suffix, " ", Where.BUT_LAST))


def ctc(pad: str = "<pad>", delimiter: str = "|", cleanup: bool = True) -> tuple[Step, ...]:
    """Return the steps of CTC: of equal neighbours one stays, and pads and empty tokens go.

    Args:
        pad: The text of the pad token, removed from every token; if empty, nothing is.
        delimiter: The text between words.
        cleanup: Whether `clean_up` follows, and then the delimiter becomes a space.
    """
    remove_pads = (Replace(pad, ""),) if pad else ()
    clean = (*clean_up(), Replace(delimiter, " ")) if cleanup else ()
    return (Unique(), *remove_pads, *clean, Some())


def sentencepiece(
    surfaces: dict[int, bytes], *, dummy_prefix: bool = True, remove_spaces: bool = True
) -> Decoder:
    """Return the decoder of SentencePiece: markers become spaces, without those at the start.

    Args:
        surfaces: Ids that decode to other texts than their token's: those of control tokens,
            without a text, and that of the unknown token, with `unk_surface`.
        dummy_prefix: `add_dummy_prefix` of its normalizer: one marker at the start of a text goes.
        remove_spaces: `remove_extra_whitespaces` of its normalizer: each token at the start loses
            one marker, up to the first that then has text left.
    """
    where = Where.OPENING if remove_spaces else Where.OPENING_ONCE
    first = (Strip(SPACE_MARK, 1, where=where),) if dummy_prefix or remove_spaces else ()
    return Decoder((*first, Replace(SPACE_MARK, " "), Bytes(each=True)), surfaces=surfaces)


def llama2_c() -> Decoder:
    """Return the decoder of llama2.c, which drops one space at the start of a text.

    In llama2.c, the first token drops it because it follows the one that begins a text.
    """
    return Decoder((Strip(" ", 1, where=Where.OPENING_ONCE), Bytes(each=True)))
