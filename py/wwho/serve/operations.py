"""The operations of the JSON API: the types of their questions and answers, and their limits.

The checks of requests, and openapi.json, are made from these types.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

import msgspec
from msgspec import Meta, Struct

from wwho.encodings import DEFAULT_ENCODING, get_encoding, list_encoding_names
from wwho.errors import SpecialTokenError, UnknownTokenError
from wwho.serve.problems import ProblemError, parse_questions
from wwho.tokenizer import Tokenizer
from wwho.tokenizer.special_tokens import Allowed

Run = Callable[[Any], Any]
"""A function that answers one question."""
BATCH = 128
"""The most questions in one request."""
SPECIALS = 64
"""The most special tokens that one question may name."""
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
    """Ids to decode."""

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
    """A segment of a text, which one route tokenizes; routes of the base have no units."""

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
    """One path of the API that takes POST.

    Attributes:
        name: the last part of the path.
        run: answers one question.
        summary: what it does, in words.
        body_bytes: the size of the largest body it takes; the slowest such body takes 0.1 s.
        example: a question and its answer, as JSON values.
        question: the type of a body: one question, or an array of them.
        answer: the type of a response: one answer, or an array of them.
    """

    name: str
    run: Run
    summary: str
    body_bytes: int
    example: tuple[Any, ...]
    question: Any
    answer: Any

    def respond(self, body: bytes) -> bytes:
        """Return the JSON of the answer to a body, or of an array of answers in the same order.

        Raises:
            ProblemError: the body is not as openapi.json says, or a question has no answer; its
                pointer begins with the question's number in an array.
        """
        questions = parse_questions(body, _decoder(self.question))
        if not isinstance(questions, list):
            return msgspec.json.encode(self.run(questions))
        answers = []
        for number, question in enumerate(questions):
            try:
                answers.append(self.run(question))
            except ProblemError as error:
                raise ProblemError(error.status, str(error), f"/{number}{error.pointer}") from error
        return msgspec.json.encode(answers)


_decoder = cache(msgspec.json.Decoder)
OPERATIONS: list[Operation] = []
"""All operations; `operation` appends to this list."""


def operation(summary: str, body_bytes: int, *example: Any) -> Callable[[Run], Run]:
    """Return a decorator that appends a function to `OPERATIONS`, and returns it unchanged.

    The name of the function is that of the operation, and its annotations are the types of one
    question and one answer.

    Args:
        summary: what the operation does, in words.
        body_bytes: the size of the largest body that it takes.
        example: a question and its answer, as JSON values.
    """

    def add(run: Run) -> Run:
        """Append the operation of a function, with types for one question or an array of them."""
        several = Meta(min_length=1, max_length=BATCH)
        hints = get_type_hints(run).values()
        kinds = [one | Annotated[list[one], several] for one in hints]  # type: ignore[valid-type]
        OPERATIONS.append(Operation(run.__name__, run, summary, body_bytes, example, *kinds))
        return run

    return add


@operation("Turn texts into ids", 1 << 20, {"text": "ගමේ school"}, {"tokens": [240086, 3474]})
def encode(question: EncodeQuestion) -> EncodeAnswer:
    """Return the ids of a text.

    Raises:
        ProblemError: with 400 or 422, as `_call_with_specials` does.
    """
    return EncodeAnswer(_call_with_specials(Tokenizer.encode, question))


@operation("Count the tokens of texts", 1 << 20, {"text": "ගමේ school"}, {"count": 2})
def count(question: EncodeQuestion) -> CountAnswer:
    """Return the number of a text's tokens.

    Raises:
        ProblemError: with 400 or 422, as `_call_with_specials` does.
    """
    return CountAnswer(_call_with_specials(Tokenizer.count, question))


@operation("Turn ids into texts", 1 << 18, {"tokens": [24912, 2375]}, {"text": "hello world"})
def decode(question: DecodeQuestion) -> DecodeAnswer:
    """Return the text of some ids.

    Raises:
        ProblemError: with 400, there is no such encoding; with 422, an id is not in it.
    """
    try:
        return DecodeAnswer(_find_tokenizer(question.encoding).decode(question.tokens))
    except UnknownTokenError as error:
        raise ProblemError(422, str(error), "/tokens") from error


SEGMENTS = {"segments": [{"route": "sinhala", "text": "ගමේ", "units": ["ග", "මේ"]}]}


@operation("Cut texts into segments and syllables", 1 << 15, {"text": "ගමේ"}, SEGMENTS)
def segment(question: SegmentQuestion) -> SegmentAnswer:
    """Return the segments of a text, with their syllables.

    Raises:
        ProblemError: with 400, there is no such encoding.
    """
    segments = _find_tokenizer(question.encoding).segment(question.text)
    return SegmentAnswer([SegmentPart(*each) for each in segments])


def list_encodings() -> EncodingsAnswer:
    """Return the facts about each encoding of this server, in order; it opens all of them."""
    found = []
    for name in ENCODINGS:
        info = get_encoding(name).info
        routes, specials = [route.name for route in info.routes], dict(info.specials)
        default = name == DEFAULT_ENCODING
        found.append(EncodingInfo(name, default, info.n_vocab, specials, routes))
    return EncodingsAnswer(found)


def _find_tokenizer(name: str) -> Tokenizer:
    """Return the encoding of a name.

    Raises:
        ProblemError: with 400, there is none; the message does not repeat the name.
    """
    if name not in ENCODINGS:
        expected = f"Expected an encoding, one of {', '.join(ENCODINGS)}"
        raise ProblemError(400, f"{expected}, got another name", "/encoding")
    return get_encoding(name)


def _call_with_specials(call: Callable[..., Any], question: EncodeQuestion) -> Any:
    """Call a method of `Tokenizer` with a question's text and special tokens.

    Returns:
        What the method returns.

    Raises:
        ProblemError: with 400, there is no such encoding; with 422, it lacks a special token, or
            the text spells a disallowed one.
    """
    tokenizer = _find_tokenizer(question.encoding)
    allowed = _check_specials(tokenizer, question.allowed_special, "/allowed_special")
    disallowed = _check_specials(tokenizer, question.disallowed_special, "/disallowed_special")
    try:
        return call(
            tokenizer, question.text, allowed_special=allowed, disallowed_special=disallowed
        )
    except SpecialTokenError as error:
        first_line = str(error).splitlines()[0]
        remedy = "Name it in allowed_special, or leave it out of disallowed_special."
        raise ProblemError(422, f"{first_line} {remedy}", "/text") from error


def _check_specials(tokenizer: Tokenizer, names: list[str] | str, pointer: str) -> Allowed:
    """Return a question's special tokens as `Tokenizer` takes them: "all", or a set of texts.

    Args:
        tokenizer: the encoding.
        names: the texts of special tokens, or "all".
        pointer: the JSON pointer of the names in the question.

    Raises:
        ProblemError: with 422, a name is no special token of the encoding.
    """
    if isinstance(names, str):
        return "all"
    known = tokenizer.special_tokens_set
    for number, name in enumerate(names):
        if name not in known:
            expected = f"{tokenizer.name}, one of {', '.join(sorted(known))}"
            detail = f"Expected a special token of {expected}, got another text"
            raise ProblemError(422, detail, f"{pointer}/{number}")
    return frozenset(names)
