"""The operations of the API: what each takes and gives, and its limit.

The checks of requests and openapi.json are made from these types.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

import msgspec
from msgspec import Meta, Struct

from wwho.encodings import DEFAULT_ENCODING, get_encoding, list_encoding_names
from wwho.errors import SpecialTokenError, UnknownTokenError
from wwho.serve.problems import ProblemError, parse
from wwho.tokenizer import Tokenizer
from wwho.tokenizer.special_tokens import Allowed

Run = Callable[[Any], Any]
BATCH = 128  # most questions in one request
SPECIALS = 64  # most special tokens that one question may name
ENCODINGS = list_encoding_names()

EncodingName = Annotated[str, Meta(extra_json_schema={"enum": ENCODINGS})]
Text = Annotated[str, Meta(description="The text. It is kept nowhere and stands in no log.")]
TokenId = Annotated[int, Meta(ge=0, le=0xFFFF_FFFF, description="Not 1.0, but 1.")]
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
    n_vocab: Annotated[int, Meta(description="Ids are below it; not all of them are used.")]
    special_tokens: dict[str, TokenId]
    routes: list[str]


class EncodingsAnswer(Struct):
    """The encodings that this server has."""

    encodings: list[EncodingInfo]


class Operation(NamedTuple):
    """One path of the API that is asked by POST."""

    name: str  # the last part of the path
    run: Run  # what answers one question
    summary: str
    body_bytes: int  # of the largest body it takes; the slowest such body takes 0.1 s
    example: tuple[Any, ...]  # a question and its answer, as JSON values
    question: Any  # the type of one question, or of several in an array
    answer: Any  # likewise

    def respond(self, body: bytes) -> bytes:
        """The answer to a body, which asks one question or an array of them.

        Raises:
            ProblemError: the body is not as openapi.json says, or a question has no answer.
        """
        asked = parse(body, _decoder(self.question))
        if not isinstance(asked, list):
            return msgspec.json.encode(self.run(asked))
        answers = []
        for number, question in enumerate(asked):
            try:
                answers.append(self.run(question))
            except ProblemError as error:
                raise ProblemError(error.status, str(error), f"/{number}{error.pointer}") from error
        return msgspec.json.encode(answers)


_decoder = cache(msgspec.json.Decoder)
OPERATIONS: list[Operation] = []


def operation(summary: str, body_bytes: int, *example: Any) -> Callable[[Run], Run]:
    """Make an operation of a function, with an example of its question and answer."""

    def add(run: Run) -> Run:
        several = Meta(min_length=1, max_length=BATCH)
        hints = get_type_hints(run).values()
        kinds = [one | Annotated[list[one], several] for one in hints]  # type: ignore[valid-type]
        OPERATIONS.append(Operation(run.__name__, run, summary, body_bytes, example, *kinds))
        return run

    return add


@operation("Turn texts into ids", 1 << 20, {"text": "ගමේ school"}, {"tokens": [240086, 3474]})
def encode(asked: EncodeQuestion) -> EncodeAnswer:
    """The ids of a text."""
    return EncodeAnswer(_with_specials(Tokenizer.encode, asked))


@operation("Count the tokens of texts", 1 << 20, {"text": "ගමේ school"}, {"count": 2})
def count(asked: EncodeQuestion) -> CountAnswer:
    """How many tokens a text has."""
    return CountAnswer(_with_specials(Tokenizer.count, asked))


@operation("Turn ids into texts", 1 << 18, {"tokens": [24912, 2375]}, {"text": "hello world"})
def decode(asked: DecodeQuestion) -> DecodeAnswer:
    """The text of some tokens."""
    try:
        return DecodeAnswer(_tokenizer(asked.encoding).decode(asked.tokens))
    except UnknownTokenError as error:
        raise ProblemError(422, str(error), "/tokens") from error


SEGMENTS = {"segments": [{"route": "sinhala", "text": "ගමේ", "units": ["ග", "මේ"]}]}


@operation("Cut texts into segments and syllables", 1 << 15, {"text": "ගමේ"}, SEGMENTS)
def segment(asked: SegmentQuestion) -> SegmentAnswer:
    """The segments of a text, with their syllables."""
    found = _tokenizer(asked.encoding).segment(asked.text)
    return SegmentAnswer([SegmentPart(*each) for each in found])


def encodings() -> EncodingsAnswer:
    """What this server has."""
    found = []
    for name in ENCODINGS:
        info = get_encoding(name).info
        routes, specials = [route.name for route in info.routes], dict(info.specials)
        default = name == DEFAULT_ENCODING
        found.append(EncodingInfo(name, default, info.n_vocab, specials, routes))
    return EncodingsAnswer(found)


def _tokenizer(name: str) -> Tokenizer:
    if name not in ENCODINGS:
        expected = f"Expected an encoding, one of {', '.join(ENCODINGS)}"
        raise ProblemError(400, f"{expected}, got another name", "/encoding")
    return get_encoding(name)


def _with_specials(call: Callable[..., Any], asked: EncodeQuestion) -> Any:
    """What a method of the tokenizer makes of the text under the question's options."""
    tokenizer = _tokenizer(asked.encoding)
    allowed = _specials(tokenizer, asked.allowed_special, "/allowed_special")
    disallowed = _specials(tokenizer, asked.disallowed_special, "/disallowed_special")
    try:
        return call(tokenizer, asked.text, allowed_special=allowed, disallowed_special=disallowed)
    except SpecialTokenError as error:
        found = str(error).splitlines()[0]
        remedy = "Name it in allowed_special, or leave it out of disallowed_special."
        raise ProblemError(422, f"{found} {remedy}", "/text") from error


def _specials(tokenizer: Tokenizer, names: list[str] | str, pointer: str) -> Allowed:
    if isinstance(names, str):
        return "all"
    known = tokenizer.special_tokens_set
    for number, name in enumerate(names):
        if name not in known:
            expected = f"{tokenizer.name}, one of {', '.join(sorted(known))}"
            detail = f"Expected a special token of {expected}, got another text"
            raise ProblemError(422, detail, f"{pointer}/{number}")
    return frozenset(names)
