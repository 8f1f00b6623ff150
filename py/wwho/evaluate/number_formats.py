"""How the report prints numbers: with decimal places, grouped, in percent, a dash for none."""

from __future__ import annotations

from collections.abc import Callable

Number = int | float | None
Show = Callable[[Number], str]
"""A function that prints a number."""
NONE = "–"


def decimals(places: int, unit: str = "") -> Show:
    """Return a function that prints a number with so many decimal places and groups of thousands.

    It prints None as a dash. `times` and `whole` are two such functions.

    Example:
        >>> decimals(3)(1.27342), times(2.6088), whole(1234567), whole(None)
        ('1.273', '2.61×', '1,234,567', '–')
    """
    return lambda value: NONE if value is None else f"{value:,.{places}f}{unit}"


whole, times = decimals(0), decimals(2, "×")


def percent(value: Number) -> str:
    """Print a share of 1 in percent; None as a dash, and a minus sign as U+2212.

    Shares of at least 1 % have one decimal place, smaller ones two. A share that is more than
    nothing is never printed as 0, and one that is less than all never as 100.

    Example:
        >>> percent(0.617), percent(-0.00181), percent(0.00001), percent(0.9999), percent(0)
        ('61.7 %', '−0.18 %', '<0.01 %', '>99.9 %', '0 %')
    """
    if value is None:
        return NONE
    if 0 < value < 0.00005:
        return "<0.01 %"
    if 0.9995 <= value < 1:
        return ">99.9 %"
    if value in (0, 1):
        return f"{100 * value:.0f} %"
    return f"{100 * value:.{1 if abs(value) >= 0.01 else 2}f} %".replace("-", "−")
