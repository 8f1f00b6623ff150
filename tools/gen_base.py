"""Rebuild the shipped base encodings from the ranks that npm's js-tiktoken carries.

    python tools/gen_base.py node_modules/js-tiktoken/dist/ranks

The ranks are brought back into the form of OpenAI's `.tiktoken` files, whose SHA-256 must be the
one that tiktoken's source states. `--tiktoken-cache FOLDER` also writes those files where tiktoken
looks for them, so that it runs without a network (`TIKTOKEN_CACHE_DIR=FOLDER`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "py"))

from wwho.assemble.base import base_model  # noqa: E402
from wwho.assemble.bpe import bpe_model  # noqa: E402
from wwho.exporters.exported import stand_in  # noqa: E402
from wwho.format.files import write_atomic  # noqa: E402
from wwho.format.read import read_artifact  # noqa: E402
from wwho.format.write import write_artifact  # noqa: E402
from wwho.importers.published import PUBLISHED  # noqa: E402
from wwho.importers.ranks import parse_ranks  # noqa: E402

BLOBS = "https://openaipublic.blob.core.windows.net/encodings"
GPT2 = "https://openaipublic.blob.core.windows.net/gpt-2/encodings/main"
END, PROMPT = "<|endoftext|>", "<|endofprompt|>"
FIM = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")


@dataclass(frozen=True)
class Recipe:
    """An encoding as tiktoken states it: its ranks, pattern and special tokens.

    Attributes:
        name: the encoding's name.
        ranks: the name of its rank file.
        sha256: the hash of that file.
        pattern: the name of its pattern.
        specials: its special tokens, text to id.
    """

    name: str
    ranks: str
    sha256: str
    pattern: str
    specials: Mapping[str, int]

    @property
    def url(self) -> str:
        """Where tiktoken fetches the rank file; the name of its cache file comes from it."""
        return f"{BLOBS}/{self.ranks}.tiktoken"


HARMONY = {
    199998: "<|startoftext|>",
    199999: "<|endoftext|>",
    200002: "<|return|>",
    200003: "<|constrain|>",
    200005: "<|channel|>",
    200006: "<|start|>",
    200007: "<|end|>",
    200008: "<|message|>",
    200012: "<|call|>",
}


def make_recipe(name: str, ranks: str, specials: Mapping[str, int] | None = None) -> Recipe:
    """Make the recipe of an encoding from the published ranks of some name.

    Without `specials`, it gets the special tokens that were published with the ranks.
    """
    sha256, known = next(each for each in PUBLISHED.items() if each[1].name == ranks)
    return Recipe(name, ranks, sha256, known.pattern, specials or known.specials)


RECIPES = (
    make_recipe("gpt2", "r50k_base"),
    make_recipe("r50k_base", "r50k_base"),
    make_recipe("p50k_base", "p50k_base"),
    make_recipe("p50k_edit", "p50k_base", {END: 50256, **{t: k for k, t in enumerate(FIM, 50281)}}),
    make_recipe("cl100k_base", "cl100k_base"),
    make_recipe("o200k_base", "o200k_base"),
    make_recipe(
        *("o200k_harmony", "o200k_base"),
        {PROMPT: 200018, **{HARMONY.get(k, f"<|reserved_{k}|>"): k for k in range(199998, 201088)}},
    ),
)


def convert_rank_module(module: str) -> bytes:
    """Return the `.tiktoken` file that a rank module of js-tiktoken was made of.

    The module is one JSON object after `export default`; its `bpe_ranks` has lines
    "! offset token token ...", the tokens in base64 and their ranks counting up from the offset.
    """
    table = json.loads(module[module.index("{") : module.rindex("}") + 1])["bpe_ranks"]
    lines = []
    for row in filter(None, table.split("\n")):
        _, offset, *tokens = row.split(" ")
        lines += [f"{token} {rank}\n" for rank, token in enumerate(tokens, int(offset))]
    return "".join(lines).encode("ascii")


def read_rank_file(recipe: Recipe, ranks: Path) -> bytes:
    """Read the module of an encoding from a folder of rank modules, and return its rank file.

    Raises:
        SystemExit: the SHA-256 is not the one that tiktoken states.
    """
    data = convert_rank_module((ranks / f"{recipe.ranks}.js").read_text("utf-8"))
    found = hashlib.sha256(data).hexdigest()
    if found != recipe.sha256:
        raise SystemExit(f"{recipe.name}: SHA-256 {found}, tiktoken states {recipe.sha256}")
    return data


def make_cache_files(recipe: Recipe, data: bytes) -> dict[str, bytes]:
    """Return the files that tiktoken's cache has for an encoding, by name.

    tiktoken fetches gpt2 in OpenAI's first form, and compares the hashes of those two files: merges
    by their two parts, and a JSON object of ids. The ranks are those of r50k_base.
    """
    if recipe.name != "gpt2":
        return {cache_name(recipe.url): data}
    ranks = parse_ranks(data)
    tokens = sorted(ranks, key=ranks.__getitem__)
    texts = list(map(stand_in, tokens))
    merges = (f"{texts[left]} {texts[right]}\n" for left, right in bpe_model(ranks, ranks).merges)
    ids = {text: rank for rank, text in enumerate(texts)} | {**recipe.specials}
    return {
        cache_name(f"{GPT2}/vocab.bpe"): "".join(("#version: 0.2\n", *merges)).encode(),
        cache_name(f"{GPT2}/encoder.json"): json.dumps(ids).encode(),
    }


def cache_name(url: str) -> str:
    """Return the name that tiktoken's cache gives to the file of an address."""
    return hashlib.sha1(url.encode()).hexdigest()


def make_artifact(recipe: Recipe, data: bytes) -> bytes:
    """Return the artifact of an encoding, made from its rank file, and read again as a check."""
    model = base_model(
        parse_ranks(data, recipe.name),
        pattern=recipe.pattern,
        specials=recipe.specials,
        provenance={
            "name": recipe.name,
            "source": f"{recipe.url} (SHA-256 {recipe.sha256})",
            "license": "MIT",
        },
    )
    blob = write_artifact(model)
    read_artifact(blob)
    return blob


def main() -> None:
    """Write the artifacts of all recipes and, with `--tiktoken-cache`, tiktoken's cache files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("ranks", type=Path, help="the folder dist/ranks of js-tiktoken")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "py" / "wwho" / "models")
    parser.add_argument("--tiktoken-cache", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    for recipe in RECIPES:
        data = read_rank_file(recipe, options.ranks)
        if options.tiktoken_cache:
            for name, content in make_cache_files(recipe, data).items():
                write_atomic(options.tiktoken_cache / name, content)
        blob = make_artifact(recipe, data)
        write_atomic(options.output / f"{recipe.name}.wwho", blob)
        print(f"{recipe.name}: {len(blob):,} bytes")


if __name__ == "__main__":
    main()
