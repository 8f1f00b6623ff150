"""The settings that decide the bytes of shards, and the job that workers get."""

from __future__ import annotations

from dataclasses import dataclass

from wwho.corpus.corpus import format_decimal
from wwho.corpus.documents import DocumentSettings
from wwho.shards.token_types import TokenType


@dataclass(frozen=True)
class ShardSettings:
    """The settings that, with the corpus and the model, decide the bytes of shards.

    Attributes:
        format: the name of the format.
        token_type: the type of the ids.
        documents: which documents the corpus holds.
        bos: the special token before each document; None for none.
        eos: the special token after each document; None for none.
        bos_id: its id.
        eos_id: its id.
        shard_bytes: the most bytes of ids in a shard, and about how many stored bytes of the corpus
            one task reads.
        shuffle: the seed of the order of documents; None: that of the corpus.
        row_length: how many ids every row has into which documents are packed; None: a document is
            as long as it is.
    """

    format: str
    token_type: TokenType
    documents: DocumentSettings
    bos: str | None
    eos: str | None
    bos_id: int | None
    eos_id: int | None
    shard_bytes: int
    shuffle: int | None
    row_length: int | None

    def to_json(self) -> dict[str, object]:
        """Return the settings as the manifest records them."""
        documents, reading = self.documents, self.documents.reading
        return {
            "format": self.format,
            "bos": self.bos and {"text": self.bos, "id": self.bos_id},
            "eos": self.eos and {"text": self.eos, "id": self.eos_id},
            "pack": self.row_length,
            "shuffle": self.shuffle,
            "shard_bytes": self.shard_bytes,
            "whole_files": documents.whole_files,
            "max_document": documents.max_document,
            "field": reading.text_field,
            "column": reading.column,
            "name_field": documents.name_field,
            "sample": format_decimal(reading.sample),
            "normalize": reading.normalize,
            "errors": reading.errors,
            "on_error": "skip" if documents.skip else "stop",
        }


@dataclass(frozen=True)
class Job:
    """The facts that a worker needs beside its task: small, and the same on every machine.

    Attributes:
        folder: the path or URL of the folder of shards, in which the model lies meanwhile.
        model_sha256: SHA-256 of the model.
        settings: what decides the bytes of shards.
        threads: how many threads encode within one task.
    """

    folder: str
    model_sha256: str
    settings: ShardSettings
    threads: int = 1
