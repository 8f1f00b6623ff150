"""The public tokenizer: text to ids and back, over whichever backend runs here.

`tokenizer` has the class `Tokenizer`, and its base is in `open_model`; most methods are in mixins,
by what they do: `batch_methods`, `chunk_methods`, `count_methods`, `decode_methods`,
`segment_methods` and `stream_methods`. `tiktoken_encoding` adds the rest of tiktoken's interface.
`special_tokens`, `boundaries`, `grapheme_clusters`, `peer_bytes` and `versions` serve them.
"""

from wwho.tokenizer.segment_methods import Segment
from wwho.tokenizer.tokenizer import Tokenizer

__all__ = ["Segment", "Tokenizer"]
