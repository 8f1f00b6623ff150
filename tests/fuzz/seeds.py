"""What the harnesses begin with, made of tests/vectors, small models and files to refuse.

python tests/fuzz/seeds.py FOLDER
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "py"), str(ROOT / "tests" / "py"), str(ROOT / "tools")]

from gen_attacks import attacks  # noqa: E402
from odd_models import giving_up_bytes, giving_up_letters  # noqa: E402
from tiny import (  # noqa: E402
    affixes_model,
    byte_tokens_model,
    ctc_model,
    fallback_model,
    kinds_model,
    leaving_out_model,
    odd_added_model,
    odd_bpe_model,
    routed_model,
    script_model,
    small_model,
    smallest_model,
    stated_model,
    steps_model,
    template_model,
)
from vector_checks import artifact  # noqa: E402

from wwho.backends.reference import ReferenceBackend  # noqa: E402
from wwho.format.files import write_atomic  # noqa: E402
from wwho.format.write import write_artifact  # noqa: E402

VECTORS = ROOT / "tests" / "vectors"
# With the bits of the harnesses' first byte that choose them; the other bits follow.
MODELS = {"tiny": 0, "cl100k_base": 1, "paper": 8}
UNK, COLD, DRAWN, NEAR = 2, 4, 16, 2
LONGEST = 1200  # bytes: mutations of short inputs find more


def vector_lines(name: str) -> list[dict[str, Any]]:
    """The lines of an encoding's file of vectors."""
    text = (VECTORS / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def text_of(line: dict[str, Any]) -> bytes:
    """The text of an encode line; a lone surrogate stays the three bytes it is not in UTF-8."""
    if "bytes_hex" in line:
        return bytes.fromhex(line["bytes_hex"])
    return str(line["text"]).encode("utf-8", "surrogatepass")


def artifact_seeds() -> Iterator[bytes]:
    """Seeds of the harness open: artifacts, of which some give up, and files to refuse."""
    models = (
        smallest_model(),
        small_model(),
        stated_model(),
        byte_tokens_model(),
        fallback_model(),
        ctc_model(),
        template_model(),
        steps_model(),
        routed_model(),
        affixes_model(),
        leaving_out_model(),
        kinds_model(),
        odd_added_model(),
        odd_bpe_model(),
        script_model(),
        giving_up_bytes(),
        giving_up_letters(),
    )
    yield from map(write_artifact, models)
    yield artifact("tiny")
    yield from attacks().values()


def encode_seeds() -> Iterator[bytes]:
    """Seeds of the harness encode: a byte of options, and a text without special tokens."""
    for name, model in MODELS.items():
        for k, line in enumerate(vector_lines(name)):
            if "count" in line and not line["allowed"]:
                # few are compared with a cold cache: clearing it takes longer than all the rest
                options = (UNK if line.get("unk") else 0) | (0 if k % 8 else COLD)
                options |= DRAWN if k % 2 else 0
                yield bytes([model | options]) + text_of(line)


def decode_seeds() -> Iterator[bytes]:
    """Seeds of the harness decode: a byte of options, and ids, some of them of no text."""
    for name, model in MODELS.items():
        for line in vector_lines(name):
            ids = line.get("ids", [])
            yield struct.pack(f"<B{len(ids)}I", model | (NEAR if len(ids) % 2 else 0), *ids)


def special_token_seeds() -> Iterator[bytes]:
    """Seeds of the harness specials: the model, the mask of allowed tokens, and a text."""
    for name, model in MODELS.items():
        added = ReferenceBackend(artifact(name)).info.added
        for line in vector_lines(name):
            if line.get("allowed"):
                mask = bytes(token.text in line["allowed"] for token in added)
                yield bytes([model]) + mask + text_of(line)


def seeds() -> dict[str, bytes]:
    """The bytes of all seeds, by their paths in the folder of seeds; equal seeds are one."""
    sources = {
        "open": artifact_seeds,
        "encode": encode_seeds,
        "decode": decode_seeds,
        "specials": special_token_seeds,
    }
    found = {}
    for harness, source in sources.items():
        for data in source():
            if harness == "open" or len(data) <= LONGEST:
                found[f"{harness}/{hashlib.sha1(data).hexdigest()[:16]}"] = data
    return found


def write_seeds(folder: Path) -> None:
    """Write the seeds that are missing into a folder, and remove every other file from it."""
    files = {folder / name: data for name, data in seeds().items()}
    for old in {*folder.glob("*/*")} - files.keys():
        old.unlink()
    for path, data in files.items():
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, data)


if __name__ == "__main__":
    write_seeds(Path(sys.argv[1]))
