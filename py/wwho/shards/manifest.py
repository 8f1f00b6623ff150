"""The plan of a folder of shards while it is made, and its manifest once it is whole."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from wwho.corpus.corpus import Corpus
from wwho.corpus.sources import STANDARD_INPUT, size_of, stamp_of
from wwho.errors import CorpusError, ShardError
from wwho.shards.folder import WORK, OutputFolder
from wwho.shards.formats import FORMATS
from wwho.shards.settings import ShardSettings
from wwho.shards.work import Receipt, layout_of, receipt_name
from wwho.version import __version__

PLAN = f"{WORK}/plan.json"
MANIFEST = "manifest.json"
REMEDY = "name another folder, or remove this one"

Plan = dict[str, Any]
"""What is recorded when work begins: `writer`, `dtype`, `model`, `settings`, `sources`, and
`stamps`, which tell whether files changed, and are in no manifest."""


def make_plan(corpus: Corpus, model: Mapping[str, str], settings: ShardSettings) -> Plan:
    """Return the plan of the shards of a corpus.

    Args:
        corpus: the corpus.
        model: the model's name and SHA-256.
        settings: what else decides the bytes of shards.

    Raises:
        CorpusError: a file is missing, and such files are not skipped.
    """
    sources: list[dict[str, object]] = []
    stamps: list[str] = []
    for source in corpus.sources:
        for file in source.files:
            size, stamp = None, ""
            try:
                if source.texts is None and file != STANDARD_INPUT:
                    size, stamp = size_of(file), stamp_of(file)
            except CorpusError:
                if not settings.documents.skip:
                    raise
            sources.append({"file": file, "bytes": size})
            stamps.append(stamp)
    return {
        "writer": f"wwho {__version__}",
        "dtype": settings.token_type.name,
        "model": dict(model),
        "settings": settings.to_json(),
        "sources": sources,
        "stamps": stamps,
    }


def check_plan(folder: OutputFolder, found: Mapping[str, Any], plan: Plan) -> None:
    """Raise an error if a folder holds the work of another plan.

    Args:
        folder: the folder, for the error.
        found: the plan, or the manifest, that is in the folder; it may lack the stamps.
        plan: this run's plan.

    Raises:
        ShardError: they differ; it names the first difference, and both values.
    """
    for key in ("writer", "model", "settings", "sources", "stamps"):
        theirs, ours = found.get(key, plan[key]), plan[key]
        if theirs != ours:
            place, there, here = first_difference(key, theirs, ours)
            raise ShardError(
                f"{folder.name}: holds the shards of other work; {place}: {there} there, "
                f"{here} here; {REMEDY}"
            )


def first_difference(place: str, theirs: object, ours: object) -> tuple[str, str, str]:
    """Return the place of the first difference between two values of JSON, and both there, as text.

    Two lists of different lengths differ as a whole, and their lengths are told. A key that one
    object lacks is as one that is null.

    Example:
        >>> first_difference("settings", {"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]})
        ('settings b 1', '2', '3')
    """
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in (*theirs, *ours):
            if theirs.get(key) != ours.get(key):
                return first_difference(f"{place} {key}", theirs.get(key), ours.get(key))
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for number, (there, here) in enumerate(zip(theirs, ours, strict=True)):
            if there != here:
                return first_difference(f"{place} {number}", there, here)
    if isinstance(theirs, list) and isinstance(ours, list):
        return place, f"{len(theirs)} of them", f"{len(ours)} of them"
    return place, json.dumps(theirs), json.dumps(ours)


def finish_folder(
    folder: OutputFolder, plan: Plan, settings: ShardSettings, n_tasks: int
) -> dict[str, Any] | None:
    """Write the manifest if all tasks have their receipts, and remove what is needed no longer.

    Returns:
        The manifest; None while receipts are missing.

    Raises:
        CorpusError: the corpus has no documents.
        OSError: a file cannot be read or written.
    """
    receipts: list[Receipt] = []
    for task in range(n_tasks):
        data = folder.read(receipt_name(task))
        if data is None:
            # Another machine may have been quicker to finish.
            return read_manifest(folder)
        receipts.append(Receipt.from_bytes(data))
    manifest = make_manifest(plan, receipts)
    if not manifest["shards"]:
        folder.remove_work()
        what = "rows" if settings.row_length else "documents"
        faults = "".join(f"; {fault}" for fault in manifest["skipped"][:1])
        raise CorpusError(f"{plan['sources'][0]['file']}: holds no {what} to write{faults}")
    shards = [shard for receipt in receipts for shard in receipt.shards]
    files = FORMATS[settings.format].folder_files(shards, layout_of(settings))
    for name, data in files.items():
        folder.write(name, data)
    folder.write(MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False).encode() + b"\n")
    folder.remove_work()
    return manifest


def make_manifest(plan: Plan, receipts: Sequence[Receipt]) -> dict[str, Any]:
    """Return the manifest of a folder, as JSON has it.

    Args:
        plan: the plan of the work.
        receipts: those of all tasks, in order.
    """
    shards = [shard for receipt in receipts for shard in receipt.shards]
    return {
        **{key: value for key, value in plan.items() if key != "stamps"},
        "documents": sum(receipt.documents for receipt in receipts),
        "tokens": sum(shard.tokens for shard in shards),
        "left_out_tokens": sum(receipt.left_out for receipt in receipts),
        "shards": [
            {
                "file": shard.file,
                "documents": shard.documents,
                "tokens": shard.tokens,
                "bytes": shard.bytes,
                "sha256": shard.sha256,
                "others": list(shard.others),
            }
            for shard in shards
        ],
        "skipped": [fault for receipt in receipts for fault in receipt.faults],
    }


def read_manifest(folder: OutputFolder) -> dict[str, Any] | None:
    """Return the manifest of a folder; None if it has none.

    Raises:
        ShardError: the file is no manifest.
    """
    data = folder.read(MANIFEST)
    return None if data is None else parse_object(folder, MANIFEST, data)


def parse_object(folder: OutputFolder, name: str, data: bytes) -> dict[str, Any]:
    """Return the JSON object in a file of a folder.

    Raises:
        ShardError: it holds none.
    """
    try:
        value = json.loads(data)
        if not isinstance(value, dict):
            raise ValueError(f"found {type(value).__name__}, expected an object")
    except ValueError as error:
        raise ShardError(f"{folder.name}/{name}: is damaged ({error}); {REMEDY}") from error
    return value
