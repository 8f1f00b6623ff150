"""Where the page's files lie."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent


def web_folder() -> Path:
    """The folder with site/ and package/: in an installed package wwho/web, in the repository web.

    Raises:
        FileNotFoundError: neither is there.
    """
    candidates = (PACKAGE / "web", PACKAGE.parent.parent / "web")
    for folder in candidates:
        if (folder / "site" / "index.html").is_file():
            return folder
    looked = " and ".join(str(folder) for folder in candidates)
    raise FileNotFoundError(f"no site/index.html in {looked}; install wwho again")


def models_folder() -> Path:
    """The folder with the .wwho files that ship with the package."""
    return PACKAGE / "models"
