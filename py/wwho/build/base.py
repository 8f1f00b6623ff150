"""The tokens of a BPE in order of rank, and a pattern -> a model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wwho.format.layout import MAX_IDS
from wwho.format.bpe import BPE
from wwho.format.model import Action, Added, Artifact, Ids, Route, Stage, free_ids
from wwho.build.pairs import canonical_pairs
from wwho.build.patterns import PATTERNS
from wwho.errors import ArtifactError, PatternError, SpecialTokenError
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.parse import parse_regex
from wwho.compile.unicode import UNICODE_VERSION
from wwho.special import check_text
from wwho.version import __version__

WRITER = f"wwho {__version__}"


def byte_base(pattern: str = "o200k_base") -> Artifact:
    """Build the base without a vocabulary: each byte is a token.

    Args:
        pattern: as in `base_model`; it tells only what merges may join that are learnt later.

    Raises:
        PatternError: the pattern cannot be compiled.

    Example:
        >>> byte_base().n_vocab
        256
    """
    tokens = [bytes([byte]) for byte in range(256)]
    return base_model(tokens, pattern=pattern, specials={}, provenance={"name": "bytes"})


def base_model(
    tokens: Sequence[bytes],
    *,
    pattern: str,
    specials: Mapping[str, int],
    provenance: Mapping[str, str],
) -> Artifact:
    """Build a model from the tokens of a base BPE, in order of rank.

    Args:
        tokens: the tokens; the first 256 are the single bytes. Their ids count up from 0, stepping
            over those of special tokens.
        pattern: the pretokenizer: the name of a known one (see `wwho.build.patterns`) or a regular
            expression.
        specials: special tokens, text to id. Several may have one id, which then decodes to the
            first of them.
        provenance: the record, "name" among it; pattern, Unicode version and writer are added.

    Raises:
        ArtifactError: the tokens are no BPE vocabulary.
        PatternError: the pattern cannot be compiled.
        SpecialTokenError: a special token cannot be one, or has an id that it cannot have.

    Example:
        >>> tokens = [*(bytes([k]) for k in range(256)), b"ab"]
        >>> specials = {"<|end|>": 300}
        >>> record = {"name": "toy"}
        >>> base_model(tokens, pattern=r"\\w+|\\W", specials=specials, provenance=record).n_vocab
        301
    """
    regex = _regex(pattern)
    ids = _checked(specials)
    pairs = canonical_pairs(tokens)
    scanner = Scanner("pretokenizer", (parse_regex(regex),), longest=False)
    steps = not isinstance(free_ids(len(tokens), ids.values()), range)
    model = BPE(
        symbols=tuple(tokens[:256]),
        merges=pairs,
        id_policy=Ids.STEP if steps else Ids.COUNT,
    )
    return Artifact(
        scanners=compile_scanners([scanner]),
        router=None,
        routes=(Route("other", model=0, stages=(0,)),),
        models=(model,),
        stages=(Stage(automaton=0, actions=(Action.KEEP,)),),
        added=tuple(Added(text, number) for text, number in ids.items()),
        provenance={
            **provenance,
            "pattern": regex,
            "unicode": UNICODE_VERSION,
            "writer": WRITER,
        },
    )


def tokens_by_rank(ranks: Mapping[bytes, int], specials: Mapping[str, int]) -> list[bytes]:
    """The tokens in order of rank.

    Ranks are ids: with those of the special tokens, they must leave out none.

    Raises:
        ArtifactError: a rank is missing, or belongs to two tokens.
        SpecialTokenError: a special token has the id of another token.

    Example:
        >>> tokens_by_rank({b"b": 2, b"a": 0}, {"<|end|>": 1})
        [b'a', b'b']
    """
    tokens = sorted(ranks, key=ranks.__getitem__)
    texts = {number: text for text, number in specials.items()}
    for token, expected in zip(tokens, free_ids(len(tokens), texts), strict=True):
        rank = ranks[token]
        if rank in texts:
            raise SpecialTokenError(
                f"special token {texts[rank]!r} has the id {rank}, which belongs to {token!r}"
            )
        if rank < expected:
            raise ArtifactError(
                f"{token!r} has the rank {rank}, which is negative or that of another, too",
                status="RANKS",
            )
        if rank > expected:
            raise ArtifactError(
                f"rank {expected} is missing: no token and no special token has it", status="RANKS"
            )
    return tokens


def vocabulary_of(base: Artifact) -> BPE:
    """The model of a base vocabulary.

    Raises:
        ValueError: it is no base vocabulary: it has another model, or several, or routes.
    """
    model = base.models[0]
    if len(base.models) > 1 or base.router is not None or not isinstance(model, BPE) or model.units:
        raise ValueError(f"the base {base.name!r} has routes of its own; give a base vocabulary")
    return model


def _regex(pattern: str) -> str:
    """The regular expression of a name, or the one that is given."""
    if pattern not in PATTERNS and re.fullmatch(r"[\w-]+", pattern):  # it would match only itself
        known = ", ".join(PATTERNS)
        raise PatternError(
            f"there is no pattern {pattern!r}; the names are {known}, and all else is taken as a "
            "regular expression"
        )
    return PATTERNS.get(pattern, pattern)


def _checked(specials: Mapping[str, int]) -> dict[str, int]:
    """The special tokens by ascending id."""
    for text, number in specials.items():
        check_text(text)
        if not 0 <= number < MAX_IDS:
            raise SpecialTokenError(
                f"special token {text!r} has the id {number}; ids are 0 to {MAX_IDS - 1}"
            )
    return dict(sorted(specials.items(), key=lambda item: item[1]))
