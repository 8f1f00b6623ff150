"""What definitions of tools cost.

OpenAI does not say how a model reads them: functions are counted in the form that models are known
to get, a TypeScript namespace; what that form has no place for is counted as JSON, and custom tools
like functions of a string. These are estimates.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from wwho.openai.fields import plain_value, require_fields, require_type, text_in, value_error
from wwho.openai.pieces import Cost, Piece

SHOWN = {
    "string": ("enum",),
    "integer": ("enum",),
    "number": ("enum",),
    "array": ("items",),
    "object": ("properties", "required"),
    "none": ("anyOf",),
}
"""The keywords of a schema that are shown, by its type; of one without a type: "none"."""
ALWAYS = ("type", "description", "$schema")
"""Those that cost nothing for any type: the type is shown, a description is shown for properties
alone, the others are for the reader."""


class Definition(NamedTuple):
    """The definition of a tool.

    Attributes:
        name: its name.
        description: None for none.
        parameters: the JSON schema of a function; None for none.
        is_custom: whether its input is a text.
        texts: what has no place in the form.
    """

    name: str
    description: str | None
    parameters: Mapping[str, Any] | None
    is_custom: bool
    texts: list[str]


def tools_in(tools: Any, functions: Any) -> list[Definition]:
    """Return the definitions of tools in the new forms and the old one.

    Raises:
        ChatError: they are no list, or a tool or a field cannot be counted.
    """
    for what, found in (("tools", tools), ("functions", functions)):
        if isinstance(found, str | Mapping) or not isinstance(found, Iterable | None):
            raise value_error(what, found, "a list of definitions")
    return [*map(_function_in, functions or ()), *map(_tool_in, tools or ())]


def _tool_in(tool: Any) -> Definition:
    """Return the definition of the function or of the custom tool in an element of `tools`.

    The element has one of three forms: that of Chat Completions, in which the definition stands in
    the field "function" or "custom"; that of Responses, in which it stands beside "type"; or a
    function alone, without "type".

    Raises:
        ChatError: the element is of another type, has a field that is not known, or its definition
            is none.
    """
    tool = plain_value(tool)
    if not isinstance(tool, Mapping):
        return _function_in(tool)  # which refuses it
    kind = tool.get("type")
    if kind is None or (kind == "function" and "function" not in tool):
        return _function_in(tool)
    if kind == "custom" and "custom" not in tool:
        return _custom_in(tool)
    kind, tool = require_type(tool, "tool")
    return _custom_in(tool["custom"]) if kind == "custom" else _function_in(tool.get("function"))


def _function_in(definition: Any) -> Definition:
    """Return the definition of a function.

    Raises:
        ChatError: it has a field that is not known, no name, or parameters that are no object.
    """
    definition = require_fields(definition, "definition of a function")
    name = text_in(definition, "name", "function")
    parameters = definition.get("parameters")
    if parameters is not None and not isinstance(parameters, Mapping):
        raise value_error(f"the parameters of {name}", parameters, "a JSON schema")
    kind = (parameters or {}).get("type", "object")
    if kind != "object":
        raise value_error(f"the type of the parameters of {name}", kind, '"object"')
    texts = _rest_of(parameters or {}, SHOWN["object"])
    return Definition(name, _description_in(definition), parameters, False, texts)


def _custom_in(definition: Any) -> Definition:
    """Return the definition of a custom tool; its grammar is a text of its own.

    Raises:
        ChatError: it has a field that is not known, no name, or another format than "text" or
            "grammar".
    """
    definition = require_fields(definition, "definition of a custom tool")
    form = definition.get("format")
    texts: list[str] = []
    kind, form = (None, {}) if form is None else require_type(form, "format")
    if kind == "grammar":
        grammar = form  # Responses
        if form.get("grammar") is not None:  # Chat Completions
            grammar = require_fields(form["grammar"], "grammar of a custom tool")
        texts = [text_in(grammar, name, "grammar") for name in ("syntax", "definition")]
    name = text_in(definition, "name", "custom tool")
    return Definition(name, _description_in(definition), None, True, texts)


def _description_in(definition: Mapping[str, Any]) -> str | None:
    """Return the description in a definition, None for none."""
    if definition.get("description") is None:
        return None
    return text_in(definition, "description", "tool")


def tool_pieces(tools: list[Definition], *, with_system: bool) -> list[Piece]:
    """Return what definitions cost: their namespace, its place, and texts without a place in it.

    Args:
        tools: none cost nothing.
        with_system: whether there is a system message; without one, it costs 4 more.
    """
    if not tools:
        return []
    texts: list[str] = []
    namespace = _namespace_of(tools, texts)
    own = [text for tool in tools for text in tool.texts]
    return [namespace, *own, *texts, Cost(5 if with_system else 9, "tools")]


def choice_pieces(choice: Any) -> list[Piece]:
    """Return what the choice of a tool costs.

    That is 4 and the name of a tool that must be called, 1 for "none", otherwise nothing.

    Raises:
        ChatError: it is another choice.
    """
    choice = plain_value(choice)
    if choice is None or choice in ("auto", "required"):
        return []
    if choice == "none":
        return [Cost(1, "the choice of a tool")]
    found = choice.get("type", "function") if isinstance(choice, Mapping) else choice
    if not isinstance(choice, Mapping) or found not in ("function", "custom"):
        expected = '"auto", "none", "required", or a function or a custom tool by its name'
        raise value_error("tool_choice", found, expected)
    named = require_fields(choice, "choice of a tool")
    for name in ("custom", "function"):
        if choice.get(name) is not None:
            named = require_fields(choice[name], "name in the choice of a tool")
    return [text_in(named, "name", "choice of a tool"), Cost(4, "the choice of a tool")]


def _namespace_of(tools: list[Definition], texts: list[str]) -> str:
    """Return functions as the models are known to see them: a TypeScript namespace.

    Args:
        tools: one or more.
        texts: to which is added what has no place in it.
    """
    types = ""
    for name, description, parameters, is_custom, _ in tools:
        given = "()"
        if is_custom:
            given = "(_: string)"
        elif _properties_in(parameters or {}):
            given = f"(_: {{\n{_fields_of(parameters or {}, 0, texts)}\n}})"
        comment = f"// {description}\n" if description else ""
        types += f"{comment}type {name} = {given} => any;\n\n"
    return f"namespace functions {{\n\n{types}}} // namespace functions"


def _fields_of(schema: Mapping[str, Any], indent: int, texts: list[str]) -> str:
    """Return the properties of an object's schema as lines of a TypeScript type.

    There is no line break behind the last line. Each name that is not required has "?" behind it.
    With an indentation below 2, that of the outermost object, descriptions are comments in lines
    before their properties; those within nested objects are dropped and cost nothing, since models
    are known not to get them.

    Args:
        schema: of an object; one without properties gives "".
        indent: the lines' indentation in spaces: 0 for the outermost object, 2 more for each
            within.
        texts: to which is added what has no place there.

    Raises:
        ChatError: the properties are no object, "required" is no list, a property is no schema, or
            its description is no text.
    """
    required = _list_in(schema, "required") or ()
    lines = []
    for name, each in _properties_in(schema).items():
        margin = " " * indent
        mark = "" if name in required else "?"
        shown = _type_of(each, indent, texts)
        description = text_in(each, "description", "schema") if "description" in each else ""
        if description and indent < 2:
            lines.append(f"{margin}// {description}")
        lines.append(f"{margin}{name}{mark}: {shown},")
    return "\n".join(lines)


def _type_of(schema: Any, indent: int, texts: list[str]) -> str:
    """Return the TypeScript type for a schema, of several lines for an object.

    Args:
        schema: JSON Schema; what has no type becomes "any".
        indent: of the line in which the type stands, in spaces.
        texts: to which is added what has no place in the type.

    Raises:
        ChatError: it is no object.
    """
    if not isinstance(schema, Mapping):
        raise value_error("a schema", schema, "an object, as JSON Schema has it")
    if isinstance(schema.get("type"), list):
        kinds = [{**schema, "type": each} for each in schema["type"]]
        return " | ".join(_type_of(each, indent, texts) for each in kinds)
    kind = text_in(schema, "type", "schema") if "type" in schema else "none"
    values, choices = _list_in(schema, "enum"), _list_in(schema, "anyOf")
    texts += _rest_of(schema, SHOWN.get(kind, ()))
    if kind == "string":
        return "string" if values is None else " | ".join(map(_json, values))
    if kind in ("integer", "number"):
        return "number" if values is None else " | ".join(map(_bare_text, values))
    if kind == "array":
        items = schema.get("items")
        return f"{_type_of(items, indent, texts)}[]" if items else "any[]"
    if kind == "object":
        return f"{{\n{_fields_of(schema, indent + 2, texts)}\n{' ' * indent}}}"
    if kind == "none" and choices is not None:
        return " | ".join(_type_of(each, indent, texts) for each in choices)
    return kind if kind in ("boolean", "null") else "any"


def _properties_in(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the properties of an object's schema: each name and its schema.

    Raises:
        ChatError: they are no object.
    """
    found = schema.get("properties")
    if isinstance(found, Mapping | None):
        return found or {}
    raise value_error("the properties of a schema", found, "an object")


def _list_in(schema: Mapping[str, Any], name: str) -> list[Any] | None:
    """Return a keyword of a schema that must be a list; None for none.

    Raises:
        ChatError: it is none.
    """
    found = schema.get(name)
    if isinstance(found, list | None):
        return found
    raise value_error(f"the {name} of a schema", found, "a list")


def _rest_of(schema: Mapping[str, Any], shown: tuple[str, ...]) -> list[str]:
    """Return the keywords of a schema that have no place in a type as texts, JSON of each.

    Those that are true or false have no text.

    Args:
        schema: JSON Schema.
        shown: the keywords that have a place.
    """
    rest = {name: value for name, value in schema.items() if name not in (*ALWAYS, *shown)}
    return [_json({name: value}) for name, value in rest.items() if not isinstance(value, bool)]


def _bare_text(value: object) -> str:
    """Return a value of JSON as JavaScript writes it in a text: a string without its quotes."""
    return value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    """Return a value as JSON.stringify of JavaScript writes it."""
    return json.dumps(_whole_numbers(value), ensure_ascii=False, separators=(",", ":"))


def _whole_numbers(value: Any) -> Any:
    """Return a value of JSON with an int for each float that is whole, as JavaScript has it."""
    if isinstance(value, Mapping):
        return {name: _whole_numbers(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_whole_numbers(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
