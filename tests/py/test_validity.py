"""Valid syllables: every schema tells them from units that nobody may cut, but nobody writes."""

from __future__ import annotations

import json
import random
import unicodedata
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import regex
import uharfbuzz

from wwho.assemble.training_artifacts import counting_model
from wwho.backends.select import open_backend
from wwho.compile.schema import Schema
from wwho.compile.schema_document import digest
from wwho.compile.schema_loader import HAND_MADE, load_schema, read_document, shipped_schemas
from wwho.compile.validity import UnitJudge, Validity
from wwho.encodings import model_bytes
from wwho.errors import SchemaError
from wwho.evaluate.syllables import Grammar
from wwho.format.write import write_artifact

FONTS = Path("/usr/share/fonts/truetype/noto")

WORDS = {
    "devanagari-unicode": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता "
    "प्राप्त है उन्हें बुद्धि अन्तरात्मा की देन ज़मीन पढ़ाई दुःख अँधेरा कृष्ण ऋषि ॐ सोऽहम्",
    "bengali": "সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে তাঁদের বিবেক "
    "বুদ্ধি আছে সুতরাং অ্যাকাউন্ট র‍্যাব উৎসব দুঃখ চাঁদ কৃষ্ণ",
    "gurmukhi": "ਸਾਰਾ ਮਨੁੱਖੀ ਪਰਿਵਾਰ ਆਪਣੀ ਮਹਿਮਾ ਸ਼ਾਨ ਅਤੇ ਹੱਕਾਂ ਦੇ ਪੱਖੋਂ ਜਨਮ ਤੋਂ ਹੀ ਆਜ਼ਾਦ ਹੈ ਪ੍ਰਾਪਤ ਸਿੰਘ",
    "gujarati": "પ્રતિષ્ઠા અને અધિકારોની દૃષ્ટિએ સર્વ માનવો જન્મથી સ્વતંત્ર અને સમાન હોય છે દુઃખ",
    "oriya": "ସମସ୍ତ ମନୁଷ୍ୟ ଜନ୍ମକାଳରୁ ସ୍ୱାଧୀନ ଏବଂ ମର୍ଯ୍ୟାଦା ଓ ଅଧିକାରରେ ସମାନ ପଢ଼ିବା ଚାନ୍ଦ କୃଷ୍ଣ",
    "tamil": "மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர் அவர்கள் மதிப்பிலும் உரிமைகளிலும் "
    "சமமானவர்கள் க்ஷேத்திரம் ஸ்ரீ பொதுவாக கௌரவம் ஃபாதர்",
    "telugu": "ప్రతిపత్తిస్వత్వముల విషయమున మానవులెల్లరును జన్మతః స్వతంత్రులును సమానులును నగుదురు కృష్ణ",
    "kannada-unicode": "ಎಲ್ಲಾ ಮಾನವರೂ ಸ್ವತಂತ್ರರಾಗಿಯೇ ಜನಿಸಿದ್ದಾರೆ ಹಾಗೂ ಘನತೆ ಮತ್ತು ಹಕ್ಕುಗಳಲ್ಲಿ ಸಮಾನರಾಗಿದ್ದಾರೆ ದುಃಖ",
    "malayalam": "മനുഷ്യരെല്ലാവരും തുല്യാവകാശങ്ങളോടും അന്തസ്സോടും സ്വാതന്ത്ര്യത്തോടുംകൂടി ജനിച്ചവരാണ് അവന് വന്നു് എന്റെ ദുഃഖം",
    "sinhala-unicode": "සියලු මනුෂ්‍යයෝ නිදහස්ව උපත ලබා ඇත ගරුත්වයෙන් හා අයිතිවාසිකම්වලින් සමාන වෙති ක්‍ෂේත්‍රය ශ්‍රී දුඃඛ සංඛ්‍යා",
}
"""Words without typing errors, by schema: of article 1 of the declaration of human rights, and some
with rare signs."""

VALID = {
    "thai": "เกาะ น้ำ ศักดิ์ จันทร์ เพื่อ ก็ ฤๅ ผู้ใหญ่",
    "lao": "ແລະ ເຈົ້າ ນໍ້າ ຫຼວງ ວຽກ ເຮົາ",
    "khmer": "ស្ត្រី ប្រទេស ក្នុង អ៊ុំ ពណ៌ ចុះ ប៉ុន្តែ ឲ្យ",
    "myanmar": "နိုင်ငံ ဖြစ်သည် အင်္ဂလိပ် ကျွန်ုပ် ယောက်ျား တော့် ဥက္ကဋ္ဌ",
    "tibetan": "སྐད་ ཀྱི་ བསྒྲུབས ཧཱུྃ",
    "balinese": "ᬅᬓ᭄ᬱᬭ ᬩᬮᬶ",
}
INVALID = {
    "thai": "ิ กิี กาาา เเก า เ",
    "lao": "ັ ກັັ ກະ້",
    "khmer": "ា កេី ក្ា ្ក",
    "myanmar": "ု က္ ကူှ ေက",
    "tibetan": "ྲ ཀིྲ",
    "balinese": "ᬵ ᭄ᬓ",
}


@cache
def judged(name: str) -> tuple[Any, UnitJudge, Schema]:
    schema = load_schema(name)
    return open_backend(write_artifact(counting_model([schema]))), UnitJudge([schema]), schema


def faults(name: str, text: str) -> list[str]:
    """The units of a text that are not valid, and its stray signs."""
    backend, judge, _ = judged(name)
    data = text.encode()
    units = [
        (backend.info.routes[span.route].name, data[span.start : span.end].decode(), span.rule)
        for span in backend.spans(data)
        if backend.info.routes[span.route].units is not None
    ]
    found = [u for r, u, rule in units if not judge.is_valid(r, u.removeprefix(" "), rule)]
    return found + [text[place] for place in judge.find_stray(text)]


@pytest.mark.parametrize("name", [*WORDS, *VALID])
def test_words_are_valid(name: str) -> None:
    assert faults(name, {**WORDS, **VALID}[name]) == []
    if name.removesuffix("-unicode") in HAND_MADE:
        assert faults(name.removesuffix("-unicode"), WORDS[name]) == []


@pytest.mark.parametrize("name", INVALID)
def test_invalid_syllables(name: str) -> None:
    for text in INVALID[name].split():
        assert faults(name, text), text


def test_every_schema_has_a_strict_grammar() -> None:
    """A letter is valid, and a lone sign, also behind Latin letters, in none of the scripts."""
    for name in shipped_schemas():
        schema = load_schema(name)
        validity, judge = Validity(schema), UnitJudge([schema])
        letter = chr(min(schema.classes["C"] & schema.segment_starts))
        assert validity.is_syllable(letter), name
        if name in HAND_MADE:
            continue
        assert schema.strict
        for sign in map(chr, schema.own_signs):
            assert not validity.is_syllable(sign), (name, sign)
            assert not validity.is_syllable(f"\u200d{sign}"), (name, sign)
            assert judge.find_stray(f"ab{sign} {letter}{sign} \u25cc{sign}") == [2], (name, sign)


def test_canonically_equivalent_units_are_alike() -> None:
    tamil = Validity(load_schema("tamil"))
    assert tamil.is_syllable("க\u0bc6\u0bbe")
    assert not tamil.is_syllable("க\u0bbe\u0bc6")


def test_the_strict_grammar_changes_no_model() -> None:
    """Neither its digest nor a byte of it."""
    document = read_document("tamil")
    without = {key: value for key, value in document.items() if key != "strict"}
    assert "strict" in document
    assert digest(document) == digest(without)
    with_it, without_it = (load_schema(each) for each in (document, without))
    assert write_artifact(counting_model([with_it])) == write_artifact(counting_model([without_it]))
    assert Validity(without_it).is_syllable("க்ா")


# Damage: signs put anywhere. The judges are a table of what Unicode lets follow what, by pairs of
# Indic_Syllabic_Category, and HarfBuzz, which draws a dotted circle under signs it cannot place.


def kind(char: str) -> str:
    for short, category in {
        "H": "Virama",
        "N": "Nukta",
        "P": "Vowel_Dependent",
        "B": "Bindu",
        "E": "Visarga",
        "V": "Vowel_Independent",
        "C": "Consonant",
    }.items():
        if regex.fullmatch(rf"\p{{InSC={category}}}", char):
            return short
    return "O"


BROKEN = {
    *("H-P", "H-B", "H-E", "H-H", "H-N", "P-P", "P-N", "P-H", "B-P", "B-N", "B-B", "B-H"),
    *("E-P", "E-N", "E-B", "E-E", "E-H", "N-N", "V-P"),
}
"""Pairs of kinds that no script of `WORDS` has in this order, but for `ALLOWED`."""
ALLOWED = {"malayalam": {"P-H"}, "bengali": {"V-H"}}


def is_broken(name: str, text: str) -> bool:
    """Whether Unicode's rules call a word broken, in NFC and without joiners."""
    chars = unicodedata.normalize("NFC", text).replace("\u200d", "").replace("\u200c", "")
    kinds = [kind(char) for char in chars]
    pairs = {f"{a}-{b}" for a, b in pairwise(kinds)}
    return kinds[0] in "HNPBE" or bool(pairs & (BROKEN - ALLOWED.get(name, set())))


def damaged_words(name: str, number: int) -> list[str]:
    """Words with one of the script's signs put somewhere."""
    pick = random.Random(name)
    _, _, schema = judged(name)
    signs = [char for char in map(chr, schema.own_signs) if kind(char) in "HNPBE"]
    words = []
    for _ in range(number):
        word = pick.choice(WORDS[name].split())
        place = pick.randint(0, len(word))
        words.append(word[:place] + pick.choice(signs) + word[place:])
    return words


@pytest.mark.parametrize("name", WORDS)
def test_damage_is_found(name: str) -> None:
    """Of 1,000 insertions in each of ten scripts, all that Unicode's rules call broken."""
    broken = [word for word in damaged_words(name, 1000) if is_broken(name, word)]
    assert len(broken) > 300
    assert [word for word in broken if not faults(name, word)] == []


@pytest.mark.parametrize("name", WORDS)
def test_what_harfbuzz_cannot_shape_is_found(name: str) -> None:
    _, _, schema = judged(name)
    title = schema.title.replace(" ", "")
    file = FONTS / f"NotoSans{title}-Regular.ttf"
    if not file.exists():
        pytest.skip(f"needs {file}, of Debian's package fonts-noto-core")
    font = uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(file))))
    circle = font.get_nominal_glyph(0x25CC)
    if not circle:
        pytest.skip(f"{file} has no dotted circle")

    def has_circle(text: str) -> bool:
        buffer = uharfbuzz.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        uharfbuzz.shape(font, buffer)
        return any(info.codepoint == circle for info in buffer.glyph_infos)

    assert not any(map(has_circle, WORDS[name].split()))
    words = [word for word in damaged_words(name, 1000) if has_circle(word)]
    assert len(words) > 50
    assert [word for word in words if not faults(name, word)] == []


# Where it is used


def test_segment(cli: Any) -> None:
    result = cli("segment", "--schema", "tamil", stdin="ா க கா்ா ab\n".encode())
    assert result.out.decode() == "other\t◌ா\ntamil\t க\ntamil\t கா்ா✗\nother\t ab\n\n"
    result = cli("segment", "--schema", "tamil", "--json", stdin="aாb கா்ா\n".encode())
    assert json.loads(result.out)["segments"] == [
        {"route": "other", "text": "aாb", "units": ["a", "ா", "b"], "stray": [1]},
        {"route": "tamil", "text": " கா்ா", "units": [" கா்ா"], "invalid": [0]},
    ]


def test_schema_check(cli: Any) -> None:
    result = cli("schema", "check", "tamil", "-", stdin="ா க கா்ா\n".encode())
    lines = [line.split() for line in result.out.decode().splitlines()]
    assert ["66.667", "%", "4", "of", "these,", "in", "syllables"] in [line[:7] for line in lines]
    assert ["16.667", "%", "1", "stray", "signs"] in lines
    assert lines[lines.index(["invalid", "syllables:"]) + 1] == ["1", "கா்ா"]


def test_the_efficiency_score() -> None:
    """By the schemas given, or the shipped ones of which a model says that it was made."""
    tokens = [text.encode() for text in ("க்", "ா", "க்ா", " தமிழ்", "a", "aா")]
    schema = load_schema("tamil")
    cutting = open_backend(write_artifact(counting_model([schema])))
    expected = [True, False, False, True, True, False]
    assert Grammar(cutting, [schema]).are_whole(tokens).tolist() == expected
    assert Grammar(open_backend(model_bytes("wwho_400k"))).are_whole(tokens).tolist() == expected


def test_a_strict_grammar_with_faults_is_refused() -> None:
    document = dict(read_document("tamil"))
    for strict, message in (("C*", "generates the empty string"), ("C Nosuch", "Nosuch")):
        with pytest.raises(SchemaError, match=message) as error:
            load_schema({**document, "strict": strict})
        assert error.value.pointer == "/strict"


def test_the_schemas_of_shipped_models_are_the_shipped_ones() -> None:
    """Otherwise nothing would be invalid in what these models cut."""
    for name, sign in (("wwho_328k", "ා"), ("wwho_super_400k", "ா"), ("wwho_200k_indic", "ា")):
        grammar = Grammar(open_backend(model_bytes(name)))
        assert grammar.are_whole([sign.encode(), b"a"]).tolist() == [False, True]
        provenance = open_backend(model_bytes(name)).info.provenance
        for key, value in provenance.items():
            if key.startswith("schema:"):
                assert value == f"sha256 {digest(read_document(key[7:]))}", key
