"""Measures one Python tokenizer in a process of its own: JSON job on stdin, JSON result on stdout.

A job has `engine` (see ENGINES), `task` (see TASKS) and what that task reads. Peers are imported by
name and only when asked for, so that nothing but the engine is loaded, and cold starts are cold.
"""

from __future__ import annotations

import hashlib
import json
import sys
from array import array
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

# Ids as a list or a numpy array, or their number.
Encode = Callable[[str], Any]
Job = dict[str, Any]

FIRST_TEXT = "The first text that this process encodes."


def wwho(model: str, method: str) -> Encode:
    """WWHO's native backend."""
    tokenizer = import_module("wwho").get_encoding(model, backend="native")
    encode: Encode = getattr(tokenizer, method)
    return encode


def load_gigatoken(ranks: Path) -> Encode:
    """gigatoken takes the pretokenizer from the name of the file of ranks."""
    encode: Encode = import_module("gigatoken").Tokenizer.from_tiktoken(ranks).encode
    return encode


def load_tokenizers(file: Path) -> Encode:
    """Hugging Face tokenizers."""
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(file))
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def load_kitoken(ranks: Path) -> Encode:
    """kitoken takes the pretokenizer from the name of the file of ranks, as gigatoken does."""
    encode = import_module("kitoken").Kitoken.from_tiktoken_file(str(ranks)).encode
    return lambda text: encode(text, False)


def load_toktok() -> Encode:
    """toktok only counts."""
    count = import_module("toktok").batch_count
    return lambda text: int(count([text], "o200k_base")[0])


def bundled(module: str, method: str) -> Encode:
    """A tokenizer that `get_encoding` makes. Of tiktoken, TIKTOKEN_CACHE_DIR has the ranks."""
    encode: Encode = getattr(import_module(module).get_encoding("o200k_base"), method)
    return encode


# Each gets the folder in which run.py put the vocabulary in the peers' formats.
ENGINES: dict[str, Callable[[Path], Encode]] = {
    "nothing": lambda _: lambda text: [],
    "wwho": lambda _: wwho("o200k_base", "encode"),
    "wwho array": lambda _: wwho("o200k_base", "encode_to_numpy"),
    "wwho count": lambda _: wwho("o200k_base", "count"),
    "wwho_328k array": lambda _: wwho("wwho_328k", "encode_to_numpy"),
    "gigatoken": lambda folder: load_gigatoken(folder / "o200k_base.tiktoken"),
    "quicktok": lambda _: bundled("quicktok", "encode_ordinary"),
    "quicktok count": lambda _: bundled("quicktok", "count"),
    "toktok-rs count": lambda _: load_toktok(),
    "kitoken": lambda folder: load_kitoken(folder / "o200k_base.tiktoken"),
    "bpe-openai": lambda _: bundled("bpe_openai", "encode_ordinary"),
    "tiktoken": lambda _: bundled("tiktoken", "encode_ordinary"),
    "tokenizers": lambda folder: load_tokenizers(folder / "tokenizer.json"),
}


def start(job: Job) -> Job:
    """Seconds from nothing loaded to the first ids, and the most memory that took."""
    begin = perf_counter()
    encode = ENGINES[job["engine"]](Path(job["vocabulary"]))
    encode(FIRST_TEXT)
    return {"seconds": perf_counter() - begin, "peak": peak_memory()}


def speed(job: Job) -> Job:
    """Seconds for each block of strings: the first time that they are seen, and again.

    Stops a pass after `limit` seconds, so a slow engine gives a shorter list.
    """
    content = json.loads(Path(job["input"]).read_bytes())
    encode = ENGINES[job["engine"]](Path(job["vocabulary"]))
    warm_up(encode, content["warm"], job["warm_up"])
    first = timed(encode, content["blocks"], job["limit"])
    blocks = content["blocks"][: len(first)]
    again = timed(encode, blocks, job["limit"])
    checked = [check(encode, block) for block in blocks] if job["check"] else []
    return {"first": first, "again": again, "checks": checked}


def adversarial(job: Job) -> Job:
    """Seconds, the best of its variants, for each text, the short one first.

    A text is left out (null) where it fails, or where the one before it took so long that ten times
    as much is over `limit` seconds. The ids of the first variant are checked.
    """
    texts = json.loads(Path(job["input"]).read_bytes())["texts"]
    encode = ENGINES[job["engine"]](Path(job["vocabulary"]))
    warm_up(encode, [[FIRST_TEXT]], job["warm_up"])
    seconds: list[float | None] = []
    checks: list[list[Any] | None] = []
    errors: list[str] = []
    for variants in texts:
        hopeless = seconds and (seconds[-1] or job["limit"]) * 10 > job["limit"]
        taken, why = [], (errors[-1] or "too slow to try") if hopeless else ""
        try:
            taken = [] if hopeless else timed(encode, [[text] for text in variants], job["limit"])
        except BaseException as error:
            why = f"{type(error).__name__}: {error}"
        seconds.append(min(taken) if taken else None)
        checks.append(check(encode, variants[:1]) if taken else None)
        errors.append(why)
    return {"seconds": seconds, "checks": checks, "errors": errors}


TASKS: dict[str, Callable[[Job], Job]] = {
    "start": start,
    "speed": speed,
    "adversarial": adversarial,
}


def warm_up(encode: Encode, blocks: Sequence[Sequence[str]], seconds: float) -> None:
    """Encode all blocks, and again until `seconds` have passed."""
    begin = perf_counter()
    while True:
        timed(encode, blocks, seconds)
        if perf_counter() - begin >= seconds:
            return


def timed(encode: Encode, blocks: Sequence[Sequence[str]], limit: float) -> list[float]:
    """Seconds for each block, until they add up to `limit`; at least one.

    Of the processor, on all threads: what other processes do on this core does not count.
    """
    taken: list[float] = []
    total = 0.0
    for block in blocks:
        begin = process_time()
        for text in block:
            encode(text)
        taken.append(process_time() - begin)
        total += taken[-1]
        if total > limit:
            break
    return taken


def check(encode: Encode, block: Sequence[str]) -> list[Any]:
    """The number of ids of a block, and their digest where there are ids."""
    found = [encode(text) for text in block]
    if isinstance(found[0], int):
        return [sum(found), None]
    ids = array("I", [int(token) for each in found for token in each])
    return [len(ids), hashlib.sha256(ids.tobytes()).hexdigest()[:16]]


def peak_memory() -> int | None:
    """The most bytes of memory that this process held; None where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return None
    # Not getrusage: its figure begins with the parent's memory.
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def main() -> None:
    """Do the job; what goes wrong is a result too."""
    job = json.load(sys.stdin)
    try:
        result = TASKS[job["task"]](job)
    except BaseException as error:  # panics of Rust are no Exception
        result = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
