"""Load the server: many clients at once, every answer checked, its memory watched.

    python tools/bench/load.py                              200 clients, 60 seconds
    python tools/bench/load.py --clients 20 --seconds 3

It starts `wwho serve` on a free port of this machine and stops it at the end. The exit code is 1
where an answer was wrong or missing, or where memory grew.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import wwho

WWHO = ("-m", "wwho")
# Sizes in repetitions: a message, a page, a chapter. The longest take 19 KB.
SENTENCES = "ගෙදර යන පාරේ මල් පිපිලා. The kettle sings at 10:45. बगीचे में हवा चल रही थी। "
SIZES = (1, 4, 20, 120)
SETTLING_SECONDS = 20
"""First the server compresses its files and every thread gets its memory; then it may not grow."""
GROWTH = 1.05


@dataclass(frozen=True)
class Call:
    """A request, as bytes to send, and the body of the one right answer."""

    request: bytes
    answer: bytes


@dataclass
class Results:
    """The answers of a server under load, its faults, and its memory.

    Attributes:
        seconds: how long each answer took.
        faults: what went wrong, and how often.
        memory: resident bytes of the server, once a second.
    """

    seconds: list[float] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    memory: list[int] = field(default_factory=list)

    @property
    def growth(self) -> float:
        """Memory at the end over memory once it had settled; 1 where it was not watched as long."""
        settled = self.memory[SETTLING_SECONDS:]
        return max(settled[-3:]) / max(settled[:3]) if settled else 1.0


def calls() -> list[Call]:
    """The requests that clients choose from: every operation, short and long, one and several."""
    found = []
    for name in ("wwho_328k", "o200k_base"):
        tokenizer = wwho.get_encoding(name)
        for size in SIZES:
            text = SENTENCES * size
            ids = tokenizer.encode(text)
            question = {"text": text, "encoding": name}
            found += [
                _call("encode", question, {"tokens": ids}),
                _call("count", [question] * 2, [{"count": len(ids)}] * 2),
                _call("decode", {"tokens": ids, "encoding": name}, {"text": text}),
            ]
        segments = [
            {
                "route": part.route,
                "text": part.text,
                **({"units": part.units} if part.units else {}),
            }
            for part in tokenizer.segment(SENTENCES)
        ]
        found.append(
            _call("segment", {"text": SENTENCES, "encoding": name}, {"segments": segments})
        )
    return found


def _call(operation: str, question: object, answer: object) -> Call:
    body = json.dumps(question, ensure_ascii=False).encode()
    head = (
        f"POST /api/v1/{operation} HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    shown = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return Call(head.encode() + body, shown.encode())


class Running(NamedTuple):
    """A server of its own process.

    Attributes:
        port: where it listens on 127.0.0.1.
        log: its standard error, a file.
        pid: its process.
    """

    port: int
    log: Path
    pid: int


@contextmanager
def serving(log: Path, *options: str, wwho: Sequence[str] = WWHO) -> Iterator[Running]:
    """`wwho serve` on a free port, which writes its log to a file, until the end of the block.

    Args:
        log: the file.
        options: of `wwho serve`.
        wwho: the arguments of Python that run the command.
    """
    command = [sys.executable, *wwho, "serve", "--port", "0", *options]
    with open(log, "w", encoding="utf-8") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r":(\d+)/", process.stdout.readline())
        if found is None:
            raise SystemExit(log.read_text("utf-8"))
        yield Running(int(found[1]), log, process.pid)
    finally:
        process.terminate()  # SIGINT is ignored by a shell's background jobs
        process.communicate()


async def load(port: int, pid: int, clients: int, seconds: float) -> Results:
    """Let clients ask, one question after the other, for some seconds."""
    results, prepared = Results(), calls()
    end = time.monotonic() + seconds
    watcher = asyncio.create_task(_watch(pid, end, results))
    await asyncio.gather(
        *(_client(port, random.Random(number), prepared, end, results) for number in range(clients))
    )
    await watcher
    return results


async def _client(
    port: int, chance: random.Random, prepared: list[Call], end: float, results: Results
) -> None:
    """One client with one connection; a fault ends the connection, and another one begins."""
    while time.monotonic() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            while time.monotonic() < end:
                call, began = chance.choice(prepared), time.monotonic()
                writer.write(call.request)
                status, body = await asyncio.wait_for(_response(reader), 30)
                results.seconds.append(time.monotonic() - began)
                if status != 200 or body != call.answer:
                    results.faults[f"status {status}" if status != 200 else "wrong answer"] += 1
            writer.close()
        except (OSError, EOFError, ValueError, TimeoutError) as error:
            results.faults[type(error).__name__] += 1


async def _response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The status and the body of a response."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    if length is None:
        raise ValueError("a response without Content-Length")
    return int(head.split(None, 2)[1]), await reader.readexactly(int(length[1]))


async def _watch(pid: int, end: float, results: Results) -> None:
    """Note the server's memory once a second (on Linux)."""
    status = Path(f"/proc/{pid}/status")
    while time.monotonic() < end and status.is_file():
        found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text("ascii"))
        if found:
            results.memory.append(int(found[1]) * 1024)
        await asyncio.sleep(1)


def report(results: Results, clients: int, seconds: float) -> str:
    """The figures, in a few lines."""
    cuts = statistics.quantiles(results.seconds, n=100)
    rss = [f"{size / 1e6:.0f}" for size in results.memory]
    step = max(1, len(rss) // 10)
    return (
        f"{clients} clients, {seconds:g} s: {len(results.seconds)} answers, "
        f"{len(results.seconds) / seconds:.0f} a second, faults: {dict(results.faults) or 'none'}\n"
        f"milliseconds: median {cuts[49] * 1000:.0f}, 99 % within {cuts[98] * 1000:.0f}, "
        f"longest {max(results.seconds) * 1000:.0f}\n"
        f"resident MB: {' '.join(rss[::step])}; growth after settling {results.growth:.3f}"
    )


def main() -> int:
    """Run the load test; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", default="4", help="of the server")
    parser.add_argument("--log", type=Path, default=Path("/dev/null"), help="the access log")
    options = parser.parse_args()
    with serving(options.log, "--threads", options.threads) as server:
        results = asyncio.run(load(server.port, server.pid, options.clients, options.seconds))
    print(report(results, options.clients, options.seconds))
    return 1 if results.faults or results.growth > GROWTH else 0


if __name__ == "__main__":
    sys.exit(main())
