"""What runs inside Pyodide: wwho imported, every vector checked, times taken."""

from __future__ import annotations

import hashlib
import importlib
import json
import platform
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import Any

SENTENCE = "ගමේ පාසල ළඟ ගඟ හරිම ලස්සනයි. The river by the school; नदी के पास स्कूल है।\n"
DOCUMENT_BYTES = 5_000_000
CALLS = 2_000


async def report() -> str:
    """Install wwho by its name; everything that the tests ask about, as JSON."""
    import micropip  # type: ignore[import-not-found]

    await micropip.install("wwho")
    imported = timed(lambda: importlib.import_module("wwho"))
    import wwho

    opened = timed(wwho.get_encoding)
    enc = wwho.get_encoding()
    found = {
        "python": platform.python_version(),
        "backend": enc.backend,
        "import_ms": imported,
        "open_ms": opened,
        **speeds(enc),
        "origins": origins(),
        "vectors": vectors(),
        "training": training(),
    }
    return json.dumps(found)


def speeds(enc: Any) -> dict[str, float]:
    """Milliseconds for the document, microseconds for a call with a short text."""
    document = SENTENCE * (DOCUMENT_BYTES // len(SENTENCE.encode()))
    ids: list[int] = []
    took = timed(lambda: ids.extend(enc.encode(document)))
    assert enc.decode(ids) == document
    text = SENTENCE[:20]
    calls = timed(lambda: [enc.encode(text) for _ in range(CALLS)])
    return {"encode_5mb_ms": took, "call_us": 1000 * calls / CALLS, "tokens": len(ids)}


def origins() -> dict[str, Any]:
    """Where each module came from, and whether its bytes are the installed wheel's."""
    files = {str(path.locate()): path for path in metadata.files("wwho") or ()}
    ours = {
        name: module for name, module in sys.modules.items() if name.partition(".")[0] == "wwho"
    }
    unknown = {
        name: str(module.__file__)
        for name, module in ours.items()
        if getattr(module, "__file__", None) and module.__file__ not in files
    }
    core = sys.modules.get("wwho._core")
    return {
        "modules": len(ours),
        "not_of_the_wheel": unknown,
        "core": None if core is None else digest(str(core.__file__)),
        "wasm": digest(
            str(Path(sys.modules["wwho"].__file__ or "").parent / "web" / "package" / "wwho.wasm")
        ),
        "tags": (metadata.distribution("wwho").read_text("WHEEL") or "").split("Tag: ")[1].strip(),
        "requires": metadata.requires("wwho"),
        "cffi": "_cffi_backend" in sys.modules,
    }


def vectors() -> dict[str, str]:
    """The backend that agreed with every vector of each encoding."""
    from vector_checks import (
        AFTER,
        ENCODINGS,
        REWRITTEN,
        artifact,
        check_after,
        check_rewritten,
        check_vectors,
    )

    from wwho import Tokenizer

    agreed = {}
    checks = {check_vectors: ENCODINGS, check_rewritten: REWRITTEN, check_after: AFTER}
    for check, names in checks.items():
        for name in names:
            enc = Tokenizer(artifact(name))
            check(enc, name)
            agreed[name] = enc.backend
    return agreed


def training() -> str:
    """What importing the trainer's native side says."""
    from wwho import WwhoError

    try:
        importlib.import_module("wwho.train.native")
    except WwhoError as error:
        return f"{type(error).__name__}: {error}"
    return "imported"


def digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def timed(action: Callable[[], object]) -> float:
    """How long an action takes, in milliseconds."""
    start = perf_counter()
    action()
    return 1000 * (perf_counter() - start)
