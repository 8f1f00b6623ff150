"""Which messages of a chat stay if not all of them fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from wwho.openai.fields import plain_value


class Choice(NamedTuple):
    """The messages of a chat that stay, and their tokens.

    Attributes:
        stays: for each message, whether it stays.
        tokens: of those that stay.
        missing: how many tokens more there would have to be for the messages that must stay.
    """

    stays: list[bool]
    tokens: int
    missing: int


def newest_that_fit(
    messages: Sequence[Mapping[str, Any]], counts: Sequence[int], room: int, keep: AbstractSet[str]
) -> Choice:
    """Return which messages stay: those of the roles that are kept, and the newest that fit.

    They stay or go in groups: a call of a tool with its answers, and reasoning with what follows
    it, because OpenAI takes neither without the other.

    Args:
        messages: the chat.
        counts: the tokens of each.
        room: the tokens that there may be in all messages.
        keep: roles.
    """
    stays = [message.get("role") in keep for message in messages]
    tokens = sum(count for count, stay in zip(counts, stays, strict=True) if stay)
    if tokens > room:
        return Choice(stays, tokens, tokens - room)
    starts = _group_starts(messages)
    end = len(messages)
    while end > 0:
        start = starts[end - 1]
        others = [i for i in range(start, end) if not stays[i]]
        more = sum(counts[i] for i in others)
        if tokens + more > room:
            return Choice(stays, tokens, tokens + more - room if end == len(messages) else 0)
        for i in others:
            stays[i] = True
        tokens += more
        end = start
    return Choice(stays, tokens, 0)


def _group_starts(messages: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return for each message the index of the first message of its group; groups are neighbours.

    An answer of a tool is in the group of the message that has its call, or else of the message
    before it, with all messages between; and what follows reasoning is in the group of that.
    """
    calls: dict[str, int] = {}
    needed = []
    for i, message in enumerate(messages):
        kind = message.get("type") or ""
        ids = [plain_value(call).get("id") for call in message.get("tool_calls") or ()]
        if kind.endswith("_call"):
            ids.append(message.get("call_id"))
        calls |= {each: i for each in ids if isinstance(each, str)}
        is_answer = message.get("role") in ("tool", "function") or kind.endswith("_call_output")
        before = i
        # Without an id that is known, an answer belongs to the message before it.
        if i > 0 and (is_answer or messages[i - 1].get("type") == "reasoning"):
            before = i - 1
        asked = message.get("tool_call_id") or (message.get("call_id") if is_answer else None)
        needed.append(min(before, calls.get(asked, before) if isinstance(asked, str) else before))
    starts = list(range(len(messages)))
    joined = []
    reach = len(messages)
    for i in reversed(starts):
        reach = min(reach, needed[i])
        joined.append(reach < i)
    for i, is_joined in enumerate(reversed(joined)):
        if is_joined:
            starts[i] = starts[i - 1]
    return starts
