"""The JSON API: what it answers, that its document is true, and what it refuses in which words."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("flask", reason="the server needs Flask: pip install 'wwho[serve]'")
pytest.importorskip("msgspec", reason="the server needs msgspec: pip install 'wwho[serve]'")
pytest.importorskip("openapi_spec_validator", reason="openapi-spec-validator is not installed")
pytest.importorskip("schemathesis", reason="schemathesis is not installed")

import schemathesis
from flask.testing import FlaskClient
from hypothesis import HealthCheck, assume, settings
from openapi_spec_validator import validate
from schemathesis.config import SchemathesisConfig

import wwho
from wwho.serve import api, operations
from wwho.serve.app import create_app
from wwho.serve.operations import BATCH, OPERATIONS, SPECIALS

TEXTS = (
    "",
    "ගමේ school",
    "बारिश हुई, और सड़क भीग गई।",
    "x\u0000\ufeff\U0010ffff",
    "<|endoftext|>",
    "é" * 300,
)
APP = create_app()

# What follows the document may still name a token that the encoding does not have: 422.
CONFIG = SchemathesisConfig.from_dict(
    {"checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", "422"]}}}
)
SCHEMA = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", APP, config=CONFIG)


@pytest.fixture
def client() -> FlaskClient:
    return APP.test_client()


def ask(client: FlaskClient, operation: str, question: Any) -> Any:
    """The answer to a question that has one."""
    response = client.post(f"/api/v1/{operation}", json=question)
    assert response.status_code == 200, response.text
    assert response.mimetype == "application/json"
    return response.json


def problem(client: FlaskClient, operation: str, body: bytes, status: int) -> dict[str, Any]:
    """The problem that a body is answered with."""
    headers = {"Content-Type": "application/json"}
    response = client.post(f"/api/v1/{operation}", data=body, headers=headers)
    assert response.status_code == status, response.text
    assert response.mimetype == "application/problem+json"
    found: dict[str, Any] = response.json or {}
    assert found["status"] == status
    return found


# Answers


@pytest.mark.parametrize("name", wwho.list_encoding_names())
@pytest.mark.parametrize("text", TEXTS)
def test_answers_are_the_tokenizers(client: FlaskClient, name: str, text: str) -> None:
    tokenizer = wwho.get_encoding(name)
    question = {"text": text, "encoding": name}
    ids = tokenizer.encode(text)
    assert ask(client, "encode", question) == {"tokens": ids}
    assert ask(client, "count", question) == {"count": len(ids)}
    assert ask(client, "decode", {"tokens": ids, "encoding": name}) == {"text": text}
    found = ask(client, "segment", question)["segments"]
    assert [(each["route"], each["text"], tuple(each.get("units", ()))) for each in found] == list(
        tokenizer.segment(text)
    )


def test_a_batch_is_answered_in_its_order(client: FlaskClient) -> None:
    questions = [{"text": text, "encoding": "o200k_base"} for text in TEXTS]
    answers = ask(client, "count", questions)
    assert [each["count"] for each in answers] == [
        wwho.get_encoding("o200k_base").count(text) for text in TEXTS
    ]
    assert ask(client, "count", questions[:1]) == answers[:1]


def test_special_tokens_are_text_unless_allowed(client: FlaskClient) -> None:
    question = {"text": "a<|endoftext|>", "encoding": "o200k_base"}
    plain = wwho.get_encoding("o200k_base").encode("a<|endoftext|>")
    assert ask(client, "encode", question) == {"tokens": plain}
    for allowed in ("all", ["<|endoftext|>"]):
        special = {**question, "allowed_special": allowed}
        assert ask(client, "encode", special) == {"tokens": [64, 199999]}
        assert ask(client, "count", {**special, "disallowed_special": "all"}) == {"count": 2}


def test_the_encodings_are_listed(client: FlaskClient) -> None:
    found = client.get("/api/v1/encodings").get_json()["encodings"]
    assert [each["name"] for each in found] == wwho.list_encoding_names()
    assert [each["name"] for each in found if each["default"]] == ["wwho_328k"]
    for each in found:
        tokenizer = wwho.get_encoding(each["name"])
        assert each["n_vocab"] == tokenizer.n_vocab
        assert each["special_tokens"] == tokenizer.info.specials


def test_health(client: FlaskClient) -> None:
    assert client.get("/healthz").get_json() == {"status": "ok"}


# The document


def test_the_document_is_openapi(client: FlaskClient) -> None:
    document = client.get("/api/v1/openapi.json").get_json()
    assert document["openapi"].startswith("3.1")
    validate(document)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_its_examples_are_true(client: FlaskClient, operation: operations.Operation) -> None:
    post = client.get("/api/v1/openapi.json").get_json()["paths"][f"/api/v1/{operation.name}"][
        "post"
    ]
    asked = post["requestBody"]["content"]["application/json"]["example"]
    answered = post["responses"]["200"]["content"]["application/json"]["example"]
    assert ask(client, operation.name, asked) == answered


@SCHEMA.parametrize()  # type: ignore[untyped-decorator]
@settings(
    max_examples=60,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_whatever_is_asked_the_answer_is_as_documented(case: Any) -> None:
    # JSON Schema has no words for what the document says in English: 1.0 is no id.
    assume(not has_whole_float(case.body))
    case.call_and_validate()


def has_whole_float(value: Any) -> bool:
    """Whether a JSON value holds a number such as 1.0."""
    if isinstance(value, dict | list):
        return any(map(has_whole_float, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and value.is_integer()


def test_the_readme_is_true(client: FlaskClient) -> None:
    readme = (Path(api.__file__).parent / "README.md").read_text("utf-8")
    calls = re.findall(r"-d '(.*?)' http://[^/]+(/api/\S+)\n(.*)\n", readme)
    assert len(calls) == 2
    for body, path, answer in calls:
        found = client.post(path, data=body, headers={"Content-Type": "application/json"})
        assert found.get_json() == json.loads(answer)
    fault = re.search(r'^\{"title".*"Expected `str`.*', readme, re.MULTILINE)
    assert fault
    body = b'[{"text": "a"}, {"text": 1}]'
    assert problem(client, "encode", body, 400) == json.loads(fault[0])


# Refusals


@pytest.mark.parametrize(
    ("body", "detail", "pointer"),
    [
        (b"", "Expected JSON in UTF-8", None),
        (b"{", "Expected JSON in UTF-8", None),
        (b'{"text": "a"} b', "Expected JSON in UTF-8", None),
        (b'{"text": "\xff"}', "13 bytes that are not: ", None),
        (b'{"text": "\\ud800"}', "without half surrogate pairs, got 18 bytes", None),
        (b'{"text": "\\udc00"}', "without half surrogate pairs", None),
        (b'\xff\xfe{\x00"\x00', "Expected JSON in UTF-8", None),
        (b"[" * 100_000, "Expected `object`, got `array`", "/0"),
        (b'{"text": ' + b"[" * 100_000, "Expected `str`, got `array`", "/text"),
        (b'{"text": ' + b'{"a":' * 100_000, "Expected `str`, got `object`", "/text"),
        (b"null", "Expected `object | array`, got `null`", None),
        (b"{}", "missing required field `text`", None),
        (b'{"text": 1}', "Expected `str`, got `int`", "/text"),
        (b'{"text": "a", "model": "b"}', "unknown field `model`", None),
        (b'[{"text": "a"}, {"text": []}]', "Expected `str`, got `array`", "/1/text"),
        (b"[]", "length >= 1", None),
        (
            json.dumps([{"text": ""}] * (BATCH + 1)).encode(),
            f"length <= {BATCH}",
            None,
        ),
        (
            b'{"text": "a", "encoding": "o300k"}',
            "one of cl100k_base, gpt2, o200k_base",
            "/encoding",
        ),
        (b'[{"text": "a", "encoding": "../../etc/passwd"}]', "one of cl100k", "/0/encoding"),
        (
            b'{"text": "a", "allowed_special": "some"}',
            "Invalid enum value 'some'",
            "/allowed_special",
        ),
        (b'{"text": "a", "allowed_special": [1]}', "`str`, got `int`", "/allowed_special/0"),
        (
            json.dumps({"text": "a", "allowed_special": ["x"] * (SPECIALS + 1)}).encode(),
            f"length <= {SPECIALS}",
            "/allowed_special",
        ),
        (b'{"text": "a", "text": "b"}', "the key `text` once, got it twice", "/text"),
        (b'{"text": "a", "te\\u0078t": "b"}', "the key `text` once, got it twice", "/text"),
        (
            b' [{"text": "a"}, {"encoding": "gpt2", "text": "a", "encoding": "gpt2"}]',
            "the key `encoding` once",
            "/1/encoding",
        ),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_not_as_documented(
    client: FlaskClient, body: bytes, detail: str, pointer: str | None
) -> None:
    found = problem(client, "encode", body, 400)
    assert detail in found["detail"]
    assert found.get("pointer") == pointer


@pytest.mark.parametrize(
    ("tokens", "status", "detail", "pointer"),
    [
        ([-1], 400, "`int` >= 0", "/tokens/0"),
        ([0, 2**32], 400, "`int` <= 4294967295", "/tokens/1"),
        ([0, "LONG"], 400, "Integer value out of range", "/tokens/1"),
        ([0, "HUGE"], 400, "Number out of range", "/tokens/1"),
        ([0, 10**400], 400, "`int` <= 4294967295", "/tokens/1"),
        ([1.5], 400, "`int`, got `float`", "/tokens/0"),
        (["1"], 400, "`int`, got `str`", "/tokens/0"),
        ([True], 400, "`int`, got `bool`", "/tokens/0"),
        (
            [0, 2**32 - 1],
            422,
            "4294967295 is not the id of a token; ids are 0 to 200018",
            "/tokens",
        ),
        ([200_000], 422, "200000 is not the id of a token", "/tokens"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_ids_that_are_none(
    client: FlaskClient, tokens: list[Any], status: int, detail: str, pointer: str
) -> None:
    body = json.dumps({"tokens": tokens, "encoding": "o200k_base"}).encode()
    # Python's json would not write these.
    body = body.replace(b'"LONG"', b"9" * 5000).replace(b'"HUGE"', b"1e999")
    found = problem(client, "decode", body, status)
    assert detail in found["detail"]
    assert found["pointer"] == pointer


def test_special_tokens_that_are_refused(client: FlaskClient) -> None:
    question = {"text": "a<|endoftext|>", "encoding": "o200k_base", "disallowed_special": "all"}
    found = problem(client, "count", json.dumps([{"text": ""}, question]).encode(), 422)
    assert "'<|endoftext|>'" in found["detail"]
    assert "Name it in allowed_special" in found["detail"]
    assert found["pointer"] == "/1/text"
    unknown = json.dumps({**question, "allowed_special": ["<|endoftext|>", "<x>"]}).encode()
    found = problem(client, "encode", unknown, 422)
    assert "one of <|endofprompt|>, <|endoftext|>" in found["detail"]
    assert found["pointer"] == "/allowed_special/1"


@pytest.mark.parametrize(
    "mime", ["", "text/plain", "application/xml", "multipart/form-data", "x" * 500]
)
def test_other_types_of_body(client: FlaskClient, mime: str) -> None:
    response = client.post("/api/v1/count", data=b'{"text": "a"}', headers={"Content-Type": mime})
    assert (response.status_code, response.mimetype) == (415, "application/problem+json")
    assert "application/json" in response.get_json()["detail"]
    assert len(response.data) < 300


@pytest.mark.parametrize("coding", ["gzip", "br", "x" * 500])
def test_compressed_bodies(client: FlaskClient, coding: str) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": coding}
    response = client.post("/api/v1/count", data=b'{"text": "a"}', headers=headers)
    assert (response.status_code, response.mimetype) == (415, "application/problem+json")
    assert "without Content-Encoding, got" in response.get_json()["detail"]
    assert len(response.data) < 300
    headers["Content-Encoding"] = "identity"
    assert client.post("/api/v1/count", data=b'{"text": "a"}', headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/api/v1/encodings", "/api/v1/encode"])
def test_other_methods_are_problems(client: FlaskClient, path: str) -> None:
    response = client.delete(path)
    assert (response.status_code, response.mimetype) == (405, "application/problem+json")
    assert response.get_json()["detail"].startswith("Expected ")


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"', "utf8"])
def test_json_with_a_charset_is_json(client: FlaskClient, charset: str) -> None:
    headers = {"Content-Type": f"application/json; charset={charset}"}
    assert client.post("/api/v1/count", data=b'{"text": "a"}', headers=headers).status_code == 200


@pytest.mark.parametrize("charset", ["utf-16", "latin-1", "x" * 500])
def test_json_is_in_utf_8(client: FlaskClient, charset: str) -> None:
    headers = {"Content-Type": f"application/json; charset={charset}"}
    response = client.post("/api/v1/count", data=b'{"text": "a"}', headers=headers)
    assert (response.status_code, response.mimetype) == (415, "application/problem+json")
    assert f"with charset utf-8, got '{charset[:80]}'" in response.get_json()["detail"]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_large_bodies(client: FlaskClient, operation: operations.Operation) -> None:
    field = b'{"tokens": [' if operation.name == "decode" else b'{"text": "'
    end = b"0]}" if operation.name == "decode" else b'"}'
    room = operation.body_bytes - len(field) - len(end)
    filling = b"0," * (room // 2) if operation.name == "decode" else b"a" * room
    headers = {"Content-Type": "application/json"}
    path = f"/api/v1/{operation.name}"
    fits = client.post(path, data=field + filling + end, headers=headers)
    assert fits.status_code == 200
    found = problem(client, operation.name, field + filling + b"  " + end + b" ", 413)
    assert str(operation.body_bytes) in found["detail"]


def test_other_paths_and_methods(client: FlaskClient) -> None:
    for path in ("/api/v1/nothing", "/api/", "/api/v1/", "/api/v2/encode"):
        response = client.get(path)
        assert (response.status_code, response.mimetype) == (404, "application/problem+json")
        assert "a path that /api/v1/openapi.json names" in response.get_json()["detail"]
    for method, path, allowed in (
        ("GET", "/api/v1/encode", "POST"),
        ("OPTIONS", "/api/v1/encode", "POST"),
        ("DELETE", "/api/v1/decode", "POST"),
        ("POST", "/api/v1/encodings", "GET"),
    ):
        response = client.open(path, method=method)
        assert (response.status_code, response.mimetype) == (405, "application/problem+json")
        assert allowed in response.headers["Allow"]
        assert f"got {method}" in response.get_json()["detail"]


# The log


def test_the_log_has_lines_of_json_and_no_text(
    client: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    logger = logging.getLogger("wwho.access")
    logger.propagate = True
    with caplog.at_level(logging.INFO, "wwho.access"):
        ask(client, "count", {"text": "secret words"})
        client.post("/api/v1/count?text=secret", json={"text": "secret", "secret": "secret"})
        client.get("/nothing\nat all?secret")
        client.head("/healthz")
    lines = [json.loads(record.getMessage()) for record in caplog.records]
    assert [line["status"] for line in lines] == [200, 400, 404, 200]
    assert [line["sent"] > 0 for line in lines] == [True, True, True, False]
    assert {"time", "client", "method", "path", "status", "received", "sent", "ms"} == set(lines[0])
    assert lines[0]["path"] == "/api/v1/count"
    assert all("\n" not in record.getMessage() for record in caplog.records)
    assert "secret" not in caplog.text
