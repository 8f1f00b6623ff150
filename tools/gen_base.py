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
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "py"))

from wwho.artifact.files import write_atomic  # noqa: E402
from wwho.artifact.read import read_model  # noqa: E402
from wwho.artifact.write import write_model  # noqa: E402
from wwho.base.build import base_model  # noqa: E402
from wwho.base.tiktoken_file import parse_ranks  # noqa: E402

BLOBS = "https://openaipublic.blob.core.windows.net/encodings"


@dataclass(frozen=True)
class Recipe:
    """What tiktoken states of an encoding: the hash of its rank file, and its special tokens."""

    name: str
    sha256: str
    specials: dict[str, int]

    @property
    def url(self) -> str:
        """Where tiktoken fetches the rank file; the name of its cache file comes from it."""
        return f"{BLOBS}/{self.name}.tiktoken"

    @property
    def cache_name(self) -> str:
        """The name of the rank file in tiktoken's cache."""
        return hashlib.sha1(self.url.encode()).hexdigest()


RECIPES = (
    Recipe(
        "o200k_base",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
    Recipe(
        "cl100k_base",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
)


def rank_file(module: str) -> bytes:
    """A js-tiktoken rank module as a `.tiktoken` file.

    The module is one JSON object behind `export default`; its `bpe_ranks` has lines
    "! offset token token ...", the tokens in base64 and their ranks counting up from the offset.
    """
    table = json.loads(module[module.index("{") : module.rindex("}") + 1])["bpe_ranks"]
    lines = []
    for row in filter(None, table.split("\n")):
        _, offset, *tokens = row.split(" ")
        lines += [f"{token} {rank}\n" for rank, token in enumerate(tokens, int(offset))]
    return "".join(lines).encode("ascii")


def checked_rank_file(recipe: Recipe, ranks: Path) -> bytes:
    """The rank file of an encoding, from the folder of rank modules.

    Raises:
        SystemExit: it is not the file that tiktoken names.
    """
    data = rank_file((ranks / f"{recipe.name}.js").read_text("utf-8"))
    found = hashlib.sha256(data).hexdigest()
    if found != recipe.sha256:
        raise SystemExit(f"{recipe.name}: SHA-256 {found}, tiktoken states {recipe.sha256}")
    return data


def encoding(recipe: Recipe, data: bytes) -> bytes:
    """The artifact of an encoding, from its rank file; read back and checked."""
    model = base_model(
        parse_ranks(data, recipe.name),
        pattern=recipe.name,
        specials=recipe.specials,
        provenance={
            "name": recipe.name,
            "source": f"{recipe.url} (SHA-256 {recipe.sha256})",
            "license": "MIT",
        },
    )
    blob = write_model(model)
    read_model(blob)
    return blob


def main() -> None:
    """Write the artifacts and, where asked, tiktoken's cache files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("ranks", type=Path, help="the folder dist/ranks of js-tiktoken")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "py" / "wwho" / "models")
    parser.add_argument("--tiktoken-cache", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    for recipe in RECIPES:
        data = checked_rank_file(recipe, options.ranks)
        if options.tiktoken_cache:
            write_atomic(options.tiktoken_cache / recipe.cache_name, data)
        blob = encoding(recipe, data)
        write_atomic(options.output / f"{recipe.name}.wwho", blob)
        print(f"{recipe.name}: {len(blob):,} bytes")


if __name__ == "__main__":
    main()
