"""An extension of griffe, which reads docstrings: our heading Example is its heading Examples."""

from __future__ import annotations

import re
from typing import Any

import griffe


class ExampleHeadings(griffe.Extension):
    """Change the headings of examples in docstrings, in place, to those that griffe knows."""

    def on_object(self, *, obj: griffe.Object, **rest: Any) -> None:
        """Change the docstring of an object, if it has one."""
        if obj.docstring:
            value = obj.docstring.value
            obj.docstring.value = re.sub(r"^Example:$", "Examples:", value, flags=re.MULTILINE)
