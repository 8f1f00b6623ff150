"""The tokenizers under measurement, by name or file."""

from __future__ import annotations

from pathlib import Path

from wwho.core.select import BackendName
from wwho.encodings import SUFFIX, list_encoding_names, model_bytes
from wwho.errors import WwhoError, naming
from wwho.evaluate.encoder import Encoder
from wwho.evaluate.encoder_wwho import WwhoEncoder
from wwho.text import Unk


def open_model(
    given: str, backend: BackendName | None = None, *, unk: Unk = "spell"
) -> WwhoEncoder:
    """The model that is measured.

    Args:
        given: a shipped encoding or a `.wwho` file; `LABEL=` before it names it in the report.
        backend: "native", "wasm" or "reference"; None for the best that is there.
        unk: what becomes of syllables outside the vocabulary.

    Raises:
        WwhoError: there is no such encoding, or it cannot be opened.
        OSError: the file cannot be read.
    """
    label, what = _labelled(given)
    if what in list_encoding_names():
        return WwhoEncoder(label or what, model_bytes(what), backend, unk=unk)
    if what.endswith(SUFFIX) or Path(what).exists():
        path = Path(what)
        with naming(path):
            return WwhoEncoder(label or _readable(path.stem), path.read_bytes(), backend, unk=unk)
    raise WwhoError(
        f"there is no encoding {what!r}; give one of {', '.join(list_encoding_names())}, or a path "
        "to a .wwho file"
    )


def open_baseline(given: str, backend: BackendName | None = None) -> Encoder:
    """A tokenizer to compare with.

    Args:
        given: a shipped encoding, a `.wwho` file, a `tokenizer.json`, or one of tiktoken's
            encodings, tried in this order; `LABEL=` before it names it in the report.
        backend: what runs `.wwho` models.

    Raises:
        WwhoError: there is no such tokenizer, or it cannot be loaded.
        OSError: a file cannot be read.

    Example:
        >>> open_baseline("o200k_base").n_vocab, open_baseline("mine=cl100k_base").name
        (200019, 'mine')
    """
    label, what = _labelled(given)
    if what in list_encoding_names() or what.endswith(SUFFIX):
        return open_model(given, backend)
    if what.endswith(".json"):
        from wwho.evaluate.encoder_tokenizers import TokenizersEncoder

        return TokenizersEncoder(label or _json_name(Path(what)), what)
    from wwho.evaluate.encoder_tiktoken import TiktokenEncoder, known_encodings

    known = known_encodings()
    if what not in known:
        if Path(what).exists():
            return open_model(given, backend)
        raise WwhoError(
            f"there is no tokenizer {what!r}; give one of {', '.join(list_encoding_names())}, a "
            f"path to a .wwho file or to a tokenizer.json, or one of tiktoken's: {', '.join(known)}"
        )
    return TiktokenEncoder(label or what, what)


def _labelled(given: str) -> tuple[str, str]:
    """The label, "" for none, and what it is for; a file's name may hold an equals sign too."""
    label, equals, what = given.partition("=")
    if not equals or Path(given).exists():
        return "", given
    return _readable(label), what


def _readable(name: str) -> str:
    """A name as a report can hold it, whatever the bytes of the argument or of the file's name."""
    return name.encode("utf-8", "replace").decode()


def _json_name(path: Path) -> str:
    """A file's name, or its folder's where all such files have the same name."""
    folder = path.resolve().parent.name
    return _readable(folder if path.stem == "tokenizer" and folder else path.stem)
