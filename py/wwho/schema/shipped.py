"""Where the schemas that come with the package are."""

from __future__ import annotations

from pathlib import Path


def shipped_folder() -> Path:
    """Return the folder of shipped schemas: the installed one, or that of the source tree."""
    installed = Path(__file__).parents[1] / "schemas"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "schemas"


def shipped_files() -> dict[str, Path]:
    """Return the files of the shipped schemas by name: ``sinhala``, ``paper/sinhala`` ..."""
    folder = shipped_folder()
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.json")}
    del found["meta.schema.json"]
    return {name.removesuffix(".json"): path for name, path in found.items()}
