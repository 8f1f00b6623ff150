"""How a model reads a message.

The form of text messages is OpenAI's own ("How to count tokens with tiktoken", and for gpt-oss the
harmony format); calls, answers of tools, refusals and phases are estimates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from wwho.errors import ChatError
from wwho.openai.fields import plain_value, quote_value, require_fields, require_type, text_in
from wwho.openai.fields import value_error as error_of
from wwho.openai.pieces import Cost, Mark, Piece

Message: TypeAlias = Mapping[str, Any]
CountImage: TypeAlias = Callable[[Any, Any], int]
"""A function that gives the tokens of an image for its URL and its detail."""

_TEXTS = ("name", "refusal", "phase", "channel", "recipient", "constraint")
_FIRST_MODEL = re.compile(r"gpt-3\.5(-turbo)?-0301")


class Form(NamedTuple):
    """How a model's chats are written.

    Attributes:
        kind: of its messages, for their fields.
        pieces: gives the pieces of a message for it and those of its content.
        answer: the beginning of the answer.
    """

    kind: str
    pieces: Callable[[Message, list[Piece]], list[Piece]]
    answer: list[Piece]


def _chatml_pieces(message: Message, content: list[Piece]) -> list[Piece]:
    """Return <|im_start|>role<|im_sep|>content<|im_end|>.

    A name or a phase costs one more than its text, and the answer of a tool two less.
    """
    role, name, phase = message["role"], message.get("name"), message.get("phase")
    head: list[Piece] = [name, Cost(1, "a name")] if name else []
    if phase:
        head += [phase, Cost(1, "a phase")]
    if role in ("function", "tool"):
        head.append(Cost(-2, "an answer of a tool"))
    calls = _call_pieces(message)
    return [Mark("<|im_start|>"), role, *head, Mark("<|im_sep|>"), *content, *calls, _IM_END]


def _first_pieces(message: Message, content: list[Piece]) -> list[Piece]:
    """Return the pieces in the one form in which line feeds separate a message.

    It costs one more, and a name stands in place of the role.
    """
    head = message.get("name") or message["role"]
    return [Mark("<|im_start|>"), head, "\n", *content, *_call_pieces(message), _IM_END, "\n"]


def _harmony_pieces(message: Message, content: list[Piece]) -> list[Piece]:
    """Return <|start|>role<|message|>content<|end|>, with channel, recipient and constraint.

    A name stands in place of the role.
    """
    name, channel, recipient = (message.get(key) for key in ("name", "channel", "recipient"))
    constraint = message.get("constraint")
    to: list[Piece] = [f" to={recipient}"] if recipient else []
    in_channel: list[Piece] = [Mark("<|channel|>"), channel, *to] if channel else to
    constrained: list[Piece] = [Mark("<|constrain|>"), constraint] if constraint else []
    head = [Mark("<|start|>"), message["role"] if name is None else name, *in_channel]
    end = [*_call_pieces(message), Mark("<|end|>")]
    return [*head, *constrained, Mark("<|message|>"), *content, *end]


_IM_END = Mark("<|im_end|>")
_ANSWER: list[Piece] = [Mark("<|im_start|>"), "assistant"]
_CHATML = Form("message", _chatml_pieces, [*_ANSWER, Mark("<|im_sep|>")])
_FIRST = Form("message", _first_pieces, [*_ANSWER, "\n"])
_HARMONY = Form("message of gpt-oss", _harmony_pieces, [Mark("<|start|>"), "assistant"])


def form_of(model: str, encoding: str) -> Form:
    """Return the form of a model's chats.

    Args:
        model: its name without the provider.
        encoding: the name of its encoding.
    """
    if encoding == "o200k_harmony":
        return _HARMONY
    return _FIRST if _FIRST_MODEL.fullmatch(model) else _CHATML


def message_pieces(
    message: Any, form: Form, *, is_padded: bool, count_image: CountImage
) -> list[Piece]:
    """Return the pieces of a message, with the marks that its form puts around the content.

    Args:
        message: of Chat Completions, a mapping with a text as its "role".
        form: the model's.
        is_padded: whether a line feed separates its content from the tools. It is added to the last
            piece of the content if that is a text, not empty and without a line feed at its end.
        count_image: gives the tokens of images.

    Raises:
        ChatError: it is no such mapping, a field or a part cannot be counted, or there is no
            content.
    """
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        role = message.get("role") if isinstance(message, Mapping) else None
        raise error_of("the role of a message", role, 'a string, such as "user"')
    message = require_fields(message, form.kind)
    for name in _TEXTS:
        if message.get(name) is not None:
            text_in(message, name, "message")
    content = _content_pieces(message, count_image)
    last = content[-1] if content else None
    if is_padded and isinstance(last, str) and last and not last.endswith("\n"):
        content[-1] = f"{last}\n"
    return form.pieces(message, content)


def _content_pieces(message: Message, count_image: CountImage) -> list[Piece]:
    """Return the pieces of a message's content, neighbouring texts joined, and then its refusal.

    A message without content, or with an empty text, has no pieces for it.

    Raises:
        ChatError: the content is None, in a message without refusal, calls or answer of a function;
            or neither it nor a part of it is one that is known.
    """
    content, refusal = message.get("content"), message.get("refusal")
    after: list[Piece] = [refusal] if refusal else []
    if isinstance(content, str):
        return [content, *after] if content else after
    if content is None:
        is_answer = message["role"] == "function" and "content" in message
        if refusal is None and not _calls_in(message) and not is_answer:
            expected = "a string or a list of parts"
            raise error_of("the content of a message", content, expected)
        return after
    if isinstance(content, Mapping) or not isinstance(content, Iterable):
        raise error_of("the content of a message", content, "a string or a list of parts")
    pieces: list[Piece] = []
    for part in content:
        piece = _part_piece(part, count_image)
        last = pieces[-1] if pieces else None
        if isinstance(piece, str) and isinstance(last, str):
            pieces[-1] = last + piece
        else:
            pieces.append(piece)
    return [*pieces, *after]


def _part_piece(part: Any, count_image: CountImage) -> Piece:
    """Return the piece of a part: its text, or what its image costs.

    Raises:
        ChatError: the part has no type or one that is not known, or lacks what it must have.
    """
    kind, part = require_type(part, "part")
    if kind == "image_url":
        image = require_fields(part.get("image_url"), "image_url of a part")
        return Cost(count_image(image.get("url"), image.get("detail")), "an image")
    if kind == "input_image":
        return Cost(count_image(part.get("image_url"), part.get("detail")), "an image")
    return text_in(part, "refusal" if kind == "refusal" else "text", f"part of type {kind}")


def _calls_in(message: Message) -> list[Any]:
    """Return the calls of tools in a message, in the old form and the new one."""
    call, calls = message.get("function_call"), message.get("tool_calls")
    if isinstance(calls, str | Mapping) or not isinstance(calls, Iterable | None):
        raise error_of("the tool_calls of a message", calls, "a list")
    return [*([{"type": "function", "function": call}] if call is not None else []), *(calls or ())]


def _call_pieces(message: Message) -> list[Piece]:
    """Return what the calls of tools in a message cost.

    That is of each the name, the arguments or the input, and 3 tokens.

    Raises:
        ChatError: a call has a type or field that is not known, or a name or arguments that are no
            text.
    """
    pieces: list[Piece] = []
    for call in map(plain_value, _calls_in(message)):
        if isinstance(call, Mapping) and "type" not in call and "function" in call:
            call = {**call, "type": "function"}
        kind, call = require_type(call, "call")
        called = require_fields(call.get(kind), f"{kind} of a call")
        texts = called.get("name"), called.get("input" if kind == "custom" else "arguments")
        for text in texts:
            if not isinstance(text, str | None):
                raise ChatError(
                    f"a call of a tool has {quote_value(text)}; "
                    "expected a name and arguments as strings"
                )
        pieces += [*(text or "" for text in texts), Cost(3, "a call of a tool")]
    return pieces
