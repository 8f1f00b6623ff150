"""Try each extra of the package with the lowest versions of its dependencies, from PyPI, by uv.

    python tools/release/lowest.py WHEEL [EXTRA...]

A fresh environment for each extra gets the wheel and the lowest versions that pyproject.toml
allows, of what the extra names; then a command of the extra runs. Needs uv, which PyPI has.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UV = [sys.executable, "-m", "uv"]
# What uses all that an extra brings, in Python, in an empty folder. Each ends without an error.
TRIALS = {
    "train": """
import gzip, json, pathlib, lzma
import fsspec, pyarrow, pyarrow.parquet, zstandard
from wwho.cli.main import main
text = "ගමේ පාසල ගමේ පාර\\n" * 50
pathlib.Path("a.txt.zst").write_bytes(zstandard.compress(text.encode()))
pyarrow.parquet.write_table(pyarrow.table({"text": text.splitlines()}), "b.parquet")
with fsspec.open("memory://c.txt", "w") as file: file.write(text)
schema = ["--schema", "sinhala", "--base", "o200k_base", "--prune", "1", "--vocab-size", "30"]
inputs = ["a.txt.zst", "b.parquet", "memory://c.txt"]
assert main(["train", *schema, "--processes", "1", "-o", "small.wwho", *inputs]) == 0
assert main(["schema", "check", "sinhala"]) == 0
""",
    "eval": """
import pathlib, zstandard
from wwho.cli.main import main
lines = [f"ගමේ පාසල {number}" for number in range(600)]
pathlib.Path("a.txt.zst").write_bytes(zstandard.compress("\\n".join(lines[:300]).encode()))
pathlib.Path("text.txt").write_text("\\n".join(lines[300:]), "utf-8")
data = ["--data", "si=a.txt.zst"]
models = ["--model", "wwho_128k", "--against", "gpt2"]
language = ["--lm", "quick", "--lm-text", "text.txt"]
assert main(["eval", *models, *data, *language, "-o", "out"]) == 0
""",
    "export": """
from wwho.cli.main import main
assert main(["export", "r50k_base", "--to", "gguf", "-o", "r50k.gguf"]) == 0
assert main(["import", "r50k.gguf", "-o", "again.wwho"]) == 0
""",
    "japanese": """
import json, pathlib
from transformers import AutoTokenizer
from wwho.hf import WWHOTokenizer
lines = ["[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]", "東京", "都", "東京都"]
pathlib.Path("vocab.txt").write_text("\\n".join(lines), "utf-8")
for program, options in {"mecab": "mecab_dic", "sudachi": "sudachi_dict_type"}.items():
    for dictionary in {"mecab": ["ipadic", "unidic_lite"], "sudachi": ["core"]}[program]:
        settings = {"tokenizer_class": "BertJapaneseTokenizer", "word_tokenizer_type": program}
        settings[f"{program}_kwargs"] = {options: dictionary}
        pathlib.Path("tokenizer_config.json").write_text(json.dumps(settings))
        text = "東京都に東京"
        ids = WWHOTokenizer.from_pretrained(".")(text)["input_ids"]
        assert ids == AutoTokenizer.from_pretrained(".")(text)["input_ids"], ids
""",
    "hf": """
from transformers import AutoTokenizer
from wwho.hf import WWHOTokenizer
tokenizer = WWHOTokenizer("wwho_328k", special_tokens_pattern="bos_eos")
tokenizer.chat_template = "{% for m in messages %}{{ m.content }}{% endfor %}"
ids = tokenizer.apply_chat_template([{"role": "user", "content": "ගමේ"}], tokenize=True)
tokenizer.save_pretrained("saved")
again = AutoTokenizer.from_pretrained("saved", trust_remote_code=True)
assert again(["ගමේ school", "x"], padding=True) == tokenizer(["ගමේ school", "x"], padding=True)
""",
    "serve": """
import waitress
from wwho.serve.app import create_app
client = create_app().test_client()
page = client.get("/", headers={"Accept-Encoding": "br"})
assert (page.status_code, page.headers["Content-Encoding"]) == (200, "br")
answer = client.post("/api/v1/count", json={"encoding": "o200k_base", "text": "hello world"})
assert answer.status_code == 200, answer.text
""",
}


def main() -> int:
    """Try the extras of the command line, and return 1 if one fails, otherwise 0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wheel", type=Path, help="the wheel to install")
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help=f"of {', '.join(TRIALS)} (all)")
    options = parser.parse_args()
    if unknown := set(options.extras) - {*TRIALS}:
        parser.error(f"there is no trial of {', '.join(sorted(unknown))}")
    failed = [name for name in options.extras or TRIALS if not try_extra(options.wheel, name)]
    print(f"failed: {', '.join(failed)}" if failed else "all work")
    return 1 if failed else 0


def try_extra(wheel: Path, extra: str) -> bool:
    """Install a wheel with the lowest versions of an extra, run its trial, and return its success.

    What is installed, and the messages of a failure, are printed.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needs = project["optional-dependencies"][extra]
    with tempfile.TemporaryDirectory() as folder:
        python = str(Path(folder, "environment", "bin", "python"))
        make = [*UV, "venv", "--quiet", "--python", sys.executable, str(Path(python).parents[1])]
        lowest = ["--quiet", "--python", python, "--resolution", "lowest-direct"]
        install = [*UV, "pip", "install", *lowest, str(wheel.resolve()), *needs]
        listing = [*UV, "pip", "freeze", "--quiet", "--python", python]
        for command in (make, install, listing, [python, "-c", TRIALS[extra]]):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{extra} failed:\n{done.stdout}{done.stderr}")
                return False
            if command is listing:
                print(f"{extra}: {', '.join(done.stdout.split())}", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
