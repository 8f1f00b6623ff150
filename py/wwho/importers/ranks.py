"""A rank file of tiktoken: base64 and rank a line."""

from __future__ import annotations

import re

from wwho.build.base import base_model
from wwho.build.tiktoken_file import parse_ranks, tokens_by_rank
from wwho.errors import SourceError
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import Source

_LINE = re.compile(rb"\s*[A-Za-z0-9+/]+=* [0-9]+\s")


def sniff(source: Source) -> bool:
    """Whether the first line is one of a rank file."""
    return bool(_LINE.match(source.head + b"\n"))


def read(source: Source, options: Options) -> Imported:
    """Make the model."""
    if options.pattern is None:
        raise SourceError("a rank file names no pretokenizer: give its pattern (--pattern)")
    ranks = parse_ranks(source.data, str(source.path))
    artifact = base_model(
        tokens_by_rank(ranks, options.specials),
        pattern=options.pattern,
        specials=options.specials,
        provenance={
            "name": options.name,
            "source": options.source or source.name,
            "license": options.license or "unknown",
        },
    )
    return Imported(artifact=artifact, kind=READER.kind, engine="tiktoken 0.14")


READER = Reader(
    kind="a tiktoken rank file",
    sniff=sniff,
    read=read,
    takes=frozenset({"pattern", "specials"}),
)
