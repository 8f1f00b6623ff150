"""Rank files that are published, and what their authors' code says of them and the files do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_FIM = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")
_END, _PROMPT = "<|endoftext|>", "<|endofprompt|>"

_WHISPER_LANGUAGES = """
    en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th
    ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr
    pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt
    haw ln ha ba jw su
"""


@dataclass(frozen=True)
class Published:
    """A rank file.

    Attributes:
        name: what it is called.
        pattern: the name of its pattern, in `wwho.assemble.patterns`.
        specials: its special tokens, text to id.
    """

    name: str
    pattern: str
    specials: Mapping[str, int]


def _ids_counting_up(first: int, texts: Sequence[str]) -> dict[str, int]:
    """Return an id for each text, counting up from `first`."""
    return {text: first + place for place, text in enumerate(texts)}


def _numbered_tokens(name: str, count: int, first: int = 0) -> list[str]:
    """Return `count` special tokens with a name and a number, which counts up from `first`."""
    return [f"<|{name}_{number}|>" for number in range(first, first + count)]


def _whisper() -> list[str]:
    return [
        *(_END, "<|startoftranscript|>"),
        *(f"<|{language}|>" for language in _WHISPER_LANGUAGES.split()),
        *("<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>"),
        *("<|nospeech|>", "<|notimestamps|>"),
        *(f"<|{place * 0.02:.2f}|>" for place in range(1501)),
    ]


def _llama3() -> list[str]:
    reserved = "reserved_special_token"
    return [
        *("<|begin_of_text|>", "<|end_of_text|>", *_numbered_tokens(reserved, 2)),
        *("<|finetune_right_pad_id|>", "<|step_id|>", "<|start_header_id|>", "<|end_header_id|>"),
        *(
            "<|eom_id|>",
            "<|eot_id|>",
            "<|python_tag|>",
            "<|image|>",
            *_numbered_tokens(reserved, 244, 2),
        ),
    ]


def _llama4() -> list[str]:
    text, vision, reasoning = (
        f"{name}_reserved_special_token" for name in ("text_post_train", "vision", "reasoning")
    )
    known = [
        *("<|begin_of_text|>", "<|end_of_text|>", *_FIM),
        *("<|header_start|>", "<|header_end|>", "<|eom|>", "<|eot|>", "<|step|>"),
        *(
            *_numbered_tokens(text, 6),
            "<|python_start|>",
            "<|python_end|>",
            "<|finetune_right_pad|>",
        ),
        *_numbered_tokens(text, 61, 8),
        *("<|image_start|>", "<|image_end|>", *_numbered_tokens(vision, 2)),
        *("<|tile_x_separator|>", "<|tile_y_separator|>", *_numbered_tokens(vision, 4, 2)),
        *(
            "<|image|>",
            *_numbered_tokens(vision, 1, 6),
            "<|patch|>",
            *_numbered_tokens(vision, 1041, 7),
        ),
        *_numbered_tokens(reasoning, 8),
        *("<|reasoning_thinking_start|>", "<|reasoning_thinking_end|>"),
    ]
    return known + _numbered_tokens("reserved_special_token", 2048 - len(known))


def _kimi() -> dict[str, int]:
    """Return the ids of Kimi's 256 special tokens: those all its models name, and reserved ones."""
    texts = {token: f"<|reserved_token_{token}|>" for token in range(163584, 163840)}
    texts |= {
        **{163584: "[BOS]", 163585: "[EOS]", 163586: "<|im_end|>", 163587: "<|im_user|>"},
        **{163588: "<|im_assistant|>", 163590: "<|start_header_id|>"},
        **{163591: "<|end_header_id|>", 163593: "[EOT]", 163594: "<|im_system|>"},
        **{163595: "<|tool_calls_section_begin|>", 163596: "<|tool_calls_section_end|>"},
    }
    return {text: token for token, text in texts.items()}


PUBLISHED: dict[str, Published] = {
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": Published(
        "r50k_base", "r50k_base", {_END: 50256}
    ),
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": Published(
        "p50k_base", "r50k_base", {_END: 50256}
    ),
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": Published(
        "cl100k_base",
        "cl100k_base",
        {_END: 100257, **_ids_counting_up(100258, _FIM), _PROMPT: 100276},
    ),
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": Published(
        "o200k_base", "o200k_base", {_END: 199999, _PROMPT: 200018}
    ),
    "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55": Published(
        "llama3", "llama3", _ids_counting_up(128000, _llama3())
    ),
    "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed": Published(
        "llama4", "o200k_base", _ids_counting_up(200000, _llama4())
    ),
    "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126": Published(
        "whisper_multilingual", "r50k_base", _ids_counting_up(50257, _whisper())
    ),
    "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186": Published(
        "qwen",
        "qwen",
        _ids_counting_up(
            151643, [_END, "<|im_start|>", "<|im_end|>", *_numbered_tokens("extra", 205)]
        ),
    ),
    "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103": Published(
        "kimi_k2", "kimi_k2", _kimi()
    ),
}
"""What is known of published files, by the SHA-256 of their bytes. Whisper's gpt2.tiktoken is
r50k_base with more special tokens; the ranks of p50k_edit are those of p50k_base."""
