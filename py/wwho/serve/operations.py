"""The operations of the API: what each takes and gives, and its limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from wwho.encodings import DEFAULT_ENCODING, get_encoding
from wwho.errors import SpecialTokenError, UnknownTokenError
from wwho.serve import messages
from wwho.serve.messages import (
    ENCODINGS,
    CountAnswer,
    DecodeAnswer,
    DecodeQuestion,
    EncodeAnswer,
    EncodeQuestion,
    EncodingInfo,
    EncodingsAnswer,
    SegmentAnswer,
    SegmentPart,
    SegmentQuestion,
)
from wwho.serve.problems import ProblemError
from wwho.serve.questions import parse
from wwho.special import Allowed
from wwho.tokenizer import Tokenizer


class Operation(NamedTuple):
    """One path of the API that is asked by POST.

    Attributes:
        name: the last part of its path.
        summary: what it does, in a line.
        question: the type of one question.
        answer: the type of one answer.
        run: what answers one question.
        body_bytes: the largest body it takes. The slowest such body takes 0.1 s.
        example: a question with its answer, as JSON values.
    """

    name: str
    summary: str
    question: type[Any]
    answer: type[Any]
    run: Callable[[Any], Any]
    body_bytes: int
    example: tuple[dict[str, Any], dict[str, Any]]

    @property
    def large_bytes(self) -> int:
        """Bodies beyond it are answered only a few at a time; the slowest below takes 12 ms."""
        return self.body_bytes // 8

    def respond(self, body: bytes) -> bytes:
        """The answer to a body, which asks one question or an array of them.

        Raises:
            ProblemError: the body is not as openapi.json says, or a question has no answer.
        """
        asked = parse(body, _DECODERS[self.question])
        if not isinstance(asked, list):
            return messages.to_json(self.run(asked))
        answers = []
        for number, question in enumerate(asked):
            try:
                answers.append(self.run(question))
            except ProblemError as error:
                raise ProblemError(error.status, str(error), f"/{number}{error.pointer}") from error
        return messages.to_json(answers)


def encode(question: EncodeQuestion) -> EncodeAnswer:
    """The ids of a text."""
    tokenizer = _tokenizer(question.encoding)
    return EncodeAnswer(_with_specials(tokenizer.encode, tokenizer, question))


def count(question: EncodeQuestion) -> CountAnswer:
    """How many tokens a text has."""
    tokenizer = _tokenizer(question.encoding)
    return CountAnswer(_with_specials(tokenizer.count, tokenizer, question))


def decode(question: DecodeQuestion) -> DecodeAnswer:
    """The text of some tokens.

    Raises:
        ProblemError: an id is none of the encoding's.
    """
    try:
        return DecodeAnswer(_tokenizer(question.encoding).decode(question.tokens))
    except UnknownTokenError as error:
        raise ProblemError(422, str(error), "/tokens") from error


def segment(question: SegmentQuestion) -> SegmentAnswer:
    """The segments of a text, with their syllables."""
    found = _tokenizer(question.encoding).segment(question.text)
    return SegmentAnswer([SegmentPart(*each) for each in found])


def encodings() -> EncodingsAnswer:
    """What this server has."""
    return EncodingsAnswer([_info(name) for name in ENCODINGS])


def _info(name: str) -> EncodingInfo:
    info = get_encoding(name).info
    return EncodingInfo(
        name=name,
        default=name == DEFAULT_ENCODING,
        n_vocab=info.n_vocab,
        special_tokens=dict(info.specials),
        routes=[route.name for route in info.routes],
    )


def _tokenizer(name: str) -> Tokenizer:
    if name not in ENCODINGS:
        raise ProblemError(
            400,
            f"Expected an encoding, one of {', '.join(ENCODINGS)}, got another name",
            "/encoding",
        )
    return get_encoding(name)


def _with_specials(call: Callable[..., Any], tokenizer: Tokenizer, asked: EncodeQuestion) -> Any:
    """What `call` makes of the text under the question's options.

    Raises:
        ProblemError: an option names no special token, or the text spells a disallowed one.
    """
    allowed = _specials(tokenizer, asked.allowed_special, "/allowed_special")
    disallowed = _specials(tokenizer, asked.disallowed_special, "/disallowed_special")
    try:
        return call(asked.text, allowed_special=allowed, disallowed_special=disallowed)
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
            raise ProblemError(
                422,
                f"Expected a special token of {tokenizer.name}, one of "
                f"{', '.join(sorted(known))}, got another text",
                f"{pointer}/{number}",
            )
    return frozenset(names)


OPERATIONS = (
    Operation(
        name="encode",
        summary="Turn texts into ids",
        question=EncodeQuestion,
        answer=EncodeAnswer,
        run=encode,
        body_bytes=1 << 20,
        example=({"text": "ගමේ school"}, {"tokens": [240086, 3474]}),
    ),
    Operation(
        name="count",
        summary="Count the tokens of texts",
        question=EncodeQuestion,
        answer=CountAnswer,
        run=count,
        body_bytes=1 << 20,
        example=({"text": "ගමේ school"}, {"count": 2}),
    ),
    Operation(
        name="decode",
        summary="Turn ids into texts",
        question=DecodeQuestion,
        answer=DecodeAnswer,
        run=decode,
        body_bytes=1 << 18,
        example=({"tokens": [24912, 2375]}, {"text": "hello world"}),
    ),
    Operation(
        name="segment",
        summary="Cut texts into segments and syllables",
        question=SegmentQuestion,
        answer=SegmentAnswer,
        run=segment,
        body_bytes=1 << 15,
        example=(
            {"text": "ගමේ school"},
            {
                "segments": [
                    {"route": "sinhala", "text": "ගමේ", "units": ["ග", "මේ"]},
                    {"route": "other", "text": " school"},
                ]
            },
        ),
    ),
)

_DECODERS = {
    operation.question: msgspec.json.Decoder(messages.batch_of(operation.question))
    for operation in OPERATIONS
}
