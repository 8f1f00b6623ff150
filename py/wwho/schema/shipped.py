"""Where the schemas that come with the package are."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def shipped_folder() -> Traversable:
    """Return the folder of shipped schemas: the installed one, or that of the source tree."""
    try:
        return files("wwho.schemas")
    except ModuleNotFoundError:
        return Path(__file__).parents[3] / "schemas"
