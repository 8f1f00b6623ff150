"""o200k_base in the formats of the peers, from the shipped artifact: nothing is fetched."""

from __future__ import annotations

import hashlib
from pathlib import Path

from wwho.encodings import model_bytes
from wwho.exporters import export
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
    ranks = export(artifact, "tiktoken").data
    found = hashlib.sha256(ranks).hexdigest()
    if found != TIKTOKEN_SHA256:
        raise ValueError(f"o200k_base.tiktoken has SHA-256 {found}, not {TIKTOKEN_SHA256}")
    (folder / "o200k_base.tiktoken").write_bytes(ranks)
    (folder / hashlib.sha1(TIKTOKEN_URL.encode()).hexdigest()).write_bytes(ranks)
    (folder / "tokenizer.json").write_bytes(export(artifact, "tokenizer.json").data)
