"""Tokenizers of *BPE Stays on SCRIPT*: gzipped JSON of its authors' programs.

The older ones (`class`) drop characters without a pair and then bring a text into a normal form;
the newer ones (`config_class`) do it the other way round. Blocks, the groups that take a space, and
the pattern are those of the file. The authors' own programs read it the same way. Over bytes the
newer ones may have tokens for digits (`digit_handling`): an added token each.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Sequence
from typing import Any

from wwho.assemble.bpe import bpe_model
from wwho.assemble.script import (
    all_characters,
    block_record,
    blocks_step,
    drop_all_but,
    imported_model,
    script_artifact,
)
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.normal_forms import Form, normal_form
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners, regex_scanner
from wwho.compile.script import Block, joint_number, script_pieces
from wwho.compile.syntax import Alt, Chars, End, Look, Node, many, map_sets
from wwho.compile.unicode import UNICODE_VERSION
from wwho.errors import SourceError
from wwho.format.bpe import BPE, BYTES
from wwho.format.model import Added, Artifact, Flag, Pair, Route
from wwho.format.steps import MAX_BLOCK_SYMBOLS, Action, Cut, Rewrite
from wwho.importers.huggingface.document import Value
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import HEAD, MAX_BYTES, Source, parse_json, shown

VERSION = "sebpe-v1"
GZIP = b"\x1f\x8b"
BYTE_CLASSES = ("RegexBytePretokenizer", "UTF8Pretokenizer", "UTF8PretokenizerConfig")
SCRIPT_CLASSES = (
    "ScriptEncodingPretokenizer",
    "ScriptEncodingPretokenizerRegexSplitting",
    "ScriptPretokenizer",
    "ScriptPretokenizerConfig",
)
DIGITS = CodePointSet.of(("0", "9"))
GROUP = 3
"""Digits of a group that is a token."""
FORMS: dict[str, Form] = {"NFC": "nfc", "NFD": "nfd", "NFKC": "nfkc", "NFKD": "nfkd"}


def sniff(source: Source) -> bool:
    """Return whether a file is JSON, gzipped or not, that begins as these files do."""
    head = source.head
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(31).decompress(head, HEAD)
        except zlib.error:
            return False
    return head.lstrip()[:1] == b"{" and (VERSION.encode() in head or b'"merge_rules"' in head)


def read(source: Source, options: Options) -> Imported:
    """Return the model of a tokenizer of SCRIPT.

    Raises:
        SourceError: a member is missing, malformed or not known, or the file is damaged.
        ArtifactError: its merges are no BPE.
        PatternError: its pattern cannot be compiled.
    """
    root = Value(parse_json(_data(source)))
    version = root.at("info").be(dict).get("version")
    if version != VERSION:
        root.at("info").at("version").fail(
            f"found version {shown(version)}, expected {shown(VERSION)}"
        )
    pretokenizer = root.at("pretokenizer")
    old = "config_class" not in pretokenizer.be(dict)
    name = pretokenizer.raw.get("class" if old else "config_class")
    config = pretokenizer.at("config") if "config" in pretokenizer.raw else pretokenizer
    if not isinstance(config.raw, dict) or name not in (*BYTE_CLASSES, *SCRIPT_CLASSES):
        known = ", ".join((*BYTE_CLASSES, *SCRIPT_CLASSES))
        pretokenizer.fail(f"found the class {shown(name)}, expected one of {known}")
    start = config.raw.get("starting_token_id", 1)
    if not isinstance(start, int) or not 0 <= start < 1 << 20:
        config.at("starting_token_id").fail(f"found {shown(start)}, expected an id")
    build = _script if name in SCRIPT_CLASSES else _bytes
    record = {**options.record(source), "unicode": UNICODE_VERSION}
    artifact = build(root.at("merge_rules"), config, start, old, record)
    constraint = "characters first" if config.raw.get("enforce_char_boundaries") else "none"
    notes = (f"merges were learnt with the constraint: {constraint}",)
    return Imported(artifact=artifact, kind=READER.kind, engine="script_bpe", notes=notes)


def _data(source: Source) -> bytes:
    """Return the content of a file, unpacked if it is gzip.

    Raises:
        SourceError: the gzip is damaged, or there are over `MAX_BYTES`.
    """
    if not source.head.startswith(GZIP):
        return source.data
    try:
        with gzip.open(io.BytesIO(source.data)) as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"it is damaged gzip: {error}; fetch the file again") from error
    if len(data) > MAX_BYTES:
        raise SourceError(f"it has over {MAX_BYTES >> 20} MB, more than any tokenizer")
    return data


def _normalizer_steps(config: Value, drops_first: bool, drop: Rewrite) -> tuple[Rewrite, ...]:
    """Return the normalizer's steps: the normal form that a file names, and the dropping.

    Args:
        config: the settings, whose member "normalization" names the form: NFC if it is missing,
            no form if it is null.
        drops_first: whether characters are dropped before the normal form, as the older program
            does; the newer one drops them last.
        drop: the step that drops characters.

    Raises:
        SourceError: there is no such normal form.
    """
    form = config.raw.get("normalization", "NFC")
    if form not in (None, *FORMS):
        config.at("normalization").fail(
            f"found the form {shown(form)}, expected one of {', '.join(FORMS)}, or null"
        )
    normal: tuple[Rewrite, ...] = () if form is None else (normal_form(FORMS[form]),)
    return (drop, *normal) if drops_first else (*normal, drop)


def _regex(config: Value) -> str | None:
    """Return the regular expression of a pretokenizer; None if it has none.

    Raises:
        SourceError: it is no text.
    """
    regex: str | None = config.option("regex" if "regex" in config.raw else "regex_pattern", str)
    return regex


def _merges(rules: Value, start: int, n_symbols: int) -> list[Pair]:
    """Return the merges as pairs of numbers, which count from 0 at the first symbol.

    Args:
        rules: the merges of the file, whose ids must rise by one.
        start: the id of the first symbol.
        n_symbols: the number of symbols, after which the merges' numbers go on.

    Raises:
        SourceError: a merge is malformed, has another id, or has a part that comes after it.
    """
    merges: list[Pair] = []
    for number, rule in enumerate(rules.be(list)):
        made = n_symbols + number
        parts: Any = rule.get("tokens_from") if isinstance(rule, dict) else None
        right = isinstance(parts, list) and len(parts) == 2
        if not right or any(type(each) is not int for each in (*parts, rule.get("token_to"))):
            rules.at(number).fail(
                f"found {shown(rule)}, expected tokens_from, two ids, and token_to, an id"
            )
        if rule["token_to"] != start + made:
            rules.at(number).fail(
                f"the merge makes the id {rule['token_to']}, expected {start + made}: ids of "
                "merges rise by one; put them in order"
            )
        left, last = (part - start for part in parts)
        if not (0 <= left < made and 0 <= last < made):
            rules.at(number).fail(
                f"it merges {shown(parts)}, expected two ids from {start} to {start + made - 1}: "
                "parts come before wholes"
            )
        merges.append((left, last))
    return merges


def _bytes(rules: Value, config: Value, start: int, old: bool, record: dict[str, str]) -> Artifact:
    """Return a model over bytes; the arguments are those of `_script`.

    A digit alone that is a token is an added token of normalized text. Groups of digits are cut out
    before the pattern cuts, and each is a token as a whole. The pattern is added to `record`, in
    place.

    Raises:
        SourceError: the settings or the merges are malformed.
        ArtifactError: the merges are no BPE.
        PatternError: the pattern cannot be compiled.
    """
    digits = _digit_texts(config)
    texts = [*BYTES, *(digit.encode() for digit in digits)]
    vocab = _vocabulary(rules, start, texts)
    pairs = [
        (texts[left], texts[right])
        for left, right in _merges(rules, start, len(BYTES) + len(digits))
    ]
    numbered = list(enumerate(digits, start + len(BYTES)))
    grouped = len(digits) > len(DIGITS)
    if grouped:
        model, added = _with_groups(rules, vocab, pairs, numbered)
    else:
        model = bpe_model(vocab, pairs)
        added = tuple(Added(digit, token, Flag.NORMALIZED) for token, digit in numbered)
    drops, drop = drop_all_but(_characters_kept(config), 0, whole=False)
    scanners, steps = [drops], list[Cut]()
    regex = _regex(config)
    if regex is not None:
        record["pattern"] = regex
    if (cut := _cut(regex, grouped)) is not None:
        scanners.append(cut[0])
        steps.append(cut[1])
    return Artifact(
        scanners=compile_scanners(scanners),
        routes=(Route("other", model=0, steps=tuple(steps)),),
        models=(model,),
        added=added,
        normalizer=_normalizer_steps(config, old, drop),
        provenance=record,
    )


def _vocabulary(rules: Value, start: int, texts: list[bytes]) -> dict[bytes, int]:
    """Return the tokens of bytes and merges: text to id. Those of digits are not among them.

    Args:
        rules: the merges.
        start: the first id.
        texts: the texts of bytes and digits by number; those of what merges make are appended, in
            place.

    Raises:
        SourceError: a merge is malformed, merges digits, or makes a text that another makes.
    """
    first = len(texts)
    vocab = {byte: number for number, byte in enumerate(BYTES, start)}
    for number, (left, right) in enumerate(_merges(rules, start, first)):
        if not {left, right}.isdisjoint(range(len(BYTES), first)):
            rules.at(number).fail("it merges digits, which are tokens of their own")
        token, text = start + first + number, texts[left] + texts[right]
        texts.append(text)
        if vocab.setdefault(text, token) != token:
            rules.at(number).fail(
                f"the ids {vocab[text]} and {token} are the same text; each must be another one"
            )
    return vocab


def _with_groups(
    rules: Value,
    vocab: dict[bytes, int],
    pairs: list[tuple[bytes, bytes]],
    digits: list[tuple[int, str]],
) -> tuple[BPE, tuple[Added, ...]]:
    """Return the model in which each group of digits is a token, and tokens that only decode.

    No merge is of digits in a text. So a group has the id of its token, and a byte or a merge of
    the same text only decodes.

    Args:
        rules: the merges of the file, for messages.
        vocab: the ids of the bytes and of what merges make, by text.
        pairs: the merges, in order of rank.
        digits: the id and the text of each group.

    Raises:
        SourceError: a token that nothing makes is no UTF-8.
    """
    unmade = {text: vocab[text] for text in bpe_model(vocab, pairs).unmade}
    groups = {digit.encode(): token for token, digit in digits}
    hidden = {text: token for text, token in vocab.items() if text in groups or text in unmade}
    left = {text: token for text, token in vocab.items() if text not in unmade}
    alive = [pair for pair in pairs if pair[0] + pair[1] in left]
    model = bpe_model(left | groups, alive, whole=True)
    try:
        added = [Added(text.decode("utf-8"), token, Flag.HIDDEN) for text, token in hidden.items()]
    except UnicodeDecodeError as error:
        rules.fail(f"no merge makes the token {error.object!r}, which is no text of its own")
    return model, tuple(sorted(added, key=lambda token: token.id))


def _cut(regex: str | None, grouped: bool) -> tuple[Scanner, Cut] | None:
    """Return the scanner and the step that cut a text, by automaton 1; None: nothing cuts.

    With groups (`grouped`), digits are cut by threes from the end of their run, and the pattern
    takes what stands between digits as a text of its own.
    """
    if not grouped:
        return None if regex is None else (regex_scanner("pretokenizer", regex), _keep_matches(1))
    end: Node = Alt((End(), Look(negative=False, chars=DIGITS)))
    others: Node = many(Chars(~DIGITS), 1)
    if regex is not None:
        others = map_sets(parse_regex(regex), lambda chars: chars - DIGITS, end)
    scanner = Scanner("pretokenizer", (many(Chars(DIGITS), 1), others), longest=False)
    return scanner, Cut(1, (Action.COUNT, Action.KEEP), (GROUP, 0))


def _keep_matches(automaton: int) -> Cut:
    """Return the cut whose pieces are the matches of an automaton with one rule."""
    return Cut(automaton, (Action.KEEP,))


def _digit_texts(config: Value) -> Sequence[str]:
    """Return the texts of digits that are tokens of their own, in the order of their ids.

    They are 0 to 9 for SPLIT; for RTL3 all of three digits, then all of two, then of one, and runs
    of digits are grouped by three from the right; none for null. Such a token is found before a
    pattern cuts what is between.

    Raises:
        SourceError: the file names another handling of digits.
    """
    handling = config.raw.get("digit_handling")
    sizes = {None: (), "SPLIT": (1,), "RTL3": (GROUP, 2, 1)}
    if handling not in tuple(sizes):
        config.at("digit_handling").fail(f"found {shown(handling)}, expected SPLIT, RTL3 or null")
    return [f"{number:0{size}}" for size in sizes[handling] for number in range(10**size)]


def _characters_kept(config: Value) -> CodePointSet:
    """Return the characters that a model over bytes does not drop.

    They are all code points if remove_unassigned is false, else the characters of the blocks if the
    file has any, else all characters that SCRIPT has a pair for.

    Raises:
        SourceError: the blocks are malformed.
    """
    if not config.raw.get("remove_unassigned", True):
        return ALL
    if "script_config" not in config.raw:
        return all_characters()
    blocks, _ = _new_blocks(config)
    return CodePointSet(tuple(each for block in blocks for each in block.ranges))


def _script(rules: Value, config: Value, start: int, old: bool, record: dict[str, str]) -> Artifact:
    """Return a model over the symbols of blocks and indices.

    Args:
        rules: the merges of the file.
        config: the settings of the pretokenizer.
        start: the id of the first symbol.
        old: whether the file is of the older program, which lists blocks otherwise.
        record: the provenance; the pattern and the blocks are added to it in place.

    Raises:
        SourceError: the settings ask for tokens of digits, or blocks or merges are malformed.
    """
    if _digit_texts(config):
        config.at("digit_handling").fail(
            "digits have tokens of their own, which the program that writes such files neither "
            "encodes nor decodes beside blocks and indices; train it without"
        )
    blocks, listed = (_old_blocks if old else _new_blocks)(config)
    n_indices = max(len(block.characters) for block in blocks)
    if old:
        n_indices = config.at("num_index_tokens").be(int)
        n_blocks = config.at("num_blocks").be(int)
        if n_blocks != len(blocks):
            listed.fail(f"there are {len(blocks)} blocks, expected {n_blocks}")
    _check_blocks(blocks, n_indices, listed)
    regex = _regex(config)
    cutter: Scanner | None = None
    if regex is not None:
        cutter = regex_scanner("pretokenizer", regex)
    elif config.raw.get("script_split", True):
        cutter = script_pieces(blocks)
    record["pattern"] = regex or ("none" if cutter is None else "script")
    merges = _merges(rules, start, n_indices + len(blocks))
    model = imported_model(n_indices + len(blocks), merges, start)
    kept = CodePointSet(tuple(each for block in blocks for each in block.ranges))
    drops, drop = drop_all_but(kept, 0, whole=True)
    step = blocks_step(blocks, n_indices=n_indices, spell=False)
    normalizer = _normalizer_steps(config, old, drop)
    record |= block_record(blocks, n_indices)
    return script_artifact(cutter, step, model, record, drops=drops, normalizer=normalizer)


def _old_blocks(config: Value) -> tuple[list[Block], Value]:
    """Return the blocks of a file of the older program, and the member that lists them.

    An item is a list: number of the group, script, supercategory, number of the sub-block, and
    characters.

    Raises:
        SourceError: an item is malformed, a block comes twice, or there is none.
    """
    spaced = {tuple(each) for each in config.at("script_cat_with_space").be(list)}
    listed = config.at("blocks")
    found: list[tuple[Any, Any, Any, Any, tuple[int, ...]]] = []
    for each in listed.each():
        if not isinstance(each.raw, list) or len(each.raw) != 5:
            each.fail(
                f"found {shown(each.raw)}, expected number, script, supercategory, sub-block and "
                "characters"
            )
        *names, characters = each.raw
        found.append((*names, _characters(characters, each)))
    _check_distinct([names for _, *names, _ in found], listed)
    numbers = {(script, kind): group for group, script, kind, _, _ in found}
    return [
        Block(script, kind, points, joint_number(numbers, script, kind), (script, kind) in spaced)
        for _, script, kind, _, points in found
    ], listed


def _new_blocks(config: Value) -> tuple[list[Block], Value]:
    """Return the blocks of a file of the newer program, and the member that lists them.

    An item is an object: `script`, `category`, `sub_block_id`, `chars` (its characters),
    `script_id` (the number of the group whose characters form pieces together), and
    `combines_with_spaces` (whether a piece takes the single space before it; false if missing).

    Raises:
        SourceError: an item is malformed, a block comes twice, or there is none.
    """
    script_config = config.at("script_config")
    script_config.be(dict)
    listed = script_config.at("blocks")
    found, names = [], []
    for each in listed.each():
        block = each.be(dict)
        points = _characters(block.get("chars"), each)
        names.append([block.get("script"), block.get("category"), block.get("sub_block_id")])
        group, spaced = each.at("script_id").be(int), bool(block.get("combines_with_spaces"))
        found.append(Block(str(names[-1][0]), str(names[-1][1]), points, group, spaced))
    _check_distinct(names, listed)
    return found, listed


def _characters(value: object, block: Value) -> tuple[int, ...]:
    """Return the code points of a text, or of a list of characters.

    Args:
        value: the text or list.
        block: the block that has it, for the message.

    Raises:
        SourceError: it is something else, or empty.
    """
    if isinstance(value, list) and all(isinstance(each, str) and len(each) == 1 for each in value):
        value = "".join(value)
    if not isinstance(value, str) or not value:
        block.fail(f"found {shown(value)}, expected characters")
    return tuple(map(ord, value))


def _check_distinct(names: Sequence[list[Any]], listed: Value) -> None:
    """Raise SourceError if there are no blocks, or two have one name, a list of its parts."""
    if not names:
        listed.fail("found 0 blocks, expected 1 or more")
    seen: dict[object, int] = {}
    for number, name in enumerate(names):
        if (before := seen.setdefault(tuple(name), number)) != number:
            listed.at(number).fail(
                f"the block {shown(name)} comes twice, at {before} and {number}, expected once; "
                "keep one"
            )


def _check_blocks(blocks: Sequence[Block], n_indices: int, listed: Value) -> None:
    """Refuse blocks that no artifact can hold.

    Args:
        blocks: the blocks.
        n_indices: the number of indices.
        listed: the member that lists the blocks, for messages.

    Raises:
        SourceError: a block has more characters than there are indices, a character is in two
            blocks, or there are over `MAX_BLOCK_SYMBOLS` indices and blocks.
    """
    owners: dict[int, int] = {}
    for number, block in enumerate(blocks):
        if len(block.characters) > n_indices:
            listed.at(number).fail(
                f"it has {len(block.characters)} characters, expected at most {n_indices}: there "
                f"are {n_indices} indices"
            )
        for each in block.characters:
            if each in owners:
                listed.at(number).fail(
                    f"U+{each:04X} comes twice, in the blocks {owners[each]} and {number}, "
                    "expected once: a character has one pair"
                )
            owners[each] = number
    if n_indices + len(blocks) > MAX_BLOCK_SYMBOLS:
        listed.fail(
            f"there are {n_indices} indices and {len(blocks)} blocks; {MAX_BLOCK_SYMBOLS} symbols "
            "are possible"
        )


READER = Reader(
    kind="a tokenizer of SCRIPT (sebpe-v1)",
    begins=rb"\x1f\x8b|\s*\{(?![{%#])",
    sniff=sniff,
    read=read,
    marks=(VERSION, '"merge_rules"'),
)
