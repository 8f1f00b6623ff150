"""The operations of the API: what each takes and gives, and its limit."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, get_type_hints

import msgspec

from wwho.encodings import DEFAULT_ENCODING, get_encoding
from wwho.errors import SpecialTokenError, UnknownTokenError
from wwho.serve import messages
from wwho.serve.messages import ENCODINGS, batch_of, to_json
from wwho.serve.problems import ProblemError, parse
from wwho.special import Allowed
from wwho.tokenizer import Tokenizer

Run = Callable[[Any], Any]


class Operation(NamedTuple):
    """One path of the API that is asked by POST."""

    name: str  # the last part of the path
    run: Run  # what answers one question
    summary: str
    body_bytes: int  # of the largest body it takes; the slowest such body takes 0.1 s
    example: tuple[Any, ...]  # a question and its answer, as JSON values
    question: Any  # the type of one question, or of several in an array
    answer: Any  # likewise

    @property
    def small_bytes(self) -> int:
        """Only a few bodies beyond it are answered at a time; the slowest below takes 12 ms."""
        return self.body_bytes // 8

    def respond(self, body: bytes) -> bytes:
        """The answer to a body, which asks one question or an array of them.

        Raises:
            ProblemError: the body is not as openapi.json says, or a question has no answer.
        """
        asked = parse(body, _decoder(self.question))
        if not isinstance(asked, list):
            return to_json(self.run(asked))
        answers = []
        for number, question in enumerate(asked):
            try:
                answers.append(self.run(question))
            except ProblemError as error:
                raise ProblemError(error.status, str(error), f"/{number}{error.pointer}") from error
        return to_json(answers)


_decoder = cache(msgspec.json.Decoder)
OPERATIONS: list[Operation] = []


def operation(summary: str, body_bytes: int, *example: Any) -> Callable[[Run], Run]:
    """Make an operation of a function, with an example of its question and answer."""

    def add(run: Run) -> Run:
        kinds = map(batch_of, get_type_hints(run).values())
        OPERATIONS.append(Operation(run.__name__, run, summary, body_bytes, example, *kinds))
        return run

    return add


@operation("Turn texts into ids", 1 << 20, {"text": "ගමේ school"}, {"tokens": [240086, 3474]})
def encode(asked: messages.EncodeQuestion) -> messages.EncodeAnswer:
    """The ids of a text."""
    return messages.EncodeAnswer(_with_specials(Tokenizer.encode, asked))


@operation("Count the tokens of texts", 1 << 20, {"text": "ගමේ school"}, {"count": 2})
def count(asked: messages.EncodeQuestion) -> messages.CountAnswer:
    """How many tokens a text has."""
    return messages.CountAnswer(_with_specials(Tokenizer.count, asked))


@operation("Turn ids into texts", 1 << 18, {"tokens": [24912, 2375]}, {"text": "hello world"})
def decode(asked: messages.DecodeQuestion) -> messages.DecodeAnswer:
    """The text of some tokens.

    Raises:
        ProblemError: an id is none of the encoding's.
    """
    try:
        return messages.DecodeAnswer(_tokenizer(asked.encoding).decode(asked.tokens))
    except UnknownTokenError as error:
        raise ProblemError(422, str(error), "/tokens") from error


@operation(
    "Cut texts into segments and syllables",
    1 << 15,
    {"text": "ගමේ"},
    {"segments": [{"route": "sinhala", "text": "ගමේ", "units": ["ග", "මේ"]}]},
)
def segment(asked: messages.SegmentQuestion) -> messages.SegmentAnswer:
    """The segments of a text, with their syllables."""
    found = _tokenizer(asked.encoding).segment(asked.text)
    return messages.SegmentAnswer([messages.SegmentPart(*each) for each in found])


def encodings() -> messages.EncodingsAnswer:
    """What this server has."""
    found = []
    for name in ENCODINGS:
        info = get_encoding(name).info
        routes, specials = [route.name for route in info.routes], dict(info.specials)
        default = name == DEFAULT_ENCODING
        found.append(messages.EncodingInfo(name, default, info.n_vocab, specials, routes))
    return messages.EncodingsAnswer(found)


def _tokenizer(name: str) -> Tokenizer:
    if name not in ENCODINGS:
        expected = f"Expected an encoding, one of {', '.join(ENCODINGS)}"
        raise ProblemError(400, f"{expected}, got another name", "/encoding")
    return get_encoding(name)


def _with_specials(call: Callable[..., Any], asked: messages.EncodeQuestion) -> Any:
    """What a method of the tokenizer makes of the text under the question's options.

    Raises:
        ProblemError: an option names no special token, or the text spells a disallowed one.
    """
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
