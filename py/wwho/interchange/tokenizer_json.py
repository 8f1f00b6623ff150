"""What the record of an artifact keeps of a tokenizer.json of Hugging Face."""

from __future__ import annotations

from typing import Any, Final

KEY: Final = "components"
"""What the record calls the components, as JSON: all of the file but its vocabulary."""

CHARSMAP: Final = "precompiled_charsmap"
"""The option of the normalizer Precompiled that holds a table."""


def with_charsmap(component: Any, charsmap: str) -> Any:
    """Return a component with another charsmap wherever it, or one in it, has that option.

    The given one does not change.

    Args:
        component: JSON values, at any depth.
        charsmap: the charsmap, in Base64.

    Example:
        >>> with_charsmap({"normalizers": [{"precompiled_charsmap": "AAA="}]}, "")
        {'normalizers': [{'precompiled_charsmap': ''}]}
    """
    if isinstance(component, list):
        return [with_charsmap(each, charsmap) for each in component]
    if isinstance(component, dict):
        return {
            key: charsmap if key == CHARSMAP else with_charsmap(each, charsmap)
            for key, each in component.items()
        }
    return component
