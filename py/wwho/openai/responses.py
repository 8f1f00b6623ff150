"""Items of the Responses interface as messages.

OpenAI does not say how a model reads them: these are estimates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wwho.openai.fields import plain_value, require_type, value_error


def message_of(item: Any) -> Any:
    """Return a message as it is, and an item of Responses as the message that it stands for.

    Args:
        item: a mapping, or an object of OpenAI's package, of which a dict is returned.

    Raises:
        ChatError: the type of an item, or a field, cannot be counted.
    """
    item = plain_value(item)
    if not isinstance(item, Mapping) or item.get("type") in (None, "message"):
        return item
    kind, item = require_type(item, "item")
    call_id = item.get("call_id")
    if kind == "function_call":
        called = {"name": item.get("name"), "arguments": item.get("arguments")}
        return _call({"type": "function", "id": call_id, "function": called})
    if kind == "custom_tool_call":
        called = {"name": item.get("name"), "input": item.get("input")}
        return _call({"type": "custom", "id": call_id, "custom": called})
    if kind == "reasoning":
        # Without a text, it stands for one that only OpenAI has, and is refused for that.
        texts = [*_parts_in(item, "summary"), *_parts_in(item, "content")]
        return {"role": "assistant", "content": texts or None}
    return {"role": "tool", "content": item.get("output"), "tool_call_id": call_id}


def _parts_in(item: Mapping[str, Any], name: str) -> list[Any]:
    """Return the parts in a field of an item; none if the field is missing or None.

    Raises:
        ChatError: it is no list.
    """
    found = item.get(name)
    if isinstance(found, list | None):
        return found or []
    raise value_error(f"the {name} of an item of type reasoning", found, "a list of parts")


def _call(call: dict[str, Any]) -> dict[str, Any]:
    """Return the message with one call of a tool."""
    return {"role": "assistant", "tool_calls": [call]}
