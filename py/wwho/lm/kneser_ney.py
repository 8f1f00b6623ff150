"""N-gram models with interpolated modified Kneser-Ney smoothing, over token ids.

As Chen and Goodman describe it ("An Empirical Study of Smoothing Techniques for Language Modeling",
1998), with the counts of KenLM: n-grams at the start of a line keep their number of occurrences in
every order, because nothing stands before them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wwho.lm.sequences import Floats, Ints, Sequences

ABSENT = -1
"""In place of the number of an n-gram: it would begin before its line, or training never saw it."""
FALLBACK = (0.5, 1.0, 1.5)
"""The discounts where a text is too small to estimate them, as KenLM's `--discount_fallback`."""


@dataclass(frozen=True)
class _Order:
    """The n-grams of one order n that training saw, numbered from 0, and what follows contexts.

    A context is a gram of order n - 1. Arrays have an entry for each n-gram, or for each context;
    after it, all but `keys` have one for ABSENT, which -1 is the index of.

    Attributes:
        keys: the context's number times the radix, plus the last id; ascending. Empty for n = 1,
            whose grams are the ids themselves.
        top: what an n-gram has of its context's probability, where n is the model's order.
        lower: the same in a model of higher order.
        top_left: for each context what is left for the order below, where n is the model's order;
            1 for a context that nothing follows.
        lower_left: the same in a model of higher order.
    """

    keys: Ints
    top: Floats
    lower: Floats
    top_left: Floats
    lower_left: Floats


class KneserNey:
    """Models of orders 1 to N of the same training text, all at once.

    Attributes:
        orders: N.
        n_events: the tokens and the line end: what the probabilities sum to one over.
    """

    def __init__(self, text: Sequences, orders: int) -> None:
        """Count the n-grams of a text, and compute the discounts of each order.

        Memory grows with the text: about 100 bytes for each token and order.

        Args:
            text: the training text, with at least one line.
            orders: the highest order, at least 1.
        """
        self.orders, self.n_events = orders, text.n_vocab + 1
        self._radix = text.n_vocab + 2
        keys, grams, occurrences = _count_grams(text, orders, self._radix)
        self._orders = []
        for n, own_keys in enumerate(keys, start=1):
            contexts: Ints = np.zeros(self._radix, np.int64)
            n_contexts = 1
            if n > 1:
                contexts, n_contexts = own_keys // self._radix, len(occurrences[n - 2])
            # The last of the ids is the line start, which is in contexts, but is itself no event.
            n_events = self.n_events if n == 1 else len(own_keys)
            top = _discount(occurrences[n - 1], contexts, n_contexts, n_events)
            lower = top
            if n < orders:
                lower = _discount(_adjust(grams, occurrences, n), contexts, n_contexts, n_events)
            self._orders.append(_Order(own_keys, top[0], lower[0], top[1], lower[1]))

    def score(self, text: Sequences) -> Floats:
        """Return the probability that each order gives to each id of a text.

        The model knows the line from its start to the id.

        Args:
            text: the text, of the vocabulary that the model was trained with.

        Returns:
            An array of N rows, the lowest order first, with a column for each id. In columns of
            line starts, which nothing predicts, stands 1.
        """
        ids = text.ids
        is_start = np.zeros(len(ids), np.bool_)
        is_start[text.starts[:-1]] = True
        grams, below = ids, np.full(len(ids), 1 / self.n_events)
        # The context of the first id is never used: it is a line start.
        contexts = np.zeros(len(ids), np.int64)
        scores = np.empty((self.orders, len(ids)))
        for n, order in enumerate(self._orders, start=1):
            if n > 1:
                contexts = np.where(is_start, ABSENT, np.append(ABSENT, grams[:-1]))
                grams = _find(order.keys, contexts, ids, self._radix)
            scores[n - 1] = _interpolate(order.top, order.top_left, grams, contexts, below)
            below = _interpolate(order.lower, order.lower_left, grams, contexts, below)
        scores[:, is_start] = 1
        return scores


def _count_grams(
    text: Sequences, orders: int, radix: int
) -> tuple[list[Ints], list[Ints], list[Ints]]:
    """Number the n-grams of a text, order by order, and count them.

    Returns:
        For each order the keys of its n-grams (`_Order.keys`); the number of the n-gram that ends
        at each place of the text, or ABSENT where it would begin before its line; and how often
        each n-gram occurs. For order 1 the numbers are the ids, 0..radix-1, the line start too.
    """
    is_start = np.zeros(len(text.ids), np.bool_)
    is_start[text.starts[:-1]] = True
    keys: list[Ints] = [np.empty(0, np.int64)]
    grams: list[Ints] = [text.ids]
    occurrences: list[Ints] = [np.bincount(text.ids, minlength=radix)]
    for _ in range(1, orders):
        contexts = np.where(is_start, ABSENT, np.append(ABSENT, grams[-1][:-1]))
        is_whole = contexts != ABSENT
        found, numbers, counts = np.unique(
            contexts[is_whole] * radix + text.ids[is_whole],
            return_inverse=True,
            return_counts=True,
        )
        grams.append(np.full(len(text.ids), ABSENT, np.int64))
        grams[-1][is_whole] = numbers
        keys.append(found)
        occurrences.append(counts)
    return keys, grams, occurrences


def _adjust(grams: list[Ints], occurrences: list[Ints], n: int) -> Ints:
    """Return for each n-gram how many different ids stand before it.

    An n-gram that begins with the line start counts as often as it occurs.

    Args:
        grams: the number of the n-gram at each place, for each order, as from `_count_grams`.
        occurrences: how often each n-gram occurs, for each order.
        n: the order, less than the highest one.
    """
    longer, own = grams[n], grams[n - 1]
    has_left = longer != ABSENT
    # One place of each longer gram says which n-gram is its end.
    _, places = np.unique(longer[has_left], return_index=True)
    adjusted: Ints = np.bincount(own[has_left][places], minlength=len(occurrences[n - 1]))
    at_start = np.unique(own[~has_left & (own != ABSENT)])
    adjusted[at_start] = occurrences[n - 1][at_start]
    return adjusted


def _discount(
    counts: Ints, contexts: Ints, n_contexts: int, n_events: int
) -> tuple[Floats, Floats]:
    """Return what each n-gram has of its context's probability, and what each context has left.

    The first is its count less the discount, over the sum of the counts of its context.

    Both have a further entry for ABSENT.

    Args:
        counts: of each n-gram.
        contexts: the number of each n-gram's context.
        n_contexts: how many contexts there are; one without n-grams has all left.
        n_events: how many of the n-grams, the first ones, count.
    """
    counts = np.where(np.arange(len(counts)) < n_events, counts, 0)
    discounts = np.array((0.0, *estimate_discounts(counts)))
    taken = discounts[np.minimum(counts, 3)]
    totals = np.bincount(contexts, weights=counts, minlength=n_contexts)
    lost = np.bincount(contexts, weights=taken, minlength=n_contexts)
    is_followed = totals > 0
    left = np.ones(n_contexts + 1)
    left[:-1][is_followed] = lost[is_followed] / totals[is_followed]
    own = (counts - taken) / np.maximum(totals, 1)[contexts]
    return np.append(own, 0.0), left


def estimate_discounts(counts: Ints) -> tuple[float, float, float]:
    """Return what is taken from the count of an n-gram that is one, two, or more.

    The estimate of Chen and Goodman; FALLBACK where some number up to four is no n-gram's count, or
    a discount would be outside 0..its count.

    Example:
        >>> estimate_discounts(np.array([1] * 8 + [2] * 4 + [3] * 2 + [4]))
        (0.5, 1.25, 2.0)
    """
    n1, n2, n3, n4 = (int((counts == number).sum()) for number in range(1, 5))
    if not (n1 and n2 and n3 and n4):
        return FALLBACK
    y = n1 / (n1 + 2 * n2)
    found = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
    is_sound = all(0 <= discount <= number for number, discount in enumerate(found, start=1))
    return found if is_sound else FALLBACK


def _find(keys: Ints, contexts: Ints, ids: Ints, radix: int) -> Ints:
    """Return the number of each n-gram, by its context's number and last id; ABSENT if unseen.

    Args:
        keys: the n-grams that were seen, each ``context * radix + id``, ascending; its place is its
            number.
        contexts: the number of the context of each n-gram that is looked for; ABSENT has none.
        ids: the last id of each.
        radix: more than any id.
    """
    wanted = contexts * radix + ids
    if not len(keys):
        return np.full(len(ids), ABSENT, np.int64)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found: Ints = np.where((contexts != ABSENT) & (keys[places] == wanted), places, ABSENT)
    return found


def _interpolate(own: Floats, left: Floats, grams: Ints, contexts: Ints, below: Floats) -> Floats:
    """Return the probabilities of an order: its own, and of what is left those of the order below.

    Args:
        own: what each n-gram has of its context's probability.
        left: what each context leaves to the order below.
        grams: the number of the n-gram at each place, or ABSENT.
        contexts: the number of its context, or ABSENT.
        below: the probability that the order below gives at each place.
    """
    found: Floats = own[grams] + left[contexts] * below
    return found
