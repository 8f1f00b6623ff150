"""WWHO: exact tokenization that keeps the syllables of Abugida scripts whole.

Example:
    >>> import wwho
    >>> enc = wwho.get_encoding("o200k_base")
    >>> enc.decode(enc.encode("hello world"))
    'hello world'
"""

from wwho.encodings import get_encoding, list_encoding_names
from wwho.errors import (
    ArtifactError,
    BackendError,
    CheckpointError,
    CorpusError,
    PatternError,
    SchemaError,
    SpecialTokenError,
    UnknownTokenError,
    WwhoError,
)
from wwho.tokenizer import Segment, Tokenizer
from wwho.version import __version__

__all__ = [
    "ArtifactError",
    "BackendError",
    "CheckpointError",
    "CorpusError",
    "PatternError",
    "SchemaError",
    "Segment",
    "SpecialTokenError",
    "Tokenizer",
    "UnknownTokenError",
    "WwhoError",
    "__version__",
    "get_encoding",
    "list_encoding_names",
]
