"""A vocab.json of the WWHO paper: the ids of the encoder that its authors publish, to the unit."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import oracle  # puts tools/ on the path
import pytest
from exhaustive import EXHAUSTIVE, examples
from hypothesis import given
from hypothesis import strategies as st
from paper_reference import SCRIPTS, PaperEncoder, segments
from paper_vocab import NAMES, learn_vocab, vocab_json
from strategies import texts as any_texts
from tiny import paper_base, paper_document, paper_model

from wwho.assemble.paper import PaperImport, import_vocab
from wwho.assemble.training_artifacts import unit_model
from wwho.assemble.vocab_json import parse_vocab_json
from wwho.cli.verify_artifact import check_merges
from wwho.compile.schema import Schema
from wwho.compile.schema_loader import load_schema
from wwho.encodings import model_bytes
from wwho.errors import ArtifactError, SpecialTokenError
from wwho.format.model import Added, Artifact
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact
from wwho.tokenizer import Tokenizer

N_BASE = 200_019
SCHEMAS = [load_schema(name, allow_invalid=True) for name in NAMES]
Document = dict[str, Any]

PARTS = (
    *("ක", "ම", "ල", "ය", "ර", "ශ්‍රී", "කි", "කිි", "ක්", "ක්\u200d", "්", "ි", "ං", "අ", "෧", "෴"),
    *("क", "म", "ल", "कि", "क्\u200d", "क्\u200c", "़", "्", "ं", "अ", "ऽ", "ॐ", "१", "।", "॥"),
    *("\u200d", "\u200c", " ", " ", " ", "  ", "\n", "a", "Bc", "7", ".", "\u00a0", "\u1cd0", "ಕ"),
    *("👩\u200d👧", "[UNK]", "<|endoftext|>", "කම", " කමල", "कम", " कम", "රරරර"),
)
parts = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)


@cache
def base() -> Artifact:
    return read_artifact(model_bytes("o200k_base"))


@cache
def tiktoken_base() -> Any:
    return oracle.tiktoken_encoding("o200k_base")


@cache
def tiny_tokenizer() -> Tokenizer:
    return Tokenizer.from_bytes(write_artifact(paper_base()))


def imported(document: Document, schemas: Sequence[Schema] = SCHEMAS) -> PaperImport:
    return import_vocab(parse_vocab_json(vocab_json(document)), schemas, paper_base(), name="paper")


class Both:
    """An artifact in both backends, and the encoder that it is made to reproduce.

    The base is tiktoken's o200k_base, or a small one of our own, which opens faster.
    """

    def __init__(self, document: Document, *, tiktoken: bool = False) -> None:
        self.base = tiktoken_base() if tiktoken else tiny_tokenizer()
        below = base() if tiktoken else paper_base()
        file = parse_vocab_json(vocab_json(document))
        self.found = import_vocab(file, SCHEMAS, below, name="paper")
        check_merges(replace(self.found.model, models=self.found.model.models[1:]))
        blob = write_artifact(self.found.model)
        assert tiktoken or write_artifact(read_artifact(blob)) == blob
        self.native = Tokenizer.from_bytes(blob, backend="native")
        self.reference = Tokenizer.from_bytes(blob, backend="reference")
        self.theirs = PaperEncoder(document, self.base)

    def check(self, text: str) -> None:
        """Ids, offsets, counts and decoded text are the same."""
        ids = self.theirs.encode(text)
        native = self.native.encode_with_offsets(text)
        assert native[0] == ids
        assert self.native.encode(text) == self.native.encode(text, unk="token") == ids
        assert self.reference.encode_with_offsets(text) == native
        assert self.native.count(text) == len(ids)
        assert self.native.count_till_limit(text, len(ids)) == len(ids)
        assert not ids or self.native.count_till_limit(text, len(ids) - 1) is None
        decoded = self.theirs.decode(ids)
        assert decoded == self.native.decode_bytes(ids) == self.reference.decode_bytes(ids)
        assert not text or native[1][-1][1] == len(text)

    def check_ids(self, document: Document) -> None:
        """Every id of the file decodes to its token."""
        for text, number in document["vocab"].items():
            token = self.base.n_vocab + number
            assert self.native.decode_single_token_bytes(token) == text.encode()
            if text != " ":
                assert self.native.encode_single_token(text.encode()) == token
        assert self.native.n_vocab == self.base.n_vocab + len({*document["vocab"], " "})


def without(document: Document, *texts: str) -> Document:
    """The file as if its vocabulary had lost these tokens."""
    left = [text for text in document["vocab"] if text not in texts]
    return document | {"vocab": {text: number for number, text in enumerate(left)}}


# Texts


@cache
def small() -> Both:
    return Both(paper_document(), tiktoken=True)


@pytest.mark.slow
@examples(2000)
@given(text=st.one_of(parts, any_texts))
def test_ids_are_those_of_the_paper_s_encoder(text: str) -> None:
    small().check(text)


@examples(200)
@given(part=parts, times=st.integers(2, 60))
def test_long_segments(part: str, times: int) -> None:
    small().check(part * times)


def test_every_id_decodes() -> None:
    small().check_ids(paper_document())


def test_the_artifact_of_the_vectors_is_this_one_over_another_base() -> None:
    assert paper_model().n_vocab - paper_base().n_vocab == small().native.n_vocab - N_BASE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # tables 3 and 4: from PILI_SEEN, P leads to ORPHAN, which ends the unit behind it
        ("කිි", "කිි"),
        ("කිිං", "කිි|ං"),
        ("किी", "किी"),
        # ZWJ_SEEN accepts
        ("ක්\u200d", "ක්\u200d"),
        ("ක්\u200dෂ", "ක්\u200dෂ"),
        ("ශ\u200d්\u200dරී", "ශ|\u200d|්|\u200d|රී"),
        # one M behind a virama, any number elsewhere
        ("क्ंं", "क्ं|ं"),
        ("कंंः", "कंंः"),
        # no boundary in a segment, and its space belongs to the first unit
        (" कि। ।", " कि|।| ।"),
        # both joiners stay with any script; in Sinhala U+200C is in no class
        ("ක්\u200cෂ", "ක්|\u200c|ෂ"),
        ("क्\u200cष", "क्\u200cष"),
        ("ॐ१", "ॐ|१"),
    ],
)
def test_units(text: str, expected: str) -> None:
    found = [unit for part in small().native.segment(text) for unit in part.units]
    assert "|".join(found) == expected
    theirs = (script.units(part) for script, part in segments(text) if script is not None)
    assert [unit for units in theirs for unit in units] == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\u200dabc", "\u200d|abc"),
        ("\u200d\u200c ක", "\u200d\u200c| ක"),
        ("\u200cක", "\u200c|ක"),
        ("a\u200dක\u200d\u200c\u200dක", "a\u200d|ක\u200d\u200c\u200dක"),
        ("ක \u200dක", "ක| \u200d|ක"),
        ("ක  ක ක", "ක| | ක| ක"),
        ("ක\u200dक\u200d क", "ක\u200d|क\u200d| क"),
        ("क\u1cd0क", "क|\u1cd0|क"),
        ("ක\nක ", "ක|\n|ක| "),
    ],
)
def test_segments(text: str, expected: str) -> None:
    assert "|".join(part.text for part in small().native.segment(text)) == expected
    assert "|".join(part for _, part in segments(text)) == expected


# Vocabularies


@pytest.mark.parametrize(
    "lost",
    [
        (" ",),
        ("ක", "ර"),
        ("कम", "කකකක", "කම"),
        ("ක", "ම", "ල", "र", "क"),
        ("hello", "\u200d", "\u200c", "\u200d\u200c"),
    ],
    ids=lambda lost: "".join(f"{ord(text[0]):04X}" for text in lost),
)
def test_vocabularies_that_lost_tokens(lost: tuple[str, ...]) -> None:
    document = without(paper_document(), *lost)
    both, rng = Both(document), random.Random(str(lost))
    both.check_ids(document)
    for _ in range(200):
        both.check("".join(rng.choices(PARTS, k=rng.choice((1, 3, 10, 40)))))


def test_what_is_left_out_and_what_has_no_id() -> None:
    found = imported(paper_document())
    # unmade: of units outside the vocabulary. Apart: where another merge comes first, and where
    # there are two scripts in one text, or a space in its midst.
    assert (found.unmade, found.apart) == (3, 4)
    named = zip(unit_model(found.model).texts, unit_model(found.model).stated, strict=True)
    nameless = [text.decode() for text, number in named if number is None]
    assert nameless == [" කම", "कि।", "කමල", "කක", " कम", "෧෴", "රර"]
    assert found.without_id == len(nameless)
    atoms = [text.decode() for text in unit_model(found.model).symbols]
    assert {"hello", "ල ක", "किक।", "मල"} <= set(atoms)
    assert found.never_written == 4


def test_a_pair_that_is_listed_twice_has_its_last_place() -> None:
    merges = [["ක", "ම"], ["ම", "ල"], ["ක", "ම"]]
    vocab = ["[UNK]", "ක", "ම", "ල", "කම", "මල"]
    document = {
        "vocab": {text: number for number, text in enumerate(vocab)},
        "merges": merges,
        "special_tokens": ["[UNK]"],
    }
    first = paper_base().n_vocab
    assert Both(document).native.encode("කමල") == [first + 1, first + 5]
    assert Both(document | {"merges": merges[:2]}).native.encode("කමල") == [first + 4, first + 3]


def random_document(rng: random.Random) -> Document:
    """Merges that no trainer made, most of which never happen."""
    units = rng.sample([part for part in PARTS if part.strip() and part != "[UNK]"], 8)
    tokens = [*units, *(f" {unit}" for unit in units[:3])]
    merges = []
    for _ in range(rng.choice((3, 10, 40))):
        left, right = rng.choice(tokens), rng.choice(tokens)
        merges.append([left, right])
        if len(left + right) < 30:
            tokens.append(left + right)
    kept = [text for text in dict.fromkeys(tokens) if rng.random() < 0.9]
    rng.shuffle(kept)
    vocab = ["[PAD]", "[UNK]", *kept]
    return {
        "vocab": {text: number for number, text in enumerate(vocab)},
        "merges": merges,
        "special_tokens": ["[PAD]", "[UNK]"],
    }


def test_random_merges_are_the_same_or_refused() -> None:
    fine, most = 0, 30 if EXHAUSTIVE else 10
    for seed in range(most):
        rng = random.Random(seed)
        document = random_document(rng)
        try:
            both = Both(document)
        except ArtifactError as error:
            assert "comes before the one that makes a part of it" in str(error)  # noqa: PT017
            continue
        fine += 1
        units = [text for text in document["vocab"] if not text.startswith("[")]
        for _ in range(10):
            both.check("".join(rng.choices((*PARTS[:16], *units), k=rng.choice((2, 5, 20, 90)))))
    assert fine > most / 2


# Learnt vocabularies


def lines_of(path: Path, count: int) -> list[str]:
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return list(islice(file, count))


@pytest.fixture(scope="module")
def learnt(corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Document:
    corpus = tmp_path_factory.mktemp("paper") / "corpus.txt"
    text = "".join(lines_of(corpora / "train_mix_perm.txt.xz", 4000))
    corpus.write_text(text, "utf-8", newline="")
    return learn_vocab(corpus, vocab_size=6000, prune=5)


@pytest.mark.corpora
@pytest.mark.parametrize("older", [False, True], ids=["complete", "older"])
def test_a_learnt_vocabulary(learnt: Document, corpora: Path, older: bool) -> None:
    document = deepcopy(learnt)
    if older:
        rng = random.Random(1)
        tokens = [text for text in document["vocab"] if not text.startswith("[")]
        document = without(document, *rng.sample(tokens, 300))
    both = Both(document, tiktoken=True)
    assert (both.found.unmade == 0) != older
    assert both.found.apart == 0
    unknown = 0
    for name in ("test_si", "test_hi", "test_mixed"):
        for line in lines_of(corpora / f"{name}.txt.xz", 150):
            both.check(line)
            unknown += both.native.encode(line).count(N_BASE + document["vocab"]["[UNK]"])
    assert unknown


# Files that are none


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x89WWHO", "this is not JSON in UTF-8"),
        (b'{"vocab": {"a": 0', "this is not JSON in UTF-8"),
        (b"[]", r"it holds \[\], expected an object"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b"{}", "there is no key 'vocab', but none at all"),
        (b'{"model": {}}', "there is no key 'vocab', but 'model'; is it a vocab.json"),
        (b'{"vocab": {"a": 0, "a": 0}}', 'the key "a" comes twice'),
    ],
)
def test_what_is_no_such_file(data: bytes, message: str) -> None:
    with pytest.raises(ArtifactError, match=f"^x.json: {message}") as caught:
        parse_vocab_json(data, "x.json")
    assert caught.value.status == "VOCAB_JSON"


def changed(**fields: Any) -> Document:
    """A file with other fields; None takes one away."""
    document = paper_document() | fields
    return {key: value for key, value in document.items() if value is not None}


GOOD = paper_document()
LAST = len(GOOD["vocab"]) - 1


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (changed(merges=None), "there is no key 'merges', but 'version'"),
        (changed(special_tokens=None), "there is no key 'special_tokens'"),
        (changed(vocab=[]), r"'vocab' is \[\], expected dict"),
        (changed(prune_freq=True), "'prune_freq' is true, expected int"),
        (changed(version=3), "'version' is 3, expected str"),
        (changed(vocab=GOOD["vocab"] | {"ක": "3"}), 'the id of ".*" is "3", expected an int'),
        (changed(vocab=GOOD["vocab"] | {"ක": True}), 'the id of ".*" is true, expected an int'),
        (changed(vocab=GOOD["vocab"] | {"ක": -1}), 'the id of ".*" is -1; the ids of'),
        (changed(vocab=GOOD["vocab"] | {"ක": LAST + 1}), f"must be 0 to {LAST}, each once"),
        (changed(vocab=GOOD["vocab"] | {"ක": LAST}), f"have the same id {LAST}"),
        (changed(vocab=GOOD["vocab"] | {"": LAST + 1}), 'the token "" has 0 bytes'),
        (changed(vocab=GOOD["vocab"] | {"ක" * 342: LAST + 1}), "has 1026 bytes; 1 to 1024"),
        (changed(special_tokens=["[PAD]", "[CLS]"]), r"without \[UNK\], which stands for"),
        (changed(special_tokens=["[PAD]", "[UNK]", "[X]"]), r'"\[X\]" is no token of'),
        (changed(special_tokens=["[UNK]", 3]), "special token 3 is no token of"),
        (changed(special_tokens=["[UNK]", "[PAD]", "ක"]), r"ids \[0, 1, 3\], expected the lowest"),
        (changed(special_tokens=["[UNK]", "[UNK]"]), r"ids \[1, 1\], expected the lowest"),
        (changed(merges=["ක ම"]), "merge 0 is .*, expected two texts"),
        (changed(merges=[["ක"]]), "merge 0 is .*, expected two texts"),
        (changed(merges=[["ක", "ම"], ["ක", 7]]), "merge 1 is .*, expected two texts"),
        (changed(merges=[["ක", ""]]), "merge 0 is .*, expected two texts"),
        (changed(merges=[["ක", "[UNK]"]]), "special tokens never merge"),
        (changed(merges=[["කම", "ල"], ["ක", "ම"]]), "a trainer lists parts before wholes"),
        (
            changed(merges=[["ක" * 2**k, "ක" * 2**k] for k in range(9)]),
            "the merges make .*, of 1536 bytes; 1024 are possible",
        ),
    ],
)
def test_fields_that_are_wrong(document: Document, message: str) -> None:
    with pytest.raises(ArtifactError, match=message) as caught:
        imported(document)
    assert caught.value.status == "VOCAB_JSON"


def test_a_lone_surrogate_in_what_is_only_recorded() -> None:
    text = (
        '{"vocab": {"[UNK]": 0}, "merges": [], "special_tokens": ["[UNK]"], "version": "\\ud800"}'
    )
    assert parse_vocab_json(text.encode()).record == {"version": "?"}


def test_a_lone_surrogate() -> None:
    data = json.dumps(changed(vocab=GOOD["vocab"] | {"\ud800": LAST + 1})).encode()
    with pytest.raises(ArtifactError, match=r'"\\ud800" holds a lone surrogate'):
        parse_vocab_json(data)


def test_a_base_that_is_none() -> None:
    file = parse_vocab_json(vocab_json(GOOD))
    with pytest.raises(ValueError, match="has routes of its own"):
        import_vocab(file, SCHEMAS, paper_model(), name="x")
    taken = replace(base(), added=(*base().added, Added("[PAD]", 200_019)))
    with pytest.raises(SpecialTokenError, match=r"'\[PAD\]' is one of o200k_base's already"):
        import_vocab(file, SCHEMAS, taken, name="x")


def test_schemas_that_cut_joiners_differently() -> None:
    document = json.loads(load_text("sinhala"))
    document["table"]["transitions"]["START"]["Z"] = "HAL_SEEN"
    joining = load_schema(document, allow_invalid=True)
    tokens = GOOD["vocab"] | {"\u200d\u200d": LAST + 1}
    with pytest.raises(ArtifactError, match="give schemas that agree about joiners"):
        imported(changed(vocab=tokens), [joining, SCHEMAS[1]])


def load_text(name: str) -> str:
    return (oracle.ROOT / "schemas" / "paper" / f"{name}.json").read_text("utf-8")


def test_the_scripts_of_the_reference_are_those_of_the_schemas() -> None:
    assert [script.characters for script in SCRIPTS] == [
        frozenset(map(chr, schema.blocks)) for schema in SCHEMAS
    ]


# The command


@pytest.mark.slow
def test_the_command(cli: Any, tmp_path: Path) -> None:
    vocab, output = tmp_path / "vocab.json", tmp_path / "old.wwho"
    vocab.write_bytes(vocab_json(GOOD))
    paper = oracle.ROOT / "schemas" / "paper"
    schemas = ("--schema", paper / "sinhala.json", paper / "devanagari.json")
    done = cli("import", vocab, "--base", "o200k_base", *schemas, "-o", output)
    assert (done.code, done.err) == (0, "")
    assert b"not lossless: 7 merged tokens" in done.out
    assert b"left out: 3 merges with a part that nothing makes, 4 whose parts" in done.out
    text = " කමල [UNK] ශ්‍රී\u200d කකක"
    expected = PaperEncoder(GOOD, tiktoken_base()).encode(text)
    assert Tokenizer.load(output).encode(text) == expected
    blob = output.read_bytes()
    done = cli("import", vocab, "-o", output, "--json")
    facts = json.loads(done.out)
    left_out, without_id, never_written = facts["notes"]
    assert left_out.startswith("left out: 3 merges with a part that nothing makes, 4 whose parts")
    assert without_id.startswith("not lossless: 7 merged tokens are outside the vocabulary")
    assert never_written.startswith("4 tokens ")
    assert output.read_bytes() == blob
    assert cli("verify", output).code == 0
    assert b"ids stated" in cli("inspect", output).out


@pytest.mark.slow
def test_the_command_refuses(cli: Any, tmp_path: Path) -> None:
    vocab, output = tmp_path / "vocab.json", tmp_path / "old.wwho"
    vocab.write_bytes(vocab_json(changed(merges=None)))
    done = cli("import", vocab, "-o", output)
    assert done.code == 1
    assert done.err.startswith(f"wwho: {vocab}: there is no key 'merges'")
    vocab.write_bytes(vocab_json(GOOD))
    assert cli("import", vocab, "--base", "wwho_328k", "-o", output).code == 2
    vocab.write_bytes(vocab_json(changed(merges=[["කම", "ල"], ["ක", "ම"]])))
    done = cli("import", vocab, "-o", output)
    assert done.err.startswith(f"wwho: {vocab}: the merge ")
    assert not output.exists()
