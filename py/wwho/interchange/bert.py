"""What BERT takes for ideographs, in `tokenizers` and in llama.cpp."""

from __future__ import annotations

from wwho.compile.codepoints import CodePointSet

IDEOGRAPHS = CodePointSet.of(
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Each of them is a word. 2B920 is 2B820 in BERT's own source, and 2B920 in both programs."""
