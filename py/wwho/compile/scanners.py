"""Patterns to automata: the one entry point of the compiler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wwho.compile.codepoints import CodePointSet
from wwho.compile.determinize import Alphabet, Rows, determinize
from wwho.compile.minimize import merge_symbols, minimize
from wwho.compile.nfa import build_nfa
from wwho.compile.parse import parse_regex
from wwho.compile.possessive import refuse_unproven
from wwho.compile.syntax import Node
from wwho.errors import PatternError
from wwho.format.automaton import BEHIND, DEAD, END_OF_TEXT, START, Automaton, CompiledScanners
from wwho.format.classmap import ClassMap, overlay

MAX_STATES = 4095
MAX_RULES = 1023
MAX_CLASSES = 4096


@dataclass(frozen=True)
class Scanner:
    """Rules that together cut text into pieces.

    Attributes:
        name: A name, for messages and for `Automaton.name`.
        rules: The patterns; the number of the one that matched comes with each piece.
        longest: False: the match that a backtracking engine would find for the rules joined by
            ``|``. True: the longest match of any rule, and the lowest rule among equally long.
        empty: What rule 0 goes on with if it has matched nothing, the preferred first; without any,
            rule 0 must not match nothing. These are rules 1, 2, ... of the automaton, and the other
            rules come after them.
    """

    name: str
    rules: tuple[Node, ...]
    longest: bool
    empty: tuple[Node, ...] = ()


def regex_scanner(name: str, *patterns: str) -> Scanner:
    """A scanner whose rules are regular expressions, matched as a backtracking engine does.

    Raises:
        PatternError: One of them cannot be parsed.
    """
    return Scanner(name, tuple(map(parse_regex, patterns)), longest=False)


def compile_scanners(scanners: Sequence[Scanner]) -> CompiledScanners:
    """Compile scanners to minimal automata over one shared, minimal class map.

    The result depends on nothing but the scanners: two runs give equal tables.

    Args:
        scanners: The scanners.

    Returns:
        The class map and one automaton per scanner, in the same order.

    Raises:
        PatternError: If a scanner can match the empty string, can get stuck, uses a possessive
            quantifier that matters, or is too large.

    Example:
        >>> compile_scanners([regex_scanner("words", r"\\w+", r"\\W")]).automata[0].n_states
        4
    """
    parts = [_compile_one(scanner) for scanner in scanners]
    classes, labels = overlay([part_classes for part_classes, _, _ in parts])
    _limit("the scanners together need", classes.n_classes, MAX_CLASSES, "classes")
    automata = (
        Automaton(
            name=scanner.name,
            columns=tuple(1 + each[index] for each in labels),
            n_columns=len(rows[0]),
            n_states=len(rows),
            n_rules=max(len(scanner.rules) + len(scanner.empty), len(alphabet.variants)),
            table=tuple(tuple(row) for row in rows),
            behind=bool(alphabet.behinds),
            variants=tuple(alphabet.variants) if any(back for _, back in alphabet.variants) else (),
        )
        for index, (scanner, (_, rows, alphabet)) in enumerate(zip(scanners, parts, strict=True))
    )
    compiled = CompiledScanners(classes, tuple(automata))
    for automaton in compiled.automata:
        _check(automaton, classes)
    return compiled


def _compile_one(scanner: Scanner) -> tuple[ClassMap, Rows, Alphabet]:
    """Compile one scanner over a class map of its own.

    Returns:
        A map whose classes all behave differently, the rows, in which symbol c + 1 is class c, and
        what the rows were made over.
    """
    n_rules = len(scanner.rules) + len(scanner.empty)
    _limit(f"scanner {scanner.name!r} has", n_rules, MAX_RULES, "rules")
    nfa = build_nfa(scanner.rules, scanner.empty)
    alphabet = Alphabet(nfa)
    refuse_unproven(nfa, alphabet, longest=scanner.longest)
    raw = determinize(nfa, alphabet, longest=scanner.longest)
    narrow, columns = merge_symbols(raw, first=END_OF_TEXT + 1)
    rows, merged = merge_symbols(minimize(narrow, bool(alphabet.behinds)), first=END_OF_TEXT + 1)
    _limit(f"scanner {scanner.name!r} needs", len(rows), MAX_STATES, "states")
    return alphabet.classes.relabel([merged[column] - 1 for column in columns[1:]]), rows, alphabet


def _check(automaton: Automaton, classes: ClassMap) -> None:
    """Refuse automata that match nothing or get stuck."""
    samples = [""] * automaton.n_columns
    for column, sample in reversed(list(zip(automaton.columns, classes.samples, strict=True))):
        samples[column] = sample
    refuse_empty(automaton, samples)
    refuse_stuck(automaton, samples)


def with_properties(
    compiled: CompiledScanners, white_space: CodePointSet, word: CodePointSet
) -> tuple[CompiledScanners, bytes]:
    """The same scanners, and for each class whether it is white space (1) or of words (2).

    No class is partly so: where one was, there are several now.
    """
    sets = [chars.class_map() for chars in (white_space, word)]
    classes, labels = overlay([compiled.classes, *sets])
    recoloured = [
        replace(each, columns=tuple(each.columns[old] for old, _, _ in labels))
        for each in compiled.automata
    ]
    flags = bytes(space | letter << 1 for _, space, letter in labels)
    return CompiledScanners(classes, tuple(recoloured)), flags


def _limit(subject: str, count: int, most: int, things: str) -> None:
    """Raise if there are more than a file can hold."""
    if count > most:
        raise PatternError(f"{subject} {count} {things}, but the limit is {most}; simplify it")


def _starts(automaton: Automaton) -> set[int]:
    """The states in which a scan may start."""
    behind = automaton.table[BEHIND][1:] if automaton.behind else ()
    return {START, *(to for _, to in behind)}


def refuse_empty(automaton: Automaton, samples: Sequence[str]) -> None:
    """Raise if some match is empty: a run would stand still.

    Args:
        automaton: The automaton to check.
        samples: One character of each column; column 0 has the empty string.

    Raises:
        PatternError: With the shortest text before which nothing is matched, or none where the
            automaton matches no text at all.
    """
    if not any(mark for row in automaton.table for mark, _ in row):
        raise PatternError(
            f"scanner {automaton.name!r} matches no text at all; correct its pattern"
        )
    starts = _starts(automaton)
    rows = [row for start in starts for row in zip(samples, automaton.table[start], strict=True)]
    for sample, (mark, _) in rows:
        if mark:
            place = f"before {sample!a}" if sample else "at the end of the text"
            raise PatternError(
                f"scanner {automaton.name!r}: rule {mark - 1} matches the empty string {place}; "
                "make it take at least one character",
                counterexample=sample,
            )


def refuse_stuck(automaton: Automaton, samples: Sequence[str]) -> None:
    """Raise if some text has no match at its start: a run would have to drop it.

    Args:
        automaton: The automaton to check.
        samples: One character of each column; column 0 has the empty string.

    Raises:
        PatternError: With the shortest such text.
    """
    text = _stuck_text(automaton, samples)
    if text is not None:
        raise PatternError(
            f"scanner {automaton.name!r}: no rule matches at the start of {text!a}; "
            "add a last rule that takes any character",
            counterexample=text,
        )


def _stuck_text(automaton: Automaton, samples: Sequence[str]) -> str | None:
    """Walk every path that has seen no mark, shortest texts first, until one ends."""
    starts = _starts(automaton)
    queue = [(start, "") for start in starts]
    met = set(starts)
    for state, text in queue:  # which grows while it is read
        row = automaton.table[state]
        if text and (state == DEAD or not row[END_OF_TEXT][0]):
            return text
        for sample, (mark, target) in list(zip(samples, row, strict=True))[1:]:
            if not mark and target not in met:
                met.add(target)
                queue.append((target, text + sample))
    return None
