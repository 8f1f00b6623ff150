"""Damaged files of other libraries: each ends in a typed error or in a model, whatever is in it.

    WWHO_FUZZ_IMPORTS=1000 python -m pytest tests/py/test_fuzz_importers.py

Seeds are small files of each kind, from the tests that compare them with their engines. Of each
some bytes, numbers, lines or values are changed, and it is imported in a process whose memory is
limited. A finding is any other exception, an artifact that cannot be written or opened, and with
`--seconds` an import that takes longer; the file is kept in build/fuzz/findings.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import struct
import sys
import time
import traceback
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "py"), str(ROOT / "tests" / "py")]

from wwho.errors import WwhoError  # noqa: E402
from wwho.format.write import write_artifact  # noqa: E402
from wwho.importers import Options, Source, import_source  # noqa: E402
from wwho.tokenizer import Tokenizer  # noqa: E402

MEMORY = 2 << 30
"""Bytes of address space that an import may take, that of Python and its libraries included."""
EDGES = (
    0,
    1,
    2,
    127,
    128,
    255,
    256,
    0x7FFF,
    0xFFFF,
    0x7FFFFFFF,
    0xFFFFFFFF,
    1 << 40,
    (1 << 64) - 1,
)
VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 1e300, "", "x", "\u2581", "\ud800", [], {}, [[]], 1 << 31, 1 << 70),
    *("(" * 60, "[", "a{1000}", "(a*)*", "\\p{L", "(?<=a)", {"type": "BPE"}, ["a", "b"], "<0x41>"),
)
TEXT = "the cat sat  on\u2581 \u00e9 \u0d9a\u0dca\u200d\U0001f600\0 <s> 12 "


def bytes_changed(rng: random.Random, data: bytes) -> bytes:
    """Bytes, numbers and stretches changed, moved, left out or put in twice."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(out) + 1)
        size = rng.choice((1, 1, 2, 4, 8, 40, 400))
        match rng.randrange(7):
            case 0:
                out[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                width = rng.choice("BHIQ")
                number = rng.choice(EDGES) & ((1 << 8 * struct.calcsize(width)) - 1)
                out[at : at + struct.calcsize(width)] = struct.pack(f"<{width}", number)
            case 2:
                del out[at : at + size]
            case 3:
                out[at:at] = out[at : at + size]
            case 4:
                other = rng.randrange(len(out) + 1)
                out[at:at] = out[other : other + size]
            case 5:
                out[at:at] = rng.randbytes(size)
            case 6:
                del out[at:]
    return bytes(out)


def lines_changed(rng: random.Random, data: bytes) -> bytes:
    """Lines moved, left out, doubled, joined, or ended otherwise."""
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 5))):
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(6):
            case 0:
                del lines[at]
                lines = lines or [b""]
            case 1:
                lines.insert(at, lines[other])
            case 2:
                lines[at] += rng.choice((b"\r", b" ", b"\t", b"\0", b"\xff", lines[other]))
            case 3:
                lines[at] = rng.choice((b"", b" ", b"#version: 0.2", b"\xef\xbb\xbf"))
            case 4:
                lines[at] = bytes_changed(rng, lines[at])
            case 5:
                return rng.choice((b"\r\n", b"\n\n", b"\r")).join(lines)
    return b"\n".join(lines)


def values_changed(rng: random.Random, data: bytes) -> bytes:
    """Values of a JSON document changed, moved or left out."""
    document = json.loads(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        parent: Any = document
        while True:
            keys = list(parent) if isinstance(parent, dict) else range(len(parent))
            if not keys:
                break
            key = rng.choice(keys)
            child = parent[key]
            if isinstance(child, (dict, list)) and child and rng.random() < 0.8:
                parent = child
                continue
            match rng.randrange(4):
                case 0:
                    del parent[key]
                case 1:
                    parent[key] = deepcopy(parent[rng.choice(keys)])
                case _:
                    parent[key] = deepcopy(rng.choice(VALUES))
            break
    return json.dumps(document).encode()


MUTATIONS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    bytes_changed,
    lines_changed,
    values_changed,
)


def damage(rng: random.Random, data: bytes) -> bytes:
    """A seed, changed."""
    is_json = data.lstrip().startswith(b"{")
    return rng.choice(MUTATIONS if is_json else MUTATIONS[:2])(rng, data)


def check(name: str, data: bytes, beside: Path) -> bool:
    """Import; whether that gave a model. `beside` is the folder of files that belong to it."""
    options = Options(pattern="r50k_base") if name == "ranks" else Options()
    if name in ("vocab.txt", "vocab.json"):
        (beside / name).write_bytes(data)
        source = Source(beside / name)
    else:
        source = Source(f"{name}.file", data)
    options = Options(lowercase=True) if name == "vocab.txt" else options
    try:
        found = import_source(source, options)
    except (WwhoError, OSError):
        return False
    enc = Tokenizer.from_bytes(write_artifact(found.artifact))
    enc.decode(enc.encode(TEXT))
    return True


def limit_memory() -> None:
    """Let what asks for too much end in MemoryError."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main() -> int:
    """Run; 1 where there is a finding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seconds", type=float, help="processor time that one import may take")
    parser.add_argument("--only", help="one kind of file")
    parser.add_argument("--seeds", type=Path, required=True, help="a folder of files")
    options = parser.parse_args()
    limit_memory()
    seeds = {path.name: path.read_bytes() for path in sorted(options.seeds.iterdir())}
    beside = options.seeds.parent / "beside"
    beside.mkdir(exist_ok=True)
    (beside / "merges.txt").write_bytes(seeds.pop("merges.txt"))
    names = [name for name in seeds if options.only in (None, name)]
    whole = [name for name in names if not check(name, seeds[name], beside)]
    assert not whole, f"{whole} cannot be imported undamaged"
    findings, models = 0, 0
    for number in range(options.count):
        rng = random.Random(f"{options.seed} {number}")
        name = names[number % len(names)]
        data = damage(rng, seeds[name])
        start = time.process_time()
        try:
            models += check(name, data, beside)
            taken = time.process_time() - start
            if options.seconds is not None and taken > options.seconds:
                raise TimeoutError(f"{taken:.1f} s")
        except Exception:
            findings += 1
            folder = ROOT / "build" / "fuzz" / "findings"
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"import-{options.seed}-{number}-{name}"
            path.write_bytes(data)
            print(f"{path}:\n{traceback.format_exc()}")
    print(f"{options.count} files, {models} of them models, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
