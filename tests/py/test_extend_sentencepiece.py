"""`wwho train --extend` for SentencePiece: old ids stay, new pieces come behind, engines agree."""

from __future__ import annotations

import io
import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from test_export import imported, like_bert, like_clip
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors

import wwho
from wwho.errors import ArtifactError, ExportError
from wwho.evaluate.check.library_comparison import HARD_TEXTS
from wwho.exporters import export
from wwho.format.read import read_artifact
from wwho.format.viterbi import Viterbi
from wwho.importers import Options, import_file
from wwho.importers.transformers import classes
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.interchange.charsmap import write_charsmap
from wwho.interchange.sentencepiece import Algorithm, Kind, parse_model
from wwho.train.extend import load_extendable

spm = pytest.importorskip("sentencepiece", reason="needs sentencepiece")

ENGLISH = """
the of and to in is was for that it with as his on be at by had not are but from or have an they
which one you were all her she there would their we him been has when who will no more if out so
people school village river teacher children morning evening history language country government
education university hospital mountain weather market beautiful important different another
between without through against because during before after under water garden kitchen window
"""
SINHALA = """
ගම ගමේ ගමට පාසල පාසලේ පාසලට ගුරුවරයා ගුරුවරු ළමයා ළමයින් ළමයි ගඟ ගඟේ කන්ද උදෑසන සවස ඉතිහාසය භාෂාව
භාෂාවේ රට රටේ රජය රජයේ අධ්‍යාපනය විශ්වවිද්‍යාලය රෝහල රෝහලේ කාලගුණය වෙළඳපොළ ලස්සන වැදගත් වෙනස් තවත්
අතර නැතිව හරහා නිසා පෙර පසුව යට ජලය උයන මුළුතැන්ගෙය ජනේලය සහ හා බව ඇත නැත කරන ලද විය වේ මෙම ඒ එය ඔහු ඇය
ශ්‍රී ලංකාව ලංකාවේ කොළඹ මහනුවර පොත පොත් කියවනවා ලියනවා යනවා එනවා
"""
HINDI = "गाँव स्कूल बच्चे नदी पहाड़ सुबह शाम इतिहास भाषा देश सरकार शिक्षा और में का की के है था"


def sentences(text: str, n: int, seed: int) -> list[str]:
    """Return sentences of random words of a text, a few with digits and punctuation."""
    chance, words = random.Random(seed), text.split()
    found = []
    for _ in range(n):
        line = " ".join(chance.choices(words, k=chance.randint(3, 12)))
        found.append(line + chance.choice([".", "", "?", " 12", ", (a-b)"]))
    return found


OLD_TEXTS, NEW_TEXTS = sentences(ENGLISH, 100, 1), sentences(SINHALA, 100, 2)
MIXED = [f"{old} {new}" for old, new in zip(OLD_TEXTS, NEW_TEXTS, strict=True)]
TEXTS = [*OLD_TEXTS, *NEW_TEXTS, *MIXED, *HARD_TEXTS]
SPECIAL = ("<s>", "</s>", "<unk>", "<extra_0>")


def trained(**options: Any) -> bytes:
    """Return a `.model` trained on English, with a few characters of Sinhala."""
    stream = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter([*sentences(ENGLISH, 400, 3), *sentences(SINHALA, 3, 4)]),
        model_writer=stream,
        minloglevel=2,
        hard_vocab_limit=False,
        **options,
    )
    return stream.getvalue()


LLAMA = {
    "model_type": "bpe",
    "vocab_size": 420,
    "byte_fallback": True,
    "split_digits": True,
    "normalization_rule_name": "identity",
    "remove_extra_whitespaces": False,
}
MISTRAL = {**LLAMA, "user_defined_symbols": ["[INST]"], "add_dummy_prefix": True}
T5 = {"model_type": "unigram", "vocab_size": 220}
PLAIN = {**T5, "normalization_rule_name": "identity", "remove_extra_whitespaces": False}
KINDS: dict[str, dict[str, Any]] = {"llama": LLAMA, "mistral": MISTRAL, "t5": T5, "plain": PLAIN}


def llama_document(data: bytes, *, legacy: bool) -> str:
    """Return the tokenizer.json that transformers makes of a Llama's `.model`."""
    pieces = parse_model(data).pieces
    vocab = {piece.text.decode(): number for number, piece in enumerate(pieces)}
    normal = [piece for piece in pieces if piece.kind is Kind.NORMAL]
    merges = [
        (text[:at], text[at:])
        for piece in sorted(normal, key=lambda piece: -piece.score)
        for text in [piece.text.decode()]
        for at in range(1, len(text))
        if text[:at] in vocab and text[at:] in vocab
    ]
    made = tokenizers.Tokenizer(
        models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    if legacy:
        steps = [normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]
        made.normalizer = normalizers.Sequence(steps)
    else:
        made.pre_tokenizer = pre_tokenizers.Metaspace("\u2581", "first", split=False)
    made.decoder = decoders.Sequence(
        [
            decoders.Replace("\u2581", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    made.add_special_tokens(["<unk>", "<s>", "</s>", "<extra_0>"])
    made.add_tokens([AddedToken("<|user|>", normalized=False)])
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return str(made.to_str())


def t5_document(data: bytes, *, inside: bool) -> str:
    """Return a tokenizer.json as that of T5; added tokens are in its vocabulary or beside it."""
    model = parse_model(data)
    vocab = [(piece.text.decode(), piece.score) for piece in model.pieces]
    made = tokenizers.Tokenizer(
        models.Unigram([*vocab, *([("<extra_0>", 0.0)] * inside)], 0, byte_fallback=False)
    )
    charsmap = normalizers.Precompiled(write_charsmap(model.charsmap.rules))
    steps = [
        charsmap,
        normalizers.Strip(False, True),
        normalizers.Replace(Regex(" {2,}"), "\u2581"),
    ]
    made.normalizer = normalizers.Sequence(steps)
    made.pre_tokenizer = pre_tokenizers.Metaspace("\u2581", "always", split=True)
    made.decoder = decoders.Metaspace("\u2581", "always", split=True)
    made.add_special_tokens(["<unk>", "<s>", "</s>", "<extra_0>"])
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 2)]
    )
    return str(made.to_str())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tokenizer of each kind, and a corpus in Sinhala."""
    path = tmp_path_factory.mktemp("extend")
    for name, options in KINDS.items():
        (path / f"{name}.model").write_bytes(trained(**options))
    llama, t5 = ((path / f"{name}.model").read_bytes() for name in ("llama", "t5"))
    for legacy in (True, False):
        name = "legacy" if legacy else "metaspace"
        (path / f"{name}.json").write_text(llama_document(llama, legacy=legacy), "utf-8")
    for inside in (True, False):
        name = "inside" if inside else "beside"
        (path / f"{name}.json").write_text(t5_document(t5, inside=inside), "utf-8")
    (path / "corpus.txt").write_text("\n".join(sentences(SINHALA, 400, 5)), "utf-8")
    return path


FILES = (
    *("llama.model", "mistral.model", "t5.model", "plain.model"),
    *("legacy.json", "metaspace.json", "inside.json", "beside.json"),
)
N_NEW = 90


def extend(cli: Any, file: Path, out: Path, *more: object) -> wwho.Tokenizer:
    """Extend a file by the command, with the corpus beside it, and open the result."""
    given = ("--extend", file, "--vocab-size", str(N_NEW), "--prune", "3", *more)
    done = cli("train", *given, "-o", out, file.parent / "corpus.txt")
    assert done.code == 0
    assert not done.err or "ids asked for: no further pair" in done.err
    return wwho.Tokenizer.load(out)


def texts_of_ids(path: Path) -> dict[int, bytes]:
    """Return what each id is: the text of a token, added tokens among them."""
    artifact = read_artifact(path.read_bytes()) if path.suffix == ".wwho" else None
    artifact = artifact or import_file(path).artifact
    tokens = zip(artifact.token_ids[0], artifact.models[0].texts, strict=True)
    found = {number: text for number, text in tokens if number is not None}
    found |= {
        number: b"<0x%02X>" % k
        for k, number in enumerate(artifact.models[0].byte_ids)
        if number is not None
    }
    return {each.id: each.text.encode() for each in artifact.added} | found


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_old_ids_stay(cli: Any, folder: Path, tmp_path: Path, name: str) -> None:
    file, out = folder / name, tmp_path / "new.wwho"
    extended(cli, file, tmp_path)
    old, new = wwho.Tokenizer.from_file(file), wwho.Tokenizer.load(out)
    size = old.n_vocab
    assert new.n_vocab == size + N_NEW
    before, after = texts_of_ids(file), texts_of_ids(out)
    assert {number: after[number] for number in before} == before
    assert sorted(after.keys() - before.keys()) == [*range(size, size + N_NEW)]

    for text in [*OLD_TEXTS, *HARD_TEXTS]:
        a, b = (each.encode(text, allowed_special="all") for each in (old, new))
        if max(b, default=0) < size:
            assert a == b, text
        if text in OLD_TEXTS:
            assert a == b, text
    counts = [sum(map(len, each.encode_batch(NEW_TEXTS))) for each in (old, new)]
    assert counts[1] < 0.7 * counts[0]
    assert [new.decode(new.encode(text)) for text in OLD_TEXTS] == [
        old.decode(old.encode(text)) for text in OLD_TEXTS
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["llama.model", "legacy.json", "metaspace.json"])
def test_no_text_takes_more_tokens_of_a_bpe(
    cli: Any, folder: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "corpus.txt").write_text("\n".join(sentences(ENGLISH, 300, 6)), "utf-8")
    file = tmp_path / name
    file.write_bytes((folder / name).read_bytes())
    old = wwho.Tokenizer.from_file(file)
    new = extend(cli, file, tmp_path / "new.wwho")
    pairs = [*zip(old.encode_batch(TEXTS), new.encode_batch(TEXTS), strict=True)]
    assert all(len(b) <= len(a) for a, b in pairs)
    assert any(len(b) < len(a) for a, b in pairs)  # English has new pieces, too
    # Text in which no new merge applies has the ids that it had.
    assert all(a == b for a, b in pairs if max(b, default=0) < old.n_vocab)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["llama.model", "t5.model", "inside.json"])
def test_a_schema_limits_the_pieces(cli: Any, folder: Path, tmp_path: Path, name: str) -> None:
    lines = [*sentences(f"{ENGLISH} zebra quartz", 300, 7), *sentences(HINDI, 200, 8)]
    (tmp_path / "corpus.txt").write_text("\n".join(lines), "utf-8")
    file = tmp_path / name
    file.write_bytes((folder / name).read_bytes())
    old, out = wwho.Tokenizer.from_file(file), tmp_path / "new.wwho"
    given = ("--extend", file, "--schema", "devanagari", "--prune", "3", "-o", out)
    done = cli("train", *given, tmp_path / "corpus.txt")
    assert (done.code, done.err) == (0, "")
    new = wwho.Tokenizer.load(out)
    found = [text.decode() for k, text in texts_of_ids(out).items() if k >= old.n_vocab]
    assert found
    assert all("\u0900" <= char <= "\u097f" or char == "\u2581" for char in "".join(found))
    texts = [*OLD_TEXTS, "quartz zebra, zebra quartz"]
    assert new.encode_batch(texts) == old.encode_batch(texts)
    assert "schema:devanagari" in new.info.provenance


def test_what_a_piece_is_made_of(cli: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("2024-11 ගම, (ගම) ගම! 2024\n" * 30, "utf-8")
    file = tmp_path / "llama.model"
    file.write_bytes((folder / "llama.model").read_bytes())
    old, out = wwho.Tokenizer.from_file(file), tmp_path / "new.wwho"
    done = cli("train", "--extend", file, "--prune", "3", "-o", out, tmp_path / "corpus.txt")
    assert done.code == 0, done.err
    found = [text.decode() for k, text in sorted(texts_of_ids(out).items()) if k >= old.n_vocab]
    # Characters first, in the order of code points; digits and punctuation are in no piece.
    single = [text for text in found if len(text) == 1]
    assert found[: len(single)] == sorted(single)
    assert {"\u2581ගම", "ගම"} <= {*found}
    assert not any({*"2014(),!"} & {*text} for text in found if len(text) > 1)


def test_the_old_ids_of_new_ones(cli: Any, folder: Path, tmp_path: Path) -> None:
    for name in ("llama.model", "legacy.json", "beside.json"):
        out = tmp_path / "new.wwho"
        old, _ = wwho.Tokenizer.from_file(folder / name), extend(cli, folder / name, out)
        table = json.loads((tmp_path / "new.embeddings.json").read_text())
        assert [*map(int, table)] == [*range(old.n_vocab, old.n_vocab + N_NEW)]
        texts = texts_of_ids(folder / name)
        for number, text in texts_of_ids(out).items():
            if number >= old.n_vocab and name != "beside.json":
                pieces = [texts[each] for each in table[str(number)]]
                plain = b"".join(
                    bytes([int(each[3:5], 16)]) if each.startswith(b"<0x") else each
                    for each in pieces
                )
                assert plain == text


@pytest.mark.slow
def test_the_scores_of_a_unigram_model(folder: Path, cli: Any, tmp_path: Path) -> None:
    file = folder / "t5.model"
    artifact = extended(cli, file, tmp_path)
    old = import_file(file).artifact.models[0]
    n = len(old.texts)
    model = artifact.models[0]
    assert isinstance(model, Viterbi)
    assert isinstance(old, Viterbi)
    assert model.scores[:n] == old.scores
    # So an unknown character has the score that it had.
    assert min(model.scores) == min(old.scores)


def test_the_scores_of_a_bpe(folder: Path, cli: Any, tmp_path: Path) -> None:
    made = export(extended(cli, folder / "llama.model", tmp_path), "sentencepiece")
    model = parse_model(made.data)
    size = wwho.Tokenizer.from_file(folder / "llama.model").n_vocab
    merged = [each for each in model.pieces[size:] if len(each.text.decode()) > 1]
    lowest = min(each.score for each in model.pieces[:size])
    assert model.algorithm is Algorithm.BPE
    assert all(each.score < lowest for each in merged)
    assert [each.score for each in merged] == sorted((e.score for e in merged), reverse=True)


def extended(cli: Any, file: Path, tmp_path: Path) -> Any:
    """Extend a file, once for all tests, and return the artifact; it lies in new.wwho, too."""
    kept = file.with_name(f"{file.name}.wwho")
    if not kept.exists():
        extend(cli, file, kept)
    (tmp_path / "new.wwho").write_bytes(kept.read_bytes())
    return read_artifact(kept.read_bytes())


@pytest.mark.parametrize("name", ["llama.model", "mistral.model", "t5.model", "plain.model"])
def test_a_model_opens_in_sentencepiece(cli: Any, folder: Path, tmp_path: Path, name: str) -> None:
    artifact = extended(cli, folder / name, tmp_path)
    ours = wwho.Tokenizer.load(tmp_path / "new.wwho")
    made = export(artifact, "sentencepiece")
    theirs = spm.SentencePieceProcessor(model_proto=made.data)
    assert theirs.get_piece_size() == ours.n_vocab
    for text in TEXTS:
        assert ours.encode(text) == theirs.encode(text), text
    # And it can be extended again.
    again = tmp_path / "again.model"
    again.write_bytes(made.data)
    (tmp_path / "corpus.txt").write_text("\n".join(sentences(HINDI, 200, 9)), "utf-8")
    assert extend(cli, again, tmp_path / "x.wwho").n_vocab > ours.n_vocab


@pytest.mark.parametrize("name", FILES)
def test_a_tokenizer_json_opens_in_tokenizers(
    cli: Any, folder: Path, tmp_path: Path, name: str
) -> None:
    artifact = extended(cli, folder / name, tmp_path)
    ours = wwho.Tokenizer.load(tmp_path / "new.wwho")
    made = export(artifact, "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_str(made.data.decode())
    is_model = name.endswith(".model")
    for text in TEXTS:
        if is_model and any(each in text for each in SPECIAL):
            continue  # found in every text there, as a note says
        ids = ours.encode(text, allowed_special="all")
        assert ids == theirs.encode(text, add_special_tokens=False).ids, text
    if not is_model:
        before = tokenizers.Tokenizer.from_file(str(folder / name))
        vocab = theirs.get_vocab()
        assert before.get_vocab().items() <= vocab.items()
        for text in OLD_TEXTS:
            assert before.encode(text).ids == theirs.encode(text).ids


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t5.model", "plain.model", "llama.model"])
def test_a_gguf_is_read_as_the_same_model(
    cli: Any, folder: Path, tmp_path: Path, name: str
) -> None:
    pytest.importorskip("gguf", reason="needs gguf")
    artifact = extended(cli, folder / name, tmp_path)
    ours = wwho.Tokenizer.load(tmp_path / "new.wwho")
    made = export(artifact, "gguf")
    path = tmp_path / "vocabulary.gguf"
    path.write_bytes(made.data)
    theirs = wwho.Tokenizer.from_file(path)
    for text in TEXTS:
        spaces = not text.strip(" ") and "t5" not in name
        if not spaces:
            assert ours.encode(text) == theirs.encode(text), text
    assert any("f64" in note for note in made.notes) == (name != "llama.model")


@pytest.mark.parametrize("name", ["t5.model", "llama.model"])
def test_a_gguf_opens_in_llama_cpp(cli: Any, folder: Path, tmp_path: Path, name: str) -> None:
    llama_cpp = pytest.importorskip("llama_cpp", reason="needs llama-cpp-python")
    artifact = extended(cli, folder / name, tmp_path)
    ours = wwho.Tokenizer.load(tmp_path / "new.wwho")
    path = tmp_path / "vocabulary.gguf"
    path.write_bytes(export(artifact, "gguf").data)
    model = llama_cpp.Llama(str(path), vocab_only=True, verbose=False)
    for text in filter(None, TEXTS):
        assert ours.encode(text) == model.tokenize(text.encode(), add_bos=False), text


CLUSTERED = "\u200b\u200c\u200d"
"""What tokenizers takes for one grapheme, and loses, as a note says."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["inside.json", "beside.json"])
def test_a_unigram_document_opens_in_other_engines(
    cli: Any, folder: Path, tmp_path: Path, name: str
) -> None:
    artifact = extended(cli, folder / name, tmp_path)
    ours = wwho.Tokenizer.load(tmp_path / "new.wwho")
    made = export(artifact, "sentencepiece")
    assert any("white space is treated there as in this model" in note for note in made.notes)
    theirs = spm.SentencePieceProcessor(model_proto=made.data)
    pieces = parse_model(made.data).pieces
    assert theirs.get_piece_size() == ours.n_vocab
    assert [each.kind for each in pieces[:3]] == [Kind.UNKNOWN, Kind.CONTROL, Kind.CONTROL]
    texts = [text for text in TEXTS if not any(each in text for each in (*SPECIAL, CLUSTERED))]
    assert len(texts) > len(TEXTS) - 4
    for text in texts:
        assert ours.encode(text) == theirs.encode(text), text
    pytest.importorskip("gguf", reason="needs gguf")
    path = tmp_path / "vocabulary.gguf"
    path.write_bytes(export(artifact, "gguf").data)
    llama = wwho.Tokenizer.from_file(path)
    for text in texts:
        assert ours.encode(text) == llama.encode(text), text


@pytest.mark.parametrize("change", ["digits", "lowercase", "across"])
def test_a_unigram_document_that_no_sentencepiece_is(
    folder: Path, tmp_path: Path, change: str
) -> None:
    document = json.loads((folder / "inside.json").read_text("utf-8"))
    if change == "digits":
        cuts = [{"type": "Digits", "individual_digits": True}, document["pre_tokenizer"]]
        document["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": cuts}
    elif change == "lowercase":
        document["normalizer"]["normalizers"].append({"type": "Lowercase"})
    else:
        document["model"]["vocab"].append(["\u2581of\u2581the", -3.0])
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(document), "utf-8")
    for kind in ("sentencepiece", "gguf"):
        with pytest.raises(ExportError, match="normalizes text otherwise"):
            export(import_file(file).artifact, kind)


def test_a_unigram_model_with_tokens_for_bytes_is_no_gguf(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "bytes.model"
    file.write_bytes(trained(model_type="unigram", vocab_size=480, byte_fallback=True))
    with pytest.raises(ExportError, match="tokens of their bytes"):
        export(import_file(file).artifact, "gguf")


def give_draft(draft: Draft, folder: ModelFolder, options: Options) -> Draft:
    """Return the draft, as the reader of a class does, whatever the folder."""
    return draft


def test_a_folder(cli: Any, folder: Path, tmp_path: Path, monkeypatch: Any) -> None:
    for name, content in (("tokenizer.model", "llama.model"), ("tokenizer.json", "legacy.json")):
        inner = tmp_path / name.replace(".", "_")
        inner.mkdir()
        (inner / name).write_bytes((folder / content).read_bytes())
        corpus = folder / "corpus.txt"
        out = tmp_path / "new.wwho"
        given = ("--extend", inner, "--vocab-size", "50", "--prune", "3", "-o", out)
        assert cli("train", *given, corpus).code == 0
        old, new = wwho.Tokenizer.from_file(inner), wwho.Tokenizer.load(out)
        assert new.n_vocab == old.n_vocab + 50
        assert new.encode_batch(OLD_TEXTS) == old.encode_batch(OLD_TEXTS)

    # A folder that a class reads, as a document and as what no document can say.
    document = json.loads((folder / "legacy.json").read_text("utf-8"))
    drafts = {
        "ToyTokenizer": Draft(document=document, defaults={"padding_side": "left"}),
        "OddTokenizer": Draft(artifact=import_file(folder / "llama.model").artifact),
    }
    for name, draft in drafts.items():
        known = ModelClass(files=(), read=partial(give_draft, draft))
        monkeypatch.setitem(classes.CLASSES, name, known)
        inner = tmp_path / name
        inner.mkdir()
        (inner / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name}))
        options = ("--extend", inner, "--vocab-size", "50", "--prune", "3")
        done = cli("train", *options, "-o", tmp_path / "x.wwho", folder / "corpus.txt")
        if draft.document is None:
            assert done.code == 1
            assert f"{inner} cannot be extended: it is a folder of OddTokenizer" in done.err
            continue
        assert done.code == 0, done.err
        old, new = wwho.Tokenizer.from_file(inner), wwho.Tokenizer.load(tmp_path / "x.wwho")
        assert new.n_vocab == old.n_vocab + 50
        assert new.encode_batch(OLD_TEXTS) == old.encode_batch(OLD_TEXTS)
        said = json.loads(new.info.provenance[classes.RECORD])
        assert said["class"] == name
        assert said["defaults"] == {"padding_side": "left"}


@pytest.mark.parametrize("name", ["llama.model", "inside.json"])
def test_the_size_of_all_ids_is_exact(cli: Any, folder: Path, tmp_path: Path, name: str) -> None:
    file, out = folder / name, tmp_path / "new.wwho"
    old = wwho.Tokenizer.from_file(file)
    for total, reserved in ((old.n_vocab + 40, 0), (old.n_vocab + 400, None)):
        options = ("--extend", file, "--total-size", total, "--prune", "3", "-o", out)
        done = cli("train", *options, folder / "corpus.txt")
        assert done.code == 0
        new = wwho.Tokenizer.load(out)
        assert new.n_vocab == total
        found = [text for text in new.special_tokens_set if "reserved" in text]
        assert bool(found) == (reserved is None) == ("the last" in done.err)
        assert new.encode_batch(OLD_TEXTS) == old.encode_batch(OLD_TEXTS)
        assert [new.decode(ids) for ids in new.encode_batch(NEW_TEXTS)] == NEW_TEXTS
    done = cli("train", "--extend", file, "--total-size", "9", "-o", out, folder / "corpus.txt")
    assert f"total_size is 9; it must be between {old.n_vocab + 1}, for the ids of" in done.err
    padded = ("--extend", file, "--vocab-size", "40", "--pad-to-multiple", "64", "-o", out)
    assert cli("train", *padded, folder / "corpus.txt").code == 0
    assert wwho.Tokenizer.load(out).n_vocab % 64 == 0


@pytest.mark.parametrize(
    ("make", "reason"),
    [(like_bert, "no BPE over bytes, but takes the longest"), (like_clip, "</w>")],
)
def test_other_kinds_are_refused(cli: Any, tmp_path: Path, make: Any, reason: str) -> None:
    imported(make, tmp_path)
    path = tmp_path / f"{make.__name__}.json"
    done = cli("train", "--extend", path, "-o", tmp_path / "x.wwho", stdin=b"text")
    assert done.code == 1
    assert f"{path} cannot be extended: " in done.err
    assert reason in done.err


def test_models_without_merges_are_refused(tmp_path: Path) -> None:
    for kind in ("char", "word"):
        file = tmp_path / f"{kind}.model"
        file.write_bytes(trained(model_type=kind, vocab_size=60))
        with pytest.raises(ArtifactError, match="its tokens are characters, or words"):
            load_extendable(file)


@pytest.mark.slow
def test_markers_behind_words_are_refused(cli: Any, tmp_path: Path, folder: Path) -> None:
    file = tmp_path / "suffix.model"
    file.write_bytes(trained(**T5, treat_whitespace_as_suffix=True))
    done = cli("train", "--extend", file, "-o", tmp_path / "x.wwho", folder / "corpus.txt")
    assert done.code == 1
    assert "U+2581 or a space stands before each word" in done.err


def test_a_gguf_is_refused(cli: Any, tmp_path: Path, folder: Path) -> None:
    pytest.importorskip("gguf", reason="needs gguf")
    file = tmp_path / "x.gguf"
    file.write_bytes(export(import_file(folder / "llama.model").artifact, "gguf").data)
    done = cli("train", "--extend", file, "-o", tmp_path / "x.wwho", folder / "corpus.txt")
    assert done.code == 1
    assert "it is a GGUF file, to which no pieces can be added; give the tokenizer" in done.err


@pytest.mark.parametrize(
    ("given", "option"),
    [
        (("--special", "<new>"), "specials"),
        (("--superwords", "3"), "superwords"),
        (("--balanced",), "balanced"),
        (("--normalize", "nfc"), "normalize"),
        (("--atoms", "grapheme"), "atoms"),
        (("--max-token-units", "3"), "max_token_units"),
    ],
)
def test_options_that_say_nothing_to_pieces(
    cli: Any, tmp_path: Path, folder: Path, given: tuple[str, ...], option: str
) -> None:
    file = folder / "t5.model"
    done = cli("train", "--extend", file, *given, "-o", tmp_path / "x", folder / "corpus.txt")
    assert done.code == 2
    assert f"{option} is " in done.err
    assert not (tmp_path / "x").exists()


def test_too_few_ids_and_too_little_text(cli: Any, tmp_path: Path, folder: Path) -> None:
    file, out = folder / "llama.model", tmp_path / "x.wwho"
    given = ("--extend", file, "--vocab-size", "5", "--prune", "1", "-o", out)
    done = cli("train", *given, folder / "corpus.txt")
    assert done.code == 1
    assert "has no room for" in done.err
    done = cli("train", "--extend", file, "-o", out, stdin="එක".encode())
    assert done.code == 0
    assert "no new piece" in done.err
    assert wwho.Tokenizer.load(out).n_vocab == wwho.Tokenizer.from_file(file).n_vocab


@pytest.mark.slow
def test_the_same_bytes_for_any_number_of_processes(cli: Any, folder: Path, tmp_path: Path) -> None:
    for name in ("llama.model", "t5.model"):
        found = set()
        for processes in ("1", "3"):
            extend(cli, folder / name, tmp_path / "new.wwho", "--processes", processes)
            found.add((tmp_path / "new.wwho").read_bytes())
        assert len(found) == 1


def test_weights(cli: Any, folder: Path, tmp_path: Path) -> None:
    # A weight of a half and a prune of 3 ask for a character 6 times.
    corpus, file = tmp_path / "corpus.txt", tmp_path / "llama.model"
    corpus.write_text("\u0d9e " * 5 + "\u0da3 " * 6, "utf-8")
    file.write_bytes((folder / "llama.model").read_bytes())
    extend(cli, file, tmp_path / "new.wwho", "--weight", f"{corpus}=0.5")
    found = texts_of_ids(tmp_path / "new.wwho").values()
    assert "\u0da3".encode() in found
    assert "\u0d9e".encode() not in found


def test_an_added_token_with_two_ids(cli: Any, folder: Path, tmp_path: Path) -> None:
    document = json.loads((folder / "beside.json").read_text("utf-8"))
    document["added_tokens"][-1]["id"] += 5
    file = tmp_path / "gap.json"
    file.write_text(json.dumps(document), "utf-8")
    done = cli("train", "--extend", file, "-o", tmp_path / "x.wwho", folder / "corpus.txt")
    assert done.code == 1
    assert "cannot be extended: no token has the id" in done.err
