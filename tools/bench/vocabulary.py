"""o200k_base in the formats of the peers, from the shipped artifact: nothing is fetched."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

from wwho.build.base import vocabulary_of
from wwho.encodings import model_bytes
from wwho.format.model import Artifact
from wwho.format.read import read_artifact

# What tiktoken's own source says of its file: the artifact's ranks are checked against it.
TIKTOKEN_URL = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
TIKTOKEN_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


def write_vocabulary(folder: Path) -> None:
    """Write o200k_base.tiktoken, the same for tiktoken's cache, and tokenizer.json.

    Raises:
        ValueError: the artifact's ranks are not those of tiktoken.
    """
    folder.mkdir(parents=True, exist_ok=True)
    artifact = read_artifact(model_bytes("o200k_base"))
    tokens = vocabulary_of(artifact).texts
    lines = (b"%s %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(tokens))
    ranks = b"".join(lines)
    found = hashlib.sha256(ranks).hexdigest()
    if found != TIKTOKEN_SHA256:
        raise ValueError(f"o200k_base.tiktoken has SHA-256 {found}, not {TIKTOKEN_SHA256}")
    (folder / "o200k_base.tiktoken").write_bytes(ranks)
    (folder / hashlib.sha1(TIKTOKEN_URL.encode()).hexdigest()).write_bytes(ranks)
    content = json.dumps(tokenizer_json(artifact), ensure_ascii=False)
    (folder / "tokenizer.json").write_text(content, encoding="utf-8")


def tokenizer_json(artifact: Artifact) -> dict[str, object]:
    """The model in Hugging Face's format: byte-level BPE behind the same split pattern."""
    alphabet = byte_alphabet()
    model = vocabulary_of(artifact)
    tokens = [token.decode("latin-1").translate(alphabet) for token in model.texts]
    pattern = {"Regex": artifact.provenance["pattern"]}
    options = dict.fromkeys(("add_prefix_space", "trim_offsets", "use_regex"), False)
    byte_level = {"type": "ByteLevel", **options}
    return {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False},
                byte_level,
            ],
        },
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "ignore_merges": True,
            "vocab": {token: rank for rank, token in enumerate(tokens)},
            "merges": [[tokens[left], tokens[right]] for left, right in model.merges],
        },
    }


def byte_alphabet() -> dict[int, int]:
    """The character for each byte in byte-level vocabularies: itself where it can be printed."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {byte: byte for byte in shown} | {byte: 256 + k for k, byte in enumerate(hidden)}
