"""Normalizers as steps."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.grapheme import grapheme_cluster
from wwho.compile.nfa import nullable
from wwho.compile.normal_forms import Form, lower_case, normal_form
from wwho.compile.syntax import Alt, Chars, End, Look, Node, Seq, mapped, seq
from wwho.compile.unicode import category, white_space
from wwho.errors import SourceError
from wwho.format.steps import MATCH, Ends, Rewriting, Rules, Spell, Step, counting_in_clusters
from wwho.importers.huggingface.cutting import IDEOGRAPHS, no_inserts, pattern_of
from wwho.importers.huggingface.document import Value, check_options
from wwho.importers.huggingface.draft import ANY, Draft, one
from wwho.importers.huggingface.pieces import AFTER_MATCH
from wwho.interchange.charsmap import read_charsmap

KEPT_BY_CLEAN = CodePointSet.of("\t", "\n", "\r")
NMT_REMOVED = CodePointSet.of((1, 8), 0xB, (0xE, 0x1F), 0x7F, 0x8F, 0x9F)
NMT_SPACES = CodePointSet.of(
    *(9, 0xA, 0xC, 0xD, 0x1680, (0x200B, 0x200F), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD)
)
SPACE = (0x20,)
EMPTY, END = "\ud802", "\ud803"


def add_normalizer(value: Value, draft: Draft) -> None:
    """Add what a normalizer does.

    Raises:
        SourceError: it is not known, or does what no artifact can.
        PatternError: its pattern cannot be compiled.
    """
    if value.raw is None:
        return
    check_options(value)
    draft.ideographs = None  # The spaces around them may count from here on.
    if draft.byte_level:
        value.fail("a normalizer after ByteLevel rewrites bytes, which no artifact can")
    value.dispatch(_KINDS, "normalizer", draft)


def _sequence(value: Value, draft: Draft) -> None:
    for each in value.items("normalizers"):
        add_normalizer(each, draft)


def _bert(value: Value, draft: Draft) -> None:
    clean, lowercase = value.flag("clean_text"), value.flag("lowercase")
    accents = value.option("strip_accents", bool)
    if clean:
        gone = category("Cc", "8.0") | category("Cf", "8.0") | category("Co", "8.0")
        gone = (gone | CodePointSet.of(0, 0xFFFD)) - KEPT_BY_CLEAN
        rules = (Chars(gone), ""), (Chars(white_space()), " "), (ANY, None)
        draft.normalizer.append(draft.replacing("clean", *rules))
    apart: Step | None = None
    if value.flag("handle_chinese_chars"):
        around = (Chars(IDEOGRAPHS), f" {MATCH} "), (ANY, None)
        apart = draft.replacing("ideographs apart", *around)
        draft.normalizer.append(apart)
    if lowercase if accents is None else accents:
        draft.normalizer += [normal_form("nfd", "9.0"), _removal(category("Mn", "8.0"))]
    if lowercase:
        draft.normalizer.append(lower_case())
    draft.ideographs = apart


def _removal(chars: CodePointSet) -> Rewriting:
    return Rewriting(dict.fromkeys(chars, ()))


def _strip(value: Value, draft: Draft) -> None:
    left, right = value.flag("strip_left"), value.flag("strip_right")
    if right:
        no_inserts(value, draft)
    if left or right:
        spaces = "".join(map(chr, white_space()))
        draft.normalizer.append(Ends(strip=spaces, left=left, right=right))


def _prepend(value: Value, draft: Draft) -> None:
    if not (prefix := value.text("prepend")):
        value.at("prepend").fail("an empty text moves the offsets of what is behind it")
    draft.normalizer.append(Ends(prefix=prefix))


def _replace(value: Value, draft: Draft) -> None:
    node, content = pattern_of(value) or Seq(), value.text("content")
    if nullable(node):
        draft.inserts = draft.inserts or bool(content)
        draft.normalizer += _replace_empty(draft, node, content)
    else:
        draft.normalizer.append(draft.replacing("replace", (node, content), (ANY, None)))


def _replace_empty(draft: Draft, pattern: Node, content: str) -> list[Step]:
    """What replaces the matches of a pattern of which some are empty.

    Surrogates, which no text has, stand for an empty match, for the end of another match, after
    which none is empty, and for the end of the text, where one may be.
    """
    empty, match, end = map(one, (EMPTY, AFTER_MATCH, END))
    pattern = mapped(
        pattern,
        lambda chars: chars - end.chars,
        Alt((End(), Look(negative=False, chars=end.chars))),
    )
    rules = (pattern, content + AFTER_MATCH), (Alt(()), EMPTY + MATCH), (ANY, None)
    before = seq(Chars(ALL - match.chars), Look(negative=False, chars=empty.chars))
    return [
        Ends(suffix=END),
        draft.replacing("matches, also empty", *rules, empty=True),
        # It has the place of the character before it.
        draft.replacing("before empty", (before, MATCH + content + AFTER_MATCH), (ANY, None)),
        draft.replacing(
            *("empty", (seq(match, empty), ""), (empty, content), (match, ""), (end, "")),
            (ANY, None),
        ),
    ]


def _nmt(_: Value, draft: Draft) -> None:
    spaces = dict.fromkeys(NMT_SPACES, SPACE)
    draft.normalizer.append(Rewriting({**dict.fromkeys(NMT_REMOVED, ()), **spaces}))


def _precompiled(value: Value, draft: Draft) -> None:
    charsmap = value.at("precompiled_charsmap")
    try:
        data = base64.b64decode(charsmap.be(str), validate=True)
        rules = counting_in_clusters(read_charsmap(data).rules)
    except (binascii.Error, SourceError) as error:
        charsmap.fail(f"it is no charsmap of SentencePiece: {error}")
    if rules:
        number = draft.scanner("grapheme clusters", grapheme_cluster(), longest=True)
        draft.normalizer.append(Rules(rules, clusters=number))


def _byte_level(value: Value, draft: Draft) -> None:
    no_inserts(value, draft)
    if draft.spelled:
        draft.normalizer.append(Spell())
    else:
        draft.byte_level = True


def _form(form: Form) -> Callable[[Value, Draft], None]:
    def add(_: Value, draft: Draft) -> None:
        draft.normalizer.append(normal_form(form, "9.0"))

    return add


_KINDS: dict[str, Callable[[Value, Draft], None]] = {
    "BertNormalizer": _bert,
    "ByteLevel": _byte_level,
    "Lowercase": lambda _, draft: draft.normalizer.append(lower_case()),
    "NFC": _form("nfc"),
    "NFD": _form("nfd"),
    "NFKC": _form("nfkc"),
    "NFKD": _form("nfkd"),
    "Nmt": _nmt,
    "Precompiled": _precompiled,
    "Prepend": _prepend,
    "Replace": _replace,
    "Sequence": _sequence,
    "Strip": _strip,
    "StripAccents": lambda _, draft: draft.normalizer.append(_removal(category("M", "9.0"))),
}
