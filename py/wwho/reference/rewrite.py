"""Steps that rewrite a piece, in plain Python (FORMAT.md, STEPS: Kinds 1 to 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wwho.format.automaton import CompiledScanners
from wwho.format.steps import (
    CLUSTER_BYTES,
    MATCH,
    Ends,
    Map,
    Replace,
    Rewrite,
    Rules,
    Spell,
    stand_in,
)
from wwho.reference.map import Passing, give_sources, map_characters, note_vanished
from wwho.reference.piece import Piece, Source, bytes_of
from wwho.reference.scan import matches

Characters = Iterable[tuple[str, Source]]


def rewrite(step: Rewrite, piece: Piece, scanners: CompiledScanners) -> Piece:
    """Return what a step makes of a piece; it may be empty.

    Args:
        step: a step that rewrites.
        piece: the piece.
        scanners: the automata that steps name.

    Example:
        >>> from wwho.compile.scanners import compile_scanners, regex_scanner
        >>> from wwho.reference.piece import read_piece
        >>> scanners = compile_scanners([regex_scanner("any", r"[\\s\\S]")])
        >>> piece = rewrite(Ends(prefix="_"), read_piece(b"ab"), scanners)
        >>> piece.text, [source.begin for source in piece.sources]
        ('_ab', [0, 0, 1])
    """
    if isinstance(step, Map):
        return piece.rewrite(map_characters(step, piece))
    if isinstance(step, Replace):
        return piece.rewrite(replace_matches(step, piece, scanners))
    if isinstance(step, Ends):
        return piece.rewrite(change_ends(step, piece))
    if isinstance(step, Rules):
        if step.clusters is None:
            return piece.rewrite(replace_longest(step, piece))
        return piece.rewrite(replace_in_clusters(step, step.clusters, piece, scanners))
    return piece.rewrite(spell_bytes(step, piece))


def replace_matches(step: Replace, piece: Piece, scanners: CompiledScanners) -> Characters:
    """Yield the characters of a piece after REPLACE (Kind 2), each with its source.

    A match without content is kept. A content's characters have the source of the last character
    matched, or, for a rule in `after`, of the one that follows; a `MATCH` in it is the match with
    its own sources. In a step of empty matches, what stands before `MATCH` is written before the
    character, unless rule 0 matched just before, and what stands after it only at the end of the
    piece.
    """
    text, sources = piece.text, piece.sources
    rule_before = -1
    for start, end, rule in matches(scanners, scanners.automata[step.automaton], piece.scanned):
        matched = zip(text[start:end], sources[start:end], strict=True)
        content = step.contents[rule]
        if content is None:
            yield from matched
        elif step.empty and rule:  # one character, and empty matches before and after it
            before, after = content.split(MATCH)
            if rule_before != 0:
                yield from ((character, sources[max(start - 1, 0)]) for character in before)
            yield from matched
            if end == len(text):
                yield from ((character, sources[end - 1]) for character in after)
        else:
            place = sources[end if rule in step.after and end < len(text) else end - 1]
            for character in content:
                if character == MATCH:
                    yield from zip(text[start:end], sources[start:end], strict=True)
                else:
                    yield character, place
        rule_before = rule


def change_ends(step: Ends, piece: Piece) -> list[tuple[str, Source]]:
    """Return the characters of a piece after ENDS (Kind 3), each with its source.

    The prefix is not added where the text begins with it and `unless` is set, or where the piece
    does not begin the whole text and `first` is set. Of a piece that is stripped to nothing,
    nothing is left: no prefix and no suffix.
    """
    start, end = 0, len(piece.text)
    while step.left and start < end and piece.text[start] in step.strip:
        start += 1
    while step.right and start < end and piece.text[end - 1] in step.strip:
        end -= 1
    kept = [*zip(piece.text[start:end], piece.sources[start:end], strict=True)]
    if not kept:
        return []
    (first, first_source), (_, last_source) = kept[0], kept[-1]
    begins_so = step.unless and first == step.prefix[0]
    elsewhere = step.first and first_source.begin != 0
    prefix = "" if begins_so or elsewhere else step.prefix
    return [
        *((character, first_source) for character in prefix),
        *kept,
        *((character, last_source) for character in step.suffix),
    ]


def replace_longest(step: Rules, piece: Piece) -> Characters:
    """Yield the characters of a piece after RULES without clusters (Kind 4), with their sources.

    At each place the longest rule counts, and all that it writes has the source of the first
    character matched; a character that no rule matches stays.
    """
    text, start = piece.text, 0
    while start < len(text):
        sizes = range(min(step.longest, len(text) - start), 0, -1)
        size = next((n for n in sizes if text[start : start + n] in step.rules), 0)
        content = step.rules[text[start : start + size]] if size else text[start]
        yield from ((character, piece.sources[start]) for character in content)
        start += size or 1


def replace_in_clusters(
    step: Rules, clusters: int, piece: Piece, scanners: CompiledScanners
) -> Characters:
    """Return the characters of a piece after RULES with clusters (Kind 4), with their sources.

    Each character of a content takes the source of the character of its part that has the same
    place there; those beyond take that of the one before them.

    Args:
        step: the step.
        clusters: number of the automaton that finds clusters.
        piece: the piece.
        scanners: the automata.
    """
    after: list[Passing] = []
    for start, end, _ in matches(scanners, scanners.automata[clusters], piece.scanned):
        for text, content in _contents(step, piece.text[start:end]):
            for number, character in enumerate(content):
                after.append(Passing(character, int(number >= len(text))))
            if len(content) < len(text):
                note_vanished(after, len(text) - len(content))
    return give_sources(piece.sources, after, 0)  # What vanishes first of all is not counted here.


def _contents(step: Rules, cluster: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a cluster that are replaced as one, each with its content.

    A cluster of fewer than `CLUSTER_BYTES` bytes is one part if a rule matches its beginning: the
    content of the shortest such rule stands for all of it. Otherwise each character is a part,
    which a rule replaces or which stays.
    """
    if len(cluster.encode("utf-8", "surrogateescape")) < CLUSTER_BYTES:
        for size in range(1, len(cluster) + 1):
            content = step.rules.get(cluster[:size])
            if content is not None:
                yield cluster, content
                return
    for character in cluster:
        yield character, step.rules.get(character, character)


def spell_bytes(step: Spell, piece: Piece) -> Characters:
    """Yield the characters of a piece after SPELL (Kind 5), each with its source."""
    for character, source in zip(piece.text, piece.sources, strict=True):
        for byte in bytes_of(character):
            yield chr(stand_in(byte)), source


def rewrite_all(steps: Sequence[Rewrite], piece: Piece, scanners: CompiledScanners) -> Piece:
    """Return what several steps make of a piece, one after the other; it may be empty."""
    for step in steps:
        piece = rewrite(step, piece, scanners)
    return piece
