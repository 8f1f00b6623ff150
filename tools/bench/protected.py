"""What 1,000 protected tokens cost: one text with and without them, in turns, natively and in Node.

Each turn encodes the text with every model. Printed are milliseconds of one processor, the least
of all turns, and the speed over that without atoms: of these least, and the median of the turns.
"""

from __future__ import annotations

import argparse
import json
import lzma
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from wwho import Tokenizer
from wwho.encodings import model_bytes
from wwho.format.model import Added, Flag
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact

ROOT = Path(__file__).resolve().parents[2]
COMMON = ("the", "of", "and", "to", "in", "a", "is", "was", "for", "that")
ATOMS: dict[str, list[str]] = {
    "none": [],
    "tags": [f"[tag:{n}|{n * 7}]" for n in range(1000)],
    "phrases": [f" {COMMON[n % 10]}#{n}" for n in range(1000)],
}
NODE = """
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
const [address, folder, turns, ...names] = process.argv.slice(1);
const { Tokenizer } = await import(pathToFileURL(address));
const text = await readFile(`${folder}/text`, "utf8");
const load = async (name) => Tokenizer.load(await readFile(`${folder}/${name}.wwho`));
const models = await Promise.all(names.map(load));
const rows = Array.from({ length: Number(turns) }, () => models.map((model) => {
  const start = process.cpuUsage();
  model.encode(text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}));
console.log(JSON.stringify(rows));
"""


def with_atoms(atoms: list[str]) -> bytes:
    """o200k_base, and these as protected tokens."""
    base = read_artifact(model_bytes("o200k_base"))
    added = [Added(text, base.n_vocab + n, Flag(0)) for n, text in enumerate(atoms)]
    return write_artifact(replace(base, added=(*base.added, *added)))


def native(models: dict[str, bytes], text: str, turns: int) -> list[list[float]]:
    """Seconds of each turn, by model."""
    data, tokenizers = text.encode(), [Tokenizer.from_bytes(blob) for blob in models.values()]

    def seconds(tokenizer: Tokenizer) -> float:
        start = time.process_time()
        tokenizer.encode_to_numpy(data)
        return time.process_time() - start

    return [[seconds(each) for each in tokenizers] for _ in range(turns)]


def in_node(models: dict[str, bytes], text: str, turns: int) -> list[list[float]]:
    """The same in Node."""
    with TemporaryDirectory() as folder:
        Path(folder, "text").write_text(text, "utf-8")
        for name, blob in models.items():
            Path(folder, f"{name}.wwho").write_bytes(blob)
        given = (str(ROOT / "web" / "package" / "node.js"), folder, str(turns), *models)
        command = ("node", "--input-type=module", "--eval", NODE, "--", *given)
        rows: list[list[float]] = json.loads(subprocess.check_output(command))
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path, help="a text, plain or .xz")
    parser.add_argument("--turns", type=int, default=50)
    options = parser.parse_args()
    data = options.text.read_bytes()
    data = lzma.decompress(data) if options.text.suffix == ".xz" else data
    text = data[:1_000_000].decode("utf-8", "ignore")
    models = {name: with_atoms(atoms) for name, atoms in ATOMS.items()}
    for measure in (native, in_node):
        none, *_ = columns = [*zip(*measure(models, text, options.turns), strict=True)]
        for name, column in zip(models, columns, strict=True):
            ratio = median(a / b for a, b in zip(none, column, strict=True))
            least = min(none) / min(column)
            where = measure.__name__
            print(f"{where:<8} {name:<8} {1000 * min(column):7.2f} ms  {least:.3f}  {ratio:.3f}")


if __name__ == "__main__":
    main()
