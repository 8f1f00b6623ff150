"""Models in the files of other libraries, which give the same ids there.

`export` writes one where the model can be expressed in that kind of file, and else refuses with the
reason: nothing is approximated in silence. Each kind of file is a module; `FORMATS` lists them.
"""

from collections.abc import Callable, Mapping

from wwho.errors import ExportError
from wwho.exporters import gguf, ranks, sentencepiece, tokenizer_json
from wwho.exporters.exported import Exported
from wwho.format.model import Artifact

__all__ = ["FORMATS", "Exported", "export"]

FORMATS: Mapping[str, Callable[[Artifact], Exported]] = {
    "tokenizer.json": tokenizer_json.write,
    "tiktoken": ranks.write,
    "gguf": gguf.write,
    "sentencepiece": sentencepiece.write,
}
"""What `export` can write, by name."""


def export(artifact: Artifact, to: str) -> Exported:
    """Return a model as a file of another library.

    Args:
        artifact: the model.
        to: one of `FORMATS`.

    Raises:
        ExportError: the model cannot be expressed so; the message says why.
        KeyError: there is no such format.
    """
    if artifact.blocks:
        raise ExportError(
            f"{artifact.name} writes characters as SCRIPT's blocks and indices, which the files of "
            "other libraries cannot say"
        )
    return FORMATS[to](artifact)
