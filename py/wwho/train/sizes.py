"""How many ids a trained model has in all: as many as were asked for."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import count

from wwho.format.bpe import BYTES
from wwho.format.layout import MAX_IDS
from wwho.format.model import Added, Artifact, Flag
from wwho.train.options import TrainOptions
from wwho.train.plan import BPE_METHOD, WORDPIECE, Plan

RESERVED = "<|reserved_{}|>"
"""The text of a special token that fills a vocabulary up, with its number."""


def ids_beside(plan: Plan) -> int:
    """Return how many ids a model has beside those that `vocab_size` counts.

    They are those of a base, and of the lone space; models of one vocabulary have none.
    """
    all_counted = (
        plan.kind.has_fixed_atoms
        or plan.makes_pieces
        or plan.options.method == WORDPIECE
        or (plan.options.balanced and plan.base.n_vocab == len(BYTES))
    )
    has_space = plan.options.method == BPE_METHOD and not plan.word_rule.end_of_word
    return 0 if all_counted else plan.base.n_vocab + has_space


def with_total_size(plan: Plan) -> Plan:
    """Return a plan whose `vocab_size` is what `total_size` leaves; as it is without one.

    Raises:
        ValueError: as `fit_total_size` does.
    """
    owner = f"the base {plan.base.name!r} and the lone space"
    return replace(plan, options=fit_total_size(plan.options, ids_beside(plan), owner))


def fit_total_size(options: TrainOptions, beside: int, owner: str) -> TrainOptions:
    """Return options whose `vocab_size` is what `total_size` leaves; as they are without one.

    Args:
        options: the options.
        beside: how many ids there are beside those that `vocab_size` counts.
        owner: what has these, for the error.

    Raises:
        ValueError: `total_size` leaves nothing or is too large, `vocab_size` is given, too, or
            `pad_to_multiple` is out of range or does not fit `total_size`.
    """
    total, multiple = options.total_size, options.pad_to_multiple
    if multiple is not None and not 1 <= multiple <= 1 << 16:
        raise ValueError(f"pad_to_multiple is {multiple}; it must be between 1 and {1 << 16}")
    if total is None:
        return options
    if options.vocab_size != TrainOptions.vocab_size:
        raise ValueError(
            f"total_size is {total}, and vocab_size is {options.vocab_size}; give one of them"
        )
    if not beside < total < MAX_IDS:
        raise ValueError(
            f"total_size is {total}; it must be between {beside + 1}, for {owner} have {beside} "
            f"ids, and {MAX_IDS - 1}"
        )
    if multiple is not None and total % multiple:
        raise ValueError(
            f"total_size is {total}, which is no multiple of {multiple}; leave pad_to_multiple out"
        )
    return replace(options, vocab_size=total - beside)


def fill_vocabulary(model: Artifact, options: TrainOptions, beside: int) -> Artifact:
    """Return a model with as many ids as were asked for: what is missing are reserved tokens.

    Without `total_size` and `pad_to_multiple` the model is as it was learnt.

    Args:
        model: what was learnt.
        options: the options, as `fit_total_size` returned them.
        beside: how many ids there are beside those that `vocab_size` counts.

    Warns:
        UserWarning: a size was asked for, and the corpus gave fewer ids.
    """
    n_ids, asked = model.n_vocab, beside + options.vocab_size
    was_asked = options.total_size or options.vocab_size != TrainOptions.vocab_size
    if n_ids < asked and was_asked:
        rest = f"; the last {asked - n_ids:,} are reserved tokens" if options.total_size else ""
        warnings.warn(
            f"this corpus gives {n_ids:,} of the {asked:,} ids asked for{rest}: no further pair is "
            f"seen {options.min_freq} times; give more text, or ask for fewer",
            stacklevel=3,
        )
    wanted = max(options.total_size or 0, n_ids)
    wanted += -wanted % (options.pad_to_multiple or 1)
    known = {token.text for token in model.added}
    texts = (text for text in map(RESERVED.format, count()) if text not in known)
    reserved = tuple(
        Added(text, number, Flag.SPECIAL)
        for number, text in zip(range(n_ids, wanted), texts, strict=False)
    )
    return replace(model, added=(*model.added, *reserved))
