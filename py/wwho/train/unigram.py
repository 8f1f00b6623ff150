"""Learning a Unigram vocabulary from counted words, and the pieces of a `.model` made of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from wwho.assemble.atoms import AtomKind
from wwho.assemble.training_artifacts import UNKNOWN
from wwho.assemble.unigram import Scored
from wwho.format.model import Artifact
from wwho.importers.sentencepiece import artifact_of
from wwho.interchange.sentencepiece import Kind, Model, Piece
from wwho.reference.sampling import f32
from wwho.train.native import UnigramLearner, WordTable

MAX_CANDIDATES = 1_000_000
"""How many candidates there are at most, beside the atoms: as many as SentencePiece takes."""

MAX_BYTES, MAX_ATOMS = 48, 16
"""How many atoms a token may have where nothing is said: of bytes, and of other kinds."""

MORE = 1.1
"""Pruning stops at so many times the tokens that are wanted, of which those with the highest scores
are taken, as in SentencePiece: 1.0 takes up to 1 % more tokens in Sinhala."""

UNKNOWN_PIECE = "<unk>"
"""The unknown piece of a model of pieces where no special token is `[UNK]`."""


def default_max_units(kind: AtomKind) -> int:
    """Return how many atoms of a kind a token of a Unigram model may have by default."""
    return MAX_BYTES if kind is AtomKind.BYTE else MAX_ATOMS


def learn_unigram(
    words: WordTable,
    atoms: Sequence[bytes],
    *,
    n_tokens: int,
    min_freq: int,
    max_units: int,
    without: Collection[bytes] = (),
    on_round: Callable[[int], object] = lambda _: None,
) -> Scored:
    """Return the tokens of a Unigram model and their scores, by descending score.

    All atoms are among them, whatever `without` has. They are fewer than `n_tokens` where the words
    have too few candidates. The words stay as they are.

    Args:
        words: the words and their counts.
        atoms: texts of the atoms, in ascending byte order, all of which are tokens.
        n_tokens: how many tokens there may be, atoms among them, at least as many as atoms.
        min_freq: how often a candidate must be seen, at least 1.
        max_units: how many atoms a token may have.
        without: texts that no token but an atom may have.
        on_round: is called after each round with the number of tokens that are left.

    Raises:
        ValueError: an atom is longer than 255 bytes, or a number is beyond its limit.
        MemoryError: there is no memory left.
    """
    learner = UnigramLearner(
        words, atoms, max_candidates=MAX_CANDIDATES, min_freq=min_freq, max_units=max_units
    )
    goal = max(int(MORE * n_tokens), len(atoms))
    left = goal + 1
    while left > goal:
        left = learner.prune_to(goal)
        on_round(left)
    learner.prune_to(left)  # estimates what is left once more
    learnt = [(b"".join(parts), f32(score)) for parts, score in learner.tokens()]
    kept = dict(learnt[: len(atoms)])
    for text, score in sorted(learnt[len(atoms) :], key=by_score):
        if len(kept) == n_tokens:
            break
        if text not in without:
            kept.setdefault(text, score)
    return sorted(kept.items(), key=by_score)


def by_score(token: tuple[bytes, float]) -> tuple[float, bytes]:
    """Return the key that sorts tokens: the highest score first, among equals by their text."""
    return -token[1], token[0]


def first_pieces(specials: Sequence[str]) -> list[Piece]:
    """Return the pieces of special tokens, and then those of the 256 bytes, in the order of ids.

    `[UNK]` is the unknown piece; where it is no special token, `<unk>` is, as the first one.
    """
    unknown = UNKNOWN if UNKNOWN in specials else UNKNOWN_PIECE
    texts = specials if unknown in specials else [unknown, *specials]
    return [
        *(Piece(text.encode(), kind=_KINDS[text == unknown]) for text in texts),
        *(Piece(f"<0x{byte:02X}>".encode(), kind=Kind.BYTE) for byte in range(256)),
    ]


_KINDS = {False: Kind.CONTROL, True: Kind.UNKNOWN}


def pieces_artifact(first: Sequence[Piece], tokens: Scored) -> Artifact:
    """Return a model as SentencePiece would make it: one that a `.model` can hold.

    Characters that are no tokens become the tokens of their bytes, so nothing is lost, but that
    `MARKER` in a text decodes to a space.

    Args:
        first: the result of `first_pieces`.
        tokens: the tokens and their scores, which have the ids after these; `MARKER` stands for a
            space.

    Raises:
        SourceError, ArtifactError, PatternError: as `artifact_of` raises them.
    """
    unknown = next(piece.text.decode() for piece in first if piece.kind is Kind.UNKNOWN)
    model = Model(
        pieces=(*first, *(Piece(text, score) for text, score in tokens)),
        byte_fallback=True,
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        names={"unk": unknown},
    )
    return artifact_of(model, {})


def can_be_piece(text: bytes) -> bool:
    """Return whether a `.model` can hold the bytes of a character: UTF-8, and not U+0000."""
    try:
        return text.decode() != "\0"
    except UnicodeDecodeError:
        return False
