"""Proof that a possessive quantifier changes nothing.

Tokenizer patterns write ``\\p{L}++`` to spare a backtracking engine some work. An automaton never
backtracks, so the mark can be dropped, *if* the engine would never have used what it forbids:
giving back characters of the repetition. For a body that is one class of characters, that is so
when either

- what follows can always match nothing, so the first attempt already succeeds (this speaks about
  the first match, so it says nothing where the longest one is wanted), or
- what follows can never match where the next character is one of the body's, and a character
  given back would be just that.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from wwho.compile.determinize import Alphabet
from wwho.compile.nfa import Accept, Exit, Nfa, closure
from wwho.compile.syntax import Chars
from wwho.errors import PatternError


def refuse_unproven(nfa: Nfa, alphabet: Alphabet, *, longest: bool) -> None:
    """Raise unless every possessive quantifier can be dropped.

    Args:
        nfa: The automaton, built as if the quantifiers were greedy.
        alphabet: Its symbols.
        longest: Whether the scanner wants the longest match rather than the first.

    Raises:
        PatternError: If a proof fails; `PatternError.position` is the quantifier's.
    """
    for leave in nfa.exits:
        if not isinstance(leave.repeat.body, Chars):
            raise _refusal(leave, "it repeats more than one character class")
        if not longest and _always_matches_nothing(nfa, leave.state):
            continue
        clash = next(_clashes(nfa, alphabet, leave.state, leave.repeat.body), None)
        if clash is not None:
            example = alphabet.classes.samples[clash - 1]
            raise _refusal(leave, f"what follows it may also start at {example!a}")


def _always_matches_nothing(nfa: Nfa, state: int) -> bool:
    """Tell whether the rule can end at `state` whatever comes next."""
    return any(isinstance(each, Accept) for each in closure(nfa, [state], lambda _: False))


def _clashes(nfa: Nfa, alphabet: Alphabet, state: int, body: Chars) -> Iterator[int]:
    """Yield the symbols of the body before or over which the pattern can go on at `state`."""
    for symbol in sorted(alphabet.symbols(body.chars)):
        reached = closure(nfa, [state], partial(alphabet.holds, symbol=symbol))
        if any(
            isinstance(each, Accept) or symbol in alphabet.symbols(each.chars) for each in reached
        ):
            yield symbol


def _refusal(leave: Exit, reason: str) -> PatternError:
    """Build the error for one quantifier."""
    return PatternError(
        f"at position {leave.repeat.position}: this possessive quantifier may change what "
        f"matches, since {reason}; drop the '+' if it is only there for speed",
        position=leave.repeat.position,
    )
