"""A GGUF file of llama.cpp that holds a vocabulary and no tensors."""

from __future__ import annotations

import tempfile
from pathlib import Path

from wwho.build.patterns import PATTERNS
from wwho.errors import ExportError
from wwho.exporters.exported import ByteModel, Exported, byte_model, only_special, stand_in
from wwho.format.model import Artifact

NAMES = {
    PATTERNS["r50k_base"]: ("gpt-2", ""),
    PATTERNS["cl100k_base"]: ("dbrx", "U+017F does not stand for s in it"),
    PATTERNS["o200k_base"]: ("gpt-4o", "it knows no case of letters outside ASCII"),
}
"""What llama.cpp calls a pattern, and how its own differs."""

NORMAL, CONTROL, UNUSED = 1, 3, 5


def write(artifact: Artifact) -> Exported:
    """The vocabulary under the keys of llama.cpp.

    Raises:
        ExportError: the model is no byte-level BPE, llama.cpp does not know its pattern, or the
            package gguf is missing.
    """
    model = byte_model(artifact)
    specials = only_special(model, "llama.cpp")
    if model.pattern not in NAMES:
        raise ExportError(f"llama.cpp has no name for the pattern of {artifact.name}")
    name, difference = NAMES[model.pattern]
    tokens, types = _by_id(model, specials)
    merges = [
        f"{stand_in(model.model.texts[left])} {stand_in(model.model.texts[right])}"
        for left, right in model.model.merges
    ]
    notes = (f"the pattern is llama.cpp's {name!r}; {difference}",) if difference else ()
    return Exported(_file(artifact.name, name, tokens, types, merges), notes)


def _by_id(model: ByteModel, specials: dict[str, int]) -> tuple[list[str], list[int]]:
    """The text and the type of each id from 0 on; ids without a token are unused."""
    texts = {number: (stand_in(text), NORMAL) for number, text in model.tokens.items()}
    texts |= {number: (text, CONTROL) for text, number in reversed(specials.items())}
    rows = [texts.get(number, (f"[PAD{number}]", UNUSED)) for number in range(max(texts) + 1)]
    return [text for text, _ in rows], [kind for _, kind in rows]


def _file(name: str, pre: str, tokens: list[str], types: list[int], merges: list[str]) -> bytes:
    try:
        from gguf import GGUFWriter
    except ImportError:
        raise ExportError(
            "the package gguf writes GGUF files, and is not installed: pip install 'wwho[export]'"
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vocabulary.gguf")
        writer = GGUFWriter(path, "llama")
        writer.add_name(name)
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre)
        writer.add_token_list(tokens)
        writer.add_token_types(types)
        writer.add_token_merges(merges)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.close()
        return path.read_bytes()
