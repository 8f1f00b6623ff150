"""The pattern compiler: notation, semantics, refusals, limits, determinism."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain, pairwise, product

import pytest
import regex
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st

from wwho.assemble.patterns import PATTERNS
from wwho.compile import unicode
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.parse import MAX_DEPTH, parse_grammar, parse_regex
from wwho.compile.scanners import MAX_RULES, Scanner, compile_scanners
from wwho.compile.syntax import Chars
from wwho.compile.transition_table import GrammarComparison, TransitionTable
from wwho.errors import PatternError
from wwho.format.automaton import CompiledScanners
from wwho.format.classmap import overlay
from wwho.reference.scan import matches

ANY = r"|[\s\S]"


def compile_one(*rules: str, longest: bool = False) -> CompiledScanners:
    return compile_scanners([Scanner("test", tuple(map(parse_regex, rules)), longest)])


def cut(compiled: CompiledScanners, text: str) -> list[str]:
    return [text[start:end] for start, end, _ in matches(compiled, compiled.automata[0], text)]


# ---------------------------------------------------------------- sets of code points

points = st.integers(0, 400)
runs = st.lists(st.builds(range, points, points), max_size=8)
members = runs.map(lambda found: frozenset(chain(*found)))


@given(members, members)
def test_sets_behave_like_sets(left: frozenset[int], right: frozenset[int]) -> None:
    a, b = CodePointSet.of(*left), CodePointSet.of(*right)
    assert set(a | b) == left | right
    assert set(a & b) == left & right
    assert set(a - b) == left - right
    assert len(a) == len(left)
    assert bool(a) == bool(left)
    assert ~~a == a
    assert len(~a) == len(ALL) - len(left)
    assert all((point in a) == (point in left) for point in range(402))


@given(st.lists(st.tuples(points, points).map(sorted).map(tuple)))
def test_ranges_are_sorted_disjoint_and_never_touch(ranges: list[tuple[int, int]]) -> None:
    canonical = CodePointSet(tuple(ranges)).ranges
    assert all(a[1] + 1 < b[0] for a, b in pairwise(canonical))
    assert set(CodePointSet(canonical)) == {p for lo, hi in ranges for p in range(lo, hi + 1)}


@pytest.mark.parametrize("bad", [(5, 4), (-1, 3), (0, 0x110000)])
def test_impossible_ranges_are_refused(bad: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="not a range"):
        CodePointSet((bad,))


# ---------------------------------------------------------------- Unicode


def test_categories_partition_the_code_points() -> None:
    leaves = ["Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So", "Zs Zl Zp"]
    names = " ".join([*leaves, "Cc Cf Cs Co Cn"]).split()
    sets = [unicode.category(name) for name in names]
    assert sum(map(len, sets)) == len(ALL)
    assert len(overlay([each.class_map() for each in sets])[1]) == len(names)


PROPERTIES = """
    L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P S Z C Cc Cf Co Cn
    Sinhala Devanagari Kannada Latin Han
"""


@pytest.mark.parametrize("name", PROPERTIES.split())
def test_properties_are_those_of_tiktokens_engine(name: str) -> None:
    ours = unicode.script(name) if len(name) > 2 else unicode.category(name)
    assert tiktoken_matches(rf"\p{{{name}}}") == set(ours) - set(range(0xD800, 0xE000))


SETS = (
    r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]",
    r"[^\p{L}&&[a-z\d]]",
    r"[a-m&&[^c-f]x&&\w]",
    r"[[a-c][^\s\S]x]",
    r"[a[^b&&b]]",
    r"(?i:[a-s&&[^K]])",
    r"[a-z&&b-y&&[^x]q]",
)


@pytest.mark.parametrize(
    "pattern", [r"\s", r"\d", r"\w", r"(?i:s)", r"(?i:k)", r"(?i:[^s-u])", *SETS]
)
def test_shorthands_and_folds_are_those_of_tiktokens_engine(pattern: str) -> None:
    node = parse_regex(pattern)
    assert isinstance(node, Chars)
    assert tiktoken_matches(pattern) == set(node.chars) - set(range(0xD800, 0xE000))


def tiktoken_matches(pattern: str) -> set[int]:
    """Match one-character pieces of all text there is; what does not match leaves no token."""
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)}
    engine = tiktoken.Encoding("probe", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    every = "".join(chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000)
    return {ord(char) for char in bytes(engine.encode_ordinary(every)).decode("utf-8")}


def test_unknown_properties_are_errors() -> None:
    for lookup in (unicode.category, unicode.script):
        with pytest.raises(KeyError):
            lookup("Klingon")


# ---------------------------------------------------------------- class maps


def test_a_class_map_is_total_and_agrees_with_its_sets() -> None:
    sets = [CodePointSet.of(("a", "m"), "z"), CodePointSet.of(("g", "p")), ~CodePointSet.of("q")]
    classes, labels = overlay([each.class_map() for each in sets])
    assert classes.ranges[0][0] == 0
    assert classes.ranges[-1][1] == 0x10FFFF
    assert all(a[1] + 1 == b[0] for a, b in pairwise(classes.ranges))
    assert all(a[2] != b[2] for a, b in pairwise(classes.ranges))
    for point in range(300):
        expected = tuple(int(point in each) for each in sets)
        assert labels[classes.class_of(point)] == expected


# ---------------------------------------------------------------- the notation


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        (r"\x41", "A", "a"),
        (r"\u0dca", "\u0dca", "u"),
        (r"\U0001F600", "\U0001f600", "0"),
        (r"\x{1F600}", "\U0001f600", "x"),
        (r"\u{41}", "A", "u"),
        (r"\.", ".", "a"),
        (r".", "\r\u2028a", "\n"),
        (r"[a\-z]", "a-z", "b"),
        (r"[-a]", "-a", "b"),
        (r"[a-]", "-a", "b"),
        (r"[\]\\^]", "]\\^", "a"),
        (r"[^\s\p{L}]", "1.", " a"),
        (r"[\x41-\x43_]", "ABC_", "D"),
        (r"\pL", "aක", "1"),
        (r"\PL", "1", "a"),
        (r"\P{Lu}", "a1", "A"),
        (r"\p{Script=Sinhala}", "ක", "क"),
        (r"\p{sc=old_italic}", "\U00010300", "a"),
        (r"\p{Han}", "漢", "あ"),
        (r"\S", "x1", " \n\u3000"),
        (r"\d", "1٣", "½a"),
        (r"\D", "½a", "1٣"),
        (r"\W", "- ", "a_1"),
        (r"(?i:s)", "sS\u017f", "t"),
        (r"(?i:[k-l])", "kKlL\u212a", "m"),
        (r"(?i:\p{Lu})", "aA", "1"),
        (r"(?i:\P{Lu})", "1", "aA"),
        (r"(?i:[^\P{Lu}])", "aA", "1"),
    ],
)
def test_what_stands_for_one_character(pattern: str, yes: str, no: str) -> None:
    node = parse_regex(pattern)
    assert isinstance(node, Chars)
    assert [char for char in yes if char not in node.chars] == []
    assert [char for char in no if char in node.chars] == []


@pytest.mark.parametrize(
    ("pattern", "position", "message"),
    [
        ("a*?", 2, "lazy"),
        ("a{2}?", 4, "lazy"),
        ("a**", 2, "quantifier cannot follow"),
        ("a+++", 3, "quantifier cannot follow"),
        ("a{2}{3}", 4, "quantifier cannot follow"),
        ("*a", 0, "nothing to repeat"),
        ("a|+", 2, "nothing to repeat"),
        ("a{3,2}", 1, "in order"),
        ("a{256}", 1, "at most 255"),
        ("a{", 1, "write '\\\\{'"),
        ("a]", 1, "write '\\\\]'"),
        ("^a", 0, "every piece is a start"),
        (r"a\b", 1, "word boundaries"),
        (r"\Aa", 0, "anchors"),
        (r"(a)\1", 3, "backreferences"),
        (r"\k<a>", 0, "backreferences"),
        (r"\q", 0, "unknown escape"),
        (r"\X", 0, "write out the class"),
        (r"\xZZ", 0, "hexadecimal"),
        (r"\x{110000}", 0, "hexadecimal"),
        (r"\x{41", 3, "never closed"),
        (r"\u12", 4, "hexadecimal digit should follow"),
        ("\\", 1, "escaped character should follow"),
        (r"\p{Klingon}", 0, "no property 'Klingon'"),
        (r"\p{Block=Han}", 0, "no property"),
        ("[]", 0, "empty"),
        ("[a", 0, "never closed"),
        ("[a&&b]", 0, "empty"),
        ("[[:alpha:]]", 1, "no character"),
        ("[" * 51 + "a" + "]" * 51, 50, "nest deeper"),
        ("[!--a]", 2, "set operator"),
        (r"[\n--z]", 3, "set operator"),
        (r"a\<b", 1, "word boundary"),
        (r"[\>]", 1, "word boundary"),
        ("[z-a]", 1, "in order"),
        (r"[\s-z]", 1, "two characters"),
        ("(a", 0, "never closed"),
        ("a)", 1, "closes nothing"),
        ("(?<=a)b", 0, "lookbehind"),
        ("(?<!a)b", 0, "lookbehind"),
        ("(?<n>a)", 0, "named groups"),
        ("(?P<n>a)", 0, "named groups"),
        ("(?>a)", 0, "atomic"),
        ("(?i)a", 0, "only the groups"),
        ("(?!ab)c", 0, "exactly one"),
        ("(" * (MAX_DEPTH + 1) + "a" + ")" * (MAX_DEPTH + 1), MAX_DEPTH, "nest deeper"),
    ],
)
def test_what_is_not_supported_is_named_and_placed(
    pattern: str, position: int, message: str
) -> None:
    with pytest.raises(PatternError, match=message) as caught:
        parse_regex(pattern)
    assert caught.value.position == position
    assert str(caught.value).startswith(f"at position {position}: ")


CLASSES = {"C": CodePointSet.of("c"), "H": CodePointSet.of("h"), "Va": CodePointSet.of("v")}


def test_the_grammar_notation_is_the_regular_one_with_names() -> None:
    node = parse_grammar("  C (H\n C )* H ? | Va{1,2}", CLASSES)
    assert node == parse_regex("c(?:hc)*h?|v{1,2}")


@pytest.mark.parametrize(
    ("grammar", "position", "message"),
    [
        ("C X", 2, "no class 'X'; the classes are C, H, Va"),
        ("CH", 0, "no class 'CH'"),
        ("C.", 1, "neither the name"),
        ("C+ +", 3, "quantifier cannot follow"),
        ("C ++", 3, "quantifier cannot follow"),
        ("C ? ?", 4, "quantifier cannot follow"),
        ("(C", 0, "never closed"),
    ],
)
def test_grammar_faults_are_named_and_placed(grammar: str, position: int, message: str) -> None:
    with pytest.raises(PatternError, match=message) as caught:
        parse_grammar(grammar, CLASSES)
    assert caught.value.position == position


# ---------------------------------------------------------------- semantics, first match


def patterns() -> st.SearchStrategy[str]:
    """Small expressions over a, b and c, with everything the notation has."""
    leaves = st.sampled_from(
        ["a", "b", "c", "[ab]", "[^a]", "(?!a)", "(?![bc])", "(?=b)", "(?=[^c])", "$", ""]
    )
    bodies = st.sampled_from(["?", "*", "+", "{2}", "{1,2}", "{0,2}", "{1,}", "{2,}"])

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.tuples(inner, inner).map("".join),
            st.lists(inner, min_size=2, max_size=3).map(lambda each: f"(?:{'|'.join(each)})"),
            st.tuples(inner, bodies).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        )

    return st.recursive(leaves, grow, max_leaves=7)


@examples(3000)
@given(patterns(), st.lists(st.text("abc", max_size=8), min_size=1, max_size=6))
def test_first_match_is_that_of_a_backtracking_engine(pattern: str, texts: list[str]) -> None:
    # A leading class makes every match longer than nothing, and the last rule makes one exist.
    pattern = f"[abc](?:{pattern}){ANY}"
    compiled = compile_one(pattern)
    oracle = regex.compile(pattern.replace("$", r"\Z"), regex.VERSION1)
    for text in texts:
        assert cut(compiled, text) == oracle.findall(text)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:|a)*",
        "(?:a|)*",
        "(?:|a)+",
        "(?:|a){2,}",
        "(?:a|(?!a)|c)*",
        "(?:(?=b)|[^a])*",
        "(?:a?(?!b)|[bc])*",
        "(?:(?:|a)*|b)*",
        "(?:(?:b|(?!b)|a)*|c)+",
        "(?:(?:a|){1,2}|b)*",
    ],
)
def test_a_loop_is_left_after_a_round_that_took_nothing(pattern: str) -> None:
    pattern = f"c(?:{pattern}){ANY}"
    compiled = compile_one(pattern)
    texts = ["c" + "".join(tail) for n in range(5) for tail in product("abc", repeat=n)]
    oracle = regex.compile(pattern, regex.V1)
    assert [cut(compiled, text) for text in texts] == [oracle.findall(text) for text in texts]


@examples(600)
@given(st.lists(patterns(), min_size=1, max_size=3), st.text("abc", max_size=8))
def test_rules_are_tried_in_order(rules: list[str], text: str) -> None:
    rules = [f"[abc](?:{rule})" for rule in rules] + [r"[\s\S]"]
    compiled = compile_one(*rules)
    oracle = regex.compile("|".join(f"({rule})" for rule in rules).replace("$", r"\Z"), regex.V1)
    found = [(m.start(), m.end(), (m.lastindex or 0) - 1) for m in oracle.finditer(text)]
    assert list(matches(compiled, compiled.automata[0], text)) == found


# ---------------------------------------------------------------- semantics, longest match


@examples(1000)
@given(
    st.lists(
        patterns().filter(lambda p: "(?!" not in p and "(?=" not in p and "$" not in p),
        min_size=1,
        max_size=3,
    ),
    st.text("abc", max_size=8),
)
def test_longest_match_is_the_longest_of_any_rule(rules: list[str], text: str) -> None:
    rules = [f"[abc](?:{rule})" for rule in rules] + [r"[\s\S]"]
    compiled = compile_one(*rules, longest=True)
    expected = list(longest_pieces([regex.compile(rule) for rule in rules], text))
    assert list(matches(compiled, compiled.automata[0], text)) == expected


def longest_pieces(rules: list[regex.Pattern[str]], text: str) -> Iterator[tuple[int, int, int]]:
    """Cut by trying every rule on every stretch, the longest stretch first."""
    start = 0
    while start < len(text):
        start, end, rule = next(
            (start, end, rule)
            for end in range(len(text), start, -1)
            for rule, each in enumerate(rules)
            if each.fullmatch(text, start, end)
        )
        yield start, end, rule
        start = end


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("a*", ""), ("a|", ""), ("(?!b)a?", ""), ("(?=b)", "b"), ("a|$", ""), ("(?:a?b?)+", "")],
)
def test_empty_matches_are_refused(pattern: str, text: str) -> None:
    with pytest.raises(PatternError, match="empty string") as caught:
        compile_one(pattern + ANY)
    assert caught.value.counterexample == text


@pytest.mark.parametrize("pattern", [r"[^\s\S]", r"(?!.)x", r"a[^\s\S]+"])
def test_what_matches_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match="'cutter' matches no text at all"):
        compile_scanners([Scanner("cutter", (parse_regex(pattern),), longest=False)])


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a", "!"),
        ("[^b]", "b"),
        ("ab|[^a]", "a"),
        ("abc|a(?!b)|[^a]", "ab"),
        (r"a(?!\s)|[^a]", "a\t"),
        (r"a$|[^a]", "a!"),
        ("(?=a)b|[^b]", "b"),
    ],
)
def test_getting_stuck_is_refused_with_the_shortest_text(pattern: str, text: str) -> None:
    with pytest.raises(PatternError, match="no rule matches") as caught:
        compile_one(pattern)
    found = caught.value.counterexample
    assert found is not None
    assert len(found) == len(text)
    assert regex.match(pattern.replace("$", r"\Z"), found, regex.V1) is None


@pytest.mark.parametrize(
    "pattern",
    ["a++b", "a*+", "a++(?:b|c)?", r"\s++$", "(?:a++b?)+", "a?+b++", "[ab]{1,3}+(?:c|)"],
)
def test_harmless_possessives_are_accepted_and_change_nothing(pattern: str) -> None:
    pattern = f"c{pattern}{ANY}"
    compiled = compile_one(pattern)
    oracle = regex.compile(pattern.replace("$", r"\Z"), regex.V1)
    texts = ["", "caab", "caac", "caaa", "cabab", "c  ", "c  a", "cb", "cabcba", "caaaaab"]
    assert [cut(compiled, text) for text in texts] == [oracle.findall(text) for text in texts]


@pytest.mark.parametrize(
    ("pattern", "position"),
    [
        ("a++a", 1),
        ("a?+[ab]", 1),
        (r"\s++(?!\S)", 2),
        ("(?:ab)++c", 6),
        ("(?:a++|b)+c?a", 4),
        ("ca*+$|ca*+(?=[^b])", 8),
    ],
)
def test_possessives_that_matter_are_refused(pattern: str, position: int) -> None:
    with pytest.raises(PatternError, match="possessive") as caught:
        compile_one(pattern + ANY)
    assert caught.value.position == position


def test_an_optional_tail_excuses_a_possessive_only_for_the_first_match() -> None:
    pattern = "ca?+(?:ab)?" + ANY
    assert cut(compile_one(pattern), "cab") == regex.findall(pattern, "cab") == ["ca", "b"]
    with pytest.raises(PatternError, match="possessive"):
        compile_one(pattern, longest=True)


# The characters of which a bit is set: the sets tell each from all others.
HALVES = [
    "".join(chr(0x4E00 + number) for number in range(4110) if number >> bit & 1)
    for bit in range(13)
]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (["a"] * (MAX_RULES + 1), "has 1024 rules, but the limit is 1023"),
        (["[ab]*a[ab]{11}c" + ANY], r"needs \d\d\d\d states, but the limit is 4095"),
        (["[ab]*a[ab]{20}c" + ANY], "more than 20000 states"),
        (["(?:" * 3 + "a" + "{255})" * 3 + ANY], "more than 100000 states before any are merged"),
        (["(?:" * 22 + "a*" + ")*" * 22 + "b" + ANY], "more than 100000 states before"),
        (["".join(f"[{half}]" for half in HALVES) + ANY], "need 41.. classes"),
    ],
)
def test_limits_name_both_numbers(rules: list[str], message: str) -> None:
    with pytest.raises(PatternError, match=message):
        compile_one(*rules)


# ---------------------------------------------------------------- the form of the result


def test_the_table_keeps_its_conventions() -> None:
    compiled = compile_one(PATTERNS["cl100k_base"])
    automaton = compiled.automata[0]
    assert len(automaton.table) == automaton.n_states
    assert {len(row) for row in automaton.table} == {automaton.n_columns}
    assert set(automaton.table[0]) == {(0, 0)}
    assert {row[0][1] for row in automaton.table} == {0}
    assert set(automaton.columns) == set(range(1, automaton.n_columns))
    assert len(automaton.columns) == compiled.classes.n_classes


def test_the_automaton_is_minimal() -> None:
    """Different spellings of one scanner compile to one automaton, class map included."""
    spellings = ["(?:ab|ac)d*|[a-z]", "a[bc]d*|a|[b-z]", "a(?:c|b)(?:d+|)|[a-m]|[n-z]"]
    results = [compile_one(spelling + ANY) for spelling in spellings]
    assert results[0] == results[1] == results[2]
    # dead, start, after a, after ab, after any other character
    assert results[0].automata[0].n_states == 5


def test_scanners_share_one_class_map_and_keep_their_own_columns() -> None:
    digits = Scanner("digits", (parse_regex(r"[0-9]+|[^0-9]"),), longest=False)
    vowels = Scanner("vowels", (parse_regex(r"[aeiou]+|[^aeiou]"),), longest=True)
    compiled = compile_scanners([digits, vowels])
    assert compiled.classes.n_classes == 3
    assert [automaton.n_columns for automaton in compiled.automata] == [3, 3]
    assert [
        [
            text
            for start, end, _ in matches(compiled, each, "a1e23io")
            for text in ["a1e23io"[start:end]]
        ]
        for each in compiled.automata
    ] == [["a", "1", "e", "23", "i", "o"], ["a", "1", "e", "2", "3", "io"]]


DUMP = """
import json
from wwho.assemble.patterns import PATTERNS
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.parse import parse_regex
scanners = [Scanner(name, (parse_regex(text),), False) for name, text in PATTERNS.items()]
compiled = compile_scanners(scanners)
print(json.dumps([compiled.classes.ranges, [[a.columns, a.table] for a in compiled.automata]]))
"""


def test_results_do_not_depend_on_the_hash_seed() -> None:
    results = {
        subprocess.run(
            [sys.executable, "-c", DUMP],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(results) == 1
    assert json.loads(results.pop())


# ---------------------------------------------------------------- equivalence

ABC = {name: CodePointSet.of(name.lower()) for name in "ABC"}


def dfa(**rows: dict[str, str]) -> TransitionTable:
    return TransitionTable(tuple(rows), "s", frozenset({"t"}), rows)


@pytest.mark.parametrize(
    ("table", "grammar", "expected"),
    [
        (dfa(s={"A": "t"}, t={"B": "t"}), "A B*", None),
        (dfa(s={"A": "t"}, t={"B": "s"}), "(A B)* A", None),
        (dfa(s={"A": "t"}, t={"B": "t"}), "A B?", ("A", "B", "B")),
        (dfa(s={"A": "t"}, t={}), "A B{2}|A", ("A", "B", "B")),
        (dfa(s={"A": "t", "C": "t"}, t={}), "A", ("C",)),
        (dfa(s={"A": "t"}, t={}), "A?", ()),
    ],
)
def test_difference_is_the_shortest(
    table: TransitionTable, grammar: str, expected: tuple[str, ...] | None
) -> None:
    assert (
        GrammarComparison(table, parse_grammar(grammar, ABC), ABC).shortest_difference() == expected
    )
