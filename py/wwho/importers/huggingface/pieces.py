"""Pieces of a text as marks in it: what neither stages nor models can do, steps do to each piece.

`settle` makes steps of the stages so far: they put marks, which are lone surrogates and so in no
text, where pieces begin and end. Steps after it may rewrite each piece on its own: spell it in
characters that stand for bytes, tell its first and last character, take out what no model knows.
`unmark` makes a stage that cuts at the marks.
"""

from __future__ import annotations

from collections.abc import Collection

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.scanners import Scanner
from wwho.compile.syntax import Alt, Chars, End, Look, Node, alt, many, mapped, optional, seq
from wwho.format.model import Action, Stage
from wwho.format.rewriting import MATCH, Ends, Replace, Rewriting, Spell
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.draft import ANY, Draft

MARK = "\ud800"
MARKS = Chars(CodePointSet.of(MARK))
UNMARKED = ALL - MARKS.chars
AT_END: Node = Alt((End(), Look(negative=False, chars=MARKS.chars)))

CONTENTS = {
    Action.DROP: MARK,
    Action.KEEP: f"{MARK}{MATCH}{MARK}",
    Action.BEFORE: f"{MATCH}{MARK}",
    Action.BEHIND: f"{MARK}{MATCH}",
}


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
        nodes: list[Node] = [MARKS]
        contents: list[str | None] = [None]
        *_, last = stage.actions
        joins = {Action.BEFORE, Action.BEHIND} & {*stage.actions}
        for node, action in zip(scanner.rules, stage.actions, strict=True):
            node = mapped(node, lambda chars: chars - MARKS.chars, AT_END)
            if action is Action.GROUP and node == Chars(UNMARKED) and last is action:
                contents.append(None)
            elif action is Action.GROUP and not joins:
                node = many(node, 1)
                contents.append(CONTENTS[Action.KEEP])
            elif action is Action.GROUP or (joins and action not in joins):
                value.fail("pieces are rewritten here that an earlier pre-tokenizer joins")
            else:
                contents.append(CONTENTS[action])
            nodes.append(node)
        number = draft.scanner(f"{scanner.name}, marked", *nodes, longest=scanner.longest)
        draft.rewriting.append(Replace(number, tuple(contents)))
    draft.marked = draft.marked or bool(draft.stages)
    draft.stages.clear()


def _settle_empty(draft: Draft, scanner: Scanner, stage: Stage) -> None:
    """Let a step cut in the place of a stage whose pattern may match nothing."""
    pattern, begins, other = scanner.rules
    pattern = mapped(pattern, lambda chars: chars - MARKS.chars, AT_END)
    match, gap, _ = stage.actions
    if match is Action.GROUP:
        match = Action.KEEP
    kept: tuple[str, str | None] = (MARK, MARK) if gap is Action.DROP else (f"{MARK}{MATCH}", None)
    number = draft.scanner(f"{scanner.name}, marked", pattern, begins, other, empty=True)
    draft.rewriting.append(Replace(number, (CONTENTS[match], *kept)))


def unmark(draft: Draft) -> None:
    """Let a stage cut at the marks."""
    if not draft.marked:
        return
    guard(draft)
    cut = draft.private[0]
    draft.rewriting.append(Rewriting({ord(MARK): (ord(cut),)}))
    drop = Chars(CodePointSet.of(cut)), Action.DROP
    draft.stage("marks", drop, (Chars(ALL - drop[0].chars), Action.GROUP))
    draft.marked = False


def guard(draft: Draft) -> None:
    """Let the text have none of the characters that steps put into it.

    All of them are noncharacters that no token has: no model can tell one from the other.
    """
    if not draft.spelled and not draft.guarded:
        *own, other = map(ord, draft.private)
        draft.rewriting.append(Rewriting(dict.fromkeys(own, (other,))))
        draft.guarded = True


def spell(value: Value, draft: Draft) -> None:
    """Spell each piece in the characters that stand for bytes."""
    settle(value, draft)
    draft.rewriting.append(Spell())
    unmark(draft)


def put_in_front(value: Value, draft: Draft, character: str) -> None:
    """Put a character in front of each piece that does not begin with it."""
    settle(value, draft)
    draft.rewriting.append(Ends(prefix=MARK))
    others = ALL - CodePointSet.of(character, MARK)
    start = seq(many(MARKS, 1), Look(negative=False, chars=others))
    number = draft.scanner(f"pieces without {character}", start, ANY)
    draft.rewriting.append(Replace(number, (f"{MARK}{character}", None), frozenset({0})))
    draft.marked = True
    unmark(draft)


def tell_places(value: Value, draft: Draft, prefix: str, suffix: str) -> None:
    """Put a character in front of all of a piece's characters but the first, and behind the last.

    Args:
        value: the model that needs it.
        draft: the draft.
        prefix: the one in front, or nothing.
        suffix: the one behind the last, or nothing.
    """
    settle(value, draft)
    guard(draft)
    number = draft.scanner("places", MARKS, seq(Chars(UNMARKED), AT_END), Chars(UNMARKED))
    contents = (None, MATCH + suffix, MATCH + prefix)
    draft.rewriting.append(Replace(number, contents, frozenset({2})))


def unit(prefix: str, suffix: str) -> Node:
    """A character with what `tell_places` put beside it."""
    around = CodePointSet.of(*prefix, *suffix)
    parts = [optional(Chars(CodePointSet.of(each))) for each in (prefix, suffix) if each]
    body = Chars(ALL - around)
    return alt(seq(*parts[: len(prefix)], body, *parts[len(prefix) :]), ANY)


def replace_unknown(
    value: Value,
    draft: Draft,
    known: list[tuple[str, CodePointSet, str]],
    content: str,
    fuse: bool,
    whole: Collection[str] = (),
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
    """
    settle(value, draft)
    guard(draft)
    prefix = "".join({before for before, _, _ in known})
    suffix = "".join({behind for _, _, behind in known})
    goes_on = [Look(negative=True, chars=CodePointSet.of(suffix))] if suffix else []
    rules = [
        seq(
            *(Chars(CodePointSet.of(each)) for each in before),
            Chars(chars - MARKS.chars),
            *(Chars(CodePointSet.of(each)) for each in behind),
            *([] if behind else goes_on),
        )
        for before, chars, behind in known
        if chars
    ]
    own = CodePointSet.of(*prefix, *suffix) | MARKS.chars
    other = seq(
        *(optional(Chars(CodePointSet.of(each))) for each in prefix),
        Chars(ALL - own),
        *(optional(Chars(CodePointSet.of(each))) for each in suffix),
    )
    if fuse:
        for _, chars, _ in known:
            own |= chars
        other = many(Chars(ALL - own), 1)
    nodes = [alt(MARKS, *rules), other, ANY]
    contents = [None, content, None]
    if whole:
        draft.rewriting.append(Ends(prefix=MARK))
        draft.marked = True
        texts = (seq(*(Chars(CodePointSet.of(char)) for char in text)) for text in sorted(whole))
        nodes.insert(0, seq(many(MARKS, 1), alt(*(seq(text, AT_END) for text in texts))))
        contents.insert(0, MATCH + whole_mark(draft))
    draft.rewriting.append(Replace(draft.scanner("known", *nodes), tuple(contents)))


def whole_mark(draft: Draft) -> str:
    """What stands behind pieces that are a token as a whole, and behind such tokens."""
    return draft.private[1]
