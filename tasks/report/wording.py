"""How names and numbers are written on the page."""

from collections.abc import Iterable, Mapping
from typing import Any

from perennial.schemas.statistics import describe_populations

_DASH = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"


def clean(text: str) -> str:
    """The text as one line that any XML parser and encoder takes.

    Control characters, marks that change the reading direction and half characters become U+FFFD.
    """
    return "".join(
        c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def decimals(value: float | None, places: int = 3) -> str:
    """The number with so many decimals, thousands separated, a true minus sign; a dash for None."""
    if value is None:
        return _DASH
    text = f"{value:,.{places}f}"
    if not text.strip("-0."):
        text = text.removeprefix("-")
    return text.replace("-", _MINUS)


def brackets(low: str, high: str) -> str:
    """`[low, high]`; a narrow column may put it on a line of its own, but not break it."""
    return f"[{low},\N{NO-BREAK SPACE}{high}]"


def with_interval(value: float | None, low: float | None, high: float | None, places: int = 3) -> str:
    """`value [low, high]`, or the value alone where the interval is undefined."""
    if value is None or low is None or high is None:
        return decimals(value, places)
    return f"{decimals(value, places)} {brackets(decimals(low, places), decimals(high, places))}"


def percent_cell(row: Mapping[str, Any], column: str, *, has_interval: bool = True) -> str:
    """A share as a percentage with the interval that its row gives; "" where it is undefined."""
    if row[column] is None:
        return ""
    ends = [row.get(f"{column}_{end}") if has_interval else None for end in ("low", "high")]
    value, low, high = (None if share is None else 100 * share for share in (row[column], *ends))
    return with_interval(value, low, high, 1)


def p_number(p: float | None) -> str:
    """A p-value for a table, such as `0.031`, `< 0.001` or `< 1e-300`; a dash for None."""
    if p is not None and p < 1e-300:
        return "< 1e-300"
    return "< 0.001" if p is not None and p < 0.001 else decimals(p)


def p_text(p: float | None) -> str:
    """A p-value for a text, such as `p = 0.031` or `p < 0.001`; undefined for None."""
    if p is None:
        return "p undefined"
    return f"p {p_number(p)}" if p < 0.001 else f"p = {p_number(p)}"


def span(counts: Iterable[int]) -> str:
    """The least and greatest count, such as `80` or `80 to 1,500`; a dash for none."""
    listed = sorted(counts)
    if not listed:
        return _DASH
    low, high = listed[0], listed[-1]
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def name_populations(rows: Iterable[Mapping[str, Any]]) -> str:
    """The sentence that says what the 95% intervals of these rows are for, by column `population`."""
    return f"95% intervals are for {describe_populations(row['population'] for row in rows)}."


def cell(value: Any) -> str:
    """A value of a table as text for people."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return decimals(value, 0)
    if isinstance(value, float):
        return (f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}").replace("-", _MINUS)
    if isinstance(value, list | tuple):
        return ", ".join(cell(item) for item in value)
    return clean(str(value))
