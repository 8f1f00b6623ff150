"""`wwho tokenize` beside gigatoken's files and `datasets.map` with a fast tokenizer.

    python tools/bench/shards.py                  Hindi, Sinhala and mixed text, and code
    python tools/bench/shards.py --megabytes 16   less text; --rounds N for more or fewer rounds

All read the same JSON Lines with the vocabulary o200k_base, in turns, each in a fresh process with
two processors, and must find the same number of tokens. wwho and `datasets.map` write their ids to
the disk (wwho flushes them); gigatoken returns them in memory. The time is that of the call, from
the open tokenizer on; imports are not in it. What counts is the median of the ratios of a round.
`wwho read` only reads the documents, in one thread: no faster shards could be written by it.

The peers are installed into tools/bench/.work/venv, unless the Python that runs this has them.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from environment import MB, WORK, find_modules
from texts import CORPORA, read_xz

PEERS = ("gigatoken", "datasets", "tokenizers", "cffi", "tiktoken")
ENGINES = ("wwho tokenize", "wwho read", "gigatoken", "datasets.map")
MODEL = "o200k_base"
PROCESSES = 2


def main() -> None:
    """Write the texts, run all engines in turns, and print speeds and ratios."""
    options = parse()
    find_modules(PEERS, "wwho._core")
    if options.engine:
        print(json.dumps(run_engine(options.engine, options.text)))
        return
    from vocabulary import write_vocabulary  # which needs the modules just found

    WORK.mkdir(exist_ok=True)
    vocabulary = WORK / "shards"
    write_vocabulary(vocabulary)
    names = ("gigatoken", "datasets", "tokenizers")
    print(", ".join(f"{name} {version(name)}" for name in names))
    for name, documents in texts(options.megabytes * MB).items():
        text = vocabulary / f"{name}.jsonl"
        text.write_text("".join(json.dumps({"text": each}) + "\n" for each in documents))
        print_ratios(name, text, options.rounds)


def parse() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=64, help="of each text (default 64)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--text", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def texts(size: int) -> dict[str, list[str]]:
    """The documents of each text: lines of the corpora, and files of the standard library."""
    found = {}
    if (CORPORA / "train_mix.txt.xz").is_file():
        lines = read_xz(CORPORA / "train_mix.txt.xz", size).decode().splitlines()
        found["mixed"] = [line for line in lines if line]
    code, held = [], 0
    for file in sorted(Path(sysconfig.get_paths()["purelib"]).rglob("*.py")):
        text = file.read_text("utf-8", "replace")
        # Peers find special tokens in a text; to wwho they are ordinary text here.
        if held < size and text and "<|" not in text:
            code.append(text)
            held += len(text)
    return found | {"code": code}


def print_ratios(name: str, text: Path, rounds: int) -> None:
    """Run all engines on a text in turns, and print their speeds and the medians of ratios."""
    size = sum(len(json.loads(line)["text"].encode()) for line in text.open(encoding="utf-8"))
    found: dict[str, list[dict[str, float]]] = {engine: [] for engine in ENGINES}
    for _ in range(rounds):
        for engine in ENGINES:
            command = [sys.executable, __file__, "--engine", engine, "--text", str(text)]
            result = subprocess.run(command, check=True, capture_output=True, text=True)
            found[engine].append(json.loads(result.stdout.splitlines()[-1]))
    tokens = {engine: rows[0]["tokens"] for engine, rows in found.items() if "read" not in engine}
    if len(set(tokens.values())) > 1:
        raise SystemExit(f"{name}: the engines disagree: {tokens}")
    print(f"{name}: {size / MB:.0f} MB of text, {tokens['gigatoken']:,} tokens")
    for engine, rows in found.items():
        speed = size / MB / statistics.median(row["seconds"] for row in rows)
        line = f"  {engine:<14} {speed:>7.1f} MB/s"
        if engine != "wwho tokenize":
            for kind in ("seconds", "processor"):
                ratios = [
                    row[kind] / own[kind]
                    for row, own in zip(rows, found["wwho tokenize"], strict=True)
                ]
                line += (
                    f"   wwho {statistics.median(ratios):.2f} times as fast by {kind} "
                    f"({min(ratios):.2f} to {max(ratios):.2f})"
                )
        print(line)


def run_engine(engine: str, text: Path) -> dict[str, float]:
    """Run one engine on a text in this process; its seconds, processor time and tokens."""
    folder = Path(tempfile.mkdtemp(dir=WORK))
    work = {
        "wwho tokenize": run_wwho,
        "wwho read": run_reader,
        "gigatoken": run_gigatoken,
        "datasets.map": run_datasets,
    }[engine](text, folder)
    try:
        before, start = processor_seconds(), time.perf_counter()
        tokens = work()
        seconds = time.perf_counter() - start
        return {
            "seconds": seconds,
            "processor": processor_seconds() - before,
            "tokens": tokens,
        }
    finally:
        shutil.rmtree(folder)


def processor_seconds() -> float:
    """The processor time of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def run_wwho(text: Path, folder: Path) -> Callable[[], int]:
    """Shards of flat ids, written and flushed."""
    import wwho
    from wwho.corpus import Corpus
    from wwho.shards import tokenize

    encoding = wwho.get_encoding(MODEL)

    def work() -> int:
        manifest = tokenize(Corpus([text]), encoding, folder / "out", processes=PROCESSES)
        assert manifest is not None
        return int(manifest["tokens"])

    return work


def run_reader(text: Path, folder: Path) -> Callable[[], int]:
    """The documents, read and dropped; it has no tokens."""
    from wwho.corpus.documents import DocumentSettings, read_documents
    from wwho.corpus.reader import Part, Reading

    settings = DocumentSettings(Reading())
    return lambda: 0 * sum(len(each.texts) for each in read_documents(Part(str(text)), settings))


def run_gigatoken(text: Path, folder: Path) -> Callable[[], int]:
    """An array of ids in memory."""
    awkward, gigatoken = import_module("awkward"), import_module("gigatoken")
    tokenizer = gigatoken.Tokenizer.from_tiktoken(text.parent / f"{MODEL}.tiktoken")
    source = gigatoken.JsonlFileSource([text])
    return lambda: int(awkward.count(tokenizer.encode_files(source)))


def run_datasets(text: Path, folder: Path) -> Callable[[], int]:
    """A dataset of rows of ids, in files of Arrow."""
    import pyarrow.compute as pc
    from tokenizers import Tokenizer

    datasets = import_module("datasets")
    datasets.disable_progress_bars()
    tokenizer = Tokenizer.from_file(str(text.parent / "tokenizer.json"))

    def encode(rows: dict[str, list[str]]) -> dict[str, list[list[int]]]:
        found = tokenizer.encode_batch_fast(rows["text"], add_special_tokens=False)
        return {"input_ids": [each.ids for each in found]}

    def work() -> int:
        """Encode the text's rows into a cache below the folder; return the number of tokens."""
        rows = datasets.load_dataset(
            "json", data_files=str(text), split="train", cache_dir=str(folder)
        )
        done = rows.map(encode, batched=True, remove_columns=["text"], num_proc=PROCESSES)
        return sum(
            pc.sum(pc.list_value_length(chunk)).as_py() for chunk in done.data["input_ids"].chunks
        )

    return work


if __name__ == "__main__":
    main()
