"""What a trained model says of its making."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from wwho.build.atoms import AtomKind
from wwho.build.base import WRITER
from wwho.corpus.corpus import Corpus, decimal
from wwho.format.model import Model
from wwho.grammar.unicode import UNICODE_VERSION
from wwho.normalize import KEY
from wwho.schema.model import Schema
from wwho.train.report import Report

LISTED = 1000
"""Files that a model names, at most."""


def provenance(
    name: str,
    schemas: Sequence[Schema],
    base: Model,
    corpus: Corpus,
    report: Report,
    kind: AtomKind,
    options: str,
) -> dict[str, str]:
    """What stands in the section PROVENANCE of FORMAT.md.

    Args:
        name: the encoding's name.
        schemas: the scripts taken over from the base.
        base: the model it was trained over.
        corpus: what it was trained on.
        report: what was counted there.
        kind: what the tokens are merged from.
        options: the numbers that decided the rest, in words.
    """
    return {
        **_base_provenance(base, kind),
        **{f"schema:{schema.name}": f"sha256 {schema.digest}" for schema in schemas},
        "name": name,
        "writer": WRITER,
        "unicode": UNICODE_VERSION,
        **_corpus_provenance(corpus, report),
        **({KEY: corpus.reading.normalize} if corpus.reading.normalize else {}),
        "training": options,
    }


def _base_provenance(base: Model, kind: AtomKind) -> dict[str, str]:
    """What the base says of itself, under names that tell it is the base.

    What is learnt over bytes is a base itself: only the pretokenizer's pattern is left to say.
    """
    if kind is AtomKind.BYTE:
        return {key: text for key, text in base.provenance.items() if key == "pattern"}
    return {f"base:{key}": text for key, text in base.provenance.items() if key != "writer"}


def _corpus_provenance(corpus: Corpus, report: Report) -> dict[str, str]:
    """What was counted; the files by their digests, in an order that does not depend on theirs."""
    total = report.total
    provenance = {
        "corpus": _listed(total.digests),
        "corpus_bytes": str(total.bytes),
        "corpus_words": str(total.words),
        "corpus_distinct_words": str(total.distinct_words),
        "corpus_broken_characters": str(total.broken_characters),
    }
    weighted: dict[str, list[str]] = {}
    for source in report.sources:
        if source.weight is not None and source.weight != "1":
            weighted.setdefault(source.weight, []).extend(source.digests)
    if weighted:
        provenance["corpus_weights"] = ", ".join(
            f"{weight} for {_listed(digests)}" for weight, digests in sorted(weighted.items())
        )
    if corpus.reading.sample != 1:
        provenance["corpus_sample"] = f"{decimal(corpus.reading.sample)} of the lines"
    return provenance


def was_trained_on(provenance: Mapping[str, str], digests: Sequence[str]) -> bool:
    """Whether a model, or its base, says that one of these files was in its corpus.

    Of a corpus of more than `LISTED` files it can only be told whether these are all of them.

    Args:
        provenance: the model's.
        digests: SHA-256 of the contents of files, as `Corpus.digests` has them.

    Example:
        >>> was_trained_on({"corpus": "sha256 aa sha256 bb"}, ["bb"])
        True
    """
    recorded = [provenance.get(f"{owner}corpus", "") for owner in ("", "base:")]
    return any(
        listed == _listed(digests) or not {*digests}.isdisjoint(listed.split())
        for listed in recorded
        if listed
    )


def _listed(digests: Sequence[str]) -> str:
    """Digests of files, in ascending order; of very many files, one digest of all that."""
    text = " ".join(f"sha256 {digest}" for digest in sorted(digests))
    if len(digests) <= LISTED:
        return text
    return f"{len(digests)} files, sha256 of their list {sha256(text.encode()).hexdigest()}"
