"""Token lists: what `wwho inspect --tokens` writes, `wwho import` reads back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwho.encodings import model_bytes
from wwho.errors import ArtifactError, SourceError, SpecialTokenError
from wwho.format.model import Added, Artifact, Flag
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact
from wwho.importers import Options, Source, import_source
from wwho.importers.token_list import escape_token, token_lines, unescape_token
from wwho.train import train

if TYPE_CHECKING:
    from tests.conftest import Cli

VECTORS = sorted((Path(__file__).parents[1] / "vectors").glob("*.wwho"))
BYTES = "".join(f"{byte}\t{escape_token(bytes([byte]))}\n" for byte in range(256))


def imported(text: str, pattern: str | None = "r50k_base") -> Artifact:
    return import_source(Source("tokens.txt", text.encode()), Options(pattern=pattern)).artifact


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "replace")))
def test_escapes_are_exact_and_printable(token: bytes) -> None:
    text = escape_token(token)
    assert text.isprintable()
    assert not text.endswith(" ")
    assert unescape_token(text) == token


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_every_id_has_its_line(path: Path) -> None:
    artifact = read_artifact(path.read_bytes())
    texts: dict[int, list[bytes]] = {}
    for line in token_lines(artifact):
        token, text, *_ = line.split("\t")
        texts.setdefault(int(token), []).append(unescape_token(text))
    assert list(texts) == sorted(artifact.decoded)
    assert all(text in texts[token] for token, text in artifact.decoded.items())


@pytest.mark.slow
def test_the_list_of_a_shipped_model_is_read_as_the_same_model(cli: Cli, tmp_path: Path) -> None:
    ran = cli("inspect", "--tokens", "r50k_base")
    assert (ran.code, ran.err) == (0, "")
    file, again = tmp_path / "tokens.txt", tmp_path / "again.wwho"
    file.write_bytes(ran.out)
    assert cli("import", file, "--pattern", "r50k_base", "-o", again).code == 0
    first, second = read_artifact(model_bytes("r50k_base")), read_artifact(again.read_bytes())
    assert replace(first, provenance={}) == replace(second, provenance={})
    assert json.loads(cli("inspect", "--tokens", "--json", again).out)["tokens"] == (
        ran.out.decode().splitlines()
    )


def test_protected_tokens_come_back(tmp_path: Path) -> None:
    trained = train(
        ["<a>the <b>\tthe\x00<a>"] * 9,
        atoms="byte",
        vocab_size=265,
        protect=["<a>", "<b>\t"],
        specials=["<|end|>"],
    )
    trained.save(tmp_path / "a.wwho")
    artifact = read_artifact((tmp_path / "a.wwho").read_bytes())
    lines = [*token_lines(artifact)]
    assert [line.partition("\t")[2] for line in lines[-3:]] == [
        "<|end|>\tspecial",
        "<a>\tprotected",
        "<b>\\t\tprotected",
    ]
    pattern = artifact.provenance["pattern"]
    again = imported("\n".join(lines), pattern)
    assert write_artifact(replace(again, provenance=artifact.provenance)) == write_artifact(
        artifact
    )


def test_a_list_that_does_not_make_the_model_says_so(cli: Cli) -> None:
    routed = next(path for path in VECTORS if path.stem == "tiny")
    for path, reason in ((routed, "routes"), (VECTORS[0], "")):
        ran = cli("inspect", "--tokens", path)
        assert ran.code == 0
        assert ran.err.startswith("wwho: these tokens alone do not make the model: ")
        assert reason in ran.err


def test_lines_of_other_editors() -> None:
    plain = imported(BYTES)
    assert imported("\ufeff" + BYTES.replace("\n", "\r\n")) == plain
    assert imported(BYTES.rstrip("\n")) == plain
    added = (Added("<s>", 256), Added("<p>", 257, Flag(0)))
    assert imported(f"{BYTES}256\t<s>\tspecial\n257\t<p>\tprotected\n").added == added


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ab", "line 257: expected an id, a tab and an escaped text, found b'ab'"),
        ("", "line 257: expected an id"),
        ("-1\tab", "line 257: expected an id"),
        ("256\ta\tb\tc", "line 257: expected an id"),
        ("256\t", "line 257: the token has 0 bytes; 1 to 1024 are possible"),
        ("256\t" + "x" * 1025, "line 257: the token has 1025 bytes"),
        ("16777216\tab", "line 257: the id is 16777216; ids are 0 to"),
        ("256\ta\\b", r"line 257: '\\b' is no escape"),
        ("256\ta\\", "is no escape"),
        ("256\t\\ud800", r"line 257: \ud800 is no character"),
        ("256\t\\U00110000", r"line 257: \U00110000 is no character"),
        ("256\ta", "line 257: b'a' has the ids 97 and 256"),
        ("97\tab", "the id 97 is that of line 98 too"),
        ("256\tab\tspecials", "line 257: the third field has 'specials'"),
        ("256\tab\tspecial,lstrip", "line 257: the third field has 'lstrip'"),
        ("256\t\\xff\tspecial", "line 257: 'utf-8' codec can't decode"),
        ("256\t<s>\tspecial\n257\t<s>\tprotected", "line 258: the added token '<s>' comes twice"),
    ],
)
def test_bad_lines(line: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        imported(f"{BYTES}{line}\n")
    assert str(caught.value).startswith("tokens.txt: line 25")
    assert message in str(caught.value)


def test_what_no_line_is_at_fault_for() -> None:
    with pytest.raises(SourceError, match=r"give its pattern \(--pattern\)"):
        imported(BYTES, None)
    with pytest.raises(ArtifactError, match=r"tokens\.txt"):
        imported(BYTES.partition("\n")[2])
    with pytest.raises(SpecialTokenError, match="belongs to b'a'"):
        imported(f"{BYTES}97\t<s>\tspecial\n")
