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

from wwho.build.base import WRITER
from wwho.build.bpe import bpe_model
from wwho.build.script import (
    all_characters,
    block_record,
    dropping,
    imported_model,
    pair_step,
    script_artifact,
)
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.normal_forms import Form, normal_form
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.script import Block, joined, script_pieces
from wwho.compile.syntax import Look
from wwho.compile.unicode import UNICODE_VERSION
from wwho.errors import SourceError
from wwho.format.bpe import BYTES
from wwho.format.model import Action, Added, Artifact, Flag, Pair, Route
from wwho.format.rewriting import MAX_PAIR_SYMBOLS, Rewriting, Step
from wwho.importers.huggingface.draft import Draft
from wwho.importers.huggingface.pieces import MARK, Grouped, marked_groups
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
UNASSIGNED = "/pretokenizer/config/remove_unassigned"
GROUPS = Grouped(DIGITS, 3, Look(negative=True, chars=DIGITS), None, joined=True)
FORMS: dict[str, Form] = {"NFC": "nfc", "NFD": "nfd", "NFKC": "nfkc", "NFKD": "nfkd"}


def sniff(source: Source) -> bool:
    """Whether it is JSON, gzipped or not, that begins as these files do."""
    head = source.head
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(31).decompress(head, HEAD)
        except zlib.error:
            return False
    return head.lstrip()[:1] == b"{" and (VERSION.encode() in head or b'"merge_rules"' in head)


def read(source: Source, options: Options) -> Imported:
    """Make the model."""
    document = parse_json(_data(source))
    version = _get(document, "info", dict, "").get("version")
    if version != VERSION:
        raise _wrong(
            f"found version {shown(version)}, expected {shown(VERSION)}", pointer="/info/version"
        )
    pretokenizer = _get(document, "pretokenizer", dict, "")
    old = "config_class" not in pretokenizer
    name = pretokenizer.get("class" if old else "config_class")
    config = pretokenizer.get("config", pretokenizer)
    if not isinstance(config, dict) or name not in (*BYTE_CLASSES, *SCRIPT_CLASSES):
        known = ", ".join((*BYTE_CLASSES, *SCRIPT_CLASSES))
        raise _wrong(
            f"found the class {shown(name)}, expected one of {known}", pointer="/pretokenizer"
        )
    start = config.get("starting_token_id", 1)
    if not isinstance(start, int) or not 0 <= start < 1 << 20:
        raise _wrong(
            f"found {shown(start)}, expected an id",
            pointer="/pretokenizer/config/starting_token_id",
        )
    build = _script if name in SCRIPT_CLASSES else _bytes
    artifact = build(document, config, start, old, _record(options, source))
    constraint = "characters first" if config.get("enforce_char_boundaries") else "none"
    notes = (f"merges were learnt with the constraint: {constraint}",)
    return Imported(artifact=artifact, kind=READER.kind, engine="script_bpe", notes=notes)


def _data(source: Source) -> bytes:
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


def _wrong(message: str, *, pointer: str) -> SourceError:
    """The error that names the place."""
    return SourceError(f"{pointer}: {message}", pointer=pointer)


def _record(options: Options, source: Source) -> dict[str, str]:
    return {
        "name": options.name,
        "source": options.source or source.name,
        "license": options.license or "unknown",
        "unicode": UNICODE_VERSION,
        "writer": WRITER,
    }


def _get(document: dict[str, Any], key: str, kind: type, pointer: str) -> Any:
    value = document.get(key)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _wrong(f"found {shown(value)}, expected {kind.__name__}", pointer=f"{pointer}/{key}")
    return value


def _steps(config: dict[str, Any], old: bool, drop: Step) -> tuple[Step, ...]:
    """Dropping and the normal form, in the order of the program that wrote the file."""
    form = config.get("normalization", "NFC")
    if form is not None and form not in FORMS:
        raise _wrong(
            f"found the form {shown(form)}, expected one of {', '.join(FORMS)}, or null",
            pointer="/pretokenizer/config/normalization",
        )
    normal: tuple[Step, ...] = () if form is None else (normal_form(FORMS[form]),)
    return (drop, *normal) if old else (*normal, drop)


def _regex(config: dict[str, Any]) -> str | None:
    regex = config.get("regex", config.get("regex_pattern"))
    if regex is not None and not isinstance(regex, str):
        raise _wrong(
            f"found {shown(regex)}, expected a regular expression",
            pointer="/pretokenizer/config/regex",
        )
    return regex


def _merges(document: dict[str, Any], start: int, n_symbols: int) -> list[Pair]:
    """The merges, as numbers counted from the first symbol."""
    merges: list[Pair] = []
    for number, rule in enumerate(_get(document, "merge_rules", list, "")):
        pointer, made = f"/merge_rules/{number}", n_symbols + number
        parts: Any = rule.get("tokens_from") if isinstance(rule, dict) else None
        right = isinstance(parts, list) and len(parts) == 2
        if not right or any(type(each) is not int for each in (*parts, rule.get("token_to"))):
            raise _wrong(
                f"found {shown(rule)}, expected tokens_from, two ids, and token_to, an id",
                pointer=pointer,
            )
        if rule["token_to"] != start + made:
            raise _wrong(
                f"the merge makes the id {rule['token_to']}, expected {start + made}: ids of "
                "merges rise by one; put them in order",
                pointer=pointer,
            )
        left, last = (part - start for part in parts)
        if not (0 <= left < made and 0 <= last < made):
            raise _wrong(
                f"it merges {shown(parts)}, expected two ids from {start} to {start + made - 1}: "
                "parts come before wholes",
                pointer=pointer,
            )
        merges.append((left, last))
    return merges


def _bytes(
    document: dict[str, Any], config: dict[str, Any], start: int, old: bool, record: dict[str, str]
) -> Artifact:
    """A model over bytes."""
    digits = _digits(config)
    first = len(BYTES) + len(digits)
    merges = _merges(document, start, first)
    texts = [*BYTES, *(digit.encode() for digit in digits)]
    vocab = {byte: number for number, byte in enumerate(BYTES, start)}
    for number, (left, right) in enumerate(merges):
        if not {left, right}.isdisjoint(range(len(BYTES), first)):
            raise _wrong(
                "it merges digits, which are tokens of their own",
                pointer=f"/merge_rules/{number}",
            )
        token, text = start + first + number, texts[left] + texts[right]
        texts.append(text)
        if vocab.setdefault(text, token) != token:
            raise _wrong(
                f"the ids {vocab[text]} and {token} are the same text; each must be another one",
                pointer=f"/merge_rules/{number}",
            )
    model = bpe_model(vocab, [(texts[left], texts[right]) for left, right in merges])
    kept = _kept(config)
    drops, drop = dropping(kept, 0, whole=False)
    draft = Draft(scanners=[drops], normalizer=[*_steps(config, old, drop)])
    if len(digits) > len(DIGITS):
        cut = ord(draft.private[0])  # dropped where a text has it; gone where digits are found
        if cut in kept:
            raise _wrong("found false, expected true with groups of digits", pointer=UNASSIGNED)
        draft.normalizer += (*marked_groups(draft, GROUPS), Rewriting({ord(MARK): (cut,)}))
        draft.rewriting.append(Rewriting({cut: ()}))
    regex = _regex(config)
    if regex is not None:
        draft.stage("pretokenizer", (parse_regex(regex), Action.KEEP))
        record["pattern"] = regex
    return Artifact(
        scanners=compile_scanners(draft.scanners),
        router=None,
        routes=(Route("other", model=0, stages=tuple(range(len(draft.stages)))),),
        models=(model,),
        stages=tuple(draft.stages),
        added=tuple(
            Added(digit, token, Flag.NORMALIZED)
            for token, digit in enumerate(digits, start + len(BYTES))
        ),
        normalizer=tuple(draft.normalizer),
        rewriting=tuple(draft.rewriting),
        provenance=record,
    )


def _digits(config: dict[str, Any]) -> Sequence[str]:
    """The texts of digits that are tokens of their own: 0 to 9, or all of up to three digits.

    Such a token is found before a pattern cuts what is between. Three are counted from the right.
    """
    handling = config.get("digit_handling")
    sizes = {None: (), "SPLIT": (1,), "RTL3": (3, 2, 1)}
    if not isinstance(handling, str | None) or handling not in sizes:
        raise _wrong(
            f"found {shown(handling)}, expected SPLIT, RTL3 or null",
            pointer="/pretokenizer/config/digit_handling",
        )
    return [f"{number:0{size}}" for size in sizes[handling] for number in range(10**size)]


def _kept(config: dict[str, Any]) -> CodePointSet:
    """The characters that a model over bytes does not drop."""
    if not config.get("remove_unassigned", True):
        return ALL
    if "script_config" not in config:
        return all_characters()
    return CodePointSet(tuple(each for block in _new_blocks(config) for each in block.ranges))


def _script(
    document: dict[str, Any], config: dict[str, Any], start: int, old: bool, record: dict[str, str]
) -> Artifact:
    """A model over blocks and indices."""
    if _digits(config):
        raise _wrong(
            "digits have tokens of their own, which the program that writes such files neither "
            "encodes nor decodes beside blocks and indices; train it without",
            pointer="/pretokenizer/config/digit_handling",
        )
    if old:
        blocks, at = _old_blocks(config), "/pretokenizer/config/blocks"
    else:
        blocks, at = _new_blocks(config), "/pretokenizer/config/script_config/blocks"
    n_indices = max(len(block.characters) for block in blocks)
    if old:
        n_indices = _get(config, "num_index_tokens", int, "/pretokenizer/config")
        n_blocks = _get(config, "num_blocks", int, "/pretokenizer/config")
        if n_blocks != len(blocks):
            raise _wrong(f"there are {len(blocks)} blocks, expected {n_blocks}", pointer=at)
    _check_blocks(blocks, n_indices, at)
    regex = _regex(config)
    cutter: Scanner | None = None
    if regex is not None:
        cutter = Scanner("pretokenizer", (parse_regex(regex),), longest=False)
    elif config.get("script_split", True):
        cutter = script_pieces(blocks)
    record["pattern"] = regex or ("none" if cutter is None else "script")
    merges = _merges(document, start, n_indices + len(blocks))
    model = imported_model(n_indices + len(blocks), merges, start)
    kept = CodePointSet(tuple(each for block in blocks for each in block.ranges))
    drops, drop = dropping(kept, 0, whole=True)
    pairs = pair_step(blocks, n_indices=n_indices, spell=False)
    steps = _steps(config, old, drop)
    record |= block_record(blocks, n_indices)
    return script_artifact(cutter, pairs, model, record, drops=drops, steps=steps)


def _old_blocks(config: dict[str, Any]) -> list[Block]:
    """Lists: number of the group, script, supercategory, number of the sub-block, characters."""
    pointer = "/pretokenizer/config"
    spaced = {tuple(each) for each in _get(config, "script_cat_with_space", list, pointer)}
    listed = []
    for number, each in enumerate(_get(config, "blocks", list, pointer)):
        if not isinstance(each, list) or len(each) != 5:
            raise _wrong(
                f"found {shown(each)}, expected number, script, supercategory, sub-block and "
                "characters",
                pointer=f"{pointer}/blocks/{number}",
            )
        group, script, kind, part, characters = each
        listed.append((group, script, kind, part, _characters(characters, number, pointer)))
    _check_distinct([(each[1], each[2], each[3]) for each in listed], f"{pointer}/blocks")
    numbers = {(script, kind): group for group, script, kind, _, _ in listed}
    return [
        Block(script, kind, points, joined(numbers, script, kind), (script, kind) in spaced)
        for _, script, kind, _, points in listed
    ]


def _new_blocks(config: dict[str, Any]) -> list[Block]:
    """Objects, which say themselves what goes together."""
    pointer = "/pretokenizer/config"
    script_config = _get(config, "script_config", dict, pointer)
    found, names = [], []
    for number, each in enumerate(_get(script_config, "blocks", list, f"{pointer}/script_config")):
        place = f"{pointer}/script_config"
        if not isinstance(each, dict):
            raise _wrong(f"found {shown(each)}, expected a block", pointer=f"{place}/blocks")
        points = _characters(each.get("chars"), number, place)
        names.append((each.get("script"), each.get("category"), each.get("sub_block_id")))
        group = _get(each, "script_id", int, f"{place}/blocks/{number}")
        spaced = bool(each.get("combines_with_spaces"))
        found.append(Block(str(names[-1][0]), str(names[-1][1]), points, group, spaced))
    _check_distinct(names, f"{pointer}/script_config/blocks")
    return found


def _characters(value: object, number: int, pointer: str) -> tuple[int, ...]:
    """The code points of a text, or of a list of characters."""
    if isinstance(value, list) and all(isinstance(each, str) and len(each) == 1 for each in value):
        value = "".join(value)
    if not isinstance(value, str) or not value:
        raise _wrong(
            f"found {shown(value)}, expected characters", pointer=f"{pointer}/blocks/{number}"
        )
    return tuple(map(ord, value))


def _check_distinct(names: Sequence[object], pointer: str) -> None:
    """Refuse a block that comes twice."""
    if not names:
        raise _wrong("found 0 blocks, expected 1 or more", pointer=pointer)
    seen: dict[object, int] = {}
    for number, name in enumerate(names):
        if (before := seen.setdefault(name, number)) != number:
            raise _wrong(
                f"the block {shown(name)} comes twice, at {before} and {number}, expected once; "
                "keep one",
                pointer=f"{pointer}/{number}",
            )


def _check_blocks(blocks: Sequence[Block], n_indices: int, pointer: str) -> None:
    """Refuse what no artifact can hold."""
    owners: dict[int, int] = {}
    for number, block in enumerate(blocks):
        if len(block.characters) > n_indices:
            raise _wrong(
                f"it has {len(block.characters)} characters, expected at most {n_indices}: there "
                f"are {n_indices} indices",
                pointer=f"{pointer}/{number}",
            )
        for each in block.characters:
            if each in owners:
                raise _wrong(
                    f"U+{each:04X} comes twice, in the blocks {owners[each]} and {number}, "
                    "expected once: a character has one pair",
                    pointer=f"{pointer}/{number}",
                )
            owners[each] = number
    if n_indices + len(blocks) > MAX_PAIR_SYMBOLS:
        raise _wrong(
            f"there are {n_indices} indices and {len(blocks)} blocks; {MAX_PAIR_SYMBOLS} symbols "
            "are possible",
            pointer=pointer,
        )


READER = Reader(kind="a tokenizer of SCRIPT (sebpe-v1)", sniff=sniff, read=read)
