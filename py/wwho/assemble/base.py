"""The making of base vocabularies: byte-pair encodings over bytes, with a pretokenizer pattern."""

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
"""The names of two pretokenizers that are no regular expressions: one cuts where the script changes
(`wwho.compile.script`), the other takes a text as one piece."""
SHORT_NAMES = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
"""Other names of patterns in `wwho.assemble.patterns`."""


def byte_base(pattern: str = "o200k_base") -> Artifact:
    """Return the base without merges: its 256 tokens are the bytes, with the ids 0 to 255.

    Args:
        pattern: The pretokenizer, as in `base_model`. It does not change what this base encodes
            to; merges that are learnt later stay within its pieces.

    Raises:
        PatternError: If the pattern cannot be compiled.

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
    """Return an artifact of one byte-pair encoding over bytes, given by its tokens.

    Merges are not given: a rank is enough to find them (`wwho.assemble.bpe`). A piece that is a
    token as a whole becomes that token even where merges do not make it, as in tiktoken.

    Args:
        tokens: The tokens, all 256 bytes among them, by rank: either a mapping to ranks, which are
            their ids, or a sequence in order of rank; its ids count up from 0, stepping over those
            of special tokens.
        pattern: The pretokenizer: a regular expression, the name of a known one (see
            `wwho.assemble.patterns`), "script" or "none".
        specials: Special tokens, text to id. Several may have one id, which then decodes to the
            first of them.
        provenance: The record of where the tokens come from, "name" among it; "pattern", "unicode"
            and "writer" are added.

    Raises:
        ArtifactError: If a byte is missing, or two tokens have one rank.
        PatternError: If the pattern cannot be compiled, or is a word that is no known name.
        SpecialTokenError: If a special token is empty, too long or not valid Unicode, or its id is
            out of range or that of another token.

    Example:
        >>> tokens = [*(bytes([k]) for k in range(256)), b"ab"]
        >>> specials = {"<|end|>": 300}
        >>> record = {"name": "toy"}
        >>> base_model(tokens, pattern=r"\\w+|\\W", specials=specials, provenance=record).n_vocab
        301
    """
    regex = _expand_pattern(pattern)
    ids = _check_specials(specials)
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
        scanners=compile_scanners([_pretokenizer(regex)]),
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


def base_vocabulary(base: Artifact) -> BPE:
    """Return the one model of a base vocabulary, which is a byte-pair encoding over bytes.

    Raises:
        ValueError: If the artifact is no base vocabulary: its model is of another kind, it has
            several models, or a router.
    """
    model = base.models[0]
    if len(base.models) > 1 or base.router is not None or not isinstance(model, BPE) or model.units:
        raise ValueError(f"the base {base.name!r} has routes of its own; give a base vocabulary")
    return model


def _expand_pattern(pattern: str) -> str:
    """Return the regular expression that a pattern's name stands for, or the pattern itself.

    "script" and "none" are returned as they are.

    Raises:
        PatternError: If the pattern consists of letters, digits, hyphens and underscores, and is no
            known name.
    """
    pattern = SHORT_NAMES.get(pattern, pattern)
    if pattern in (SCRIPT_PATTERN, NO_PATTERN):
        return pattern
    # A regular expression of such characters would match only itself: it is a wrong name.
    if pattern not in PATTERNS and re.fullmatch(r"[\w-]+", pattern):
        known = ", ".join((*PATTERNS, SCRIPT_PATTERN, NO_PATTERN))
        raise PatternError(
            f"there is no pattern {pattern[:100]!r}; the names are {known}, and all else is taken "
            "as a regular expression"
        )
    return PATTERNS.get(pattern, pattern)


def _pretokenizer(regex: str) -> Scanner:
    """Return the scanner that cuts a text into pieces, by a result of `_expand_pattern`.

    Raises:
        PatternError: If it is no regular expression in the dialect of `parse_regex`.
    """
    if regex == SCRIPT_PATTERN:
        return script_pieces(script_blocks())
    node = many(Chars(ALL), 1) if regex == NO_PATTERN else parse_regex(regex)
    return Scanner("pretokenizer", (node,), longest=False)


def check_special_text(text: str) -> None:
    """Raise SpecialTokenError if a text cannot be a special token of an artifact.

    Raises:
        SpecialTokenError: If it is empty, has more than MAX_TOKEN_BYTES bytes in UTF-8, or holds a
            lone surrogate.
    """
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise SpecialTokenError(f"special token {text!r} is not valid Unicode") from error
    if not 1 <= size <= MAX_TOKEN_BYTES:
        raise SpecialTokenError(
            f"special token {text[:40]!r} has {size} bytes; 1 to {MAX_TOKEN_BYTES} are allowed"
        )


def _check_specials(specials: Mapping[str, int]) -> dict[str, int]:
    """Return the special tokens sorted by id, after checking their texts and ids.

    Raises:
        SpecialTokenError: If a text cannot be one, or an id is not 0 to MAX_IDS - 1.
    """
    for text, number in specials.items():
        check_special_text(text)
        if not 0 <= number < MAX_IDS:
            raise SpecialTokenError(
                f"special token {text!r} has the id {number}; ids are 0 to {MAX_IDS - 1}"
            )
    return dict(sorted(specials.items(), key=lambda item: item[1]))
