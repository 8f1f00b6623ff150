"""JavaScript's methods give what Python's give: every option, models of every kind."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from packaged import ROOT, run

import wwho
from wwho.errors import WwhoError

pytestmark = pytest.mark.page
MODELS = sorted((ROOT / "tests" / "vectors").glob("*.wwho"))
SHIPPED = ("gpt2", "wwho_328k")
LIMIT = 5
TEXTS = (
    "",
    " ",
    "Hello, WORLD! It's 10:45.",
    "a b  c\n\nd\te \r\n f",
    "ශ්‍රී ලංකාව අද්භුත ක්‍ෂිතිජය",
    "शाम को बारिश, क्ष्म्य्व किताबें।",
    "Café cafe\u0301 ﬁne ½ Å Å",
    "👩‍👩‍👧 🙂🙂 𓀀 x",
    "[CLS] <s> [UNK] [MASK] </s> <|endoftext|> [PAD]",
    "x<|endoftext|>y <mask> z",
    "中文字符，日本語。한국어",
    "\u200b\ufeff\x00\x07\u0301",
    "Straße İstanbul ΣΊΣΥΦΟΣ ǅ",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "One. Two three. Four five?\n\nSix seven eight nine. Ten!",
    # without a coeng: Unicode 17, which Node knows, has it join a cluster, Unicode 16 has not
    "שָׁלוֹם مرحبا ไทย ខែរ",
)


def outcome(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except (WwhoError, ValueError):
        return "error"


def listed(found: tuple[list[int], list[tuple[int, int]]]) -> list[Any]:
    return [found[0], [list(place) for place in found[1]]]


def chunks_of(enc: wwho.Tokenizer, text: str, **options: Any) -> list[Any]:
    return [list(chunk) for chunk in enc.chunk(text, LIMIT, **options)]


def expected(enc: wwho.Tokenizer, text: str, pair: str) -> dict[str, Any]:
    """What parity.mjs says of a text."""
    ids = enc.encode(text)
    counts: list[dict[str, Any]] = [{}, {"allowed_special": "all"}, {"add_special_tokens": True}]
    around: list[dict[str, Any]] = [{}, {"add_special_tokens": True}]
    chunks: list[dict[str, Any]] = [
        {},
        {"overlap": 2},
        {"prefer": "token"},
        {"oversize": "keep"},
        {"oversize": "error"},
        around[1],
    ]
    within = [
        enc.count_till_limit(text, most, *pairs, **options)
        for most in (0, 1, LIMIT, len(ids))
        for pairs in ((), (pair,))
        for options in around
    ]
    special = enc.encode(text, allowed_special="all")
    return {
        "ids": ids,
        "special": special,
        "around": enc.encode(text, add_special_tokens=True),
        "pair": outcome(lambda: enc.encode(text, pair, add_special_tokens=True)),
        "offsets": listed(enc.encode_with_offsets(text, allowed_special="all")),
        "pairOffsets": outcome(
            lambda: listed(enc.encode_with_offsets(text, pair, add_special_tokens=True))
        ),
        "count": [enc.count(text, **options) for options in counts],
        "pairCount": [enc.count(text, pair, **options) for options in counts],
        "within": [False if count is None else count for count in within],
        "truncated": [
            outcome(partial(enc.truncate, text, most, **options))
            for most in (0, 1, LIMIT)
            for options in around
        ],
        "chunks": [outcome(partial(chunks_of, enc, text, **options)) for options in chunks],
        "decoded": [enc.decode(special, skip_special_tokens=skip) for skip in (False, True)],
    }


@pytest.mark.slow
def test_every_method_gives_what_pythons_gives(project: Path, tmp_path: Path) -> None:
    shipped = [project / "node_modules" / "wwho" / "models" / f"{name}.wwho" for name in SHIPPED]
    models = [*MODELS, *shipped]
    job = {"models": [str(path) for path in models], "texts": TEXTS, "limit": LIMIT}
    (tmp_path / "job.json").write_text(json.dumps(job), "utf-8")
    found = json.loads(run("node", "parity.mjs", tmp_path / "job.json", cwd=project))
    given = iter(found)
    for path in models:
        enc = wwho.Tokenizer.load(path)
        for i, text in enumerate(TEXTS):
            theirs, pair = next(given), TEXTS[(i + 1) % len(TEXTS)]
            ours = expected(enc, text, pair)
            if max(text + pair, default="") > "\uffff":
                del ours["pairOffsets"], theirs["pairOffsets"]
            for method, value in ours.items():
                assert theirs[method] == value, (path.stem, text, method)
    assert next(given, None) is None


@pytest.mark.slow
def test_batches_and_further_special_tokens_are_pythons(project: Path, tmp_path: Path) -> None:
    """Python reads the extended file, and tiktoken's recipe makes the same encoding."""
    gpt2 = project / "node_modules" / "wwho" / "models" / "gpt2.wwho"
    models = [*MODELS, gpt2]
    special = {"<|user|>": 0, "හවස": 1, "<|user|>x": 5}
    texts = [*TEXTS, "a<|user|>x<|user|> හවස<|endoftext|>"]
    job = {"models": [str(path) for path in models], "texts": texts, "special": special}
    (tmp_path / "job.json").write_text(json.dumps(job), "utf-8")
    found = json.loads(run("node", "batches.mjs", tmp_path / "job.json", cwd=project))
    options: dict[str, Any] = {"add_special_tokens": True, "allowed_special": "all"}
    pairs = texts[::-1]
    for path, theirs in zip(models, found, strict=True):
        enc = wwho.Tokenizer.load(path)
        assert theirs["batch"] == enc.encode_batch(texts), path.stem
        assert theirs["counts"] == enc.count_batch(texts), path.stem
        assert theirs["paired"] == enc.encode_batch(texts, pairs, **options), path.stem
        assert theirs["pairCounts"] == enc.count_batch(texts, pairs, **options), path.stem
        (tmp_path / "more.wwho").write_bytes(base64.b64decode(theirs["file"]))
        more = wwho.Tokenizer.load(tmp_path / "more.wwho")
        added = {text: enc.n_vocab + number for text, number in special.items()}
        assert more.special_tokens_set == {*enc.special_tokens_set, *added}, path.stem
        assert theirs["special"] == more.encode_batch(texts, allowed_special="all"), path.stem
        assert theirs["ordinary"] == enc.encode_batch(texts), path.stem
    base = wwho.get_encoding("gpt2")
    recipe = wwho.Encoding(
        "gpt2_chat",
        pat_str=base._pat_str,
        mergeable_ranks=base._mergeable_ranks,
        special_tokens={
            **base._special_tokens,
            **{t: base.n_vocab + n for t, n in special.items()},
        },
    )
    assert found[-1]["special"] == recipe.encode_batch(texts, allowed_special="all")
