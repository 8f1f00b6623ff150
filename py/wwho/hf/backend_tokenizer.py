"""A model as a tokenizer of Hugging Face's `tokenizers`, as fast tokenizers have one."""

from __future__ import annotations

import tokenizers

from wwho.errors import BackendTokenizerError, ExportError
from wwho.exporters import export
from wwho.format.read import read_artifact
from wwho.hf.token_names import comes_with_names
from wwho.tokenizer import Tokenizer


def backend_tokenizer(enc: Tokenizer) -> tokenizers.Tokenizer:
    """Return a new `tokenizers.Tokenizer` with the ids, names, template and decoder of a model.

    Programs look at its decoder to know how the names of tokens are written. So only a model whose
    tokens are called here as in a tokenizer.json has one.

    Args:
        enc: the model.

    Raises:
        BackendTokenizerError: no tokenizer.json can express the model, or its tokens have other
            names here than there; the message says why, and what would do.
    """
    if not comes_with_names(enc.info):
        models = enc.info.models
        if len(models) > 1 or models[0].symbols == "units":
            raise BackendTokenizerError(
                f"{enc.name} has no backend_tokenizer: a tokenizer.json has one model, and knows "
                "no syllables. For structured output, see wwho.hf.structured"
            )
        raise BackendTokenizerError(
            f"{enc.name} has no backend_tokenizer: its tokens are called by their texts here, and "
            "otherwise in a tokenizer.json. WWHOTokenizer(file) has one, of the file that "
            f"`wwho export {enc.name} --to tokenizer.json` writes"
        )
    try:
        document = export(read_artifact(enc._blob), "tokenizer.json").data
    except ExportError as error:
        raise BackendTokenizerError(f"{enc.name} has no backend_tokenizer: {error}") from error
    return tokenizers.Tokenizer.from_buffer(document)
