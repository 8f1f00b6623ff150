"""What the API takes and gives; checks of requests and openapi.json are made from these types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from wwho.encodings import DEFAULT_ENCODING, list_encoding_names

BATCH = 128  # most questions in one request
SPECIALS = 64  # most special tokens that one question may name
ENCODINGS = list_encoding_names()

EncodingName = Annotated[
    str, Meta(description="One of /api/v1/encodings.", extra_json_schema={"enum": ENCODINGS})
]
Text = Annotated[str, Meta(description="The text. It is kept nowhere and stands in no log.")]
TokenId = Annotated[
    int, Meta(ge=0, le=0xFFFF_FFFF, description="Written without a fraction: 1, not 1.0.")
]
SpecialTokens = Annotated[
    Literal["all"] | Annotated[list[str], Meta(max_length=SPECIALS)],
    Meta(description='Special tokens of the encoding, by their texts, or "all".'),
]


class SegmentQuestion(Struct, forbid_unknown_fields=True):
    """A text to cut."""

    text: Text
    encoding: EncodingName = DEFAULT_ENCODING


class EncodeQuestion(SegmentQuestion):
    """A text to encode or to count. What it spells is ordinary text unless it is allowed."""

    allowed_special: SpecialTokens = []
    disallowed_special: SpecialTokens = []


class DecodeQuestion(Struct, forbid_unknown_fields=True):
    """Tokens to decode."""

    tokens: Annotated[list[TokenId], Meta(description="Ids of the encoding.")]
    encoding: EncodingName = DEFAULT_ENCODING


class EncodeAnswer(Struct):
    """The ids of a text."""

    tokens: list[TokenId]


class CountAnswer(Struct):
    """How many tokens a text has."""

    count: Annotated[int, Meta(ge=0)]


class DecodeAnswer(Struct):
    """The text of some tokens; bytes that are not UTF-8 are U+FFFD in it."""

    text: str


class SegmentPart(Struct, omit_defaults=True):
    """A stretch of text that one route tokenizes; routes of the base vocabulary have no units."""

    route: str
    text: str
    units: tuple[str, ...] = ()


class SegmentAnswer(Struct):
    """The segments of a text; joined, they are the text."""

    segments: list[SegmentPart]


class EncodingInfo(Struct):
    """An encoding that this server has."""

    name: str
    default: bool
    n_vocab: Annotated[int, Meta(ge=1, description="Ids are below it; not all of them are used.")]
    special_tokens: dict[str, TokenId]
    routes: list[str]


class EncodingsAnswer(Struct):
    """The encodings that this server has."""

    encodings: list[EncodingInfo]


class Health(Struct):
    """The server answers."""

    status: Literal["ok"] = "ok"


class Problem(Struct, omit_defaults=True):
    """What went wrong, as RFC 9457 says it."""

    title: Annotated[str, Meta(description="The name of the status.")]
    status: Annotated[int, Meta(ge=400, le=599)]
    detail: Annotated[str, Meta(description="What was expected and what was found.")]
    pointer: Annotated[
        str, Meta(description="JSON pointer (RFC 6901) to the fault in the request.")
    ] = ""


def batch_of(kind: Any) -> Any:
    """The type of one message, or of several in an array."""
    return kind | Annotated[list[kind], Meta(min_length=1, max_length=BATCH)]


def to_json(message: object) -> bytes:
    """A message, or a list of them, as JSON."""
    return msgspec.json.encode(message)
