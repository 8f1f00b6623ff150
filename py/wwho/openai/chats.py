"""Chats in tokens: how many, which ids, and which messages fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, Unpack

from wwho.encodings import (
    bare_model_name,
    encoding_name_for_model,
    get_encoding,
    openai_facts,
)
from wwho.errors import ChatError, LimitError
from wwho.openai.fields import plain_value, value_error
from wwho.openai.fitting import newest_that_fit
from wwho.openai.images import ImageSize, image_tokens
from wwho.openai.messages import form_of, message_pieces
from wwho.openai.pieces import Piece, count_pieces, encode_pieces
from wwho.openai.responses import message_of
from wwho.openai.tools import choice_pieces, tool_pieces, tools_in
from wwho.tokenizer import Tokenizer

ENCODINGS = ("cl100k_base", "o200k_base", "o200k_harmony")
"""The encodings of the models that take chats."""
KEPT_ROLES = ("system", "developer")


class ChatOptions(TypedDict, total=False):
    """The fields of a request that cost tokens, with OpenAI's names, and how they are counted.

    Attributes:
        tools: functions and custom tools, as Chat Completions or Responses has them; estimates.
            Other types are refused.
        tool_choice: "auto", "none", "required", or a tool by its name.
        functions: the old form of tools.
        function_call: the old form of tool_choice.
        image_size: a function that gives the width and height, in pixels, of the image at a URL;
            the sizes of images in data URLs are read from them.
        tokenizer: another than the model's own, whose tokens are counted in the model's form of a
            chat.
    """

    tools: Iterable[Any] | None
    tool_choice: Any
    functions: Iterable[Any] | None
    function_call: Any
    image_size: ImageSize | None
    tokenizer: Tokenizer | None


class FittedChat(NamedTuple):
    """The messages of a chat that fit.

    Attributes:
        messages: those that stay, in their order, the same objects.
        counts: the tokens of each of them.
        tokens: what `count_chat` gives for them.
    """

    messages: list[Any]
    counts: list[int]
    tokens: int


class _Plan(NamedTuple):
    """A chat as the model reads it.

    Attributes:
        given: the messages as they were given.
        messages: the pieces of each message.
        once: the pieces of what comes once: tools, their choice, and the beginning of the answer.
        encoding: the name of the model's encoding.
        tokenizer: the one that counts.
    """

    given: list[Any]
    messages: list[list[Piece]]
    once: list[Piece]
    encoding: str
    tokenizer: Tokenizer

    @property
    def pieces(self) -> list[Piece]:
        """Return the pieces of all messages in order, then those that come once for a chat."""
        return [*(piece for pieces in self.messages for piece in pieces), *self.once]


def count_chat(messages: Iterable[Any], model: str, **options: Unpack[ChatOptions]) -> int:
    """Return the number of input tokens of a chat.

    They are those of each message with its marks, of tools, and of the beginning of the answer. For
    messages of text it is the number of OpenAI's cookbook; what OpenAI does not define (tools and
    their calls, items of Responses, refusals) is an estimate.

    Args:
        messages: mappings as Chat Completions has them, items of Responses, or objects of OpenAI's
            package.
        model: its name, also dated, fine-tuned, or with its provider: "openai/gpt-4o".
        **options: the fields of `ChatOptions`.

    Raises:
        UnknownModelError: the model is not known.
        ChatError: a field cannot be counted; the message names it. Or the model takes no chats.

    Example:
        >>> messages = [{"role": "user", "content": "Does it boil?"}]
        >>> count_chat(messages, "gpt-4o")
        11
        >>> heat = {"name": "heat", "description": "Heat the water"}
        >>> count_chat(messages, "gpt-4o", tools=[{"type": "function", "function": heat}])
        38
    """
    plan = _plan_chat(messages, model, **options)
    return count_pieces(plan.pieces, plan.tokenizer)


def count_messages(
    messages: Iterable[Any], model: str, **options: Unpack[ChatOptions]
) -> list[int]:
    """Return the tokens of each message of a chat with its marks.

    `count_chat` is their sum and what comes once: tools, and 3 tokens for the beginning of the
    answer (2 for gpt-oss). Arguments and errors are those of `count_chat`.

    Example:
        >>> count_messages([{"role": "user", "content": "Does it boil?"}], "gpt-4o")
        [8]
    """
    plan = _plan_chat(messages, model, **options)
    return [count_pieces(pieces, plan.tokenizer) for pieces in plan.messages]


def is_within_token_limit(
    messages: Iterable[Any],
    model: str,
    limit: int | None = None,
    *,
    reserve: int = 0,
    **options: Unpack[ChatOptions],
) -> int | None:
    """Return what `count_chat` gives if a chat fits into a limit, otherwise None.

    Args:
        messages: as for `count_chat`.
        model: as for `count_chat`.
        limit: the most tokens, with those of the answer; None for the context of the model.
        reserve: the tokens of the limit that are left to the answer.
        **options: as for `count_chat`.

    Raises:
        UnknownModelError: as for `count_chat`.
        ChatError: as for `count_chat`; and the context of the model is not known.

    Example:
        >>> messages = [{"role": "user", "content": "Does it boil?"}]
        >>> is_within_token_limit(messages, "gpt-4o"), is_within_token_limit(messages, "gpt-4o", 10)
        (11, None)
    """
    plan = _plan_chat(messages, model, **options)
    room = _room_in(model, limit, reserve)
    count = count_pieces(plan.pieces, plan.tokenizer)
    return count if count <= room else None


def encode_chat(messages: Iterable[Any], model: str, **options: Unpack[ChatOptions]) -> list[int]:
    """Return the ids of a chat of text, as many as `count_chat` gives.

    The ids of marks such as <|im_start|> are gpt-tokenizer's: except for gpt-oss, OpenAI has not
    published them, and `decode` does not take them. Arguments are those of `count_chat`.

    Raises:
        UnknownModelError: as for `count_chat`.
        ChatError: as for `count_chat`; and the chat has what has no published ids: names, tools,
            their calls, or images.

    Example:
        >>> encode_chat([{"role": "user", "content": "Does it boil?"}], "gpt-oss-20b")
        [200006, 1428, 200008, 28133, 480, 66049, 30, 200007, 200006, 173781]
    """
    plan = _plan_chat(messages, model, **options)
    return encode_pieces(plan.pieces, plan.encoding, plan.tokenizer)


def fit_chat(
    messages: Iterable[Any],
    model: str,
    limit: int | None = None,
    *,
    reserve: int = 0,
    keep: Iterable[str] = KEPT_ROLES,
    **options: Unpack[ChatOptions],
) -> FittedChat:
    """Return the messages of a chat that fit into a limit: the system's and the newest.

    A call of a tool and its answers stay or go together, and so do reasoning and what follows it.
    The time is in proportion to the chat.

    Args:
        messages: as for `count_chat`.
        model: as for `count_chat`.
        limit: the most tokens, with those of the answer; None for the context of the model.
        reserve: the tokens of the limit that are left to the answer.
        keep: the roles whose messages all stay.
        **options: as for `count_chat`.

    Raises:
        LimitError: the messages of the roles in `keep` and the newest do not fit.
        UnknownModelError: as for `count_chat`.
        ChatError: as for `count_chat`; and the context of the model is not known.

    Example:
        >>> chat = [{"role": "system", "content": "You boil water."}]
        >>> chat += [{"role": "user", "content": f"Heat it {n} times"} for n in range(9)]
        >>> messages, counts, tokens = fit_chat(chat, "gpt-4o", 40)
        >>> [message["content"] for message in messages]
        ['You boil water.', 'Heat it 6 times', 'Heat it 7 times', 'Heat it 8 times']
        >>> counts, tokens
        ([8, 9, 9, 9], 38)
    """
    kept = _roles_in(keep)
    plan = _plan_chat(messages, model, **options)
    room = _room_in(model, limit, reserve)
    counts = [count_pieces(pieces, plan.tokenizer) for pieces in plan.messages]
    once = count_pieces(plan.once, plan.tokenizer)
    plain: Sequence[Mapping[str, Any]] = [plain_value(message) for message in plan.given]
    stays, tokens, missing = newest_that_fit(plain, counts, room - once, kept)
    if missing:
        raise LimitError(
            f"the messages that must stay, those with the roles {', '.join(sorted(kept))} and the "
            f"newest, have {room + missing} tokens with what belongs to them; expected at most "
            f"{room}; shorten them, or raise the limit"
        )
    return FittedChat(
        [message for message, stay in zip(plan.given, stays, strict=True) if stay],
        [count for count, stay in zip(counts, stays, strict=True) if stay],
        tokens + once,
    )


def _plan_chat(
    messages: Iterable[Any],
    model: str,
    *,
    tools: Iterable[Any] | None = None,
    tool_choice: Any = None,
    functions: Iterable[Any] | None = None,
    function_call: Any = None,
    image_size: ImageSize | None = None,
    tokenizer: Tokenizer | None = None,
) -> _Plan:
    """Return a chat as the model reads it; arguments and errors are those of `count_chat`.

    The messages are listed once, so they may be an iterator.
    """
    encoding = encoding_name_for_model(model)
    name = bare_model_name(model)
    facts = openai_facts()["models"].get(name)
    if encoding not in ENCODINGS or (facts is not None and not facts.get("chat")):
        raise value_error("model", model, 'one that takes chats, such as "gpt-4o"')
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise value_error("messages", messages, "a list of messages, each with a role and content")
    given = list(messages)
    listed = [message_of(message) for message in given]
    definitions = tools_in(tools, functions)
    form = form_of(name, encoding)
    rule = (facts or {}).get("image")

    def count_image(url: Any, detail: Any) -> int:
        """Return the tokens of an image with the model."""
        return image_tokens(url, detail, model, rule, image_size)

    roles = [message.get("role") if isinstance(message, Mapping) else None for message in listed]
    system = roles.index("system") if "system" in roles else None
    # The harmony format has its own place for tools.
    padded = system if definitions and form.kind == "message" else None
    return _Plan(
        given,
        [
            message_pieces(message, form, is_padded=i == padded, count_image=count_image)
            for i, message in enumerate(listed)
        ],
        [
            *tool_pieces(definitions, with_system=system is not None),
            *choice_pieces(function_call if tool_choice is None else tool_choice),
            *form.answer,
        ],
        encoding,
        tokenizer if tokenizer is not None else get_encoding(encoding),
    )


def _roles_in(keep: Iterable[str]) -> frozenset[str]:
    """Return the roles whose messages all stay.

    Raises:
        ChatError: they are no list of strings.
    """
    is_list = isinstance(keep, Iterable) and not isinstance(keep, str | Mapping)
    roles = list(keep) if is_list else [None]
    if not all(isinstance(role, str) for role in roles):
        raise value_error("keep", keep, 'a list of roles, such as ["system"]')
    return frozenset(role for role in roles if role is not None)


def _room_in(model: str, limit: int | None, reserve: int) -> int:
    """Return how many tokens of input a chat may have.

    It is below 0 where more is reserved than the limit is.

    Args:
        model: whose context is the limit, if there is no other.
        limit: the most tokens, with those of the answer.
        reserve: those that are left to the answer.

    Raises:
        ChatError: a number is negative, or the context of the model is not known.
    """
    for what, value in (("limit", limit if limit is not None else 0), ("reserve", reserve)):
        if isinstance(value, bool) or not (isinstance(value, int) and value >= 0):
            raise value_error(what, value, "a number of tokens, 0 or more")
    if limit is None:
        facts = openai_facts()
        limit = facts["models"].get(bare_model_name(model), {}).get("context")
        if limit is None:
            raise ChatError(
                f"the context of {model} was not known on {facts['date']}; give a limit"
            )
    return limit - reserve
