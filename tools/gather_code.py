"""Write source code of published packages into one text, to count its words.

    python tools/gather_code.py build/sources/code.txt

`tools/code_packages.tsv` names the packages, with versions and licences. `npm pack` and `pip
download` fetch them and check their digests; the archives stay beside the text, in `packages`. Of
each package come files of source code, of pages and of settings, in the order of their names: no
generated or minified ones, no copies, and of a package with more than `MOST` bytes those with the
lowest hashes. The same packages give the same text.
"""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

PACKAGES = Path(__file__).with_name("code_packages.tsv")
MOST = 1_500_000
"""About how many bytes of a package are taken."""
SIZES = range(64, 400_000)
"""How many bytes a file may have."""
LONGEST_LINE = 600
"""A file with a longer line, in bytes, was not written by hand."""
SOURCE = re.compile(
    r"\.(c|cc|cmake|cpp|css|gradle|h|hpp|html|java|js|json|jsx|kt|m|md|mjs|mm|py|pyi|rst|scss|sh|sql"
    r"|svelte|toml|tsx?|txt|vue|ya?ml)$"
)
GENERATED = re.compile(
    r"\.min\.|/(build|bundles?|cjs|dist|esm\w*|lib\.\w+|locales?|node_modules|src-\w[\w-]*|umd)/"
    r"|\.dist-info/"
)


def fetch_package(registry: str, name: str, version: str, folder: Path) -> Path:
    """Download a package into a folder, unless its archive is there, and return the archive.

    Raises:
        subprocess.CalledProcessError: the registry does not have it.
    """
    place = folder / registry / f"{name.replace('/', '-').removeprefix('@')}-{version}"
    place.mkdir(parents=True, exist_ok=True)
    if not any(place.iterdir()):
        npm = ["npm", "pack", "--silent", f"--pack-destination={place}", f"{name}@{version}"]
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        pip += ["--only-binary=:all:", f"--dest={place}", f"{name}=={version}"]
        subprocess.run(npm if registry == "npm" else pip, check=True, stdout=subprocess.DEVNULL)
    (archive,) = place.iterdir()
    return archive


def read_archive(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each file of a wheel, or of a package of npm."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                yield name, wheel.read(name)
        return
    with tarfile.open(archive, "r|gz") as package:
        for member in package:
            if (file := package.extractfile(member)) is not None:
                yield member.name, file.read()


def is_source(name: str, data: bytes) -> bool:
    """Return whether a file is source code, written by hand, in UTF-8."""
    if not SOURCE.search(name) or GENERATED.search(name):
        return False
    if len(data) not in SIZES or max(map(len, data.splitlines())) > LONGEST_LINE:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def choose_files(archive: Path) -> list[bytes]:
    """Return the files of a package that are taken, in the order of their names."""
    found = {data: name for name, data in read_archive(archive) if is_source(name, data)}
    size, chosen = 0, []
    for data, name in sorted(found.items(), key=lambda item: (crc32(item[1].encode()), item[1])):
        if size >= MOST:
            break
        size += len(data)
        chosen.append((name, data))
    return [data for _, data in sorted(chosen)]


def main() -> None:
    """Fetch all packages, and write their files one after another into the text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path)
    output = parser.parse_args().output
    output.parent.mkdir(parents=True, exist_ok=True)
    with open(PACKAGES, encoding="utf-8") as table, open(output, "wb") as text:
        for row in csv.DictReader(table, delimiter="\t"):
            packages = output.parent / "packages"
            archive = fetch_package(row["registry"], row["name"], row["version"], packages)
            files = choose_files(archive)
            text.write(b"".join(data.rstrip(b"\n") + b"\n" for data in files))
            size = sum(map(len, files))
            print(f"{row['name']} {row['version']}: {len(files):,} files, {size:,} bytes")


if __name__ == "__main__":
    main()
