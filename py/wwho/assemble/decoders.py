"""The decoders of SentencePiece and llama2.c as decoding steps of an artifact (FORMAT.md).

Decoding steps take the list of a text's tokens and join them, unlike the steps of a normalizer or
route, which take a piece.
"""

from __future__ import annotations

from wwho.format.decoder import Bytes, Decoder, Replace, Strip, Where

SPACE_MARK = "\u2581"
"""SentencePiece's marker for a space."""


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
