"""Render pages from templates: every value is escaped, and none can break a line, an encoder or a parser."""

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from perennial.tasks.report.wording import clean, decimals, with_interval
from perennial.tasks.website.names import benchmark_file, edition_file, player_file

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_BYTES = 500_000
"""No page of the website is larger."""


def render(template: str, values: Mapping[str, object], *, depth: int = 0) -> bytes:
    """The page; `depth` is the number of folders that it lies in. Equal values give equal bytes."""
    up = "../" * depth
    text = _environment().get_template(template).render(values, up=up)
    return text.encode()


@lru_cache(maxsize=1)
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("perennial.tasks.website", "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(
        date=_date,
        decimals=decimals,
        number=lambda value: decimals(value, 0),
        percent=_percent,
        singular=_singular,
        player_file=player_file,
        edition_file=edition_file,
        benchmark_file=benchmark_file,
    )
    environment.globals["with_interval"] = with_interval
    return environment


def clean_text(text: str) -> str:
    """Remove characters that break a parser; line breaks stay."""
    return text if text.isprintable() else "\n".join(map(clean, text.replace("\r\n", "\n").split("\n")))


def _finalize(value: object) -> object:
    # What is markup already is a subclass of str, and stays it.
    return clean_text(value) if type(value) is str else value


def _singular(kind: str) -> str:
    return "people" if kind == "people" else kind.removesuffix("s")


def _date(value: datetime) -> str:
    return f"{value:%Y-%m-%d}"


def _percent(value: float) -> str:
    """A share as a length of SVG, clipped to the drawing."""
    return f"{100 * min(max(value, 0.0), 1.0):.2f}%"
