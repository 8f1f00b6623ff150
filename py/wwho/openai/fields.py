"""The fields of messages, their parts, calls and tools, as OpenAI names them.

A field is counted, or costs nothing, or is refused by its name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from wwho.errors import ChatError


class Fields(NamedTuple):
    """The names of the fields of one kind of object.

    Attributes:
        counted: those that cost tokens.
        free: ids, settings, and what a client adds: no text that a model reads.
    """

    counted: tuple[str, ...]
    free: tuple[str, ...] = ()


_CACHE = "prompt_cache_breakpoint"
_ITEM = ("type", "id", "call_id", "status", "caller", "created_by", "async")
_TOOL = ("type", "strict", "async", "defer_loading", "allowed_callers")
_CALLS = ("tool_calls", "function_call")

FIELDS = {
    "message": Fields(
        ("role", "content", "name", "refusal", *_CALLS, "phase"),
        ("type", "id", "status", "tool_call_id", "parsed"),
    ),
    "message of gpt-oss": Fields(
        ("role", "content", "name", "refusal", *_CALLS, "channel", "recipient", "constraint"),
        ("type", "id", "status", "tool_call_id"),
    ),
    "part of type text": Fields(("text",), ("type", _CACHE)),
    "part of type input_text": Fields(("text",), ("type", _CACHE)),
    "part of type output_text": Fields(("text",), ("type", "logprobs", "parsed")),
    "part of type refusal": Fields(("refusal",), ("type",)),
    "part of type summary_text": Fields(("text",), ("type",)),
    "part of type reasoning_text": Fields(("text",), ("type",)),
    "part of type image_url": Fields(("image_url",), ("type", _CACHE)),
    "part of type input_image": Fields(("image_url", "detail"), ("type", _CACHE)),
    "image_url of a part": Fields(("url", "detail")),
    "call of type function": Fields(("function",), ("type", "id", "index")),
    "call of type custom": Fields(("custom",), ("type", "id", "index")),
    "function of a call": Fields(("name", "arguments"), ("parsed_arguments",)),
    "custom of a call": Fields(("name", "input")),
    "item of type function_call": Fields(("name", "arguments"), (*_ITEM, "parsed_arguments")),
    "item of type function_call_output": Fields(("output",), _ITEM),
    "item of type custom_tool_call": Fields(("name", "input"), _ITEM),
    "item of type custom_tool_call_output": Fields(("output",), _ITEM),
    "item of type reasoning": Fields(("summary", "content"), _ITEM),
    "tool of type function": Fields(("function",), ("type",)),
    "tool of type custom": Fields(("custom",), ("type",)),
    "definition of a function": Fields(("name", "description", "parameters"), _TOOL),
    "definition of a custom tool": Fields(("name", "description", "format"), _TOOL),
    "format of type text": Fields(("type",)),
    "format of type grammar": Fields(("grammar", "definition", "syntax"), ("type",)),
    "grammar of a custom tool": Fields(("definition", "syntax")),
    "choice of a tool": Fields(("name", "function", "custom"), ("type",)),
    "name in the choice of a tool": Fields(("name",)),
}
"""The fields of each kind of object."""
_ONLY_OSS = dict.fromkeys(
    ("channel", "recipient", "constraint"), "only messages for gpt-oss have it"
)


def quote_value(value: object) -> str:
    """Return a short text for any value, for an error message: of a container only its type."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    return f"of type {type(value).__name__}"


def value_error(what: str, value: object, expected: str) -> ChatError:
    """Return the error for a value of the wrong kind, which the caller raises.

    Args:
        what: the value's name in the message.
        value: what was found.
        expected: what is accepted, and perhaps what to do instead.
    """
    return ChatError(f"{what} is {quote_value(value)}; expected {expected}")


def plain_value(value: Any) -> Any:
    """Return an object of OpenAI's package as a dict, without fields that are None.

    Any other value is returned as it is.
    """
    dump = getattr(value, "model_dump", None)
    return dump(exclude_none=True) if dump is not None else value


def require_fields(value: Any, kind: str) -> Mapping[str, Any]:
    """Return an object, which has no field but those of its kind.

    Fields without a value (None, or an empty list) are passed over.

    Args:
        value: a mapping, or an object of OpenAI's package.
        kind: a key of `FIELDS`.

    Raises:
        ChatError: it is no object, or has another field; the message names the field, and those
            that are expected.
    """
    value = plain_value(value)
    if not isinstance(value, Mapping):
        raise value_error(_with_article(kind), value, "an object")
    counted, free = FIELDS[kind]
    for name, found in value.items():
        if name in counted or name in free or found is None or found == []:
            continue
        remedy = _ONLY_OSS.get(name, "leave it out to count the rest")
        raise ChatError(
            f"{_with_article(kind)} has a field {quote_value(name)}, which cannot be counted; "
            f"expected {', '.join(counted)}; {remedy}"
        )
    return value


def require_type(value: Any, group: str) -> tuple[str, Mapping[str, Any]]:
    """Return the type that an object says it has, and the object.

    Args:
        value: a mapping, or an object of OpenAI's package.
        group: "part", "call", "item", "tool" or "format".

    Raises:
        ChatError: its type, or one of its fields, cannot be counted.
    """
    value = plain_value(value)
    found = value.get("type") if isinstance(value, Mapping) else None
    start = f"{group} of type "
    if f"{start}{found}" not in FIELDS:
        known = [kind.removeprefix(start) for kind in FIELDS if kind.startswith(start)]
        raise ChatError(
            f"the type of {_with_article(group)} is {quote_value(found)}, which cannot be counted; "
            f"expected {', '.join(known)}; leave it out to count the rest"
        )
    return str(found), require_fields(value, f"{start}{found}")


def text_in(value: Mapping[str, Any], name: str, what: str) -> str:
    """Return a field of an object that must be a text.

    Args:
        value: the object.
        name: of the field.
        what: the object's name in the message.

    Raises:
        ChatError: the field is no string.
    """
    found = value.get(name)
    if isinstance(found, str):
        return found
    raise value_error(f"the {name} of {_with_article(what)}", found, "a string")


def _with_article(noun: str) -> str:
    """Return a noun with its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
