"""Pre-tokenizers as stages, and those that change text as steps of rewriting."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import sub
from typing import Any

from wwho.assemble.bpe import path_cuts
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.nfa import nullable
from wwho.compile.oniguruma import parse_oniguruma
from wwho.compile.scanners import Scanner
from wwho.compile.syntax import Alt, Chars, Look, Node, Repeat, Seq, alt, many, mapped
from wwho.compile.unicode import category, script, script_names, white_space, word
from wwho.errors import PatternError
from wwho.format.model import Action
from wwho.format.steps import STAND_INS, Ends, Replace
from wwho.format.viterbi import Viterbi
from wwho.importers.huggingface.document import Value, check_options
from wwho.importers.huggingface.draft import ANY, Draft, one
from wwho.importers.huggingface.pieces import (
    MARK,
    Grouped,
    group,
    grouped,
    put_in_front,
    settle,
    spell,
    unmark,
)
from wwho.importers.source import shown

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
THOUSANDS: list[dict[str, Any]] = [
    {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
    for regex in (
        r"\p{Nd}{1,510}(?=(?>\p{Nd}{510})*(?:\P{Nd}|$))|\G\p{Nd}{510}",
        r"\A\p{Nd}{1,2}(?=\p{Nd}{3}+\z)",
        r"\A\p{Nd}{3}|\G\p{Nd}{3}",
    )
]
"""How AFMoE's file counts digits by threes from the end of their run; 510 is a multiple of 3."""

ASCII_PUNCTUATION = CodePointSet.of(("!", "/"), (":", "@"), ("[", "`"), ("{", "~"))
IDEOGRAPHS = CodePointSet.of(
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)
"""What Bert puts spaces around; 2B920 is 2B820 in its source, and 2B920 in the library."""

# What becomes of a match and of a gap, which is one character after the other. Inverted, gaps are
# what the behaviour speaks of; no two gaps are neighbours.
BEHAVIOURS = {
    "Removed": ((Action.DROP, Action.GROUP), (Action.KEEP, Action.DROP)),
    "Isolated": ((Action.KEEP, Action.GROUP), (Action.KEEP, Action.GROUP)),
    "MergedWithPrevious": ((Action.BEFORE, Action.GROUP), (Action.BEHIND, Action.GROUP)),
    "MergedWithNext": ((Action.BEHIND, Action.GROUP), (Action.BEFORE, Action.GROUP)),
    "Contiguous": ((Action.GROUP, Action.GROUP), (Action.GROUP, Action.GROUP)),
}


def add_pretokenizer(value: Value, draft: Draft) -> None:
    """Add what a pre-tokenizer does.

    Raises:
        SourceError: it is not known, or does what no artifact can.
        PatternError: its pattern cannot be compiled.
    """
    if value.raw is None:
        return
    check_options(value)
    if draft.byte_level and value.kind() not in _CUT_BYTES:
        value.fail(f"{value.kind()} after ByteLevel looks at bytes; put it before ByteLevel")
    if draft.inside and value.kind() != "Sequence":
        settle(value, draft)
        unmark(draft)
    if value.kind() not in _DROP_SPACES and value.kind() != "Sequence":
        draft.ideographs = None  # It may look at the spaces around them.
    value.dispatch(_KINDS, "pre-tokenizer", draft)


def pattern_of(value: Value) -> Node | None:
    """The pattern of a Split or Replace; None for the literal empty text.

    Raises:
        SourceError: it is neither a text nor a regular expression.
        PatternError: it cannot be compiled.
    """
    pattern = value.at("pattern")
    if pattern.raw and set(pattern.be(dict)) == {"String"}:
        literal = pattern.text("String")
        return Seq(tuple(map(one, literal))) if literal else None
    if not pattern.raw or set(pattern.be(dict)) != {"Regex"}:
        pattern.fail(f'found {shown(pattern.raw)}, expected {{"String": ...}} or {{"Regex": ...}}')
    return parse_oniguruma(pattern.text("Regex"))


def punctuation() -> CodePointSet:
    """What Bert and Punctuation take for punctuation."""
    return category("P", "8.0") | ASCII_PUNCTUATION


def _sequence(value: Value, draft: Draft) -> None:
    left = list(value.items("pretokenizers"))
    while left:
        if [each.raw for each in left[: len(THOUSANDS)]] == THOUSANDS:
            settle(value, draft)
            digits = category("Nd")
            group(draft, Grouped(digits, 3, Look(negative=True, chars=digits), None))
            del left[: len(THOUSANDS)]
        else:
            add_pretokenizer(left.pop(0), draft)


def _cut(draft: Draft, name: str, node: Node, behaviour: str, invert: bool = False) -> None:
    match, gap = BEHAVIOURS[behaviour][invert]
    if not nullable(node):
        draft.stage(name, (node, match), (ANY, gap))
        return
    # Where it matches nothing, it still cuts; the character there begins what it does not match.
    begins, follows = (gap, gap) if gap is Action.DROP else (Action.KEEP, Action.FOLLOW)
    draft.stage(name, (node, match), (Alt(()), begins), (ANY, follows), empty=True)


def _of_text(node: Node, draft: Draft, behaviour: str) -> Node:
    """What a pattern finds in a text, if it is for the characters that stand for bytes.

    A longer character of the text is several bytes, which a pattern must not look at. One that
    finds single bytes may, if it cuts out each or all in a row (`Draft.apart`).

    Raises:
        PatternError: it looks at them.
    """
    far: set[int] = set()

    def of_text(chars: CodePointSet) -> CodePointSet:
        found = [byte for char, byte in STAND_INS.items() if char in chars]
        far.update(byte for byte in found if byte >= 0x80)
        return CodePointSet.of(*(byte for byte in found if byte < 0x80))

    found = mapped(node, of_text)
    cuts = isinstance(node, Chars) and behaviour in ("Isolated", "Contiguous")
    if nullable(node) or (far and not cuts):
        raise PatternError("after ByteLevel, it looks at the bytes of a character")
    if far:
        draft.apart.append((frozenset(far), behaviour == "Contiguous"))
    return found


def _behaviour(value: Value, default: str | None = None) -> str:
    found = value.text("behavior") if default is None else value.text("behavior", default)
    if found not in BEHAVIOURS:
        value.at("behavior").fail(f"found {shown(found)}, expected one of {', '.join(BEHAVIOURS)}")
    return found


def _split(value: Value, draft: Draft) -> None:
    node, behaviour, invert = pattern_of(value), _behaviour(value), value.flag("invert")
    if draft.byte_level:
        node = _of_text(Seq() if node is None else node, draft, "" if invert else behaviour)
    elif node is not None and not invert and _is_replaced(draft, node):
        return  # as in Gemma's files
    if node is not None and behaviour == "Isolated" and not invert and (found := grouped(node)):
        settle(value, draft)
        group(draft, found)
        return
    _cut(draft, "split", Seq() if node is None else node, behaviour, invert)


def _is_replaced(draft: Draft, node: Node) -> bool:
    """Whether the last step has replaced what a pattern matches, one certain character."""
    last = next(reversed(draft.rewriting or draft.normalizer), None)
    if not isinstance(last, Replace) or draft.scanners[last.automaton].rules != (node, ANY):
        return False
    if not isinstance(node, Seq) or len(node.parts) != 1 or not isinstance(node.parts[0], Chars):
        return False
    return not any(char in node.parts[0].chars for char in last.contents[0] or "")


def no_inserts(value: Value, draft: Draft) -> None:
    """Refuse what the engine does with characters in front of all: it spells them twice, or stops.

    Raises:
        SourceError: a Replace may have put some there.
    """
    if draft.inserts:
        value.fail(
            "a Replace before it matches the empty text, of which tokenizers gives wrong ids; "
            "let its pattern take at least one character"
        )


def _byte_level(value: Value, draft: Draft) -> None:
    value.flag("trim_offsets")
    no_inserts(value, draft)
    draft.padded |= value.flag("add_prefix_space")
    if draft.spelled:
        if value.flag("add_prefix_space"):
            put_in_front(value, draft, " ")
        if value.flag("use_regex", True):
            _cut(draft, "gpt2", parse_oniguruma(GPT2), "Isolated")
        spell(value, draft)
        return
    if value.flag("add_prefix_space"):
        if draft.stages:
            put_in_front(value, draft, " ")
        else:
            draft.rewriting.append(Ends(prefix=" ", unless=True))
    if draft.byte_level:
        value.fail("a second ByteLevel spells bytes of bytes; leave one out")
    if value.flag("use_regex", True):
        _cut(draft, "gpt2", parse_oniguruma(GPT2), "Isolated")
    draft.byte_level = True


def _metaspace(value: Value, draft: Draft) -> None:
    mark = value.text("replacement")
    if len(mark) != 1:
        value.at("replacement").fail(f"found {shown(mark)}, expected one character")
    scheme = value.text("prepend_scheme", "always")
    if scheme not in ("always", "first", "never"):
        value.at("prepend_scheme").fail(f"found {shown(scheme)}, expected always, first or never")
    if value.option("add_prefix_space", bool) is False and scheme != "never":
        if "prepend_scheme" in value.raw:
            value.at("add_prefix_space").fail("false goes with the prepend_scheme never alone")
        scheme = "never"
    if scheme == "first" and draft.padded:
        value.at("prepend_scheme").fail(
            "first goes with no add_prefix_space before it: tokenizers takes what comes after that "
            "space for the first text, too"
        )
    split = value.flag("split", True)
    if draft.words is not None and len(draft.stages) == 1 and split and scheme == "always":
        _words(draft, mark)
    else:
        settle(value, draft)
        draft.rewriting.append(draft.replacing("spaces", (one(" "), mark), (ANY, None)))
        if scheme == "always" and draft.marked:
            put_in_front(value, draft, mark)
        elif scheme != "never":
            strip = MARK if draft.marked else ""
            first = scheme == "first"
            draft.rewriting.append(Ends(strip, bool(strip), prefix=mark, unless=True, first=first))
        unmark(draft)
    if split:
        _cut(draft, "metaspace", one(mark), "MergedWithNext")


def cut_words(draft: Draft, model: Viterbi, unk: str) -> None:
    """Cut the words of a Metaspace where no token of the model is on both sides, too."""
    match [draft.scanners[stage.automaton] for stage in draft.stages], draft.scanners[-1:]:
        case [Scanner("metaspace", (Chars(CodePointSet(((mark, _),))), _)) as words], [last]:
            if words is last and (piece := path_cuts(model, chr(mark), unk.encode())) is not None:
                draft.stages.clear()
                draft.scanners.pop()
                draft.stage("words and signs", (piece, Action.KEEP))


def _words(draft: Draft, mark: str) -> None:
    """Metaspace within the words that WhitespaceSplit gives: white space becomes a mark."""
    draft.stages.clear()
    draft.words = None
    spaces = many(Chars(white_space()), 1)
    own = Seq((spaces, one(mark)))
    strip = "".join(map(chr, white_space()))
    draft.rewriting.append(Ends(strip=strip, left=True, right=True, prefix=mark, unless=True))
    rules = (own, mark), (spaces, mark), (ANY, None)
    draft.rewriting.append(draft.replacing("words", *rules, after={1}))


def _whitespace(_: Value, draft: Draft) -> None:
    other = Chars(~(word() | white_space()))
    node = alt(many(Chars(word()), 1), many(other, 1))
    _cut(draft, "whitespace", node, "Removed", invert=True)
    set_ideographs_apart(draft)


def _whitespace_split(_: Value, draft: Draft) -> None:
    if not draft.stages and not draft.rewriting:
        draft.words = len(draft.stages)
    _cut(draft, "whitespace split", Chars(white_space()), "Removed")
    set_ideographs_apart(draft)


def _bert(_: Value, draft: Draft) -> None:
    rules = (Chars(white_space()), Action.DROP), (Chars(punctuation()), Action.KEEP)
    draft.stage("bert", *rules, (ANY, Action.GROUP))
    set_ideographs_apart(draft)


def set_ideographs_apart(draft: Draft) -> None:
    """Do what BertNormalizer does with ideographs: a stage after one that drops white space.

    It puts spaces around each. What is dropped first of all need not be put there.
    """
    if draft.ideographs is not None:
        draft.normalizer.remove(draft.ideographs)
        _cut(draft, "ideographs", Chars(IDEOGRAPHS), "Isolated")
        draft.ideographs = None


def _punctuation(value: Value, draft: Draft) -> None:
    _cut_out(draft, "punctuation", punctuation(), _behaviour(value, "Isolated"))


def _digits(value: Value, draft: Draft) -> None:
    behaviour = "Isolated" if value.flag("individual_digits") else "Contiguous"
    _cut_out(draft, "digits", category("N", "17.0"), behaviour)


def _cut_out(draft: Draft, name: str, chars: CodePointSet, behaviour: str) -> None:
    node: Node = Chars(chars)
    _cut(draft, name, _of_text(node, draft, behaviour) if draft.byte_level else node, behaviour)


def _delimiter(value: Value, draft: Draft) -> None:
    delimiter = value.text("delimiter")
    if len(delimiter) != 1:
        value.at("delimiter").fail(f"found {shown(delimiter)}, expected one character")
    _cut(draft, "delimiter", one(delimiter), "Removed")


def _fixed_length(value: Value, draft: Draft) -> None:
    length = value.number("length", 5)
    if not 1 <= length <= 1000:
        value.at("length").fail(f"found {length}, expected 1 to 1000")
    draft.stage("fixed length", (Repeat(ANY, 1, length), Action.KEEP))


def _scripts(_: Value, draft: Draft) -> None:
    later = category("Cn", "9.0")
    sets = {name: script(name) - later - CodePointSet.of(" ") for name in script_names()}
    changed = {
        "Common": CodePointSet.of(0x589, 0x61C),
        "Devanagari": CodePointSet.of(0x953, 0x954),
        "Han": sets.pop("Hiragana") | sets.pop("Katakana") | CodePointSet.of(0x30FC),
    }
    for name, chars in changed.items():
        sets = {each: found - chars for each, found in sets.items()}
        sets[name] |= chars
    known = [chars for name, chars in sets.items() if chars and name != "Unknown"]
    any_ = reduce(sub, known, ALL)
    runs = (Seq((Chars(chars), many(Chars(chars | any_)))) for chars in known)
    draft.stage("scripts", (alt(*runs), Action.KEEP), (ANY, Action.DROP))


_DROP_SPACES = ("BertPreTokenizer", "Whitespace", "WhitespaceSplit")
_CUT_BYTES = ("ByteLevel", "Digits", "Punctuation", "Sequence", "Split")
_KINDS: dict[str, Callable[[Value, Draft], None]] = {
    "BertPreTokenizer": _bert,
    "ByteLevel": _byte_level,
    "CharDelimiterSplit": _delimiter,
    "Digits": _digits,
    "FixedLength": _fixed_length,
    "Metaspace": _metaspace,
    "Punctuation": _punctuation,
    "Sequence": _sequence,
    "Split": _split,
    "UnicodeScripts": _scripts,
    "Whitespace": _whitespace,
    "WhitespaceSplit": _whitespace_split,
}
