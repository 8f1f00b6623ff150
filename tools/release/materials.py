"""What wwho's packages contain of others: the table of materials.toml, read and checked."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
TABLE = FOLDER / "materials.toml"
TEXTS = FOLDER / "licences"


@dataclass(frozen=True)
class Material:
    """Something of others that a package contains.

    Attributes:
        name: what NOTICE and the bill of materials call it.
        what: which part it is, and where it was taken from, in sentences.
        where: where it is in the repository and in the packages, in words.
        sources: the addresses that it comes from.
        licences: the names of its licences, as SPDX has them.
        copyright: who holds the copyright, as the licences want it stated.
        files: patterns (`fnmatch`) of its paths in packages, if it has files of its own.
        packages: those it was taken from, such as "npm:typedoc" or "pypi:genai-prices".
    """

    name: str
    what: str
    where: str
    sources: tuple[str, ...]
    licences: tuple[str, ...]
    copyright: tuple[str, ...]
    files: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Materials:
    """The table: what is of others, and what was made here and is no source text.

    Attributes:
        of_others: the materials, in the order of the table.
        texts: where the text of a licence is that the folder `licences` does not have.
        made: patterns of paths in packages, by what the files are.
    """

    of_others: tuple[Material, ...]
    texts: dict[str, str]
    made: dict[str, list[str]]

    def owner_of(self, path: str) -> str | None:
        """Return the name of the material, or of what was made here, that a path belongs to.

        Args:
            path: of a file in a package.

        Returns:
            None for a file that no pattern matches.
        """
        patterns = [(each.name, each.files) for each in self.of_others]
        for name, files in [*patterns, *self.made.items()]:
            if any(fnmatchcase(path, pattern) for pattern in files):
                return name
        return None


def read_materials(table: str | None = None) -> Materials:
    """Return the materials of a table in TOML; of None, those of materials.toml.

    Raises:
        SystemExit: an entry lacks a key or has an unknown one, or nobody knows where the text of
            its licence is.
    """
    document = tomllib.loads(TABLE.read_text("utf-8") if table is None else table)
    texts, made = document.pop("texts", {}), document.pop("made", {})
    found = []
    for entry in document.pop("material"):
        name = entry.get("name", "an entry without a name")
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
        }
        try:
            material = Material(**values)
        except TypeError as error:
            raise SystemExit(f"{TABLE.name}, {name}: {error}") from None
        for licence in material.licences:
            if licence not in texts and not (TEXTS / f"{licence}.txt").is_file():
                raise SystemExit(
                    f"{TABLE.name}, {name}: the licence is {licence!r}, whose text is neither in "
                    f"{TEXTS.name}/ nor named in [texts]; read it, and add it"
                )
        found.append(material)
    if document:
        raise SystemExit(f"{TABLE.name}: there are unknown tables: {', '.join(document)}")
    return Materials(tuple(found), texts, made)
