"""Random model folders, imported: what transformers' AutoTokenizer makes of them, or a refusal.

    WWHO_FUZZ_FOLDERS=5000 python -m pytest tests/py/test_fuzz_folders.py
    python tests/fuzz/folders.py --folders 5000 --seed 7
    python tests/fuzz/folders.py --only 123 --seed 7 --keep build/folder  # one folder, smaller

A folder has the vocabulary files of a class, a tokenizer_config.json with random options, and the
files that older versions of transformers wrote; or it is what AutoTokenizer saves of such a folder,
with or without its tokenizer.json, and changed. Some name another class, or lack a file.
"""

# ruff: noqa: B023 - each function is called before the loop goes on

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "py")]

import transformers  # noqa: E402
from folder_files import NAMES, SPECIAL, WORDS, Files, files_of  # noqa: E402

from wwho.errors import WwhoError  # noqa: E402
from wwho.evaluate.check.library_comparison import HARD_TEXTS  # noqa: E402
from wwho.format.write import write_artifact  # noqa: E402
from wwho.hf import WWHOTokenizer  # noqa: E402
from wwho.hf.open_model import recorded_class  # noqa: E402
from wwho.importers import import_file  # noqa: E402
from wwho.importers.detect import open_source  # noqa: E402
from wwho.importers.transformers.byte_ids import CLASSES as CLASSES_OF_BYTES  # noqa: E402
from wwho.importers.transformers.choice import tables  # noqa: E402
from wwho.importers.transformers.class_document import ClassDocument  # noqa: E402
from wwho.importers.transformers.slow_tokens import ENDS_TWICE  # noqa: E402
from wwho.interchange.tokenizer_json import KEY  # noqa: E402
from wwho.tokenizer import Tokenizer  # noqa: E402

N_TEXTS = 24
"""Texts that a folder is compared on."""
CONFIG = "tokenizer_config.json"
OLDER = "special_tokens_map.json"
NUMBERED = "added_tokens.json"
ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
TOKENS = (
    *SPECIAL,
    *("<x>", "<y>", "<image>", "low", "LOW", "new er", " a", "é", "đem", "▁low", "##er", "ew"),
    *("<extra_id_0>", "en_XX", "__fr__", "</s><s>", "İ", "1", "a b", "ﬁ", "\u3000x"),
)
"""Texts of tokens that settings name."""
VALUES: Mapping[str, Sequence[Any]] = {
    **dict.fromkeys(
        (
            *("add_prefix_space", "trim_offsets", "legacy", "add_bos_token", "add_eos_token"),
            *("clean_up_tokenization_spaces", "do_lower_case", "do_lowercase", "keep_accents"),
            *("tokenize_chinese_chars", "clean_text", "remove_space", "split_by_punct"),
            *("split_special_tokens", "do_basic_tokenize", "do_upper_case", "normalization"),
            *("use_default_system_prompt", "legacy_behaviour", "do_word_tokenize"),
            *("spaces_between_special_tokens", "use_fast", "do_subword_tokenize", "normalize"),
            "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output",
        ),
        (True, False),
    ),
    "strip_accents": (True, False, None),
    "padding_side": ("left", "right"),
    "truncation_side": ("left", "right"),
    "model_max_length": (12, 512, 1000000000000000019884624838656, 1e30, None),
    "max_len": (20,),
    "pad_token_type_id": (0, 3),
    "model_input_names": (["input_ids", "attention_mask"], ["input_ids"]),
    "errors": ("replace", "ignore"),
    "extra_ids": (0, 7, 100),
    "offset": (0, 103, 5),
    "never_split": (["low"],),
    "wordpieces_prefix": ("##", "@@"),
    "src_lang": ("en_XX", "si_LK", "eng_Latn", "python", "fr"),
    "tgt_lang": ("fr_XX", "hi_IN", "java", "de"),
    "language": ("german", "en", None),
    "task": ("translate", "transcribe"),
    "predict_timestamps": (True, False),
    "sp_model_kwargs": ({}, {"enable_sampling": False}),
    "name_or_path": ("somebody/something",),
    "special_tokens_map_file": ("/root/.cache/special_tokens_map.json",),
    "processor_class": ("AProcessor",),
    "unk_id": (0, 2, 3),
    "vocab_size": (7,),
    "max_length": (9,),
    "stride": (2,),
    "backend": ("tokenizers",),
    "verbose": (False,),
    "word_delimiter_token": ("|", " "),
    "use_token_type_ids": (True, False),
    "dropout": (None,),
    "pad_to_multiple_of": (8,),
    "fuse_unk": (True, False),
    "byte_fallback": (True, False),
}
"""Options of some class, each with values that it may have."""
CHAT = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{{ eos_token or '' }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
CHATS: Sequence[Any] = (
    CHAT,
    "{{ bos_token }}{{ messages[0]['content'] | trim }} [INST]",
    [{"name": "default", "template": CHAT}, {"name": "tool_use", "template": "{{ tools }}"}],
)
MESSAGES = [{"role": "user", "content": " low newer <s>"}, {"role": "assistant", "content": "é!"}]


@dataclass
class Folder:
    """A folder that is to be written.

    Attributes:
        name: the class whose vocabulary files lie there.
        form: how its files were made.
        files: their contents, by name.
    """

    name: str
    form: str = "new"
    files: Files = field(default_factory=dict)

    def json(self, name: str) -> dict[str, Any]:
        """Return the object in a file; {} if there is none."""
        found: dict[str, Any] = json.loads(self.files.get(name, b"{}"))
        return found

    def put(self, name: str, value: Any) -> None:
        """Put an object into a file."""
        self.files[name] = json.dumps(value, ensure_ascii=False, indent=1).encode()

    def write(self, path: Path) -> Path:
        """Write the files into a new folder, in the place of one that is there; return the path."""
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        for name, data in self.files.items():
            (path / name).write_bytes(data)
        return path


def token(chance: random.Random, text: str | None = None) -> Any:
    """Return a token of settings: a text, or an object with flags; rarely one without a type."""
    text = chance.choice(TOKENS) if text is None else text
    if chance.random() < 0.5:
        return text
    flags = {flag: chance.random() < 0.4 for flag in FLAGS if chance.random() < 0.8}
    kind = {"__type": "AddedToken"} if chance.random() < 0.95 else {}
    return {**kind, "content": text, **flags}


def older_token(chance: random.Random) -> Any:
    """Return a token as older files have it: a text, or an object without a type."""
    found = token(chance)
    if isinstance(found, dict):
        found = {key: value for key, value in found.items() if key not in ("__type", "special")}
    return found


def listed(chance: random.Random, size: int) -> dict[str, Any]:
    """Return an added_tokens_decoder: some ids of the vocabulary, and some after it."""
    found = {}
    for _ in range(chance.randint(1, 4)):
        number = chance.choice(
            (chance.randint(0, 5), chance.randint(0, size), size, size + 1, size + 9)
        )
        flags = {flag: chance.random() < 0.4 for flag in FLAGS if chance.random() < 0.9}
        found[str(number)] = {"content": chance.choice(TOKENS), **flags}
    return found


def settings(chance: random.Random, name: str, size: int) -> dict[str, Any]:
    """Return options and tokens, at random.

    Args:
        chance: the generator whose numbers count.
        name: the class.
        size: about how many tokens the vocabulary has.
    """
    often = chance.choice((0.0, 0.04, 0.12, 0.25))
    found = {
        key: chance.choice(values) for key, values in VALUES.items() if chance.random() < often
    }
    often = chance.choice((0.0, 0.1, 0.3))
    for role in ROLES:
        if chance.random() < often:
            found[role] = None if chance.random() < 0.1 else token(chance)
    if chance.random() < often:
        found[chance.choice(("image_token", "boi_token"))] = token(chance, "<image>")
    for key in ("extra_special_tokens", "additional_special_tokens"):
        if chance.random() < 0.8 * often:
            found[key] = [token(chance) for _ in range(chance.randint(0, 3))]
    if chance.random() < 0.3 * often:
        found["extra_special_tokens"] = {"audio_token": "<audio>", "sep_token": "<sep2>"}
    if chance.random() < 1.5 * often:
        found["added_tokens_decoder"] = listed(chance, size)
    if chance.random() < 0.15:
        found["chat_template"] = chance.choice(CHATS)
    if name in ("NllbTokenizer", "SeamlessM4TTokenizer") and chance.random() < 0.9:
        codes = {"N": ["eng_Latn", "sin_Sinh"], "S": ["__eng__", "__fra__"]}[name[0]]
        found["extra_special_tokens"] = [*codes, *found.get("extra_special_tokens", ())]
        found.pop("src_lang", None)
    return found


def older_files(chance: random.Random, folder: Folder, size: int) -> None:
    """Put what transformers 3 and 4 wrote into a folder, and take the new list out, mostly."""
    if chance.random() < 0.8:
        older: dict[str, Any] = {
            role: older_token(chance) for role in ROLES if chance.random() < 0.25
        }
        for key, often in (("additional_special_tokens", 0.4), ("extra_special_tokens", 0.1)):
            if chance.random() < often:
                older[key] = [older_token(chance) for _ in range(chance.randint(1, 3))]
        if chance.random() < 0.1:
            older["image_token"] = older_token(chance)
        folder.put(OLDER, older)
    if chance.random() < 0.6:
        numbers = range(size, size + chance.randint(1, 3))
        folder.put(NUMBERED, {chance.choice(TOKENS): number for number in numbers})
    if chance.random() < 0.85:
        config = folder.json(CONFIG)
        config.pop("added_tokens_decoder", None)
        folder.put(CONFIG, config)


def named(chance: random.Random, folder: Folder) -> None:
    """Let the settings of a folder name its class, in one of the ways there are, or wrongly."""
    config, name = folder.json(CONFIG), folder.name
    kinds = [kind for kind, each in tables()["model_types"].items() if each == name]
    way = chance.random()
    if way < 0.6 or not kinds:
        config["tokenizer_class"] = name
    elif way < 0.7:
        config["tokenizer_class"] = f"{name}Fast"
    if way >= 0.7 or chance.random() < 0.15:
        any_kind = chance.choice(sorted(tables()["model_types"]))
        kind = chance.choice(kinds) if kinds and chance.random() < 0.9 else any_kind
        folder.put("config.json", {"model_type": kind, "vocab_size": 7})
    if chance.random() < 0.04:
        others = (*NAMES, "PreTrainedTokenizerFast", "TokenizersBackend", "NoSuchTokenizer")
        config["tokenizer_class"] = chance.choice(others)
    if config or chance.random() < 0.5:
        folder.put(CONFIG, config)


def size_of(files: Files) -> int:
    """Return about how many tokens vocabulary files have."""
    if data := files.get("vocab.json"):
        return len(json.loads(data))
    lines = files.get("vocab.txt") or files.get("prophetnet.tokenizer")
    # A SentencePiece model has about 300 pieces here, and a class without files all bytes.
    return len(lines.splitlines()) if lines else 300 if files else 260


def saved(chance: random.Random, folder: Folder, path: Path) -> Folder | None:
    """Return what AutoTokenizer saves of a folder, changed at random; None if it cannot.

    Args:
        chance: the generator whose numbers count.
        folder: the folder.
        path: where folders may be written.
    """
    try:
        theirs = transformers.AutoTokenizer.from_pretrained(folder.write(path / "before"))
        theirs.save_pretrained(path / "after")
    except BaseException as error:  # what tokenizers' own code gives is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return None
    made = Folder(folder.name, "saved")
    made.files = {
        each.name: each.read_bytes() for each in (path / "after").iterdir() if each.is_file()
    }
    shutil.rmtree(path / "after")
    way = chance.random()
    if way < 0.3:
        return made
    made.files = {**folder.files, **made.files}
    config = made.json(CONFIG)
    made.form = "saved, with the files of before"
    if way > 0.6:
        # As transformers 4 has written it.
        made.form = "saved as by transformers 4"
        decoder = {
            str(number): dict(each.__getstate__())
            for number, each in theirs.added_tokens_decoder.items()
        }
        config["added_tokens_decoder"] = decoder
        if "extra_special_tokens" in config and isinstance(config["extra_special_tokens"], list):
            config["additional_special_tokens"] = config.pop("extra_special_tokens")
        older = {role: str(text) for role, text in theirs.special_tokens_map.items()}
        made.put(OLDER, older)
        if "Backend" not in str(config["tokenizer_class"]) and chance.random() < 0.7:
            config["tokenizer_class"] += "Fast"
        for key in ("backend", "is_local", "local_files_only"):
            config.pop(key, None)
    if chance.random() < 0.5:
        made.files.pop("tokenizer.json", None)
        made.form += ", without tokenizer.json"
    if chance.random() < 0.4:
        config |= settings(chance, folder.name, size_of(folder.files))
        made.form += ", changed"
    made.put(CONFIG, config)
    return made


COMPONENTS: Mapping[str, Sequence[Any]] = {
    "normalizer": (
        *(None, {"type": "NFC"}, {"type": "Lowercase"}, {"type": "Prepend", "prepend": "▁"}),
        {"type": "Replace", "pattern": {"String": "e"}, "content": "a"},
    ),
    "pre_tokenizer": (
        *(None, {"type": "Whitespace"}, {"type": "BertPreTokenizer"}),
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True},
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    ),
    "post_processor": (
        None,
        {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}],
         "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
         "special_tokens": {}},
    ),
    "decoder": (None, {"type": "Fuse"}, {"type": "WordPiece", "prefix": "##", "cleanup": False}),
}  # fmt: skip
"""Components that may take the place of those of a tokenizer.json."""


def change_document(chance: random.Random, folder: Folder) -> None:
    """Put other components, other options and other added tokens into a tokenizer.json."""
    document = folder.json("tokenizer.json")
    for part, values in COMPONENTS.items():
        if chance.random() < 0.4:
            document[part] = chance.choice(values)
    if chance.random() < 0.2 and document["added_tokens"]:
        document["added_tokens"].pop()
    for each in document["added_tokens"]:
        if chance.random() < 0.1:
            each[chance.choice(FLAGS)] = chance.random() < 0.5
    if chance.random() < 0.2 and document["model"]["type"] == "BPE":
        document["model"] |= {"fuse_unk": True, "unk_token": "<unk>"}
    folder.put("tokenizer.json", document)
    folder.form += ", with another tokenizer.json"


def folder_of(seed: str, name: str, path: Path) -> Folder:
    """Return the folder of a seed.

    Args:
        seed: the seed.
        name: the class.
        path: where folders may be written.
    """
    chance = random.Random(seed)
    folder = Folder(name, files=files_of(chance, name))
    size = size_of(folder.files)
    folder.put(CONFIG, settings(chance, name, size))
    named(chance, folder)
    way = chance.random()
    if way < 0.3:
        folder.form = "older"
        older_files(chance, folder, size)
    elif way < 0.6:
        folder = saved(chance, folder, path) or folder
        if "tokenizer.json" in folder.files and chance.random() < 0.4:
            change_document(chance, folder)
    if chance.random() < 0.05:
        gone = chance.choice(sorted(folder.files))
        del folder.files[gone]
        folder.form += f", without {gone}"
    if chance.random() < 0.05:
        folder.files["chat_template.jinja"] = CHAT.encode()
    return folder


def texts_of(chance: random.Random, folder: Folder) -> list[str]:
    """Return texts for a folder: hard ones, and random ones of words and the folder's tokens."""
    content = b" ".join(folder.files.get(name, b"") for name in (CONFIG, OLDER, NUMBERED)).decode()
    own = [each for each in TOKENS if json.dumps(each, ensure_ascii=False) in content]
    texts = [*chance.sample(HARD_TEXTS, N_TEXTS // 3)]
    while len(texts) < N_TEXTS:
        pool = [*WORDS, *TOKENS[:8], *own * 6]
        words = (chance.choice(pool) for _ in range(chance.randint(1, 8)))
        texts.append("".join(word + chance.choice(("", " ", " ", "  ", "\n")) for word in words))
    return texts


class UnopenedError(Exception):
    """A folder that is not compared: its message says who refuses it, and why."""


class DifferenceError(Exception):
    """A difference.

    Attributes:
        part: what differs, such as "ids" or "padding_side".
    """

    def __init__(self, part: str, message: str) -> None:
        """Take the part, and a message that says how it differs."""
        super().__init__(f"{part}: {message}")
        self.part = part


def attempt(call: Callable[[], Any]) -> tuple[Any, str | None]:
    """Return what a call returns, and the class and message of its error, or None."""
    try:
        return call(), None
    except BaseException as error:  # what tokenizers' own code gives is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return None, f"{type(error).__name__}: {error}"


def open_theirs(path: Path) -> Any:
    """Return AutoTokenizer's tokenizer of a folder.

    Raises:
        UnopenedError: it cannot open the folder, or cannot encode a letter.
    """
    theirs, error = attempt(
        lambda: transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
    )
    if error is None:
        _, error = attempt(lambda: theirs("a"))
    if error is not None:
        raise UnopenedError(f"AutoTokenizer: {error}")
    return theirs


def refused(error: BaseException, who: str) -> Exception:
    """Return the error of a refusal: one with a type is fine, another is a finding."""
    if isinstance(error, (WwhoError, ValueError)):
        return UnopenedError(f"{who}: {error}")
    return DifferenceError(who, f"fails: {type(error).__name__}: {error}")


def shown(found: Any, expected: Any) -> str:
    """Return where two values differ first."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in [*found, *expected]:
            ours, theirs = found.get(key, "nothing"), expected.get(key, "nothing")
            if ours != theirs:
                return f"[{key!r}] {shown(ours, theirs)}"
    if isinstance(found, list) and isinstance(expected, list) and len(expected) > 9:
        pairs = enumerate(zip(found, expected, strict=False))
        place = next(
            (n for n, (ours, theirs) in pairs if ours != theirs), min(len(found), len(expected))
        )
        lengths = (len(found), len(expected))
        if lengths[0] == lengths[1] and isinstance(found[place], (list, dict)):
            return f"[{place}] {shown(found[place], expected[place])}"
        some = slice(max(place - 2, 0), place + 4)
        return (
            f"[{some.start}:] {found[some]}, not {expected[some]}; {lengths[0]}, not {lengths[1]}"
        )
    return f"{found!r}, not {expected!r}"


def same(part: str, ours: Callable[[], Any], theirs: Callable[[], Any], what: Any = "") -> bool:
    """Compare two calls: True if both return the same; False if one refuses, here by name.

    Raises:
        DifferenceError: they return different values; or ours fails with no message for a user.
    """
    expected, error = attempt(theirs)
    if error is not None:
        return False
    try:
        found = ours()
    except Exception as failed:
        refusal = refused(failed, part)
        if isinstance(refusal, DifferenceError):
            raise refusal from failed
        return False
    if found != expected:
        raise DifferenceError(part, f"{what!r} {shown(found, expected)}")
    return True


def plain(row: Any) -> Any:
    """Return a row or batch as a dictionary, without shapes and sounds, which notes speak of."""
    return {
        key: row[key] for key in row if key not in ("input_shape_ids", "input_pronunciation_ids")
    }


def compare_artifact(path: Path, theirs: Any, texts: Sequence[str]) -> None:
    """Compare the artifact of `wwho import` with AutoTokenizer's tokenizer.

    Raises:
        UnopenedError: the import refuses the folder.
        DifferenceError: there is a difference that no note of the import tells.
    """
    try:
        imported = import_file(path)
        model = Tokenizer.from_bytes(write_artifact(imported.artifact))
    except Exception as error:
        raise refused(error, "wwho import") from error
    told = " ".join(imported.notes)
    if note := untold(path):
        raise UnopenedError(note)
    for text in texts:
        if excused(text, theirs, told):
            continue
        for special in (True, False):
            expected, failed = attempt(lambda: theirs.encode(text, add_special_tokens=special))
            if failed is not None or "left out: " in told:
                continue
            allowed: Any = () if theirs.split_special_tokens else "all"
            found = model.encode(text, allowed_special=allowed, add_special_tokens=special)
            if found != expected:
                raise DifferenceError(
                    "import", f"{text!r}, special={special} {shown(found, expected)}"
                )


def untold(path: Path) -> str:
    """Return the note that what the class of a folder builds is not known; "" if it is known."""
    source = open_source(path)
    notes = source.built.notes if isinstance(source, ClassDocument) else ()
    return next((note for note in notes if "does not take tokenizer.json as it is" in note), "")


def excused(text: str, theirs: Any, told: str) -> bool:
    """Return whether an artifact is known to differ on a text, as notes of the import say."""
    ends_twice = ENDS_TWICE in told and str(theirs.eos_token) in text
    return ends_twice or bool(theirs.split_special_tokens and "also if not allowed" in told)


def compare_names(ours: Any, theirs: Any) -> None:
    """Compare the names of ids.

    An id without a token has a made-up name here, as has one whose text is another token's; and an
    added token is called by its text, not by its normalized one. Classes whose ids are bytes call
    an id behind the last byte by the character of its number.

    Raises:
        DifferenceError: a name differs.
    """
    names, _ = attempt(lambda: theirs.convert_ids_to_tokens([*range(len(theirs))]))
    added = theirs.added_tokens_decoder
    of_bytes = recorded_class(ours.wwho.info) in CLASSES_OF_BYTES
    known = [
        number
        for number, each in enumerate(names or ())
        if each is not None
        and not (of_bytes and each not in theirs.get_vocab())
        and theirs.convert_tokens_to_ids(each) == number
        and (number not in added or added[number].content == each)
    ]
    same(
        "convert_ids_to_tokens",
        lambda: ours.convert_ids_to_tokens(known),
        lambda: theirs.convert_ids_to_tokens(known),
    )


def known_flags(tokenizer: Any, theirs: Any) -> Any:
    """Return what both tell of the added tokens alike, by id.

    A class in Python makes no use of what its tokens say of normalized text and of skipping. What
    is found in normalized text is special here only if it stands there as it is.
    """
    if not theirs.is_fast:
        return None
    found = {}
    for number, each in tokenizer.added_tokens_decoder.items():
        flags = {flag: getattr(each, flag) for flag in FLAGS}
        found[number] = (each.content, flags | {"special": each.special and not each.normalized})
    return found


def compare_attributes(ours: Any, theirs: Any) -> None:
    """Compare what the two tokenizers say of themselves.

    Raises:
        DifferenceError: something differs.
    """
    for name in (
        *("all_special_ids", "all_special_tokens", "special_tokens_map", "extra_special_tokens"),
        *("padding_side", "truncation_side", "model_max_length", "model_input_names"),
        *("pad_token_type_id", "chat_template", "split_special_tokens"),
        *(each for role in ROLES for each in (role, f"{role}_id")),
    ):
        same(name, lambda: getattr(ours, name), lambda: getattr(theirs, name))
    same("len", lambda: len(ours), lambda: len(theirs))
    same(
        "added_tokens_decoder",
        lambda: known_flags(ours, theirs),
        lambda: known_flags(theirs, theirs),
    )
    if type(theirs).__name__ != "CanineTokenizer":  # which names surrogates
        compare_names(ours, theirs)
    same(
        "num_special_tokens_to_add",
        lambda: [ours.num_special_tokens_to_add(pair) for pair in (False, True)],
        lambda: [theirs.num_special_tokens_to_add(pair) for pair in (False, True)],
    )


def decoded(ours: Any, ids: Any, skip: bool) -> str:
    """Return the text of ids; of added tokens the bytes that tokenizers makes of them."""
    like_library = KEY in ours.wwho.info.provenance
    found: str = ours.decode(ids, skip_special_tokens=skip, like_tokenizers=like_library)
    return found


def compare_tokenizers(path: Path, theirs: Any, texts: Sequence[str]) -> None:
    """Compare `WWHOTokenizer.from_pretrained` with AutoTokenizer's tokenizer.

    Raises:
        UnopenedError: ours refuses the folder.
        DifferenceError: there is a difference.
    """
    try:
        ours = WWHOTokenizer.from_pretrained(path)
    except Exception as error:
        raise refused(error, "wwho.hf") from error
    if note := untold(path):
        raise UnopenedError(note)
    added = theirs.added_tokens_decoder.values()
    # Where a token takes the space behind it and the next the space before it, both have it there.
    strips_both = any(each.rstrip for each in added) and any(
        each.lstrip or each.content[:1].isspace() for each in added
    )
    for text, other in zip(texts, reversed(texts), strict=True):
        for special in (True, False):
            flags = {"add_special_tokens": special}
            same(
                "ids",
                lambda: plain(ours(text, **flags)),
                lambda: plain(theirs(text, **flags)),
                (text, flags),
            )
            ids, _ = attempt(lambda: theirs(text, **flags)["input_ids"])
            for skip in (True, False):
                same(
                    "decode",
                    lambda: decoded(ours, ids, skip),
                    lambda: theirs.decode(ids, skip_special_tokens=skip),
                    (text, ids, skip),
                )
        if theirs.is_fast and not strips_both:
            flags = {"return_offsets_mapping": True, "return_special_tokens_mask": True}
            same(
                "offsets",
                lambda: plain(ours(text, **flags)),
                lambda: plain(theirs(text, **flags)),
                text,
            )
        same(
            "pair",
            lambda: plain(ours(text, other)),
            lambda: plain(theirs(text, other)),
            (text, other),
        )
    compare_attributes(ours, theirs)
    compare_batches(ours, theirs, texts)
    for flags in ({"tokenize": False}, {"add_generation_prompt": True, "return_dict": False}):
        same(
            "apply_chat_template",
            lambda: ours.apply_chat_template(MESSAGES, **flags),
            lambda: theirs.apply_chat_template(MESSAGES, **flags),
            flags,
        )


def compare_batches(ours: Any, theirs: Any, texts: Sequence[str]) -> None:
    """Compare padded and truncated batches.

    Raises:
        DifferenceError: something differs.
    """
    pairs = [[*each] for each in zip(texts[:6], texts[6:12], strict=False)]
    for rows, flags in (
        (texts, {"padding": True}),
        (texts, {"padding": "max_length", "max_length": 9, "truncation": True}),
        (pairs, {"padding": True, "max_length": 11, "truncation": "longest_first"}),
        (pairs, {"max_length": 8, "truncation": "only_first"}),
    ):
        same(
            "batch",
            lambda: plain(ours(rows, **flags)),
            lambda: plain(theirs(rows, **flags)),
            flags,
        )


@dataclass
class Outcome:
    """What a run found.

    Attributes:
        classes: how many folders of each class were compared.
        forms: how many of each form.
        unopened: how many were refused, by who refuses them and why.
        differences: seeds, classes, forms and what differs.
    """

    classes: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    unopened: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[str, str, str, str, str]] = field(default_factory=list)


def kind_of(message: str) -> str:
    """Return a message without what is in quotation marks, and without paths."""
    message = re.sub(r"/\S+?(: |$)", "", message.partition("\n")[0])
    message = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "'..'", message)
    return re.sub(r"\d+", "N", message)[:150]


def judge(folder: Folder, path: Path, seed: str) -> DifferenceError | None:
    """Return what differs for a folder, None for nothing.

    Args:
        folder: the folder.
        path: where it may be written.
        seed: the seed of the texts.

    Raises:
        UnopenedError: somebody refuses it.
    """
    if not {CONFIG, "config.json"} & folder.files.keys():
        raise UnopenedError("nothing names a class: the one file is read as it is")
    folder.write(path)
    theirs = open_theirs(path)
    texts = texts_of(random.Random(f"{seed} texts"), folder)
    refusals = []
    for compare in (compare_tokenizers, compare_artifact):
        try:
            compare(path, theirs, texts)
        except DifferenceError as difference:
            return difference
        except UnopenedError as error:
            refusals.append(error)
    if refusals:
        raise refusals[-1]
    return None


def try_folder(seed: str, name: str, path: Path, outcome: Outcome) -> Folder:
    """Compare the folder of a seed, which is returned, and add to the outcome."""
    folder = folder_of(seed, name, path)
    try:
        found = judge(folder, path / "folder", seed)
    except UnopenedError as error:
        outcome.unopened[kind_of(str(error))] += 1
        return folder
    outcome.classes[name] += 1
    outcome.forms[re.sub(r", without (?!tokenizer.json).*", ", without a file", folder.form)] += 1
    if found is not None:
        outcome.differences.append((seed, name, folder.form, found.part, str(found)))
    return folder


def smaller(folder: Folder) -> Iterator[Folder]:
    """Yield folders with one file, one setting or one item of a list less."""
    for name in folder.files:
        yield Folder(folder.name, folder.form, {k: v for k, v in folder.files.items() if k != name})
    for name in (CONFIG, OLDER, NUMBERED, "config.json"):
        content = folder.json(name)
        for key, value in content.items():
            less = [{k: v for k, v in content.items() if k != key}]
            if isinstance(value, dict):
                less += [
                    {**content, key: {k: v for k, v in value.items() if k != each}}
                    for each in value
                ]
                less += [
                    {**content, key: {**value, k: {m: n for m, n in v.items() if m != each}}}
                    for k, v in value.items()
                    if isinstance(v, dict)
                    for each in v
                ]
            if isinstance(value, list):
                less += [{**content, key: [v for v in value if v != each]} for each in value]
            for each in less:
                made = Folder(folder.name, folder.form, dict(folder.files))
                made.put(name, each)
                yield made


def shrunk(folder: Folder, path: Path, seed: str, part: str) -> Folder:
    """Return the smallest folder found with a difference of the same part."""
    for made in smaller(folder):
        try:
            found = judge(made, path, seed)
        except UnopenedError:
            continue
        if found is not None and found.part == part:
            return shrunk(made, path, seed, part)
    return folder


def class_of_seed(seed: str, names: Sequence[str]) -> str:
    """Return the class, of some, whose files the folder of a seed has."""
    return random.Random(f"{seed} class").choice(names)


def run(seed: str, folders: int, names: Sequence[str] = NAMES) -> Outcome:
    """Try so many folders, of random classes, while transformers warns of nothing."""
    outcome, level = Outcome(), transformers.logging.get_verbosity()
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    try:
        with tempfile.TemporaryDirectory() as path:
            for number in range(folders):
                one = f"{seed} {number}"
                try_folder(one, class_of_seed(one, names), Path(path), outcome)
                if number % 100 == 99:
                    print(f"{number + 1} folders, {len(outcome.differences)} differ")
    finally:
        transformers.logging.set_verbosity(level)
    return outcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; 1 where there is a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--folders", type=int, default=500)
    parser.add_argument("--names", nargs="*", default=NAMES, help="the classes")
    parser.add_argument("--only", type=int, help="the number of one folder")
    parser.add_argument("--keep", type=Path, help="where the one folder is left, made smaller")
    options = parser.parse_args(arguments)
    if options.only is not None:
        seed = f"{options.seed} {options.only}"
        name = class_of_seed(seed, options.names)
        with tempfile.TemporaryDirectory() as path:
            outcome = Outcome()
            folder = try_folder(seed, name, Path(path), outcome)
            for *_, part, _ in outcome.differences:
                folder = shrunk(folder, Path(path) / "folder", seed, part)
                print(judge(folder, Path(path) / "folder", seed))
        if options.keep:
            folder.write(options.keep)
        for file in (CONFIG, OLDER, NUMBERED, "config.json"):
            if file in folder.files:
                print(file, json.dumps(folder.json(file), ensure_ascii=False))
        print(folder.name, folder.form, sorted(folder.files), *outcome.unopened)
        return int(bool(outcome.differences))
    outcome = run(options.seed, options.folders, options.names)
    for count in (outcome.classes, outcome.forms, outcome.unopened):
        print(*(f"{number:6} {what}" for what, number in count.most_common()), "", sep="\n")
    for *about, _, what in outcome.differences:
        print(*about, what)
    return int(bool(outcome.differences))


if __name__ == "__main__":
    sys.exit(main())
