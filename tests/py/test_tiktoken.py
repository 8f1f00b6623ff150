"""`wwho.Encoding` and `wwho.tiktoken` beside tiktoken, whose own tests run on both."""

from __future__ import annotations

import os
import pickle
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import oracle
import pytest
import tiktoken
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

import wwho
import wwho.tiktoken
from wwho import ArtifactError, Encoding, PatternError, SpecialTokenError, UnknownModelError

END = "<|endoftext|>"
README = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
UNFINISHED = (
    *("hello fanta", "hello", "", " ", "  ", "a\n", "today\n \n", "x\n\n ", "\n\n", "a \u00a0"),
    *(
        "don'",
        "1",
        "12",
        "क",
        "ක්",
        "\U0001f44d",
        f"{END} x",
        f"x{END}",
        f"a {END}  ",
        " \t\n",
        "a\x1c",
    ),
)


# tiktoken's own tests


@pytest.fixture(scope="session")
def their_tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of tiktoken's tests, which only its source distribution has."""
    version = metadata.version("tiktoken")
    folder = tmp_path_factory.mktemp("tiktoken")
    options = (
        "--no-deps",
        "--no-binary",
        "tiktoken",
        "--dest",
        str(folder),
        f"tiktoken=={version}",
    )
    command = [sys.executable, "-m", "pip", "download", "--quiet", *options]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode:
        last = found.stderr.strip().splitlines()[-1:]
        pytest.skip(f"needs the source of tiktoken {version}, which pip cannot fetch: {last}")
    shutil.unpack_archive(folder / f"tiktoken-{version}.tar.gz", folder)
    return folder / f"tiktoken-{version}" / "tests"


def stated_differences() -> set[str]:
    """Return the names of tiktoken's tests that README.md says fail with wwho."""
    line = next(line for line in README.splitlines() if "`test_special_token`" in line)
    return set(re.findall(r"`(test_\w+)`", line))


@pytest.mark.slow
@pytest.mark.parametrize("module", ["wwho.tiktoken", "wwho"])
def test_tiktokens_own_tests(module: str, their_tests: Path, tmp_path: Path) -> None:
    # In a package that is not installed, hypothesis looks for constants: special tokens, say.
    installed = tmp_path / "site-packages" / "wwho"
    installed.parent.mkdir()
    installed.symlink_to(Path(wwho.__file__).parent)
    (tmp_path / "tests").mkdir()
    for file in their_tests.glob("*.py"):
        code, n = re.subn(
            "^import tiktoken$", f"import {module} as tiktoken", file.read_text(), flags=re.M
        )
        assert n or "import" not in code
        (tmp_path / "tests" / file.name).write_text(code)
    found = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--tb=short",
            "-rf",
            "-p",
            "no:cacheprovider",
            "tests",
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "TIKTOKEN_MAX_EXAMPLES": "20",
            "PYTHONPATH": "site-packages",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # they need none, and to import them takes long
        },
        capture_output=True,
        text=True,
        check=False,
    )
    failed = set(re.findall(r"^FAILED tests/\w+\.py::(\w+)", found.stdout, re.M))
    assert failed == (stated_differences() if module == "wwho" else set()), found.stdout
    passed = re.search(r"(\d+) passed", found.stdout)
    assert passed, found.stdout
    assert int(passed[1]) >= 30


# Models


def test_every_model_that_tiktoken_knows() -> None:
    theirs = pytest.importorskip("tiktoken.model", reason="needs tiktoken")
    names = [*theirs.MODEL_TO_ENCODING, *(p + "x" for p in theirs.MODEL_PREFIX_TO_ENCODING)]
    for name in names:
        assert wwho.encoding_name_for_model(name) == theirs.encoding_name_for_model(name), name
    assert len(names) > 60
    assert wwho.encoding_for_model("gpt-4o") is wwho.get_encoding("o200k_base")
    assert wwho.tiktoken.encoding_for_model("gpt-4o") is wwho.tiktoken.get_encoding("o200k_base")


@pytest.mark.parametrize("module", [wwho, wwho.tiktoken])
def test_a_model_that_nobody_knows(module: Any) -> None:
    with pytest.raises(KeyError) as theirs:
        pytest.importorskip("tiktoken").encoding_for_model("gtp-4o")
    for call in (module.encoding_for_model, module.encoding_name_for_model):
        with pytest.raises(
            UnknownModelError, match=r"no model 'gtp-4o' .*gpt-4o.*get_encoding"
        ) as ours:
            call("gtp-4o")
        assert isinstance(ours.value, type(theirs.value))
    with pytest.raises(ArtifactError, match=r"'gpt-4o' is a model.*encoding_for_model\('gpt-4o'\)"):
        module.get_encoding("gpt-4o")


# The constructor


@pytest.mark.parametrize("kind", [wwho.Encoding, wwho.tiktoken.Encoding])
@pytest.mark.parametrize("base", ["r50k_base", "p50k_base"])
def test_the_recipe_for_more_special_tokens(kind: type[Encoding], base: str) -> None:
    theirs_base = oracle.tiktoken_encoding(base)
    more = {"<|im_start|>": 50_300, "<|im_end|>": 50_301}

    def extended(base: Any, kind: Any) -> Any:
        """Return an encoding with more special tokens, as the recipe of tiktoken makes it."""
        return kind(
            name="chat",
            pat_str=base._pat_str,
            mergeable_ranks=base._mergeable_ranks,
            special_tokens={**base._special_tokens, **more},
        )

    base_enc = wwho.get_encoding(base)
    assert base_enc._mergeable_ranks == theirs_base._mergeable_ranks
    assert base_enc._pat_str == theirs_base._pat_str
    assert base_enc._special_tokens == theirs_base._special_tokens
    ours, theirs = extended(base_enc, kind), extended(theirs_base, type(theirs_base))
    text = f"<|im_start|>user\nගමේ school  {END}<|im_end|>"
    assert ours.encode(text, allowed_special="all") == theirs.encode(text, allowed_special="all")
    assert (ours.name, ours.n_vocab, ours.eot_token) == (
        theirs.name,
        theirs.n_vocab,
        theirs.eot_token,
    )
    again = pickle.loads(pickle.dumps(ours))
    assert type(again) is kind
    assert again.encode(text, disallowed_special=()) == theirs.encode(text, disallowed_special=())


def test_wrong_arguments_of_the_constructor() -> None:
    base = wwho.get_encoding("r50k_base")
    given: dict[str, Any] = {"pat_str": base._pat_str, "mergeable_ranks": base._mergeable_ranks}
    with pytest.raises(ValueError, match="explicit_n_vocab is 50258, but there are 50257 tokens"):
        Encoding("x", **given, special_tokens={END: 50256}, explicit_n_vocab=50258)
    with pytest.raises(SpecialTokenError, match="has the id 7, which belongs to b'\\('"):
        Encoding("x", **given, special_tokens={END: 7})
    with pytest.raises(PatternError):
        Encoding("x", **{**given, "pat_str": "(a"}, special_tokens={})
    given["mergeable_ranks"] = {text: k for text, k in base._mergeable_ranks.items() if k != 7}
    with pytest.raises(ArtifactError, match="255 of the 256 bytes are tokens"):
        Encoding("x", **given, special_tokens={})


def test_ranks_with_holes() -> None:
    """A token whose parts come later, and one that no merge makes any more."""
    base = wwho.get_encoding("r50k_base")
    ranks = {text: k for text, k in base._mergeable_ranks.items() if k % 7 or k < 256}
    made: dict[str, Any] = {
        "pat_str": base._pat_str,
        "mergeable_ranks": ranks,
        "special_tokens": {},
    }
    ours, theirs = Encoding("x", **made), tiktoken.Encoding("x", **made)
    for text in ("The quick brown fox, tokenization; " * 9, "naïve ගමේ school", " \n\n\n==== ----"):
        assert ours.encode(text) == theirs.encode(text)
    assert ours._mergeable_ranks == ranks


# Defaults


def test_what_spells_a_special_token_is_an_error_in_every_method_of_tiktokens() -> None:
    ours, strict = wwho.get_encoding("gpt2"), wwho.tiktoken.get_encoding("gpt2")
    assert strict is wwho.tiktoken.get_encoding("gpt2")
    assert type(pickle.loads(pickle.dumps(strict))) is wwho.tiktoken.Encoding
    names = ("encode", "encode_to_numpy", "encode_with_offsets", "encode_with_unstable", "count")
    for name in names:
        getattr(ours, name)(END)
        with pytest.raises(SpecialTokenError):
            getattr(strict, name)(END)
        getattr(strict, name)(END, disallowed_special=())
        getattr(strict, name)(END, allowed_special={END})
    batches = ("to_numpy", "with_offsets")
    for name in ("encode_batch", "count_batch", *(f"encode_batch_{each}" for each in batches)):
        getattr(ours, name)(["a", END])
        with pytest.raises(SpecialTokenError):
            getattr(strict, name)(["a", END])
    with pytest.raises(SpecialTokenError):
        strict.count_till_limit(END, 9)
    assert strict.encode_ordinary(END) == ours.encode(END)


# What tiktoken does with unfinished texts and with bytes


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "p50k_edit"])
def test_unfinished_texts(name: str) -> None:
    ours, theirs = wwho.get_encoding(name), oracle.tiktoken_encoding(name)
    for text in UNFINISHED:
        stable, completions = ours.encode_with_unstable(text, allowed_special="all")
        expected, expected_completions = theirs.encode_with_unstable(text, allowed_special="all")
        assert stable == expected, text
        assert len(completions) == len(expected_completions), text
        assert set(map(tuple, completions)) == set(map(tuple, expected_completions)), text


def test_an_encoding_with_syllables_has_no_unfinished_texts() -> None:
    with pytest.raises(ValueError, match="wwho_328k has tokens of syllables"):
        wwho.get_encoding("wwho_328k").encode_with_unstable("ක")


@pytest.mark.parametrize("backend", ["native", "reference"])
@examples(400)
@given(text=texts, rest=st.binary(max_size=6))
def test_undocumented_methods(backend: Any, text: str, rest: bytes) -> None:
    ours, theirs = wwho.get_encoding("p50k_base", backend), oracle.tiktoken_encoding("p50k_base")
    data = text.encode() + rest
    assert ours._encode_bytes(data) == theirs._encode_bytes(data)
    assert ours._encode_single_piece(data) == (theirs._encode_single_piece(data) if data else [])
    assert ours._encode_only_native_bpe(text) == theirs._encode_only_native_bpe(text)
