"""What neither stages nor models can do, steps do to each piece.

They spell it in characters that stand for bytes, tell its first and last character, take out what
no model knows. After the last stage, they rewrite each pretoken; `enter` begins such steps.

Where a stage has to cut what steps have made of pieces, `settle` makes steps of the stages so far:
they put marks, which are lone surrogates and so in no text, where pieces begin and end. Steps after
it may rewrite what is between marks. `unmark` makes a stage that cuts at the marks.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import NamedTuple

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.scanners import Scanner
from wwho.compile.syntax import (
    Ahead,
    Alt,
    Behind,
    Chars,
    End,
    Look,
    Node,
    Repeat,
    Seq,
    alt,
    many,
    mapped,
    optional,
    seq,
)
from wwho.format.model import Action, Stage
from wwho.format.steps import MATCH, Ends, Rewriting, Spell, Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.draft import ANY, Draft, Rule, one

MARK = "\ud800"
AFTER_MATCH, BEFORE_GAP = "\ud801", "\ud802"
MARKS = one(MARK)
UNMARKED = ALL - MARKS.chars
AT_END: Node = Alt((End(), Look(negative=False, chars=MARKS.chars)))

UNKNOWN = "\ud801"
MAX_ORDERED = 50_000
"""Characters that a step may put in order: those that a vocabulary knows."""

CONTENTS = {
    Action.DROP: MARK,
    Action.KEEP: f"{MARK}{MATCH}{MARK}",
    Action.BEFORE: f"{MATCH}{MARK}",
    Action.BEHIND: f"{MARK}{MATCH}",
}


def enter(value: Value, draft: Draft) -> None:
    """Let the steps that follow rewrite each piece: each pretoken, or a text that is not cut."""
    if draft.stages:
        draft.inside = True
    elif not draft.inside:
        settle(value, draft)


def settle(value: Value, draft: Draft) -> None:
    """Let steps cut what stages have cut so far, and put marks.

    Raises:
        SourceError: a stage joins its matches in a way that marks cannot say.
    """
    for stage in draft.stages:
        scanner = draft.scanners[stage.automaton]
        if scanner.empty:
            _settle_empty(draft, scanner, stage)
            continue
        rules: list[Rule] = [(MARKS, None)]
        *_, last = stage.actions
        joins = {Action.BEFORE, Action.BEHIND} & {*stage.actions}
        for node, action in zip(scanner.rules, stage.actions, strict=True):
            node = mapped(node, lambda chars: chars - MARKS.chars, AT_END)
            if action is Action.GROUP and node == Chars(UNMARKED) and last is action:
                rules.append((node, None))
            elif action is Action.GROUP and not joins:
                rules.append((many(node, 1), CONTENTS[Action.KEEP]))
            elif action is Action.GROUP or (joins and action not in joins):
                value.fail("pieces are rewritten here that an earlier pre-tokenizer joins")
            else:
                rules.append((node, CONTENTS[action]))
        step = draft.replacing(f"{scanner.name}, marked", *rules, longest=scanner.longest)
        draft.rewriting.append(step)
    draft.marked = draft.marked or bool(draft.stages)
    draft.stages.clear()
    draft.rewriting += draft.within
    draft.within.clear()
    draft.inside = False


def _settle_empty(draft: Draft, scanner: Scanner, stage: Stage) -> None:
    """Let a step cut in the place of a stage whose pattern may match nothing."""
    pattern, begins, other = scanner.rules
    pattern = mapped(pattern, lambda chars: chars - MARKS.chars, AT_END)
    match, gap, _ = stage.actions
    if match is Action.GROUP:
        match = Action.KEEP
    content, begin = CONTENTS[match], MARK
    if match is Action.BEHIND:  # What it does not match begins a piece, but for directly after it.
        content, begin = content + AFTER_MATCH, BEFORE_GAP
    gaps = (MARK, MARK) if gap is Action.DROP else (f"{begin}{MATCH}", None)
    rules = (pattern, content), (begins, gaps[0]), (other, gaps[1])
    draft.rewriting.append(draft.replacing(f"{scanner.name}, marked", *rules, empty=True))
    if match is Action.BEHIND:
        after, before = one(AFTER_MATCH), one(BEFORE_GAP)
        both = (seq(after, before), ""), (before, MARK), (after, "")
        draft.rewriting.append(draft.replacing("matches and gaps", *both, (ANY, None)))


def unmark(draft: Draft) -> None:
    """Let a stage cut at the marks; those of pretokens go."""
    if not draft.marked:
        return
    draft.marked = False
    if draft.inside:
        draft.within.append(draft.replacing("no marks", (MARKS, ""), (ANY, None)))
        return
    cut = draft.private[0]
    if not draft.spelled and not draft.guarded:  # a text may have one of them, but hardly three
        cut += draft.private[3] + draft.private[1]
        names = " ".join(f"U+{ord(char):X}" for char in cut)
        draft.notes.append(f"a text may not have these noncharacters in a row: {names}")
    draft.rewriting.append(Rewriting({ord(MARK): tuple(map(ord, cut))}))
    drop = seq(*map(one, cut)), Action.DROP
    draft.stage("marks", drop, (ANY, Action.GROUP))


def guard(draft: Draft) -> None:
    """Let the text have none of the characters that steps put into it.

    All of them are noncharacters that no token has: only tokens of bytes tell one from the other.
    """
    if not draft.spelled and not draft.guarded:
        *own, other = map(ord, draft.private)
        draft.steps.append(Rewriting(dict.fromkeys(own, (other,))))
        draft.guarded = True


class Grouped(NamedTuple):
    r"""A pattern that counts digits from the end of their run: `\d{1,3}(?=(?:\d{3})*\b)`.

    Attributes:
        digits: the characters.
        size: how many are a group.
        end: holds where a run may end.
        goes_on: holds where one ends that has no groups; None if there is none.
        between: whether the pattern matches nothing, before whole groups alone.
        joined: whether what is in front of a run stays with its first group.
    """

    digits: CodePointSet
    size: int
    end: Node
    goes_on: Node | None
    between: bool = False
    joined: bool = False


def grouped(node: Node) -> Grouped | None:
    """What a pattern groups from the right, if it does nothing else."""
    match node:
        case Seq((Repeat(Chars(chars), 1, size), Ahead(False, Seq((Repeat(group, 0, None), end))))):
            between = False
        case Ahead(False, Seq((Repeat(Repeat(Chars(chars), _, size) as group, 1, None), end))):
            between = True
        case _:
            return None
    if size is None or group != Repeat(Chars(chars), size, size):
        return None
    others: CodePointSet | None = None
    match end:
        case Look(True, found):
            others = found
        case Alt((Seq((Behind(False, found), Look(True, after))), _)) if found == after:
            others = found  # of a boundary that comes after such a character
        case Alt((End(), Look(False, found))):
            others = ~found
        case End():
            others = ALL
    if others is None or chars - others:
        return None
    rest = others - chars - MARKS.chars
    goes_on = Look(negative=False, chars=rest) if rest else None
    return Grouped(chars, size, Look(negative=True, chars=others - MARKS.chars), goes_on, between)


def group(draft: Draft, found: Grouped) -> None:
    """Cut runs of digits into groups. Stages so far must be settled."""
    draft.rewriting += marked_groups(draft, found)
    draft.marked = True
    unmark(draft)


def marked_groups(draft: Draft, found: Grouped) -> list[Step]:
    """Steps that put marks between groups of digits, of which the first may be smaller.

    One puts in front of each run a character that tells the size of its first group; the next one
    cuts there, and after as many as are a group.
    """
    digit = Chars(found.digits - MARKS.chars)
    whole = Repeat(digit, found.size, found.size)
    sizes = {n: ord(MARK) + n for n in range(1, found.size)}
    mark = "" if found.between or found.joined else MARK
    runs: list[Rule] = [
        (seq(Repeat(digit, n, n), many(whole), found.end), f"{mark}{chr(told)}{MATCH}")
        for n, told in sizes.items()
    ]
    runs.append((seq(many(whole, 1), found.end), mark + MATCH if mark else None))
    firsts = alt(*(seq(one(told), Repeat(digit, n, n)) for n, told in sizes.items()))
    cut = MARK + MATCH if found.between else MATCH + MARK
    groups: list[Rule] = [(firsts, None if found.between else cut), (whole, cut), (ANY, None)]
    if found.goes_on:
        groups.insert(0, (seq(many(digit, 1), found.goes_on), None))
    return [
        draft.replacing("runs", *runs, (ANY, None)),
        draft.replacing("groups", *groups),
        Rewriting(dict.fromkeys(sizes.values(), ())),
    ]


def spell(value: Value, draft: Draft) -> None:
    """Spell each piece in the characters that stand for bytes."""
    enter(value, draft)
    draft.steps.append(Spell())


def put_in_front(value: Value, draft: Draft, character: str) -> None:
    """Put a character in front of each piece that does not begin with it."""
    settle(value, draft)
    draft.rewriting.append(Ends(prefix=MARK))
    others = ALL - CodePointSet.of(character, MARK)
    start = seq(many(MARKS, 1), Look(negative=False, chars=others))
    rules = (start, f"{MARK}{character}"), (ANY, None)
    draft.rewriting.append(draft.replacing(f"pieces without {character}", *rules, after={0}))
    draft.marked = True
    unmark(draft)


def tell_places(
    value: Value, draft: Draft, lead: str, prefix: str, suffix: str, whole: Mapping[str, str]
) -> None:
    """Put a character in front of a piece's characters, and behind the last.

    Args:
        value: the model that needs it.
        draft: the draft.
        lead: the one in front of the first, or nothing.
        prefix: the one in front of the others, or nothing.
        suffix: the one behind the last, or nothing.
        whole: pieces that become something else as a whole.
    """
    enter(value, draft)
    guard(draft)
    if draft.inside and not (lead or prefix or whole):
        draft.steps.append(Ends(suffix=suffix))
        return
    start = seq(many(MARKS, 1), Look(negative=False, chars=UNMARKED))
    if lead or whole:
        draft.steps.append(Ends(prefix=MARK))
        draft.marked = True
    rules: list[Rule] = [(_piece(*map(one, text)), whole[text]) for text in sorted(whole)]
    later = {len(rules), len(rules) + 3} if lead else {len(rules) + 2}
    rules += [(start, MARK + lead)] if lead else []
    rules += [(MARKS, None), (seq(Chars(UNMARKED), AT_END), MATCH + suffix)]
    rules.append((Chars(UNMARKED), MATCH + prefix))
    draft.steps.append(draft.replacing("places", *rules, after=later))


def _piece(*parts: Node) -> Node:
    """All of a piece, with the marks in front of it."""
    return seq(many(MARKS, 1), *parts, AT_END)


def unit(prefix: str, suffix: str) -> Node:
    """A character with what `tell_places` put beside it."""
    around = CodePointSet.of(*prefix, *suffix)
    before, after = (
        (optional(Chars(CodePointSet.of(*each))),) if each else () for each in (prefix, suffix)
    )
    return alt(seq(*before, Chars(ALL - around), *after), ANY)


Symbols = list[tuple[str, CodePointSet, str]]
"""What is in front of characters, the characters, and what is behind them."""


def spell_unknown(
    value: Value,
    draft: Draft,
    known: Symbols,
    spelled: Mapping[tuple[str, str], tuple[CodePointSet, tuple[str, str]]],
    content: str,
    marks: str,
    whole: str = "",
) -> None:
    """Let unknown units be characters alone, which no model knows.

    Args:
        value: the model that needs it.
        draft: the draft.
        known: the units that stay.
        spelled: of units with something in front and behind, the characters of those that are
            spelled, and the texts that stand for the two.
        content: the text that stands for all others.
        marks: two characters for the time between steps.
        whole: a character at the end of pieces that stay.
    """
    enter(value, draft)
    guard(draft)
    opening, closing = marks[0], marks[1]
    fronts = CodePointSet.of(*(front for front, _, _ in known))
    behinds = CodePointSet.of(*"".join(behind for _, _, behind in known))
    ends: list[Node] = [Look(negative=True, chars=behinds)] if behinds else []

    def units(front: str, chars: CodePointSet, behind: str) -> Node:
        after = [one(behind)] if behind else ends
        return seq(one(front), Chars(chars - MARKS.chars), *after)

    rules: list[Rule] = [(_ending(whole), None)] if whole else []
    rules.append((alt(MARKS, *(units(*each) for each in known if each[1])), None))
    for (front, behind), (chars, (before, after)) in spelled.items():
        stands = before + opening + MATCH + (closing + after if behind else "")
        rules.append((units(front, chars, behind), stands))
    any_ = Chars(ALL - fronts - behinds - MARKS.chars)
    last = [optional(Chars(behinds))] if behinds else []
    rules.append((seq(Chars(fronts), any_, *last), content))
    draft.steps.append(draft.replacing("known", *rules, (ANY, None)))
    gone: list[Node] = [seq(one(opening), Chars(fronts))]
    if behinds:
        gone.append(seq(Chars(behinds), one(closing)))
    draft.steps.append(draft.replacing("alone", (alt(*gone), ""), (ANY, None)))


def spelled_in(known: Collection[int]) -> CodePointSet:
    """The characters whose UTF-8 has no other bytes.

    Example:
        >>> spelled_in({0x41, 0xC3, 0xA9}) == CodePointSet.of("A", "\\u00e9")
        True
    """
    tails = [byte & 63 for byte in sorted(known) if 0x80 <= byte < 0xC0]
    ranges = [(byte, byte) for byte in known if byte < 0x80]
    ends, size = [(0, 0)], 1  # of what follows a lead, of so many values
    for first, last, least in ((0xC0, 0xDF, 0x80), (0xE0, 0xEF, 0x800), (0xF0, 0xF4, 0x10000)):
        every = len(tails) == 64 and len(ends) == 1
        ends = [(tail * size + low, tail * size + high) for tail in tails for low, high in ends]
        size *= 64
        ends = [(0, size - 1)] if every else ends
        for lead in known:
            for low, high in ends if first <= lead <= last else []:
                start, stop = ((lead - first) * size + each for each in (low, high))
                if stop >= least and start < 0x110000:
                    ranges.append((max(start, least), min(stop, 0x10FFFF)))
    return CodePointSet.of(*ranges)


def replace_unknown(
    value: Value,
    draft: Draft,
    known: Symbols,
    content: str,
    fuse: bool,
    whole: Collection[str] = (),
    ending: str = "",
) -> None:
    """Let a text stand for each unit that is not known.

    Args:
        value: the model that needs it.
        draft: the draft.
        known: the units that are known: what is in front of a character, characters, and what is
            behind them.
        content: the text; empty: unknown units vanish, and their neighbours meet.
        fuse: whether it stands for neighbouring units together, of which all are characters alone.
        whole: pieces that stay as they are, with the character that `whole_mark` gives behind them.
        ending: a character at the end of pieces that stay.
    """
    enter(value, draft)
    guard(draft)
    prefix = "".join({before for before, _, _ in known})
    suffix = "".join({behind for _, _, behind in known})
    goes_on = [Look(negative=True, chars=CodePointSet.of(suffix))] if suffix else []
    units = [
        seq(
            *(*map(one, before), Chars(chars - MARKS.chars), *map(one, behind)),
            *([] if behind else goes_on),
        )
        for before, chars, behind in known
        if chars
    ]
    own = CodePointSet.of(*prefix, *suffix) | MARKS.chars
    beside = ([optional(one(each)) for each in each_side] for each_side in (prefix, suffix))
    other = seq(*next(beside), Chars(ALL - own), *next(beside))
    if fuse:
        for _, chars, _ in known:
            own |= chars
        other = many(Chars(ALL - own), 1)
    rules: list[Rule] = [(_ending(ending), None)] if ending else []
    if whole:
        draft.steps.append(Ends(prefix=MARK))
        draft.marked = True
        texts = (seq(*map(one, text)) for text in sorted(whole))
        pieces = seq(many(MARKS, 1), alt(*(seq(text, AT_END) for text in texts)))
        rules.append((pieces, MATCH + whole_mark(draft)))
    rules += [(alt(MARKS, *units), None), (other, content), (ANY, None)]
    draft.steps.append(draft.replacing("known", *rules))


def move_unknown(value: Value, draft: Draft, known: CodePointSet) -> None:
    """Let unknown characters vanish as in tokenizers, where this moves others to their places.

    The bytes that are left of a piece have the places of its first ones, as if the unknown ones
    had been at its end. So each character is made as long as its UTF-8 by `filler`, of which
    `filled` makes a part of it; a step orders them, and the unknown ones go.

    Args:
        value: the model that needs it.
        draft: the draft.
        known: the characters that stay.
    """
    enter(value, draft)
    guard(draft)
    known -= MARKS.chars
    rules: list[Rule] = [(MARKS, None)]
    ends = (0, 0x80, 0x800, 0x10000, 0x110000)
    for size, (start, stop) in enumerate(pairwise(ends), 1):
        long = CodePointSet.of((start, stop - 1)) - MARKS.chars
        for chars, content in (
            (long - known, UNKNOWN * size),
            (long & known, MATCH + filler(draft) * (size - 1)),
        ):
            if chars:
                rules.append((Chars(chars), content))
    order = {**dict.fromkeys((*known, ord(filler(draft))), 1), ord(UNKNOWN): 2}
    gone = draft.replacing("unknown", (one(UNKNOWN), ""), (ANY, None))
    draft.steps.extend([draft.replacing("known", *rules), Rewriting(order=order), gone])


def filler(draft: Draft) -> str:
    """What makes a character as long as its UTF-8."""
    return draft.private[1]


def filled(text: str, character: str) -> list[str]:
    """The characters of a text, each as long as its UTF-8."""
    return [char + character * (len(char.encode()) - 1) for char in text]


def _ending(character: str) -> Node:
    """A piece with this character at its end."""
    chars = CodePointSet.of(character)
    return _piece(many(Chars(UNMARKED - chars), 1), Chars(chars))


def whole_mark(draft: Draft) -> str:
    """What stands behind pieces that are a token as a whole, and behind such tokens."""
    return draft.private[1]
