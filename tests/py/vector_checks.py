"""What tests/vectors say, checked on any tokenizer. Needs the package alone, not pytest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wwho import SpecialTokenError, Tokenizer, UnknownTokenError
from wwho.encodings import model_bytes
from wwho.text import Unk

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
TINY = VECTORS / "tiny.wwho"
ENCODINGS = sorted(path.stem for path in VECTORS.glob("*.jsonl"))
REWRITTEN = ("normal", "steps", "routed", "affixes", "left_out")
AFTER = ("template", "fallback", "ctc", "script", "trimmed", "published", "ospe")
ERRORS = {"SpecialTokenError": SpecialTokenError, "UnknownTokenError": UnknownTokenError}


def artifact(name: str) -> bytes:
    """Return the file of an encoding: one beside its vectors, or one that ships."""
    path = VECTORS / f"{name}.wwho"
    return path.read_bytes() if path.is_file() else model_bytes(name)


def vectors(name: str) -> list[dict[str, Any]]:
    """Return the vectors of an encoding, one for each line of its file."""
    return [
        json.loads(line) for line in (VECTORS / f"{name}.jsonl").read_text("ascii").splitlines()
    ]


def check_encode(enc: Tokenizer, line: dict[str, Any]) -> None:
    """Assert that a text has the ids, offsets, counts and segments of its vector."""
    text: str | bytes = line["text"] if "text" in line else bytes.fromhex(line["bytes_hex"])
    unk: Unk = "token" if line.get("unk") else "spell"
    allowed = set(line["allowed"])
    ids, offsets = enc.encode_with_offsets(text, allowed_special=allowed, unk=unk)
    assert ids == line["ids"]
    if "offsets" in line:
        assert [list(pair) for pair in offsets] == line["offsets"]
    assert enc.encode(text, allowed_special=allowed, unk=unk) == ids
    assert enc.count(text, allowed_special=allowed, unk=unk) == line["count"] == len(ids)
    segments = enc.segment(text)
    assert [segment.route for segment in segments] == [each["route"] for each in line["segments"]]
    if "text" in line:
        assert [segment.text for segment in segments] == [each["text"] for each in line["segments"]]
        units = [each.get("units", []) for each in line["segments"]]
        assert [list(segment.units) for segment in segments] == units
    else:
        routes = enc.info.routes
        data = text if isinstance(text, bytes) else text.encode()
        spans = enc._backend.spans(data)
        found = [
            data[span.start : span.end].hex()
            for span in spans
            if routes[span.route].units is not None
        ]
        assert found == [unit for each in line["segments"] for unit in each.get("units_hex", [])]


def check_utf16(enc: Tokenizer, line: dict[str, Any]) -> None:
    """Assert that the tokens of a text stand at the UTF-16 units of its vector."""
    data = line["text"].encode("utf-8") if "text" in line else bytes.fromhex(line["bytes_hex"])
    mask = bytes(token.text in line["allowed"] for token in enc.info.added)
    _, starts, ends = enc._backend.encode_with_places(data, mask, bool(line.get("unk")))
    assert [list(pair) for pair in enc._backend.offsets(data, starts, ends, True)] == line["utf16"]


def check_error(enc: Tokenizer, line: dict[str, Any]) -> None:
    """Assert that a call raises the error that its vector names."""

    def call() -> None:
        """Make the call that must raise."""
        if "token" in line:
            enc.encode_single_token(line["token"])
        elif "ids" in line:
            enc.decode_bytes(line["ids"])
        else:
            allowed, disallowed = set(line["allowed"]), line["disallowed"]
            enc.encode(line["text"], allowed_special=allowed, disallowed_special=disallowed)

    try:
        call()
    except ERRORS[line["error"]]:
        return
    raise AssertionError(f"no {line['error']}: {line}")


def has_surrogate(text: str) -> bool:
    """Return whether a text has a surrogate."""
    return any("\ud800" <= char <= "\udfff" for char in text)


def check_vectors(enc: Tokenizer, name: str) -> None:
    """Assert that an encoding gives every one of its vectors, results and errors."""
    lines = vectors(name)
    assert len(lines) > 70
    assert {line["encoding"] for line in lines} == {name}
    for line in lines:
        if "error" in line:
            check_error(enc, line)
        elif "decode_hex" in line:
            assert enc.decode_bytes(line["ids"]).hex() == line["decode_hex"]
        else:
            check_encode(enc, line)
            if "utf16" in line and not has_surrogate(line.get("text", "")):
                check_utf16(enc, line)


def lines_of(file: str, name: str) -> list[dict[str, Any]]:
    """Return the vectors of an encoding in a file that has those of several."""
    lines = json.loads((VECTORS / file).read_text("ascii"))
    return [line for line in lines if line["encoding"] == name]


def check_rewritten(enc: Tokenizer, name: str) -> None:
    """Assert ids, places, counts and cuts of texts that a model rewrites."""
    lines = lines_of("rewritten.json", name)
    assert sum(line["normalized"] != line["text"] for line in lines) > 20
    for line in lines:
        text = line["text"]
        ids, offsets = enc.encode_with_offsets(text)
        assert (ids, [list(place) for place in offsets]) == (line["ids"], line["offsets"])
        assert enc._backend.normalize(text.encode()).decode() == line["normalized"]
        assert enc.count(text) == enc.count_stream([text[:3], text[3:]]) == len(ids)
        if "chunks" in line:
            found = [list(chunk[1:]) for chunk in enc.chunk(text, 40, overlap=2)]
            assert found == line["chunks"]
            assert len(enc.truncate(text, 40)) == line["truncated"]


def check_after(enc: Tokenizer, name: str) -> None:
    """Assert ids of texts with a template around them, and texts that a decoder joins."""
    lines = lines_of("after.json", name)
    assert len(lines) > 70
    for line in lines:
        if "text" in line:
            given = line["text"], line["pair"]
            found = enc.encode_with_types(*given, add_special_tokens=line["special"])
            assert found == (line["ids"], line["types"])
            _, offsets = enc.encode_with_offsets(*given, add_special_tokens=line["special"])
            assert [*map(list, offsets)] == line["offsets"]
        else:
            assert enc.decode(line["ids"], skip_special_tokens=line["skip"]) == line["decoded"]
