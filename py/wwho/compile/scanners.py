"""The compilation of patterns to automata: the one entry point of the compiler."""

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
    """An ordered list of patterns, the rules, that together cut text into pieces.

    Attributes:
        name: A name, for messages and for `Automaton.name`.
        rules: The patterns; the number of the one that matched comes with each piece.
        longest: False: the match that a backtracking engine would find for the rules joined by
            ``|``. True: the longest match of any rule, and the lowest rule among equally long;
            no rule may then look ahead of several characters.
        empty: The patterns that rule 0 goes on with if it has matched nothing, the preferred first;
            without any, rule 0 must match a character. These are rules 1, 2, ... of the automaton,
            and the other rules come after them.
    """

    name: str
    rules: tuple[Node, ...]
    longest: bool
    empty: tuple[Node, ...] = ()


def regex_scanner(name: str, *patterns: str) -> Scanner:
    """Return a scanner whose rules are regular expressions, matched as a backtracking engine does.

    Args:
        name: The scanner's name.
        *patterns: The rules, in the dialect of `parse_regex`; an earlier one is preferred.

    Raises:
        PatternError: If one of them cannot be parsed.
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
        PatternError: If a scanner can match the empty string, has no match at the start of some
            text, uses a possessive quantifier that matters, or is too large; or if the scanners
            together need more than MAX_CLASSES classes.

    Example:
        >>> compile_scanners([regex_scanner("words", r"\\w+", r"\\W")]).automata[0].n_states
        4
    """
    parts = [_compile_one(scanner) for scanner in scanners]
    classes, labels = overlay([part_classes for part_classes, _, _ in parts])
    _refuse_excess("the scanners together need", classes.n_classes, MAX_CLASSES, "classes")
    automata = tuple(
        _automaton(scanner, rows, alphabet, columns=tuple(1 + each[index] for each in labels))
        for index, (scanner, (_, rows, alphabet)) in enumerate(zip(scanners, parts, strict=True))
    )
    for automaton in automata:
        _refuse_incomplete(automaton, classes)
    return CompiledScanners(classes, automata)


def _compile_one(scanner: Scanner) -> tuple[ClassMap, Rows, Alphabet]:
    """Compile one scanner over a class map of its own.

    Returns:
        A class map whose classes all behave differently; the rows of the minimal automaton, in
        which symbol c + 1 is class c and symbol 0 the end of the text; and the alphabet before its
        classes were merged.

    Raises:
        PatternError: If the scanner has more than MAX_RULES rules, needs more than MAX_STATES
            states, or cannot be compiled.
    """
    n_rules = len(scanner.rules) + len(scanner.empty)
    _refuse_excess(f"scanner {scanner.name!r} has", n_rules, MAX_RULES, "rules")
    nfa = build_nfa(scanner.rules, scanner.empty)
    alphabet = Alphabet(nfa)
    if scanner.longest and any(back for _, back in alphabet.variants):
        raise PatternError(
            f"scanner {scanner.name!r}: a rule looks ahead of several characters, which cannot be "
            "compiled where the longest match is wanted"
        )
    refuse_unproven(nfa, alphabet, longest=scanner.longest)
    raw_rows = determinize(nfa, alphabet, longest=scanner.longest)
    # Symbols are merged twice: first to make minimization quick, then because fewer states may
    # leave fewer differences between symbols.
    first = END_OF_TEXT + 1
    narrow_rows, columns = merge_symbols(raw_rows, first)
    rows, merged_columns = merge_symbols(minimize(narrow_rows, bool(alphabet.behinds)), first)
    _refuse_excess(f"scanner {scanner.name!r} needs", len(rows), MAX_STATES, "states")
    classes = alphabet.classes.relabel([merged_columns[column] - 1 for column in columns[first:]])
    return classes, rows, alphabet


def _automaton(
    scanner: Scanner, rows: Rows, alphabet: Alphabet, columns: tuple[int, ...]
) -> Automaton:
    """Return a scanner's automaton.

    Args:
        scanner: The scanner.
        rows: Its minimal rows.
        alphabet: The alphabet that the rows were made over.
        columns: The column of each class of the shared class map.
    """
    looks_ahead = any(back for _, back in alphabet.variants)
    return Automaton(
        name=scanner.name,
        columns=columns,
        n_columns=len(rows[0]),
        n_states=len(rows),
        n_rules=max(len(scanner.rules) + len(scanner.empty), len(alphabet.variants)),
        table=tuple(tuple(row) for row in rows),
        behind=bool(alphabet.behinds),
        variants=tuple(alphabet.variants) if looks_ahead else (),
    )


def _refuse_incomplete(automaton: Automaton, classes: ClassMap) -> None:
    """Raise PatternError if an automaton has an empty match, or no match at the start of a text."""
    samples = [""] * automaton.n_columns
    # Backwards, so that the sample of a column is that of its first class.
    for column, sample in reversed(list(zip(automaton.columns, classes.samples, strict=True))):
        samples[column] = sample
    refuse_empty(automaton, samples)
    refuse_stuck(automaton, samples)


def with_properties(
    compiled: CompiledScanners, white_space: CodePointSet, word: CodePointSet
) -> tuple[CompiledScanners, bytes]:
    """Split classes until each is all white space or none, and all word characters or none.

    Args:
        compiled: The scanners; they do not change.
        white_space: The characters that count as white space.
        word: The characters that count as parts of words.

    Returns:
        Scanners that cut every text as before, over a class map with as many or more classes; and
        a byte for each class: 1 for white space, 2 for parts of words, 3 for both, 0 for neither.
    """
    sets = [chars.class_map() for chars in (white_space, word)]
    classes, labels = overlay([compiled.classes, *sets])
    automata = [
        replace(each, columns=tuple(each.columns[old] for old, _, _ in labels))
        for each in compiled.automata
    ]
    flags = bytes(is_space | is_word << 1 for _, is_space, is_word in labels)
    return CompiledScanners(classes, tuple(automata)), flags


def _refuse_excess(subject: str, count: int, most: int, things: str) -> None:
    """Raise PatternError if `count` is more than a file can hold; the other texts are for it."""
    if count > most:
        raise PatternError(f"{subject} {count} {things}, but the limit is {most}; simplify it")


def _start_states(automaton: Automaton) -> set[int]:
    """Return the states in which a piece may start.

    START is one of them. If the automaton looks behind, the others depend on the character before.
    """
    behind = automaton.table[BEHIND][1:] if automaton.behind else ()
    return {START, *(target for _, target in behind)}


def refuse_empty(automaton: Automaton, samples: Sequence[str]) -> None:
    """Raise PatternError if some match is empty, which would let a scan stand still.

    Args:
        automaton: The automaton to check.
        samples: One character of each column; column 0 has the empty string.

    Raises:
        PatternError: With the character before which the empty string is matched as
            `counterexample` (empty: the end of the text), or without one where the automaton
            matches no text.
    """
    if not any(mark for row in automaton.table for mark, _ in row):
        raise PatternError(
            f"scanner {automaton.name!r} matches no text at all; correct its pattern"
        )
    for start in _start_states(automaton):
        for sample, (mark, _) in zip(samples, automaton.table[start], strict=True):
            if not mark:
                continue
            place = f"before {sample!a}" if sample else "at the end of the text"
            raise PatternError(
                f"scanner {automaton.name!r}: rule {mark - 1} matches the empty string {place}; "
                "make it take at least one character",
                counterexample=sample,
            )


def refuse_stuck(automaton: Automaton, samples: Sequence[str]) -> None:
    """Raise PatternError if some text has no match at its start, so that a scan would drop it.

    Args:
        automaton: The automaton to check.
        samples: One character of each column; column 0 has the empty string.

    Raises:
        PatternError: With the shortest such text as `counterexample`.
    """
    text = _shortest_stuck_text(automaton, samples)
    if text is not None:
        raise PatternError(
            f"scanner {automaton.name!r}: no rule matches at the start of {text!a}; "
            "add a last rule that takes any character",
            counterexample=text,
        )


def _shortest_stuck_text(automaton: Automaton, samples: Sequence[str]) -> str | None:
    """Return the shortest text, not empty, that no rule matches at its start, or None.

    A breadth-first walk over the paths on which no mark has been seen: a text is stuck where one
    reaches the dead state, or a state without a mark at the end of the text.
    """
    starts = _start_states(automaton)
    queue = [(start, "") for start in starts]
    met = set(starts)
    # The queue grows while it is read.
    for state, text in queue:
        cells = automaton.table[state]
        if text and (state == DEAD or not cells[END_OF_TEXT][0]):
            return text
        for sample, (mark, target) in list(zip(samples, cells, strict=True))[1:]:
            if not mark and target not in met:
                met.add(target)
                queue.append((target, text + sample))
    return None
