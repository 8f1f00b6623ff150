"""`wwho.openai` gives what `wwho/openai` of the npm package gives: tests/vectors/chats.json."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import wwho
from wwho import ChatError, LimitError, UnknownModelError
from wwho.openai import (
    count_chat,
    count_messages,
    encode_chat,
    estimate_cost,
    fit_chat,
    is_within_token_limit,
)

ROOT = Path(__file__).resolve().parents[2]
CASES: list[dict[str, Any]] = json.loads((ROOT / "tests/vectors/chats.json").read_text("utf-8"))
FIXTURE = ROOT / "tests/node_modules/gpt-tokenizer/esm/fixtures/functionCallingTestCases.js"
METHODS: dict[str, Callable[..., Any]] = {
    "count": count_chat,
    "each": count_messages,
    "encode": encode_chat,
    "within": is_within_token_limit,
    "fit": fit_chat,
}
U = [{"role": "user", "content": "Does it boil?"}]


def outcome(case: dict[str, Any]) -> Any:
    """What a case gives, in the form that the vectors have: of messages that fit, their places."""
    options = dict(case.get("options", {}))
    if case["of"] == "cost":
        usage = {key.replace("cacheWrite", "cache_write"): n for key, n in case["usage"].items()}
        return estimate_cost(case["model"], usage, **options)
    if "sizes" in case:
        options["image_size"] = lambda url: tuple(case["sizes"].get(url, ())) or None
    given = case["messages"]
    result = METHODS[case["of"]](given, case["model"], **options)
    if case["of"] == "fit":
        places = [next(i for i, each in enumerate(given) if each is one) for one in result.messages]
        return {"messages": places, "counts": result.counts, "tokens": result.tokens}
    return False if result is None else result


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['name']}: {case['of']}")
def test_vectors(case: dict[str, Any]) -> None:
    if "error" not in case:
        assert outcome(case) == case["gives"]
        return
    with pytest.raises((ChatError, LimitError, UnknownModelError)) as caught:
        outcome(case)
    assert case["error"] in str(caught.value)


def test_the_vectors_have_figures_and_errors_of_every_method() -> None:
    assert {case["of"] for case in CASES if "gives" in case} == {*METHODS, "cost"}
    assert sum("error" in case for case in CASES) > 90


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
@pytest.mark.skipif(not FIXTURE.is_file(), reason="needs `npm ci` in tests/")
def test_cases_of_functions_that_openai_has_counted() -> None:
    script = f"import({json.dumps(FIXTURE.as_uri())}).then((m) => console.log(JSON.stringify(m)))"
    found = subprocess.run(["node", "-e", script], capture_output=True, check=True, text=True)
    (cases,) = json.loads(found.stdout).values()
    assert len(cases) == 32
    for case in cases:
        expected = case.pop("tokens")
        assert count_chat(model="gpt-4o", **case) == expected


class Dumped(SimpleNamespace):
    """An object as OpenAI's package has them."""

    def model_dump(self, *, exclude_none: bool) -> dict[str, Any]:
        def plain(value: Any) -> Any:
            if isinstance(value, list):
                return [plain(each) for each in value]
            return value.model_dump(exclude_none=True) if isinstance(value, Dumped) else value

        fields = {name: plain(value) for name, value in vars(self).items()}
        return {name: value for name, value in fields.items() if value is not None}


def test_objects_of_openais_package_are_counted() -> None:
    called = Dumped(name="heat", arguments="{}")
    call = Dumped(id="a", type="function", function=called)
    answer = Dumped(role="assistant", content=None, refusal=None, audio=None, tool_calls=[call])
    chat = [*U, answer, {"role": "tool", "tool_call_id": "a", "content": "hot"}]
    plain = [*U, answer.model_dump(exclude_none=True), chat[2]]
    assert count_chat(chat, "gpt-4o") == count_chat(plain, "gpt-4o") == 23  # 8 + 9 + 3 + 3
    assert fit_chat(chat, "gpt-4o", 22).messages == chat[1:]
    details = Dumped(cached_tokens=1000, audio_tokens=None)
    usage = Dumped(prompt_tokens=2000, completion_tokens=10, prompt_tokens_details=details)
    expected = estimate_cost("gpt-4o", {"input": 2000, "cached": 1000, "output": 10})
    assert estimate_cost("gpt-4o", usage) == expected


def test_another_tokenizer_counts_in_the_form_of_the_model() -> None:
    tokenizer = wwho.get_encoding("wwho_328k")
    chat = [{"role": "user", "content": "ගෙදර යනවා"}]
    expected = 7 + tokenizer.count("ගෙදර යනවා")
    assert count_chat(chat, "gpt-4o", tokenizer=tokenizer) == expected < count_chat(chat, "gpt-4o")


def test_arguments_of_the_wrong_kind() -> None:
    with pytest.raises(ChatError, match='messages is "a"'):
        count_chat("a", "gpt-4o")
    with pytest.raises(ChatError, match="messages is of type dict"):
        count_chat(U[0], "gpt-4o")
    with pytest.raises(TypeError, match="tool"):
        count_chat(U, "gpt-4o", tool=[])  # type: ignore[call-arg]
    with pytest.raises(ChatError, match="usage is None"):
        estimate_cost("gpt-4o", None)


def test_a_chat_that_fits_has_the_count_that_is_said() -> None:
    rng = random.Random(5)
    for _ in range(200):
        chat = [{"role": "system", "content": "You boil water."}]
        for n in range(rng.randrange(12)):
            chat.append({"role": rng.choice(["user", "assistant"]), "content": "whee " * n})
        chat += U
        limit = rng.randrange(30, 120)
        messages, counts, tokens = fit_chat(chat, "gpt-4o", limit)
        assert tokens == count_chat(messages, "gpt-4o") <= limit
        assert counts == count_messages(messages, "gpt-4o")
        assert messages[0] is chat[0]
        assert messages[-1] is chat[-1]
        if len(messages) < len(chat):
            more = [chat[0], *chat[-len(messages) :]]
            assert count_chat(more, "gpt-4o") > limit


ODD: tuple[Any, ...] = (7, True, "x", [], {}, [1], {"a": "b"}, ["x"], {"type": "function"})


def places(value: Any) -> list[tuple[Any, Any]]:
    """Each container in a value of JSON with each of its keys or indices."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    here = [(value, key) for key in keys]
    inside = (value[key] for key in keys)
    return here + [each for one in inside if isinstance(one, dict | list) for each in places(one)]


def damaged(rng: random.Random) -> dict[str, Any]:
    """A case of the vectors with one or two values changed, left out or added."""
    case: dict[str, Any] = json.loads(json.dumps(rng.choice(CASES)))
    case.pop("gives", None)
    case.pop("error", None)
    for _ in range(rng.randrange(1, 3)):
        found = [
            each for key in ("messages", "usage", "options") for each in places(case.get(key, {}))
        ]
        if not found:
            break
        container, key = rng.choice(found)
        kind = rng.random()
        if kind < 0.2 and isinstance(container, dict):
            del container[key]
        elif kind < 0.4 and isinstance(container, dict) and container is not case.get("options"):
            container["extra"] = rng.choice(ODD)
        else:
            container[key] = json.loads(json.dumps(rng.choice(ODD)))
    return case


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_damaged_chats_are_refused_by_both_languages_or_give_the_same() -> None:
    rng = random.Random(9)
    cases = [damaged(rng) for _ in range(1500)]
    script = ROOT / "tests/web/odd_chats.mjs"
    given = json.dumps(cases)
    done = subprocess.run(["node", script], input=given, capture_output=True, check=True, text=True)
    refused = 0
    for case, theirs in zip(cases, json.loads(done.stdout), strict=True):
        try:
            ours = outcome(case)
        except (ChatError, LimitError, UnknownModelError):
            ours = None
            refused += 1
        assert ours == theirs, case
    assert 900 < refused < 1400
