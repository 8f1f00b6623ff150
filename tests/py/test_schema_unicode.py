"""The generated schemas: their data, what they cut, and how they go together in one model."""

from __future__ import annotations

import json
from functools import cache

import oracle  # noqa: F401 - puts tools/ on the path

# isort: split
import gen_schemas
import pytest
import regex

from wwho.assemble.atoms import PLAIN, AtomKind, compile_cuts, schema_cut
from wwho.compile.codepoints import CodePointSet
from wwho.compile.schema import Schema, union
from wwho.compile.schema_document import shipped_folder
from wwho.compile.schema_loader import UNICODE, expand_schema_names, load_schema
from wwho.compile.schema_scanners import compile_schemas, router_scanner
from wwho.compile.unicode import category, script
from wwho.encodings import model_bytes
from wwho.errors import SchemaError
from wwho.format.automaton import CompiledScanners
from wwho.format.container import read_container
from wwho.format.layout import Kind
from wwho.format.scanners import read_automata, read_classes, write_automata, write_classes
from wwho.reference.scan import matches

FIRST_UNITS = 2
GENERATED = expand_schema_names([UNICODE])


@cache
def schemas() -> dict[str, Schema]:
    return {schema.script: schema for schema in map(load_schema, GENERATED)}


@cache
def everything() -> CompiledScanners:
    """One model of all 67 scripts."""
    return compile_schemas(list(schemas().values()), None)


def cut(text: str, compiled: CompiledScanners | None = None) -> str:
    """The units of a text, between bars; what is of no script stays whole."""
    compiled = compiled or everything()
    found = []
    for start, end, route in matches(compiled, compiled.automata[0], text):
        segment = text[start:end]
        automaton = compiled.automata[route + 1]
        found += [segment[a:b] for a, b, _ in matches(compiled, automaton, segment)]
    return "|".join(found)


def test_there_is_a_schema_for_every_script_with_a_consonant() -> None:
    """By another copy of the data than the one that the schemas are made of."""
    assert schemas().keys() == gen_schemas.SCRIPTS.keys()
    blocks = union(schema.blocks for schema in schemas().values())
    letters = blocks & (category("L") | category("M"))
    assert not letters - union(schema.classified for schema in schemas().values())
    no_script = script("Common") | script("Inherited") | category("Cn")
    consonants = regex.compile(r"\p{InSC=Consonant}").findall("".join(map(chr, range(0x20000))))
    assert not CodePointSet.of(*consonants) - no_script - blocks


def test_classes_are_those_of_the_data() -> None:
    """Each character has a category that its class is for, by the data of another package.

    It has a newer Unicode, which calls some vowel letters consonants: they carry vowel signs.
    """
    sets = {name: {*some, *more} for name, (_, some, more) in gen_schemas.CLASSES.items()}
    sets["V"] |= sets["C"]
    for name in "CVDAHKNQBET":
        some = "".join(rf"\p{{InSC={each}}}" for each in sorted(sets[name]))
        members = union(
            schema.classes[name] for schema in schemas().values() if name in schema.classes
        )
        wrong = regex.findall(f"[^{some}]", "".join(map(chr, members)))
        assert wrong == [], name


def test_files_are_as_the_tool_writes_them() -> None:
    """The layout, the grammar of the family that the notes name, and the groups of classes."""
    for name in GENERATED:
        text = (shipped_folder() / f"{name}.json").read_text("utf-8")
        document = json.loads(text)
        assert gen_schemas.as_text(document) == text
        code, groups = document["script"], document["groups"]
        family = gen_schemas.FAMILY_OF.get(code)
        if family is None:
            family = "stacking" if "H" in document["classes"] else "cluster"
        about = gen_schemas.FAMILIES[family][1]
        assert f"Grammar family {family}: {about}." in document["notes"]
        grammar = gen_schemas.grammar_of(code, family, document["classes"])
        assert grammar == document["grammar"]
        assert gen_schemas.GROUPS.keys() >= groups.keys()


@pytest.mark.parametrize(
    "expected",
    [
        # Tamil: a consonant under a pulli ends a syllable, but for two conjuncts
        "த|மி|ழ்|நா|டு",
        "ல|க்ஷ்|மி",
        "ஸ்ரீ| ஸ்|தா|ன|ம்",
        # Burmese: the consonant under an asat closes a syllable; kinzi and stacks join
        "မြန်|မာ",
        "အင်္ဂ|လိပ်",
        "နိုင်|ငံ",
        "ယောက်ျား",
        "ကျွန့်",
        "က|မ္ဘာ",
        # Khmer: what a coeng writes below
        "ខ្មែ|រ",
        "ស្ត្រី",
        "ក|ម្ពុ|ជា",
        # Thai and Lao: clusters
        "ป|ระ|เท|ศ|ไท|ย",
        "น้ำ",
        "เกาะ",
        "ລາ|ວ",
        "ນ້ຳ|ໃຈ",
        "ໄປ|\u200b|ມາ",
        # Tibetan: a stack and its tsheg
        "བོ|ད་|སྐ|ད་",
        "བ|སྒྲུ|བ|ས་",
        # stacks under a virama
        "বি|জ্ঞা|ন",
        "ꦲ|ꦏ꧀ꦱ|ꦫ",
        "ᬅ|ᬓ᭄ᬱ|ᬭ",
        "वि|द्या|ल|य| में",
        "ශ්‍රී| ලං|කා",
        "അ|വ|ൻ",
        "ఆం|ధ్ర",
        # U+200C ends a syllable, U+200D may join
        "గ్\u200c|స్ట",
        "क्\u200dष",
        "क्\u200c|ष",
        # accents of all scripts stay, digits and dandas stand alone
        "अ|ग्नि॒|मी॑|ळे",
        "न|मोऽ|स्तु",
        "है|।",
        "१|९|५|०",
        # signs without a letter are one unit, with the digit before them
        "१॒॑",
        "ໄປ|\u200b|ິ່",
    ],
)
def test_units(expected: str) -> None:
    assert cut(expected.replace("|", "")) == expected


def test_scripts_with_one_grammar_share_an_automaton() -> None:
    """And each text is cut as by its own schema alone."""
    every = list(schemas().values())
    cuts = schema_cut(everything(), every)
    grammars = {schema.grammar for schema in every}
    assert len(cuts["scanners"].automata) == FIRST_UNITS + len(grammars) == 7
    assert [route.name for route in cuts["routes"][1:]] == [schema.name for schema in every]
    for code, text in (("Deva", "किं1ि न्\u200dय॑ा\u200c ऽ"), ("Krai", "\U00016d63\U00016d67")):
        alone = compile_schemas([schemas()[code]], None)
        assert cut(text, alone) == cut(text)


@pytest.mark.parametrize(
    "expected",
    [
        "ហ\u0acb|រ",
        "x\u0acb|រ",
        # viramas, where the script has none or another one
        "ก\u0d4d|ก",
        "เ\u0d4dก\u094dิ|ก",
        "ག\u094d་|ག",
        "த\u094d|த",
        "\U00011700\u0a4d|1",
        # GB9c joins consonants by U+1CF5, a letter
        "ក|\u1cf5ក|រ",
        "က|\u1cf5က",
        "క|\u1cf5క",
        # U+200B in scripts that do not write it
        "ک|ক\u0301|\u200b|ক",
    ],
)
def test_signs_of_other_scripts_have_the_part_that_they_have_there(expected: str) -> None:
    assert cut(expected.replace("|", "")) == expected


def test_what_the_schemas_written_by_hand_compile_to() -> None:
    """The shipped vocabulary has these tables, so they may not change."""
    containers = [read_container(model_bytes(name)) for name in ("wwho_328k", "o200k_base")]
    classes = [read_classes(each[Kind.CLASSES]) for each in containers]
    shipped, base = (
        CompiledScanners(known, read_automata(each[Kind.AUTOMATA], known.n_classes))
        for each, known in zip(containers, classes, strict=True)
    )
    two = [load_schema("sinhala"), load_schema("devanagari")]
    made = compile_cuts(AtomKind.SYLLABLE, two, base, PLAIN)["scanners"]
    assert write_classes(made.classes) == write_classes(shipped.classes)
    assert write_automata(made.automata) == write_automata(shipped.automata)


@pytest.mark.parametrize(
    ("name", "by_hand", "generated"),
    [
        # U+200C: a unit of its own by hand in Sinhala, and joining in the others
        ("sinhala", "ක්|\u200c|ෂ", "ක්\u200c|ෂ"),
        ("devanagari", "क्\u200cष", "क्\u200c|ष"),
        ("kannada", "ಕ್\u200cಷ", "ಕ್\u200c|ಷ"),
        # signs out of place, one by one by hand
        ("sinhala", "කි|ි", "කිි"),
        ("devanagari", "१|॑", "१॑"),
        ("kannada", "ಿ|ಿ", "ಿಿ"),
        # characters that are in no class by hand
        ("sinhala", "ක|ඁ", "කඁ"),
        ("kannada", "ಕ|ಽ", "ಕಽ"),
        # a virama on a vowel joins
        ("devanagari", "अ|्|क", "अ्क"),
    ],
)
def test_where_generated_schemas_differ_from_those_written_by_hand(
    name: str, by_hand: str, generated: str
) -> None:
    text = by_hand.replace("|", "")
    assert cut(text, compile_schemas([load_schema(name)], None)) == by_hand
    assert cut(text, compile_schemas([load_schema(f"{name}-unicode")], None)) == generated


def test_two_schemas_of_one_script_are_refused() -> None:
    two = [load_schema("sinhala"), load_schema("sinhala-unicode")]
    with pytest.raises(SchemaError, match=r"U\+0D81 .* 'sinhala' \(blocks\) and 'sinhala-unicode'"):
        router_scanner(two)


def test_a_shared_character_in_a_block_is_refused() -> None:
    """The Devanagari of the paper has dandas in its blocks, which Bengali shares."""
    two = [load_schema("bengali"), load_schema("devanagari")]
    both = r"U\+0951 is claimed by both 'bengali' \(joiners\) and 'devanagari' \(blocks\)"
    with pytest.raises(SchemaError, match=both):
        router_scanner(two)


def test_a_family_that_a_script_cannot_have_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"'stacking' needs class H .* and Thaa has no such"):
        gen_schemas.grammar_of("Thaa", "stacking", ["C", "P"])


def test_groups_are_of_classes() -> None:
    document = json.loads((shipped_folder() / "tamil.json").read_text("utf-8"))
    for groups, pointer in (({"C": ["V"]}, "/groups/C"), ({"Base": ["Q"]}, "/groups/Base/0")):
        with pytest.raises(SchemaError) as caught:
            load_schema({**document, "groups": {**document["groups"], **groups}})
        assert caught.value.pointer == pointer
