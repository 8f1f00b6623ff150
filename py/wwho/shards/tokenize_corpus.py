"""From a corpus and a tokenizer to a folder of shards: the function `tokenize`."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import closing
from typing import Any, Literal

from wwho.backends.backend import Backend, Info
from wwho.backends.parallel import processors
from wwho.backends.select import open_backend
from wwho.corpus import Corpus
from wwho.corpus.documents import (
    Documents,
    DocumentSettings,
    documents_of_texts,
    read_documents,
)
from wwho.corpus.reader import Part
from wwho.corpus.sources import is_url
from wwho.corpus.texts import Given, Texts
from wwho.encodings import is_model_file, model_bytes
from wwho.errors import ShardError, errors_name_file
from wwho.format.files import read_model_file
from wwho.progress import Progress
from wwho.shards.encode import encode_in_order
from wwho.shards.folder import WORK, OutputFolder
from wwho.shards.formats import FORMATS
from wwho.shards.manifest import (
    MANIFEST,
    PLAN,
    REMEDY,
    Plan,
    check_plan,
    finish_folder,
    make_plan,
    parse_object,
    read_manifest,
)
from wwho.shards.run import run_tasks
from wwho.shards.settings import Job, ShardSettings
from wwho.shards.tasks import Task, plan_tasks
from wwho.shards.token_types import smallest_type
from wwho.shards.work import MODEL, encoding_of, keep_open, receipt_name, write_shards
from wwho.tokenizer import Tokenizer

SHARD_SIZE = 512_000_000
"""The bytes of ids in a shard, if nothing else is asked for."""

MOST_DOCUMENT = (1 << 31) - 1
"""The most that `max_document` may be: one encoding takes no longer text."""


def tokenize(
    corpus: Corpus | Given,
    model: Tokenizer | str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    format: str = "bin",
    bos: str | None = None,
    eos: str | None = None,
    name_field: str | None = None,
    whole_files: bool = False,
    max_document: int = DocumentSettings.max_document,
    shard_size: int = SHARD_SIZE,
    shuffle: int | None = None,
    pack: int | None = None,
    part: tuple[int, int] = (1, 1),
    resume: bool = False,
    on_error: Literal["stop", "skip"] = "stop",
    processes: int | None = None,
    executor: Executor | None = None,
    progress: bool = False,
) -> dict[str, Any] | None:
    """Encode the documents of a corpus, and write their ids as shards into a folder.

    The same corpus, model and options give the same bytes, however many processes, parts and
    interruptions there were. Processes are started anew: in a script, call this under
    ``if __name__ == "__main__":``, or with ``processes=1``.

    Args:
        corpus: what to read; or an iterable of texts, which this process reads.
        model: a tokenizer, the name of a shipped encoding, or the path of a ``.wwho`` file.
        output: the path or URL of the folder, which must be empty or missing.
        format: one of `wwho.shards.FORMATS`: ``bin``, ``npy``, ``megatron``, ``arrow``,
            ``parquet`` or ``mds``.
        bos: the text of an added token to put before each document; None for none.
        eos: the text of an added token to put after each document; None for none.
        name_field: the field of JSON Lines, or column of Parquet, that names a document.
        whole_files: whether a file of plain text is one document, and not each of its lines.
        max_document: the most bytes of a document, or of the line of JSON that holds it. Each of
            the processes may hold one, several times over.
        shard_size: the most bytes of ids in a shard; a longer document is a shard of its own. Each
            task reads about as many stored bytes of the corpus.
        shuffle: the seed by which documents are shuffled: pieces of files among tasks, and
            documents within a shard, which memory then holds. None: the corpus's order.
        pack: the length of rows, into which documents are packed one after another. The ids at the
            end of a task that fill no row are left out, and counted in the manifest.
        part: which part of the tasks to do, from 1, and of how many. Parts may run at the same time
            on several machines that share the folder; the last to end writes the manifest.
        resume: whether to go on with what an earlier run with the same arguments left.
        on_error: ``stop`` at what is broken in the corpus, or ``skip`` it and list it in the
            manifest.
        processes: how many processes may work at the same time; None: one for each processor.
        executor: what runs the tasks in place of processes of this machine. Its workers must be
            able to open the folder and the corpus by these names.
        progress: whether to show a progress bar on standard error.

    Returns:
        The manifest, as ``manifest.json`` has it; None while other parts are not done.

    Raises:
        CorpusError: the corpus is at fault.
        ShardError: options do not go together, the folder holds something else, a worker was
            killed, or the disk is full.
        ArtifactError: the model is none.
        OSError: a file cannot be read or written.
        ValueError: a number is out of range.

    Example:
        >>> import tempfile
        >>> from array import array
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     done = tokenize(["hello world", "hi"], "cl100k_base", folder, eos="<|endoftext|>")
        ...     ids = (Path(folder) / done["shards"][0]["file"]).read_bytes()
        >>> done["documents"], done["tokens"], done["dtype"], array("I", ids).tolist()
        (2, 5, 'uint32', [15339, 1917, 100257, 6151, 100257])
    """
    corpus = corpus if isinstance(corpus, Corpus) else Corpus(Texts(corpus))
    blob, backend = open_model(model)
    info = backend.info
    settings = ShardSettings(
        format=format,
        token_type=smallest_type(info.n_vocab, _format_of(format).TYPES),
        documents=DocumentSettings(
            corpus.reading, whole_files, name_field, on_error == "skip", max_document
        ),
        bos=bos,
        eos=eos,
        bos_id=None if bos is None else id_of_added(info, bos),
        eos_id=None if eos is None else id_of_added(info, eos),
        shard_bytes=shard_size,
        shuffle=shuffle,
        row_length=pack,
    )
    check_options(corpus, settings, part, resume=resume, executor=executor)
    processes = processors() if processes is None else processes
    if processes < 1:
        raise ValueError(f"processes is {processes}; it takes at least one")
    name = os.fspath(output)
    folder = OutputFolder(name if is_url(name) else os.path.abspath(name))
    sha256 = hashlib.sha256(blob).hexdigest()
    model_facts = {"name": info.provenance.get("name", "unnamed"), "sha256": sha256}
    try:
        plan = make_plan(corpus, model_facts, settings)
        is_shared = part[1] > 1
        if manifest := prepare_folder(folder, plan, blob, resume=resume, is_shared=is_shared):
            return manifest
        if corpus.unnamed_input:
            tasks = [Task(0, ())]
            _write_unnamed(corpus, folder, backend, settings, processes)
        else:
            tasks = plan_tasks(corpus, settings)
            mine = [
                task
                for task in tasks[part[0] - 1 :: part[1]]
                if folder.read(receipt_name(task.number)) is None
            ]
            keep_open(sha256, backend)
            job = Job(folder.name, sha256, settings)
            total = sum(task.size for task in mine)
            with Progress(progress).bar("tokenize", total, unit="B") as advance:
                run_tasks(job, mine, advance, processes=processes, executor=executor)
        return finish_folder(folder, plan, settings, len(tasks))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ShardError(
                f"{name}: no space is left on the disk; the shards that were written stay: free "
                "some space, and go on with --resume"
            ) from error
        raise


def open_model(model: Tokenizer | str | os.PathLike[str]) -> tuple[bytes, Backend]:
    """Return the bytes of the artifact that a tokenizer, a name or a path stands for, and open it.

    Raises:
        ArtifactError: no shipped encoding has this name, or the file is no artifact.
        OSError: the file cannot be read.
    """
    if isinstance(model, Tokenizer):
        return model._blob, model._backend
    name = os.fspath(model)
    blob = read_model_file(name) if is_model_file(name) else model_bytes(name)
    with errors_name_file(name):
        return blob, open_backend(blob)


def id_of_added(info: Info, text: str) -> int:
    """Return the id of an added token, special or not.

    Raises:
        ShardError: the model has no such token; the message names those that it has.
    """
    ids = {token.text: token.id for token in info.added}
    if text not in ids:
        known = ", ".join(ids) or "none"
        raise ShardError(f"the model has no added token {text!r}; it has: {known}")
    return ids[text]


def _format_of(name: str) -> Any:
    """Return a format by its name.

    Raises:
        ShardError: there is none of that name.
    """
    if name not in FORMATS:
        raise ShardError(f"format is {name!r}; it is one of: {', '.join(FORMATS)}")
    return FORMATS[name]


def check_options(
    corpus: Corpus,
    settings: ShardSettings,
    part: tuple[int, int],
    *,
    resume: bool,
    executor: Executor | None,
) -> None:
    """Raise an error for options that do not go together, before anything is read.

    Raises:
        ShardError: they do not.
        ValueError: a number is out of range.
    """
    number, parts = part
    if not 1 <= number <= parts:
        raise ValueError(f"part {number}/{parts}: there are parts 1 to N, such as 1/8 to 8/8")
    most = FORMATS[settings.format].MAX_BYTES
    if not settings.token_type.size <= settings.shard_bytes <= most:
        raise ValueError(
            f"shard_size is {settings.shard_bytes:,} bytes; for {settings.format} it is "
            f"{settings.token_type.size} to {most:,}"
        )
    if not 1 <= settings.documents.max_document <= MOST_DOCUMENT:
        raise ValueError(
            f"max_document is {settings.documents.max_document:,} bytes; it is 1 to "
            f"{MOST_DOCUMENT:,}"
        )
    if settings.row_length is not None and settings.row_length < 1:
        raise ValueError(f"pack is {settings.row_length}; a row has at least one id")
    if settings.row_length is not None and settings.documents.name_field is not None:
        raise ShardError("rows are packed of several documents and have no names; leave one out")
    if any(source.is_counts for source in corpus.sources):
        raise ShardError("a file of counts holds no documents; name the text")
    if weighted := [source.name for source in corpus.sources if source.weight != 1]:
        raise ShardError(f"{weighted[0]}: a document is written once and has no weight")
    if corpus.reading.collapse:
        raise ShardError("documents are encoded as they are; the model may collapse spaces")
    if corpus.unnamed_input and (parts > 1 or resume or executor):
        raise ShardError(
            f"{corpus.unnamed_input} cannot be read again or elsewhere: there are no parts, no "
            "executor and no --resume for it; name files"
        )


def prepare_folder(
    folder: OutputFolder, plan: Plan, blob: bytes, *, resume: bool, is_shared: bool
) -> dict[str, Any] | None:
    """Make the folder of shards ready for work, with the plan and the model in it.

    Args:
        folder: the folder.
        plan: the plan of the work.
        blob: the bytes of the model.
        resume: whether an earlier run may have left work in it.
        is_shared: whether other machines may be working in it.

    Returns:
        The manifest, if all the work was done before; else None.

    Raises:
        ShardError: the folder holds something else.
        OSError: a file cannot be read or written.
    """
    names = folder.names()
    may_hold_work = resume or is_shared
    if names and not may_hold_work:
        state = "holds shards that are not finished" if WORK in names else "is not empty"
        raise ShardError(f"{folder.name}: {state}; go on with --resume, or {REMEDY}")
    if MANIFEST in names and (manifest := read_manifest(folder)) is not None:
        check_plan(folder, manifest, plan)
        return manifest
    found = folder.read(PLAN)
    if found is not None:
        check_plan(folder, parse_object(folder, PLAN, found), plan)
        if not is_shared:
            folder.remove_staged()
    elif set(names) - {WORK}:
        raise ShardError(f"{folder.name}: holds no shards to go on with, but files; {REMEDY}")
    folder.write(MODEL, blob)
    folder.write(PLAN, json.dumps(plan).encode())
    return None


def read_unnamed(corpus: Corpus, settings: ShardSettings) -> Iterator[Documents]:
    """Yield the documents of a corpus that no other process could read.

    Raises:
        CorpusError, TypeError: as `read_documents` and `documents_of_texts` do.
    """
    for source in corpus.sources:
        if source.texts is not None:
            yield from documents_of_texts(source.texts, settings.documents)
            continue
        for file in source.files:
            yield from read_documents(Part(file), settings.documents)


def _write_unnamed(
    corpus: Corpus, folder: OutputFolder, backend: Backend, settings: ShardSettings, threads: int
) -> None:
    """Write the shards of the texts of a program, or of the standard input, in this process.

    Raises:
        CorpusError, ShardError, OSError: as for `tokenize`.
    """
    documents, encoding = read_unnamed(corpus, settings), encoding_of(settings, backend)
    with closing(encode_in_order(documents, encoding, threads)) as batches:
        receipt = write_shards(folder, 0, batches, settings, lambda: None)
    folder.write(receipt_name(0), receipt.to_bytes())
