"""Run a notebook's cells as a kernel does, with the standard library alone; in Pyodide too."""

from __future__ import annotations

import ast
import inspect
import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

Output = dict[str, Any]


async def outputs(path: str | Path) -> list[list[Output]]:
    """What each code cell gives: what it prints, and the value of its last line."""
    cells = json.loads(Path(path).read_text("utf-8"))["cells"]
    names: dict[str, Any] = {"__name__": "__main__"}
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    return [
        await run("".join(cell["source"]), number, names) for number, cell in enumerate(code, 1)
    ]


async def run(source: str, number: int, names: dict[str, Any]) -> list[Output]:
    """The outputs of one cell, in the form of nbformat 4."""
    printed, value = io.StringIO(), None
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(printed):
        await execute(tree, "exec", names)
        if isinstance(last, ast.Expr):
            value = await execute(ast.Expression(last.value), "eval", names)
    found: list[Output] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        found.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        result = {"data": data, "execution_count": number, "metadata": {}}
        found.append({**result, "output_type": "execute_result"})
    return found


async def execute(tree: ast.Module | ast.Expression, mode: str, names: dict[str, Any]) -> Any:
    """Run code in which `await` may stand anywhere; the value of an expression."""
    compiled = compile(tree, "<cell>", mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    found = eval(compiled, names)
    return await found if inspect.iscoroutine(found) else found
