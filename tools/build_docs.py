"""Build the documentation as web pages: web/docs, from the pages, docstrings and headers here.

    pip install 'wwho[docs]' && python tools/build_docs.py

MkDocs makes the pages and a search; mkdocstrings the reference of Python from docstrings; TypeDoc,
from npm, that of JavaScript from the declarations. `wwho serve` and `python -m wwho.serve` serve
the result at docs/. The settings are in tools/docs.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = ROOT / "tools" / "docs"
TARGET = ROOT / "web" / "docs"
TYPEDOC = SETTINGS / "node_modules" / "typedoc" / "bin" / "typedoc"
PAGES = {
    "README.md": "index.md",
    "py/wwho/train/README.md": "train.md",
    "py/wwho/shards/README.md": "shards.md",
    "py/wwho/hf/README.md": "serving.md",
    "py/wwho/evaluate/README.md": "evaluate.md",
    "py/wwho/serve/README.md": "serve.md",
    "py/wwho/backends/README.md": "backends.md",
    "py/wwho/models/README.md": "models.md",
    "py/wwho/importers/transformers/README.md": "classes.md",
    "schemas/README.md": "schemas.md",
    "web/package/README.md": "javascript.md",
    "web/package/MIGRATING.md": "migrating.md",
    "web/GALLERY.md": "gallery.md",
    "wasm/FORMAT.md": "format.md",
    "tools/examples/README.md": "edge.md",
    "tools/bench/README.md": "benchmarks.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""The pages of the repository, and their names in the documentation."""
REFERENCE = {
    "tokenizer": (
        "wwho.get_encoding",
        "wwho.encoding_for_model",
        "wwho.encoding_name_for_model",
        "wwho.list_encoding_names",
        "wwho.Tokenizer",
        "wwho.Segment",
        "wwho.Chunk",
        "wwho.Encoding",
        "wwho.tiktoken",
        "wwho.errors",
    ),
    "openai": ("wwho.openai",),
    "import": ("wwho.importers", "wwho.importers.reader", "wwho.exporters"),
    "hf": ("wwho.hf", "wwho.hf.structured"),
    "train": ("wwho.train", "wwho.train.options", "wwho.corpus", "wwho.shards"),
}
"""The modules and names on each page of the reference of Python."""
ENTRIES = ("index", "tokenizer", "openai", "chat", "worker", "import")
"""The entries of the npm package, by the names of their declarations."""
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)\s#]*)(#[^)\s]*)?\)")
PICTURE = re.compile(r"!\[([^\]]*)\]\((?!https?:)([^)\s]*)\)")
DECLARATION = re.compile(
    r"/\*(?P<comment>(?:(?!\*/).)*)\*/\n(?P<code>(?:[a-z][^\n;]*\([^;]*\)|(?:typedef )?"
    r"(?:enum|struct)[^;{]*\{.*?\}[^;]*);)",
    re.DOTALL,
)


def build(target: Path = TARGET) -> None:
    """Build the documentation in a temporary folder, and put it in the place of `target`.

    Raises:
        SystemExit: a generator is not installed, or a link leads nowhere.
    """
    if not TYPEDOC.is_file():
        sys.exit(f"there is no TypeDoc: npm install in {SETTINGS.relative_to(ROOT)}")
    with tempfile.TemporaryDirectory() as folder:
        pages, built = Path(folder) / "pages", Path(folder) / "built"
        write_pages(pages)
        settings = Path(folder) / "mkdocs.yml"
        paths = f"docs_dir: {pages}\nsite_dir: {built}\n"
        common = (SETTINGS / "mkdocs.yml").read_text("utf-8").replace("$SETTINGS", str(SETTINGS))
        settings.write_text(paths + common, "utf-8")
        run(sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", str(settings))
        options = ["--disableSources", "--hideGenerator", "--logLevel", "Error"]
        options += ["--name", "wwho", "--readme", "none"]
        options += ["--tsconfig", str(SETTINGS / "tsconfig.json")]
        options += ["--out", str(built / "javascript" / "reference"), "--entryPoints"]
        run("node", str(TYPEDOC), *options, *(f"web/package/{name}.d.ts" for name in ENTRIES))
        for name in ("sitemap.xml", "sitemap.xml.gz"):
            (built / name).unlink(missing_ok=True)
        for path in built.rglob("*.map"):
            path.unlink()
        # How other languages than English are searched; these have licences of their own.
        shutil.rmtree(built / "assets" / "javascripts" / "lunr")
        shutil.rmtree(target, ignore_errors=True)
        shutil.move(built, target)


def run(*command: str) -> None:
    """Run a command in the project's folder.

    Raises:
        SystemExit: it fails; the message has what it printed.
    """
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\nThis failed: {' '.join(command)}")


def write_pages(folder: Path) -> None:
    """Write all pages into a folder, in Markdown: the repository's, and those of the references."""
    (folder / "python").mkdir(parents=True)
    for source, name in PAGES.items():
        (folder / name).write_text(page_of(source), "utf-8")
        for picture in pictures_of(source):
            shutil.copy(picture, folder / picture.name)
    for name, objects in REFERENCE.items():
        text = "\n".join(f"::: {each}\n" for each in objects)
        (folder / "python" / f"{name}.md").write_text(text, "utf-8")
    (folder / "c.md").write_text(page_of_header(), "utf-8")
    # Taken by MkDocs as it is, so that a link may lead there; TypeDoc writes the real one.
    reference = folder / "javascript" / "reference"
    reference.mkdir(parents=True)
    (reference / "index.html").write_text("", "utf-8")
    shutil.copy(SETTINGS / "docs.css", folder / "docs.css")


def page_of(source: str) -> str:
    """Return a page of the repository with its links to other pages changed to those pages' names.

    A link to a file that is no page becomes its text: the file is in the repository alone.

    Args:
        source: the page's path in the repository.
    """

    def change(link: re.Match[str]) -> str:
        """Return a link to a page of the documentation, or the text of another link."""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[2]))
        if path in PAGES:
            return f"[{link[1]}]({PAGES[path]}{link[3] or ''})"
        return link[1]

    text = PICTURE.sub(
        lambda picture: f"![{picture[1]}]({posixpath.basename(picture[2])})",
        (ROOT / source).read_text("utf-8"),
    )
    return LINK.sub(change, text)


def pictures_of(source: str) -> list[Path]:
    """Return the paths of the pictures of a page, which stand beside the page when it is built.

    Args:
        source: the page's path in the repository.
    """
    page = ROOT / source
    return [page.parent / found[2] for found in PICTURE.finditer(page.read_text("utf-8"))]


def page_of_header() -> str:
    """Return the page of the C interface: each declaration of wwho.h below what is said of it."""
    header = (ROOT / "wasm" / "include" / "wwho.h").read_text("utf-8")
    found = [(each["comment"], each["code"]) for each in DECLARATION.finditer(header)]
    parts = ["# The C interface\n\nThe header is `wasm/include/wwho.h`.\n"]
    for comment, code in found:
        text = re.sub(r"^ \* ?", "", comment.strip(), flags=re.MULTILINE)
        parts.append(f"## {title_of(code, text)}\n\n{text}\n\n```c\n{code}\n```\n")
    return "\n".join(parts)


def title_of(code: str, text: str) -> str:
    """Return the name of a function or a structure in C, or the first words on an enumeration.

    Args:
        code: the declaration.
        text: what is said of it.
    """
    if code.startswith("enum"):
        return re.split(r"[.:;(]", text)[0].replace("\n", " ")
    pattern = r"\}\s*(wwho_\w+)" if "{" in code else r"(wwho_\w+)\("
    name = re.search(pattern, code) or re.search(r"struct (\w+)", code)
    assert name is not None
    return f"`{name[1]}`"


if __name__ == "__main__":
    build()
