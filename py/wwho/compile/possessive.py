"""The proof that a possessive quantifier changes nothing.

Tokenizer patterns write ``\\p{L}++`` to spare a backtracking engine some work. An automaton never
backtracks, so the sign can be dropped, *if* the engine would never have used what it forbids:
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
    """Raise PatternError unless every possessive quantifier can be compiled as a greedy one.

    Args:
        nfa: The automaton, built as if the quantifiers were greedy; `Nfa.exits` lists them.
        alphabet: Its symbols.
        longest: Whether the scanner wants the longest match rather than the first.

    Raises:
        PatternError: If a proof fails; `PatternError.position` is the quantifier's. A quantifier
            that is harmless in fact may be refused: its body is more than one class, or the proof
            looks at one character only.
    """
    for repeat_exit in nfa.exits:
        if not isinstance(repeat_exit.repeat.body, Chars):
            raise _refusal(repeat_exit, "it repeats more than one character class")
        if not longest and _can_end_at(nfa, repeat_exit.state):
            continue
        clashes = _clashing_symbols(nfa, alphabet, repeat_exit.state, repeat_exit.repeat.body)
        clash = next(clashes, None)
        if clash is not None:
            example = alphabet.classes.samples[clash - 1]
            raise _refusal(repeat_exit, f"what follows it may also start at {example!a}")


def _can_end_at(nfa: Nfa, state: int) -> bool:
    """Tell whether a match can end at a state, whatever comes next and without any assertion."""
    return any(isinstance(each, Accept) for each in closure(nfa, [state], lambda _: False))


def _clashing_symbols(nfa: Nfa, alphabet: Alphabet, state: int, body: Chars) -> Iterator[int]:
    """Yield, ascending, the symbols of the body before which a match can end or go on at `state`.

    Nothing is known of the character before, so every look behind is taken to hold.
    """
    for symbol in sorted(alphabet.symbols(body.chars)):
        reached = closure(nfa, [state], partial(alphabet.holds, symbol=symbol))
        if any(
            isinstance(each, Accept) or symbol in alphabet.symbols(each.chars) for each in reached
        ):
            yield symbol


def _refusal(repeat_exit: Exit, reason: str) -> PatternError:
    """Return the error for one quantifier."""
    return PatternError(
        f"at position {repeat_exit.repeat.position}: this possessive quantifier may change what "
        f"matches, since {reason}; drop the '+' if it is only there for speed",
        position=repeat_exit.repeat.position,
    )
