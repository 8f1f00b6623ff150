"""Doing one task: reading its documents, encoding them, and writing its shards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import chain

from wwho.backends.backend import Backend
from wwho.backends.select import open_backend
from wwho.corpus.documents import Documents, read_documents
from wwho.corpus.reader import Part
from wwho.errors import ShardError
from wwho.progress import Advance, ignore
from wwho.shards.arrange import RowPacker, ShufflingWriter
from wwho.shards.encode import Encoding, encode_in_order
from wwho.shards.encoded import EncodedDocuments, cut_documents
from wwho.shards.folder import WORK, OutputFolder
from wwho.shards.formats import FORMATS
from wwho.shards.formats.shard_format import Layout, Shard, ShardWriter
from wwho.shards.settings import Job, ShardSettings
from wwho.shards.tasks import Task

MODEL = f"{WORK}/model.wwho"
MAX_DOCUMENTS = 1 << 31
"""The most documents of a shard: their starts take 8 bytes each in memory."""


@dataclass(frozen=True)
class Receipt:
    """The result of a task, which is written once all its shards are in their place.

    Attributes:
        shards: the shards, in order.
        documents: how many documents were encoded.
        left_out: how many ids at the end filled no row, and are in no shard.
        faults: what of the corpus was left out, one message each.
    """

    shards: tuple[Shard, ...]
    documents: int
    left_out: int
    faults: tuple[str, ...]

    def to_bytes(self) -> bytes:
        """Return the receipt as JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Receipt:
        """Return the receipt that `to_bytes` has written."""
        value = json.loads(data)
        shards = tuple(
            Shard(**{**shard, "others": tuple(shard["others"])}) for shard in value["shards"]
        )
        return cls(shards, value["documents"], value["left_out"], tuple(value["faults"]))


def receipt_name(task: int) -> str:
    """Return the name of the file, in the folder of shards, that holds the receipt of a task."""
    return f"{WORK}/{task:05}.json"


def layout_of(settings: ShardSettings) -> Layout:
    """Return what all shards of these settings have in common."""
    named = settings.documents.name_field is not None
    return Layout(settings.token_type, named, settings.row_length)


def read_task(task: Task, settings: ShardSettings, advance: Advance) -> Iterator[Documents]:
    """Yield the documents of all pieces of a task, in order.

    Raises:
        CorpusError: as `read_documents` does.
    """
    for piece in task.pieces:
        yield from read_documents(piece.part, settings.documents, advance)


def do_task(
    job: Job,
    task: Task,
    *,
    advance: Advance = ignore,
    check: Callable[[], object] | None = None,
) -> Receipt:
    """Make the shards of a task, and then write its receipt.

    Any process may do it that can open the folder and the corpus. Done again, it writes the same
    bytes.

    Args:
        job: the settings, and where the folder is.
        task: the task.
        advance: is told how many stored bytes of the corpus have been read.
        check: is called often, and may raise an error to end the work.

    Raises:
        CorpusError: the corpus is at fault, and faults are not skipped.
        ShardError: the folder holds another model than the job's, or none.
        OSError: a file cannot be written.
    """
    documents = read_task(task, job.settings, advance)
    encoding = open_encoding(job)
    with closing(encode_in_order(documents, encoding, job.threads)) as batches:
        return write_task(job, task, batches, check or (lambda: None))


def write_task(
    job: Job, task: Task, batches: Iterable[EncodedDocuments], check: Callable[[], object]
) -> Receipt:
    """Write the shards of a task whose documents are encoded, and then its receipt.

    Arguments and errors are those of `do_task`; `batches` has all documents of the task, in order.
    """
    folder = OutputFolder(job.folder)
    receipt = write_shards(folder, task.number, batches, job.settings, check)
    folder.write(receipt_name(task.number), receipt.to_bytes())
    return receipt


def encode_part(job: Job, part: Part) -> list[EncodedDocuments]:
    """Return all documents of a part of a file as ids, in order.

    Raises:
        CorpusError, ShardError: as `do_task` does.
    """
    encoding = open_encoding(job)
    return [encoding.encode(each) for each in read_documents(part, job.settings.documents)]


def open_encoding(job: Job) -> Encoding:
    """Return what encodes documents for a job.

    Raises:
        ShardError: the folder of the job has no model, or another one.
    """
    return encoding_of(job.settings, open_model(job.folder, job.model_sha256))


def encoding_of(settings: ShardSettings, backend: Backend) -> Encoding:
    """Return what encodes documents with an open model, as settings say."""
    return Encoding(backend, settings.token_type, settings.bos_id, settings.eos_id)


_opened: dict[str, Backend] = {}
"""The model that this process has open, by its SHA-256: opening one may take 0.1 s."""


def keep_open(sha256: str, backend: Backend) -> None:
    """Let the tasks of this process use an open model; the one before it is forgotten."""
    _opened.clear()
    _opened[sha256] = backend


def open_model(folder: str, sha256: str) -> Backend:
    """Return the open model that lies in a folder of shards while they are made.

    A process opens it once.

    Raises:
        ShardError: the folder has no model, or another one.
    """
    if backend := _opened.get(sha256):
        return backend
    blob = OutputFolder(folder).read(MODEL)
    if blob is None or hashlib.sha256(blob).hexdigest() != sha256:
        found = "is missing" if blob is None else "is another one"
        raise ShardError(
            f"{folder}/{MODEL}: {found}; every worker must see the folder under this name"
        )
    backend = open_backend(blob)
    keep_open(sha256, backend)
    return backend


def write_shards(
    folder: OutputFolder,
    task: int,
    batches: Iterable[EncodedDocuments],
    settings: ShardSettings,
    check: Callable[[], object],
) -> Receipt:
    """Write encoded documents in shards into a folder, and return the receipt.

    The documents of a shard are ids in files that grow, not memory, unless they are shuffled.

    Args:
        folder: the folder of shards.
        task: the number that the names of shards begin with.
        batches: the documents, in any batches.
        settings: what decides the bytes.
        check: is called for each batch of documents.

    Raises:
        CorpusError, ShardError, OSError: as for `do_task`.
    """
    size, faults, n_documents = settings.token_type.size, list[str](), 0

    def watch(batches: Iterable[EncodedDocuments]) -> Iterator[EncodedDocuments]:
        """Yield batches as they are, and note their documents and faults."""
        nonlocal n_documents
        for batch in batches:
            check()
            n_documents += len(batch)
            faults.extend(batch.faults)
            yield batch

    packer = None if settings.row_length is None else RowPacker(settings.row_length, size)
    watched = watch(batches)
    rows = watched if packer is None else packer.pack(watched)
    groups = cut_documents(
        rows, size, max_ids=settings.shard_bytes // size, max_documents=MAX_DOCUMENTS
    )
    shards = tuple(_write_groups(folder, task, groups, settings))
    return Receipt(shards, n_documents, 0 if packer is None else packer.left, tuple(faults))


def _write_groups(
    folder: OutputFolder,
    task: int,
    groups: Iterable[tuple[EncodedDocuments, bool]],
    settings: ShardSettings,
) -> Iterator[Shard]:
    """Write a shard for each group of documents, publish it, and yield what the manifest lists.

    A shard ends with a group that is full. The shards of a task are named `shard-TASK-NUMBER`, and
    one without documents is not kept.

    Raises:
        ShardError, OSError: as for `do_task`.
    """
    layout, shard_format = layout_of(settings), FORMATS[settings.format]
    suffixes = shard_format.suffixes(layout)
    numbers = iter(range(1 << 31))
    groups = iter(groups)
    for first in groups:
        stem = f"shard-{task:05}-{next(numbers):03}"
        with folder.stage_files() as staged:
            writer: ShardWriter = shard_format.open_writer(staged / stem, layout)
            if settings.shuffle is not None:
                seed = f"{settings.shuffle} {stem}"
                writer = ShufflingWriter(writer, seed, settings.token_type.size)
            n_documents = n_tokens = 0
            for group, is_full in chain((first,), groups):
                writer.add(group)
                n_documents += len(group)
                n_tokens += group.starts[-1]
                if is_full:
                    break
            writer.close()
            if not n_documents:
                continue
            names = [stem + suffix for suffix in suffixes]
            with (staged / names[0]).open("rb") as stream:
                sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
            n_bytes = (staged / names[0]).stat().st_size
            for name in names:
                folder.publish(staged / name)
        yield Shard(names[0], n_documents, n_tokens, n_bytes, sha256, tuple(names[1:]))
