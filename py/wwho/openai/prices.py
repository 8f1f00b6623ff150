"""What tokens cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wwho.encodings import bare_model_name, encoding_name_for_model, openai_facts
from wwho.errors import ChatError
from wwho.openai.fields import plain_value, quote_value, value_error

OWN = ("input", "cached", "cache_write", "output")
"""The amounts in our names; `cached` and `cache_write` are parts of `input`."""
PUBLISHED = {
    "prompt_tokens": "input",
    "input_tokens": "input",
    "completion_tokens": "output",
    "output_tokens": "output",
    "total_tokens": None,
    "prompt_tokens_details.cached_tokens": "cached",
    "input_tokens_details.cached_tokens": "cached",
    "prompt_tokens_details.cache_write_tokens": "cache_write",
    "input_tokens_details.cache_write_tokens": "cache_write",
    "input_tokens_details.cache_write_tokens_details": None,
    "prompt_tokens_details.text_tokens": None,
    "prompt_tokens_details.image_tokens": None,
    "completion_tokens_details.text_tokens": None,
    "completion_tokens_details.reasoning_tokens": None,
    "completion_tokens_details.accepted_prediction_tokens": None,
    "completion_tokens_details.rejected_prediction_tokens": None,
    "output_tokens_details.reasoning_tokens": None,
}
"""The fields of OpenAI's own usage and what each says, by its path. None: it is a part of another
or a sum, and has no price of its own. What is not here has a price that is not known."""


def estimate_cost(model: str, usage: Any, *, batch: bool = False) -> float:
    """Return what tokens cost, in dollars, at the model's standard rates or those of a batch.

    A call with much input may have higher rates.

    Args:
        model: its exact name, also with its provider: "openai/gpt-4o".
        usage: a mapping of numbers of tokens: "input", of which "cached" comes from the cache and
            "cache_write" is written to it, and "output"; or the `usage` of an answer of OpenAI's,
            as a mapping or as an object of its package.
        batch: whether the call is one of the Batch interface.

    Raises:
        UnknownModelError: the model is not known.
        ChatError: no price is known, also for a part of the usage, such as audio; or a number is
            wrong.

    Example:
        >>> estimate_cost("gpt-4o", {"input": 1_000_000, "cached": 400_000, "output": 1000})
        2.01
        >>> estimate_cost("gpt-4o", {"prompt_tokens": 2000, "completion_tokens": 0}, batch=True)
        0.0025
    """
    if not isinstance(batch, bool):
        raise value_error("batch", batch, "True or False")
    amounts = _amounts_in(usage)
    encoding_name_for_model(model)  # or its error
    facts = openai_facts()
    price = facts["models"].get(bare_model_name(model), {}).get("price")
    rates = price and (price.get("batch") if batch else price)
    if rates is None:
        what = "the price of a batch with" if batch else "the price of"
        raise ChatError(
            f"{what} {quote_value(model)} was not known on {facts['date']}; "
            "compute the cost yourself"
        )
    if "long" in rates and amounts["input"] > rates["long"]["above"]:
        rates = rates["long"]
    each = rates["input"]
    fresh = amounts["input"] - amounts["cached"] - amounts["cache_write"]
    dollars: float = (
        fresh * each
        + amounts["cached"] * rates.get("cached", each)
        + amounts["cache_write"] * rates.get("cacheWrite", each)
        + amounts["output"] * rates.get("output", 0)
    ) / 1e6
    return dollars


def _amounts_in(usage: Any) -> dict[str, float]:
    """Return the amounts that a usage has, by the names in `OWN`; what is left out is 0.

    Raises:
        ChatError: a field is not known, or has tokens whose price is not known; or a number is
            wrong.
    """
    usage = plain_value(usage)
    if not isinstance(usage, Mapping):
        expected = 'a mapping, such as {"input": 1000, "output": 200} or the usage of an answer'
        raise value_error("usage", usage, expected)
    paths: dict[str, Any] = {}
    for name, value in usage.items():
        if name.endswith("_details") and isinstance(value, Mapping):
            paths |= {f"{name}.{part}": count for part, count in value.items()}
        else:
            paths[name] = value
    amounts: dict[str, float] = dict.fromkeys(OWN, 0)
    for path, value in paths.items():
        said = path if path in OWN else PUBLISHED.get(path)
        if value is None or (said is None and (path in PUBLISHED or value == 0)):
            continue
        if said is None:
            raise ChatError(
                f"usage has a field {quote_value(path)}, whose price is not known; "
                f"expected {', '.join((*OWN, *PUBLISHED))}"
            )
        if isinstance(value, bool) or not (isinstance(value, int | float) and value >= 0):
            raise value_error(path, value, "a number of tokens, 0 or more")
        if amounts[said]:
            raise ChatError(
                f"usage has {said} twice, as {amounts[said]} and as {value}; leave one out"
            )
        amounts[said] = value
    if amounts["cached"] + amounts["cache_write"] > amounts["input"]:
        expected = f"at most input, which is {amounts['input']}: it is a part of it"
        raise value_error("cached", amounts["cached"], expected)
    return amounts
