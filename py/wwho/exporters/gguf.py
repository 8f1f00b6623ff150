"""A GGUF file of llama.cpp that holds a vocabulary and no tensors."""

from __future__ import annotations

import tempfile
from pathlib import Path

from wwho.errors import ArtifactError, ExportError, SourceError
from wwho.exporters.exported import ByteModel, Exported, byte_model, stand_in
from wwho.exporters.llama_names import name_of
from wwho.format.bpe import BPE
from wwho.format.model import Added, Artifact, Flag
from wwho.format.template import Template, What
from wwho.importers.llama_cpp import READER
from wwho.importers.llama_vocabulary import TokenType
from wwho.importers.reader import Options
from wwho.importers.source import Source

Rows = list[tuple[str, TokenType]]
"""The text and the type of each id."""


def write(artifact: Artifact) -> Exported:
    """The vocabulary under the keys of llama.cpp, which is imported again to see that it is right.

    Raises:
        ExportError: the model is no byte-level BPE, llama.cpp does not know its pattern, or finds
            its tokens otherwise, or the package gguf is missing.
    """
    model = byte_model(artifact)
    named = name_of(artifact, model.model)
    if named is None:
        raise ExportError(f"llama.cpp has no name for the pretokenizer of {artifact.name}")
    name, difference = named
    texts = model.model.texts
    merges = [f"{stand_in(texts[a])} {stand_in(texts[b])}" for a, b in model.model.merges]
    around = _around(artifact.template)
    data = _file(artifact.name, name, _by_id(model), merges, around or {})
    notes = [f"the pattern is llama.cpp's {name!r}; {difference}"] if difference else []
    notes += _compare(artifact, data)
    if around is None:
        notes.append("what stands around a text is for the caller to add")
    return Exported(data, tuple(notes))


def _around(template: Template | None) -> dict[str, int] | None:
    """The ids before and after a text, by what llama.cpp calls them; None: it has no such."""
    places = template.single if template else ()
    kinds = [place.what for place in places] or [What.FIRST]
    at = kinds.index(What.FIRST)
    if at > 1 or len(kinds) - at > 2:
        return None
    found = {"bos": places[0].id} if at else {}
    return found | ({"eos": places[-1].id} if len(kinds) - at > 1 else {})


def _by_id(model: ByteModel) -> Rows:
    """The rows from id 0 on; ids without a token are unused."""
    rows = {number: (stand_in(text), TokenType.NORMAL) for number, text in model.tokens.items()}
    rows |= {token.id: (token.text, _type(token)) for token in reversed(model.added)}
    return [
        rows.get(number, (f"[PAD{number}]", TokenType.UNUSED)) for number in range(max(rows) + 1)
    ]


def _type(token: Added) -> TokenType:
    """What an added token is to llama.cpp.

    Raises:
        ExportError: it is found in a way that llama.cpp has not.
    """
    # Without a normalizer, text is normalized as it is.
    flags = token.flags & ~Flag.NORMALIZED
    if flags & ~Flag.SPECIAL:
        raise ExportError(f"the added token {token.text!r} has flags that llama.cpp does not know")
    return TokenType.CONTROL if flags else TokenType.USER_DEFINED


def _compare(artifact: Artifact, data: bytes) -> list[str]:
    """Refuse what would be read as another model, and say which added tokens are found otherwise.

    Raises:
        ExportError: llama.cpp would merge otherwise.
    """
    try:
        again = READER.read(Source("vocabulary.gguf", data), Options()).artifact
    except (SourceError, ArtifactError) as error:
        raise ExportError(f"llama.cpp cannot run {artifact.name} as it is: {error}") from error
    numbers = {number for number in artifact.token_ids[0] if number is not None}
    if _told(artifact, numbers) != _told(again, numbers):
        raise ExportError(f"llama.cpp would merge otherwise than {artifact.name}")
    theirs = {token.text: token.flags & Flag.SPECIAL for token in again.added}
    changed: dict[str, list[str]] = {}
    for token in artifact.added:
        how = _FOUND[theirs.get(token.text)]
        if how != _FOUND[token.flags & Flag.SPECIAL]:
            changed.setdefault(how, []).append(token.text)
    return [f"{how} there: {', '.join(texts)}" for how, texts in changed.items()]


_FOUND = {
    None: "not found",
    Flag(0): "found in every text",
    Flag.SPECIAL: "found only where special tokens are allowed",
}
"""How an added token is found, by its flag."""


def _told(artifact: Artifact, numbers: set[int]) -> object:
    """What tells a model from others: the texts that merge, in order, and its tokens."""
    model = artifact.models[0]
    assert isinstance(model, BPE)
    texts = model.texts
    tokens = {(text, each) for text, each in zip(texts, artifact.token_ids[0], strict=True)}
    merges = [(texts[left], texts[right]) for left, right in model.merges]
    return merges, {token for token in tokens if token[1] in numbers}


def _file(name: str, pre: str, rows: Rows, merges: list[str], around: dict[str, int]) -> bytes:
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
        writer.add_token_list([text for text, _ in rows])
        writer.add_token_types([kind for _, kind in rows])
        writer.add_token_merges(merges)
        for role in ("bos", "eos"):
            writer.add_bool(f"tokenizer.ggml.add_{role}_token", role in around)
            if role in around:
                writer.add_uint32(f"tokenizer.ggml.{role}_token_id", around[role])
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.close()
        return path.read_bytes()
