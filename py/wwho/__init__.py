"""WWHO: exact tokenization that keeps the syllables of Abugida scripts whole.

Example:
    >>> import wwho
    >>> enc = wwho.get_encoding("o200k_base")
    >>> enc.decode(enc.encode("hello world"))
    'hello world'
"""

import sys

if sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)] in ("wwho", "-mwwho"):
    # This is `python -m wwho`, which imports the package before its command: see wwho_command.
    import signal

    from wwho_command import answer_interrupts

    answer_interrupts(signal.SIG_DFL)

from wwho.encodings import (
    encoding_for_model,
    encoding_name_for_model,
    get_encoding,
    list_encoding_names,
)
from wwho.errors import (
    ArtifactError,
    BackendError,
    ChatError,
    CorpusError,
    CountsError,
    LimitError,
    PatternError,
    SamplingError,
    SchemaError,
    SourceError,
    SpecialTokenError,
    UnknownModelError,
    UnknownTokenError,
    WwhoError,
)
from wwho.tokenizer import Segment, Tokenizer
from wwho.tokenizer.chunk_methods import Chunk
from wwho.tokenizer.tiktoken_encoding import Encoding
from wwho.tokenizer.versions import versions
from wwho.version import __version__

__all__ = [
    "ArtifactError",
    "BackendError",
    "ChatError",
    "Chunk",
    "CorpusError",
    "CountsError",
    "Encoding",
    "LimitError",
    "PatternError",
    "SamplingError",
    "SchemaError",
    "Segment",
    "SourceError",
    "SpecialTokenError",
    "Tokenizer",
    "UnknownModelError",
    "UnknownTokenError",
    "WwhoError",
    "__version__",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
    "list_encoding_names",
    "versions",
]
