"""Chats of OpenAI's models: their tokens, which messages fit, and what they cost.

`count_chat` counts every field of a chat, or refuses it by its name. The figures are those of
`wwho/openai` in the npm package. What OpenAI does not define is an estimate: tools and their calls,
items of the Responses interface, refusals.

Example:
    >>> from wwho.openai import count_chat
    >>> count_chat([{"role": "user", "content": "Does it boil?"}], "gpt-4o")
    11
"""

from wwho.openai.chats import (
    ChatOptions,
    FittedChat,
    count_chat,
    count_messages,
    encode_chat,
    fit_chat,
    is_within_token_limit,
)
from wwho.openai.prices import estimate_cost

__all__ = [
    "ChatOptions",
    "FittedChat",
    "count_chat",
    "count_messages",
    "encode_chat",
    "estimate_cost",
    "fit_chat",
    "is_within_token_limit",
]
