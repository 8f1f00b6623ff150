"""Random Jinja templates, and the values that they read, to compare wwho/chat with jinja2."""

from __future__ import annotations

from random import Random
from typing import Any

VALUES: dict[str, Any] = {
    "yes": True,
    "half": 0.5,
    "nothing": None,
    "n": 3,
    "s": "it's A",
    "list": [1, "a", None, True, [], {}],
    "dict": {"k'": 'v"', "b": ["é\n", "x"], "a": 0.1, "items": 5},
    "think": "\n b \n",
    "turns": [
        {"role": "user", "content": "Hi there"},
        {"role": "assistant", "content": None, "calls": [{"f": {"name": "x"}}]},
        {"role": "user", "content": ["p", {"text": "t"}]},
    ],
}
"""What the templates read, as JSON has it: no float is whole, which JavaScript cannot tell."""

LITERALS = (
    *("1", "2", "0", "-1", "1.5", "2.0", "'a'", "'b c'", '"it\'s"', "true", "false", "none", "[]"),
    *("[1, 2, 3]", "['b', 'A', 'a']", "(1, 2)", "{}", "{'a': 1}", "'12'", "' x '", "'a\\nb'"),
)
FILTERS = (
    *("string", "trim", "upper", "lower", "capitalize", "title", "tojson", "tojson(indent=2)"),
    *("default('d')", "default('d', true)", "join", "join(',')", "length", "count", "list"),
    *("first", "last", "reverse", "reverse | list", "items | list | length", "dictsort | length"),
    *("sort", "sort(reverse=true)", "map(attribute='role') | list", "map('string') | list"),
    *("selectattr('role', 'equalto', 'user') | list | length", "select('string') | list"),
    *("rejectattr('content', 'none') | list", "reject('none') | list", "abs", "int", "float"),
    *("indent", "indent(2, true)", "replace('a', 'bb')", "replace('a', 'b', 1)", "safe", "unique"),
)
METHODS = (
    *("upper()", "lower()", "strip()", "strip('a')", "lstrip()", "rstrip('\\n')", "title()"),
    *("capitalize()", "split()", "split('a')", "split(' ', 1)", "replace('a', 'X')"),
    *("startswith('a')", "endswith(('a', 'b'))", "get('a')", "get('q', 1)", "items()", "keys()"),
    *("values()", "length", "role", "a", "format(1)", "x"),
)
TESTS = (
    *("defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "true"),
    *("false", "mapping", "sequence", "iterable", "callable", "odd", "even", "lower", "upper"),
    *("divisibleby(2)", "eq(1)", "in([1, 2])", "equalto 'a'"),
)
ITEMS = ("0", "1", "-1", "1:", ":1", "-1:", "::-1", "0:2", "::2", "'a'")


def expression(random: Random, depth: int) -> str:
    """Return a random expression with at most `depth` levels of operators above its operands."""
    if depth <= 0:
        return random.choice((*LITERALS, *VALUES, *VALUES, "missing", "loop", "x"))

    def operand() -> str:
        return expression(random, depth - random.choice((1, 1, 2)))

    operators = ("+", "-", "*", "/", "//", "%", "~", "==", "!=", "<", ">", "<=", "in", "not in")
    match random.randrange(12):
        case 0 | 1:
            return f"{operand()} {random.choice(operators)} {operand()}"
        case 2:
            return f"({operand()} {random.choice(('and', 'or'))} {operand()})"
        case 3:
            return f"{random.choice(('not ', '-'))}{operand()}"
        case 4:
            return f"({operand()} if {operand()} {random.choice(('', f'else {operand()}'))})"
        case 5 | 6:
            return f"({operand()}) | {random.choice(FILTERS)}"
        case 7 | 8:
            return f"({operand()}).{random.choice(METHODS)}"
        case 9:
            return f"({operand()}) is {random.choice(('', 'not '))}{random.choice(TESTS)}"
        case 10:
            return f"({operand()})[{random.choice(ITEMS)}]"
        case _:
            return f"[{operand()}, {operand()}]"


def statement(random: Random, depth: int) -> str:
    """Return random statements of a template, nested at most `depth` times."""
    value = expression(random, 2)
    if depth <= 0:
        return f"{{{{ {value} }}}}"
    body = statement(random, depth - 1)
    end = random.choice(("{% break %}", "{% continue %}", "y"))
    return random.choice(
        (
            f"{{{{ {value} }}}}",
            f"{{{{ {value} }}}}",
            f"{{% if {value} %}}{body}{{% elif {body == ''} %}}-{{% else %}}{body}{{% endif %}}",
            f"{{% for x in {value} if x %}}{body}{{{{ x }}}}{{% else %}}E{{% endfor %}}",
            f"{{% for x in turns %}}{body}{{{{ loop.index }}}}{{% endfor %}}",
            f"{{% for k, v in dict.items() %}}{{{{ k }}}}{body}{end}{{% endfor %}}",
            f"{{% set x = {value} %}}{body}",
            f"{{% set x %}}{body}{{% endset %}}{{{{ x }}}}",
            f"{{% filter upper %}}{body}{{% endfilter %}}",
            f"{{% macro m(p, q={value}) %}}[{{{{ p }}}}{{{{ q }}}}]{{% endmacro %}}{{{{ m(1) }}}}",
            f"  {{%- if {value} -%}} a\n {{%- endif %}}\n b",
        )
    )
