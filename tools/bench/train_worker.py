"""Trains in a process of its own: JSON job on stdin, JSON result on stdout.

A job has `task` (see TASKS), `file`, `vocab_size`, `n_bytes` (how many of the 256 bytes the file
has), and for counting `processes` and the `cores` to run on. Trainers are imported by name, so that
nothing but the one asked for is loaded. What they get ready before the corpus is read counts as
well: the base that WWHO trains over, for instance.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from worker import peak_memory

Job = dict[str, Any]
"""A job, or its result."""

SCRIPTS = ("sinhala", "devanagari")
PRUNE = 5  # as for wwho_328k
MERGES = 30_000  # whatever the number of words
TIMES = 5
HIDDEN = [*range(0x21), *range(0x7F, 0xA1), 0xAD]
ALPHABET = [chr(0x100 + HIDDEN.index(byte) if byte in HIDDEN else byte) for byte in range(256)]
"""The character that stands for each byte in GPT-2's files."""


def nothing(job: Job) -> Job:
    """Return no result: the memory that the process takes is subtracted from that of the others."""
    return {}


def syllables(job: Job) -> Job:
    """Train SGPE over o200k_base, WWHO's own job; return how many merges there are."""
    train_options = import_module("wwho.train.options").TrainOptions
    options = train_options(schemas=schemas(), vocab_size=job["vocab_size"], prune=PRUNE)
    model = import_module("wwho.train.pipeline").train_model([job["file"]], options)
    return {"merges": len(model.models[1].merges)}


def plain(job: Job) -> Job:
    """Train BPE with WWHO over o200k_base's pieces, down to pairs seen once.

    Returns:
        How many merges there are, and a digest of the tokens in order.
    """
    train_options = import_module("wwho.train.options").TrainOptions
    options = train_options(atoms="byte", min_freq=1, vocab_size=job["vocab_size"])
    model = import_module("wwho.train.pipeline").train_model([job["file"]], options)
    return {"merges": len(model.models[0].merges), "tokens": digest(model.models[0].texts)}


def plain_gpt2(job: Job) -> Job:
    """Train BPE with WWHO over GPT-2's pieces, down to pairs seen once.

    Returns:
        How many merges there are, and a digest of their tokens, sorted.
    """
    train_options = import_module("wwho.train.options").TrainOptions
    size = job["vocab_size"]
    options = train_options(
        atoms="byte", pattern="r50k_base", min_freq=1, vocab_size=size, specials=()
    )
    model = import_module("wwho.train.pipeline").train_model([job["file"]], options)
    merged = model.models[0].texts[256:]
    return {"merges": len(merged), "tokens": digest(sorted(merged))}


def gigabpe_gpt2(job: Job) -> Job:
    """Train BPE with gigabpe over GPT-2's pieces; return what `plain_gpt2` does.

    Its alphabet is the bytes of the corpus, not all 256.
    """
    _, merges = import_module("gigabpe").train_bpe(
        [job["file"]],
        vocab_size=job["vocab_size"] - 256 + job["n_bytes"],
        special_tokens=[],
        pretokenizer="bytelevel",
        threads=1,
    )
    return {"merges": len(merges), "tokens": digest(sorted(map(bytes_of, merges)))}


def bytes_of(merge: tuple[str, str]) -> bytes:
    """Return the bytes of the token of a merge, whose two parts are in GPT-2's alphabet."""
    return bytes(map(ALPHABET.index, "".join(merge)))


def rustbpe(job: Job) -> Job:
    """Train BPE with rustbpe over its own pieces; return how many merges there are."""
    return {"merges": len(rustbpe_tokens(job, None)) - 256}


def rustbpe_plain(job: Job) -> Job:
    """Train BPE with rustbpe over o200k_base's pieces; return what `plain` does."""
    pattern = import_module("wwho.assemble.patterns").PATTERNS["o200k_base"]
    tokens = rustbpe_tokens(job, pattern)
    return {"merges": len(tokens) - 256, "tokens": digest(tokens)}


def rustbpe_tokens(job: Job, pattern: str | None) -> Sequence[bytes]:
    """Return the tokens that rustbpe learns from the lines of the file, in order of rank."""
    tokenizer = import_module("rustbpe").Tokenizer()
    with Path(job["file"]).open(encoding="utf-8", newline="\n") as lines:
        tokenizer.train_from_iterator(lines, job["vocab_size"], pattern=pattern)
    ranks = sorted((rank, bytes(token)) for token, rank in tokenizer.get_mergeable_ranks())
    return [token for _, token in ranks]


def count(job: Job) -> Job:
    """Return the seconds that pass while words are counted: the least of `TIMES`."""
    counting_model = import_module("wwho.assemble.training_artifacts").counting_model
    count_corpus = import_module("wwho.train.count").count_corpus
    corpus = import_module("wwho.corpus").Corpus([job["file"]])
    model, seconds = counting_model(schemas()), []
    for _ in range(TIMES):
        begin = perf_counter()
        count_corpus(corpus, model, {}, processes=job["processes"], advance=lambda done: None)
        seconds.append(perf_counter() - begin)
    return {"counting": min(seconds)}


def merge(job: Job) -> Job:
    """Return the seconds of processor time that merging takes, of all words and of every fourth."""
    native = import_module("wwho.train.native")
    choose_atoms = import_module("wwho.train.atom_choice").choose_atoms
    words = native.WordTable()
    scanners = native.NativeModel(
        import_module("wwho.assemble.training_artifacts").counting_model(schemas())
    )
    words.count_text(scanners, Path(job["file"]).read_bytes())
    seconds = []
    for step in (1, 4):
        chosen = [item for k, item in enumerate(words.items()) if k % step == 0]
        table = native.WordTable()
        table.add_records(
            b"".join(native.record(word) for word, _ in chosen), [n for _, n in chosen]
        )
        atoms = choose_atoms(table.count_units(), PRUNE)
        begin = process_time()
        native.Merger(table, atoms, max_merges=MERGES, min_freq=1).merge_more(MERGES)
        seconds.append(process_time() - begin)
    return {"merging": seconds}


TASKS = {
    task.__name__: task
    for task in (
        *(nothing, syllables, plain, rustbpe, rustbpe_plain),
        *(plain_gpt2, gigabpe_gpt2, count, merge),
    )
}


def schemas() -> list[Any]:
    """Return the schemas of wwho_328k."""
    load_schema = import_module("wwho.compile.schema_loader").load_schema
    return [load_schema(name) for name in SCRIPTS]


def digest(tokens: Iterable[bytes]) -> str:
    """Return a hash of tokens in their order, which tells two vocabularies apart."""
    found = hashlib.sha256()
    for token in tokens:
        found.update(len(token).to_bytes(4, "little") + token)
    return found.hexdigest()


def main() -> None:
    """Read a job, do it, and print its result; an error is a result, too."""
    job = json.load(sys.stdin)
    if job.get("cores"):
        os.sched_setaffinity(0, job["cores"])
    worked = process_time()
    try:
        result = TASKS[job["task"]](job)
    except BaseException as error:  # panics of Rust are no Exception
        result = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps({"worked": process_time() - worked, "peak": peak_memory(), **result}))


if __name__ == "__main__":
    main()
