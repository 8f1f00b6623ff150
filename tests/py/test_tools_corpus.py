"""The tools that make what `wwho_131k_indic` is trained on: a cropped base, and source code."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import crop_base  # noqa: E402
import gather_code  # noqa: E402

import wwho  # noqa: E402
from wwho.encodings import model_bytes  # noqa: E402
from wwho.format.bpe import BPE  # noqa: E402
from wwho.format.read import read_artifact  # noqa: E402
from wwho.tokenizer import Tokenizer  # noqa: E402

TEXT = "def count(words):\n    return len(words)\n" * 9 + "The words of a text are counted.\n"


def crop(folder: Path, size: int, *texts: str) -> Tokenizer:
    """Return r50k_base, cropped by the tool."""
    output = folder / f"{size}.wwho"
    tool = [sys.executable, str(ROOT / "tools" / "crop_base.py"), "r50k_base", str(size)]
    subprocess.run([*tool, str(output), *texts], check=True, stdout=subprocess.DEVNULL)
    return Tokenizer.load(output)


def test_a_cropped_base_with_room_cuts_the_text_as_before(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text(TEXT, "utf-8")
    whole, cropped = wwho.get_encoding("r50k_base"), crop(tmp_path, 500, str(file))
    assert 256 < cropped.n_vocab <= 500
    # The pretokenizers of the two agree on this text.
    pieces = [[enc.decode_bytes([token]) for token in enc.encode(TEXT)] for enc in (whole, cropped)]
    assert pieces[0] == pieces[1]
    other = "Andere Wörter: 東京\n"
    assert cropped.decode(cropped.encode(other)) == other


def test_a_cropped_base_keeps_what_is_used_most(tmp_path: Path) -> None:
    file, rare = tmp_path / "text.txt", tmp_path / "rare.txt"
    file.write_text(TEXT, "utf-8")
    rare.write_text("Zimbabwe\n" * 50, "utf-8")
    cropped = crop(tmp_path, 270, str(file), f"{rare}=0.01")
    assert 256 < cropped.n_vocab <= 270
    whole = wwho.get_encoding("r50k_base")
    used = Counter(whole.encode(TEXT)).most_common()
    most = next(text for token, _ in used if len(text := whole.decode([token])) == 2)
    assert len(cropped.encode(most)) == 1
    assert len(cropped.encode("Zimbabwe")) > 1
    weighted = crop(tmp_path, 271, str(file), f"{rare}=9")
    assert len(weighted.encode("Zimbabwe")) == len(
        wwho.get_encoding("r50k_base").encode("Zimbabwe")
    )


def test_kept_tokens_have_all_their_parts() -> None:
    (model,) = read_artifact(model_bytes("r50k_base")).models
    assert isinstance(model, BPE)
    last = len(model.texts) - 1
    kept = crop_base.most_used(model, {last: Fraction(1)}, 100)
    assert last in kept
    known = {*range(256), *kept}
    assert all({*model.merges[token - 256]} <= known for token in kept)
    assert crop_base.most_used(model, {last: Fraction(1)}, len(kept) - 1) == []


FILES = {
    "lib/a.py": b"import re\n" * 9,
    "lib/copy.py": b"import re\n" * 9,
    "lib/b.js": b"const a = 1;\n" * 9,
    "lib/b.min.js": b"const b = 1;\n" * 9,
    "dist/c.js": b"const c = 1;\n" * 9,
    "lib/long.js": b"x" * 700 + b"\n",
    "lib/short.py": b"1\n",
    "lib/picture.png": b"\x89PNG" * 99,
    "lib/latin1.py": b"# caf\xe9\n" * 99,
}


@pytest.mark.parametrize("ending", [".whl", ".tgz"])
def test_source_code_is_taken_once_and_only_as_it_was_written(tmp_path: Path, ending: str) -> None:
    archive = tmp_path / f"package{ending}"
    if ending == ".whl":
        with zipfile.ZipFile(archive, "w") as wheel:
            for name, data in FILES.items():
                wheel.writestr(f"package/{name}", data)
    else:
        with tarfile.open(archive, "w:gz") as package:
            for name, data in FILES.items():
                member = tarfile.TarInfo(f"package/{name}")
                member.size = len(data)
                package.addfile(member, io.BytesIO(data))
    assert sorted(gather_code.choose_files(archive)) == [FILES["lib/b.js"], FILES["lib/a.py"]]


def test_the_list_of_packages_names_each_once_with_a_licence() -> None:
    lines = gather_code.PACKAGES.read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    assert rows[0] == ["registry", "name", "version", "licence"]
    assert all(len(row) == 4 and all(row) for row in rows)
    assert len({(row[0], row[1]) for row in rows}) == len(rows)
    assert {row[0] for row in rows[1:]} == {"npm", "pypi"}
