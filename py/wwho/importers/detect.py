"""What a file is, by its content."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path

from wwho.errors import ArtifactError, PatternError, SourceError, SpecialTokenError
from wwho.format.foreign import foreign
from wwho.importers import (
    clip_merges,
    llama2_c,
    llama_cpp,
    paper,
    ranks,
    rwkv,
    script,
    sentencepiece,
    tekken,
    tiktoken_js,
    token_list,
)
from wwho.importers.huggingface import read as tokenizer_json
from wwho.importers.huggingface import vocabulary_files
from wwho.importers.reader import EVERYWHERE, Imported, Options, Reader
from wwho.importers.source import Source
from wwho.importers.transformers.choice import class_of
from wwho.importers.transformers.class_document import AS_IT_IS, ClassDocument
from wwho.importers.transformers.classes import CLASSES, JUDGE, RECORD, import_by_class
from wwho.importers.transformers.folder import ModelFolder

READERS: tuple[Reader, ...] = (
    script.READER,
    token_list.READER,
    tokenizer_json.READER,
    vocabulary_files.LINES,
    vocabulary_files.VOCAB,
    paper.READER,
    tekken.READER,
    tiktoken_js.READER,
    ranks.READER,
    clip_merges.READER,
    rwkv.READER,
    llama_cpp.READER,
    llama2_c.READER,
    sentencepiece.READER,
)
"""All kinds of file; the first that takes a file for its own reads it."""

OTHERS = (
    (rb"\s*$", "it is empty; fetch it again"),
    (rb"\x89WWHO", "it is a .wwho artifact already; commands open it with --model FILE"),
    (rb"#version: ", "the merges of a BPE; take the vocab.json beside it"),
    (
        rb'\s*\{.*"(?:architectures|model_type|hidden_size|transformers_version|\w+_token_id)"\s*:',
        "the settings of a model; take the tokenizer.json beside it",
    ),
    (
        rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[0-9]+\s*[,}]',
        "a list of tokens and their ids, which is no whole tokenizer; take the tokenizer.json "
        "beside it",
    ),
    (rb"\s*\{[{%#]", "a chat template; take the tokenizer.json beside it"),
    (rb"\xff\xfe|\xfe\xff", "text in UTF-16; save it in UTF-8"),
    (rb"\x1f\x8b|\x28\xb5\x2f\xfd|\xfd7zXZ", "compressed by gzip, zstd or xz; unpack it first"),
    (rb'.{8}\{"', "weights as safetensors; take the tokenizer.json beside it"),
    (
        rb"PK\x03\x04|\x80[\x02-\x05]",
        "a zip archive or a pickle, which is never opened; take the tokenizer.json beside it",
    ),
    (
        rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF.{4}WEBP|%PDF",
        "a picture or a PDF; take the tokenizer.json of the model",
    ),
)
"""What else may be given, and what to do: see `foreign`."""

IN_FOLDERS = (
    *("tokenizer.json", "tekken.json", "tokenizer.model", "tokenizer.model.v*", "spiece.model"),
    *("spm.model", "sentencepiece.model", "sentencepiece.bpe.model", "*.tiktoken"),
    *("tiktoken.model", "vocab.json", "vocab.txt", "rwkv_vocab*.txt", "*.gguf"),
)
"""Which file of a folder is read: the first that is there; of several, by name."""


WHOLE = ("tekken.json", "*.tiktoken", "tiktoken.model", "rwkv_vocab*.txt", "*.gguf")
"""Files that need no class: they name their pretokenizer, or are known by their bytes."""
SAYS_NOTHING = ("TokenizersBackend", "MistralCommonBackend")
"""Classes that read such files as they are."""
OF_FOLDERS = frozenset({"lowercase", "fix_mistral_regex", "like_tokenizers", "cuts_words"})
"""Options of folders that a class reads."""
SAY_LITTLE = ("vocab.json", "vocab.txt")
"""Names of files for which the settings of their folder must say how text is cut."""


def import_file(path: str | os.PathLike[str], options: Options | None = None) -> Imported:
    """Import a file, or the tokenizer in a model's folder.

    Args:
        path: the file or folder.
        options: what the file does not say itself.

    Raises:
        SourceError: it is of no kind that is known, damaged, or holds what no artifact can; the
            message names the file, the place in it, what was found, and what would do.
        ArtifactError: its vocabulary cannot be held, such as ranks that are no BPE.
        PatternError: a pattern cannot be compiled.
        SpecialTokenError: an added token cannot be one.
        OSError: it cannot be read.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "a.json"
        ...     _ = path.write_text("<!DOCTYPE html>")
        ...     import_file(path)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        wwho.errors.SourceError: ...a.json: a web page; check that ...
    """
    return import_source(open_source(path), options)


def open_source(path: str | os.PathLike[str], as_file: str | None = None) -> Source | ModelFolder:
    """Return a file, or what a folder's tokenizer is read from.

    Of a folder that has a tokenizer.json, that is what its class makes of the file, unless the
    class reads other files. Otherwise it is the folder itself if its settings name a class of
    transformers, and else the file that counts in it. A vocab.json or vocab.txt says too little by
    itself, so it stands for its folder.

    Args:
        path: the file or folder.
        as_file: the name of a file of the folder that is taken as it is, whatever the model does
            with it; None: as above.

    Raises:
        SourceError: the folder has no such file; or its settings are damaged.
        FileNotFoundError: the path is empty.
    """
    if not os.fspath(path):  # which `Path` would take for the current folder
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    given = Path(path)
    if as_file is not None:
        if not (given / as_file).is_file():
            raise SourceError(f"{given}: the folder has no file {as_file}")
        return Source(given / as_file)
    is_folder = given.is_dir()
    if not is_folder and given.name not in SAY_LITTLE:
        return Source(path)
    folder = ModelFolder(given if is_folder else given.parent)
    with _errors_name_source(folder):
        name = class_of(folder)
        if is_folder and folder.file("tokenizer.json") is not None:
            return folder if _reads_other_files(folder, name) else ClassDocument(folder)
    if name is None or ((name in SAYS_NOTHING or name not in CLASSES) and _whole_file(folder)):
        return find_source(path)
    return folder


def _reads_other_files(folder: ModelFolder, name: str | None) -> bool:
    """Return whether a class takes nothing from a tokenizer.json, and has all files that it reads.

    Such a class is one that transformers runs in Python. Without its files it reads no folder.
    """
    found = CLASSES.get(name or "")
    if found is None or found.read is None or found.rebuild is not None or name in AS_IT_IS:
        return False
    needed = (file.split(" or ") for file in found.files if not file.endswith("?"))
    return all(any(folder.file(each) is not None for each in names) for names in needed)


def _whole_file(folder: ModelFolder) -> bool:
    """Return whether a folder has a file that says by itself how text is cut, and no .model."""
    found = any(any(folder.path.glob(name)) for name in WHOLE)
    return found and folder.file("tokenizer.model") is None


def find_source(path: str | os.PathLike[str]) -> Source:
    """Return a file as given, unread; of a folder, its first file in the order of `IN_FOLDERS`.

    Raises:
        SourceError: the folder has none of them.
    """
    folder = Path(path)
    if not folder.is_dir():
        return Source(path)
    files = (file for name in IN_FOLDERS for file in sorted(folder.glob(name)) if file.is_file())
    found = next(files, None)
    if found is None:
        inner = folder / "tokenizer"
        told = f"; give the folder {inner}" if inner.is_dir() else ""
        raise SourceError(f"{folder}: the folder has none of {', '.join(IN_FOLDERS)}{told}")
    return Source(found)


def import_source(source: Source | ModelFolder, options: Options | None = None) -> Imported:
    """Return the model of a source that `open_source` has found; raises as `import_file` does.

    Args:
        source: the file, or the folder whose class reads it.
        options: what the source does not say itself; None: nothing is said.
    """
    options = Options() if options is None else options
    if isinstance(source, ModelFolder):
        with _errors_name_source(source):
            name = str(class_of(source))
            _check_options(f"a folder of {name}", OF_FOLDERS, options)
            return import_by_class(source, name, options)
    reader = reader_of(source)
    with _errors_name_source(source):
        _check_options(reader.kind, reader.takes, options)
        made = reader.read(source, options)
    if not isinstance(source, ClassDocument):
        return made
    built, artifact = source.built, made.artifact
    if built.record is not None:
        provenance = {**artifact.provenance, RECORD: built.record}
        artifact = replace(artifact, provenance=provenance)
    engine = JUDGE if built.is_anew else made.engine
    return replace(made, artifact=artifact, engine=engine, notes=(*built.notes, *made.notes))


@contextmanager
def _errors_name_source(source: Source | ModelFolder) -> Iterator[None]:
    """Put the path of a source before the messages of errors that the block raises.

    Raises:
        SourceError: a new one, with the pointer of that of the block; other errors are raised
            again.
    """
    try:
        yield
    except SourceError as error:
        raise SourceError(f"{source.path}: {error}", pointer=error.pointer) from error
    except (ArtifactError, PatternError, SpecialTokenError) as error:
        if not str(error).startswith(str(source.path)):
            error.args = (f"{source.path}: {error}",)
        raise


def reader_of(source: Source) -> Reader:
    """Return the first reader in READERS that knows a file by its beginning.

    Raises:
        SourceError: there is none.
    """
    with _errors_name_source(source):
        found = next((reader for reader in READERS if reader.knows(source)), None)
        if found is None:
            others = (kind for pattern, kind in OTHERS if re.match(pattern, source.head, re.DOTALL))
            what = foreign(source.head) or next(others, "")
            if "wwho import" in what:
                what = f"{what.partition(';')[0]}, but without its vocabulary; fetch it again"
            raise SourceError(
                what
                or f"it begins with {source.head[:16]!r}, and is no kind of tokenizer that is "
                f"known: {', '.join(reader.kind for reader in READERS)}"
            )
        return found


def _check_options(kind: str, takes: frozenset[str], options: Options) -> None:
    """Refuse options that say nothing to a kind of file.

    Args:
        kind: what the file is, with an article.
        takes: the options that it takes.
        options: what the caller says.

    Raises:
        SourceError: there is one.
    """
    usual = Options()
    for each in fields(Options):
        if each.name in takes | EVERYWHERE:
            continue
        if getattr(options, each.name) != getattr(usual, each.name):
            raise SourceError(f"the option {each.name!r} says nothing to {kind}")
