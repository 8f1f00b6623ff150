"""The tokens of a BPE in order of rank, and a pattern -> a model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wwho.assemble.bpe import bpe_model
from wwho.assemble.patterns import PATTERNS
from wwho.compile.codepoints import ALL
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.script import script_blocks, script_pieces
from wwho.compile.syntax import Chars, many
from wwho.compile.unicode import UNICODE_VERSION
from wwho.errors import PatternError, SpecialTokenError
from wwho.format.bpe import BPE, BYTES
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES
from wwho.format.model import Added, Artifact, Route, free_ids
from wwho.format.steps import Action, Cut
from wwho.version import __version__

WRITER = f"wwho {__version__}"
SCRIPT_PATTERN, NO_PATTERN = "script", "none"
"""Names of what cuts by scripts (`wwho.compile.script`), and of what does not cut a text."""
SHORT_NAMES = {"o200k": "o200k_base", "cl100k": "cl100k_base"}


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
    return base_model(BYTES, pattern=pattern, specials={}, provenance={"name": "bytes"})


def base_model(
    tokens: Sequence[bytes] | Mapping[bytes, int],
    *,
    pattern: str,
    specials: Mapping[str, int],
    provenance: Mapping[str, str],
) -> Artifact:
    """Build a model from the tokens of a base BPE.

    Args:
        tokens: the tokens, all 256 bytes among them, with their ranks, which are their ids; or in
            order of rank: their ids count up from 0, stepping over those of special tokens.
        pattern: the pretokenizer: the name of a known one (see `wwho.assemble.patterns`) or a
            regular expression.
        specials: special tokens, text to id. Several may have one id, which then decodes to the
            first of them.
        provenance: the record, "name" among it; pattern, Unicode version and writer are added.

    Raises:
        ArtifactError: a byte is missing, or two tokens have one rank.
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
    if not isinstance(tokens, Mapping):
        tokens = dict(zip(tokens, free_ids(len(tokens), ids.values()), strict=True))
    owners = {number: token for token, number in tokens.items()}
    for text, number in ids.items():
        if number in owners:
            raise SpecialTokenError(
                f"special token {text!r} has the id {number}, which belongs to {owners[number]!r}"
            )
    model = bpe_model(tokens, tokens, whole=True, added={*ids.values()})
    return Artifact(
        scanners=compile_scanners([_scanner(regex)]),
        routes=(Route("other", model=0, steps=(Cut(0, (Action.KEEP,)),)),),
        models=(model,),
        added=tuple(Added(text, number) for text, number in ids.items()),
        provenance={
            **provenance,
            "pattern": regex,
            "unicode": UNICODE_VERSION,
            "writer": WRITER,
        },
    )


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
    """The regular expression of a name, or the one that is given; the names of what is none."""
    pattern = SHORT_NAMES.get(pattern, pattern)
    if pattern in (SCRIPT_PATTERN, NO_PATTERN):
        return pattern
    if pattern not in PATTERNS and re.fullmatch(r"[\w-]+", pattern):  # it would match only itself
        known = ", ".join((*PATTERNS, SCRIPT_PATTERN, NO_PATTERN))
        raise PatternError(
            f"there is no pattern {pattern!r}; the names are {known}, and all else is taken as a "
            "regular expression"
        )
    return PATTERNS.get(pattern, pattern)


def _scanner(regex: str) -> Scanner:
    """What cuts a text, by a result of `_regex`."""
    if regex == SCRIPT_PATTERN:
        return script_pieces(script_blocks())
    node = many(Chars(ALL), 1) if regex == NO_PATTERN else parse_regex(regex)
    return Scanner("pretokenizer", (node,), longest=False)


def check_text(text: str) -> None:
    """See whether a text can be a special token of an artifact.

    Raises:
        SpecialTokenError: it is empty, too long, or not valid Unicode.
    """
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise SpecialTokenError(f"special token {text!r} is not valid Unicode") from error
    if not 1 <= size <= MAX_TOKEN_BYTES:
        raise SpecialTokenError(
            f"special token {text[:40]!r} has {size} bytes; 1 to {MAX_TOKEN_BYTES} are allowed"
        )


def _checked(specials: Mapping[str, int]) -> dict[str, int]:
    """The special tokens by ascending id."""
    for text, number in specials.items():
        check_text(text)
        if not 0 <= number < MAX_IDS:
            raise SpecialTokenError(
                f"special token {text!r} has the id {number}; ids are 0 to {MAX_IDS - 1}"
            )
    return dict(sorted(specials.items(), key=lambda item: item[1]))
