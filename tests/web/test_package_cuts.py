"""Where streams are cut follows from the automata of a model: so also from odd ones."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from packaged import ROOT, run

sys.path.append(str(ROOT / "tests" / "py"))

from odd_models import byte_model, letter_model, phrase_model, replayable

from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.format.model import Artifact
from wwho.format.write import write_artifact

PROGRAM = Path(__file__).parent / "odd_cuts.mjs"


def based(pattern: str) -> Artifact:
    """A base with this pretokenizer, over random merges."""
    symbols = [ord(char) for char in "abcd x\n"]
    return byte_model(replayable(random.Random(7), symbols, 256, 30), piece=pattern)


def routed(rest: str) -> Artifact:
    """Letters from a to d, x and y are units, but where `rest` takes them to the base."""
    model = letter_model(replayable(random.Random(8), range(5), 5, 20))
    scanners = compile_scanners(
        [
            Scanner("router", (parse_regex(rest), parse_regex("[a-dxy]")), longest=False),
            Scanner("other", (parse_regex("(?:a|[^a])"),), longest=False),
            Scanner("letters", (parse_regex("[a-dxy]"), parse_regex("[^a-dxy]")), longest=False),
        ]
    )
    return replace(model, scanners=scanners)


WORDS = ((2, 2), (2, 3), (3, 3), (0, 2), (2, 0), (0, 0), (4, 0), (0, 1))
MODELS = {
    "two letters": based("(?:ab)+|[^ ]| +"),
    "letters and an end": based("[a-c]+d|[a-c]|[^a-c]+"),
    "spaces before": based("\\s+(?!\\S)|\\s+|\\S+"),
    "words with a space": based(" ?[a-z]+|[^a-z ]+| "),
    "lines": based("[^\\n]+|\\n"),
    "each": based("(?:a|[^a])"),
    "letters": letter_model(replayable(random.Random(9), range(5), 5, 20)),
    # What a letter is depends on what came long before it.
    "quoted letters": routed("\\.[^.]*\\.|[^a-dxy]"),
    "two of a kind": routed("..|[^a-dxy]"),
    "superwords": phrase_model((b" a", b" b", b"a", b"b"), WORDS, 4),
}
NONE = ("quoted letters",)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    folder = tmp_path_factory.mktemp("odd")
    paths = {name: folder / f"{number}.wwho" for number, name in enumerate(MODELS)}
    for name, path in paths.items():
        path.write_bytes(write_artifact(MODELS[name]))
    results = json.loads(run("node", PROGRAM, *paths.values(), cwd=ROOT))
    return {name: results[str(path)] for name, path in paths.items()}


@pytest.mark.parametrize("name", MODELS)
def test_the_parts_have_the_tokens_of_the_whole(
    found: dict[str, dict[str, object]], name: str
) -> None:
    assert found[name]["wrong"] is None


def test_there_are_places(found: dict[str, dict[str, object]]) -> None:
    assert all(result["places"] for name, result in found.items() if name not in NONE)
