"""The texts of the benchmarks: English, code, Sinhala and Hindi.

    python tools/bench/texts.py FOLDER    write them as NAME.txt, for speed.mjs

Code is CPython's standard library. The other texts are the held-out corpora, which are not part of
the repository: they are looked for in ../shared/corpora. `--text NAME=FILE` measures another file.
"""

from __future__ import annotations

import argparse
import lzma
import sysconfig
from pathlib import Path

CORPORA = Path(__file__).resolve().parents[3] / "shared" / "corpora"
CORPUS_FILES = {
    "english": "test_en.txt.xz",
    "sinhala": "test_si.txt.xz",
    "hindi": "test_hi.txt.xz",
}
MEGABYTE = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which texts to use, and how much of them."""
    parser.add_argument(
        "--text",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="measure this UTF-8 file instead; may be given several times",
    )
    parser.add_argument(
        "--megabytes", type=float, default=4.0, help="of each text, at most (default 4)"
    )


def texts(options: argparse.Namespace) -> dict[str, str]:
    """The texts that the options ask for.

    Raises:
        SystemExit: the corpora are not there and no file was named.
    """
    size = int(options.megabytes * MEGABYTE)
    if options.text:
        named = (text.partition("=") for text in options.text)
        return {name: clip(Path(file).read_bytes(), size) for name, _, file in named}
    missing = [file for file in CORPUS_FILES.values() if not (CORPORA / file).is_file()]
    if missing:
        raise SystemExit(
            f"The corpora are not here ({', '.join(missing)} in {CORPORA}). "
            "Name texts of your own: --text english=FILE --text hindi=FILE"
        )
    corpora = {
        name: clip(read_xz(CORPORA / file, size), size) for name, file in CORPUS_FILES.items()
    }
    return {"english": corpora["english"], "code": standard_library(size), **corpora}


def read_xz(path: Path, size: int) -> bytes:
    """The first `size` bytes of a compressed file."""
    with lzma.open(path) as stream:
        return stream.read(size)


def standard_library(size: int) -> str:
    """The first `size` bytes of CPython's standard library, in the order of the file names."""
    parts, total = [], 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        parts.append(path.read_bytes())
        total += len(parts[-1])
        if total >= size:
            break
    return clip(b"".join(parts), size)


def clip(data: bytes, size: int) -> str:
    """The first `size` bytes as text, without the character that the cut may have broken."""
    return data[:size].decode("utf-8", "ignore")


def main() -> None:
    """Write the texts into a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts(options).items():
        (options.folder / f"{name}.txt").write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
