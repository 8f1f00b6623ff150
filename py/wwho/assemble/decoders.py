"""The decoders of other engines, as steps of the DECODER section.

Those of Hugging Face's `tokenizers` are tuples of steps, which a Sequence puts one after another.
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
CLEAN_UP = (
    *((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't")),
    *((" 'm", "'m"), (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re")),
)
"""What WordPiece's cleanup replaces, in this order."""

NO_DECODER: tuple[Step, ...] = (Join(" "),)
"""What `tokenizers` does where a file names no decoder."""

BYTE_LEVEL: tuple[Step, ...] = (Join(),)
"""ByteLevel: tokens are bytes here, which join. As the only step, no decoder is needed at all."""

FUSE: tuple[Step, ...] = (Join(),)
"""Fuse."""

BYTE_FALLBACK: tuple[Step, ...] = (Bytes(),)
"""ByteFallback."""


def strip(content: str, left: int, right: int) -> tuple[Step, ...]:
    """Strip: a character off the ends of each token."""
    return (Strip(content, left, right),)


def metaspace(mark: str = SPACE_MARK, prepends: bool = True) -> tuple[Step, ...]:
    """Metaspace; `prepends` unless its prepend_scheme is "never"."""
    first: tuple[Step, ...] = (Replace(mark, "", Where.FIRST),) if prepends else ()
    return (*first, Replace(mark, " "))


def word_piece(prefix: str = "##", cleanup: bool = True) -> tuple[Step, ...]:
    """WordPiece. The decoder's `continuing` should be the prefix of the model."""
    return (Strip(prefix, 1, 0, " ", Where.REST), *(clean_up() if cleanup else ()))


def clean_up() -> tuple[Step, ...]:
    """The cleanup of WordPiece and CTC, token by token."""
    return tuple(Replace(pattern, content) for pattern, content in CLEAN_UP)


def bpe(suffix: str = "</w>") -> tuple[Step, ...]:
    """BPEDecoder; an empty suffix is not allowed."""
    return (Replace(suffix, "", Where.LAST), Replace(suffix, " ", Where.BUT_LAST))


def ctc(pad: str = "<pad>", delimiter: str = "|", cleanup: bool = True) -> tuple[Step, ...]:
    """CTC."""
    clean = (*clean_up(), Replace(delimiter, " ")) if cleanup else ()
    return (Unique(), *([Replace(pad, "")] if pad else ()), *clean, Some())


def sentencepiece(
    surfaces: dict[int, bytes], *, dummy_prefix: bool = True, remove_spaces: bool = True
) -> Decoder:
    """The decoding of SentencePiece.

    Args:
        surfaces: the ids of its control tokens, without a text, and that of the unknown token, with
            `unk_surface`.
        dummy_prefix: `add_dummy_prefix` of its normalizer.
        remove_spaces: `remove_extra_whitespaces` of its normalizer.
    """
    where = Where.OPENING if remove_spaces else Where.OPENING_ONCE
    first = (Strip(SPACE_MARK, 1, where=where),) if dummy_prefix or remove_spaces else ()
    return Decoder((*first, Replace(SPACE_MARK, " "), Bytes(each=True)), surfaces=surfaces)


def llama2_c() -> Decoder:
    """The decoding of llama2.c, where the first token follows the one that begins a text."""
    return Decoder((Strip(" ", 1, where=Where.OPENING_ONCE), Bytes(each=True)))
