"""WWHO as a tokenizer of Hugging Face transformers (extra `hf`).

Ids are those of `wwho.Tokenizer`. Batches are one call of the core; padding, truncation, pairs,
overflow and offsets are those of transformers' fast tokenizers, `char_to_token`, `word_ids` and the
like among them. What `save_pretrained` writes, `AutoTokenizer.from_pretrained` opens: with
`trust_remote_code=True` in any process, and without it where `wwho.hf` is imported.

Example:
    >>> tokenizer = WWHOTokenizer("o200k_base")
    >>> tokenizer(["hello world", "goodbye"])["input_ids"]
    [[24912, 2375], [30744, 43571]]
"""

from __future__ import annotations

try:
    from transformers import AutoTokenizer, PreTrainedConfig
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "wwho.hf needs transformers: pip install 'wwho[hf]'", name=error.name
    ) from error

from wwho.hf.pretrained_tokenizer import WWHOTokenizer

__all__ = ["WWHOConfig", "WWHOTokenizer"]


class WWHOConfig(PreTrainedConfig):  # type: ignore[misc]
    """The config class by which AutoTokenizer finds `WWHOTokenizer`; no model has such a config."""

    model_type = "wwho"


AutoTokenizer.register(WWHOConfig, WWHOTokenizer, exist_ok=True)
