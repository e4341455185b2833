"""Numbers printed in the two versions of the KUMO paper, and figures computed from its release."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from perennial.schemas.statistics import PublishedScore

# What is known of the models that the KUMO paper names: `models.csv`, as models.toml would say it.


def facts_of_paper_models() -> dict[str, dict[str, Any]]:
    """Return family, parameters_billion, tuning and weights of each model that the paper names."""
    text = files("perennial.warehouse.kumo.paper").joinpath("models.csv").read_text(encoding="utf-8")
    return {row.pop("player"): _read_facts(row) for row in csv.DictReader(io.StringIO(text))}


def _read_facts(row: dict[str, str]) -> dict[str, Any]:
    return {
        name: float(value) if name == "parameters_billion" else value for name, value in row.items() if value
    }


# The numbers that the two versions of the KUMO paper print: `printed.csv`, facts without sentences.
#
# `item` is the figure or passage; `version` 2 is what only the second version has. `player` is the name
# printed; `computed_of` is whose number it is where the paper prints it under another name. No `printed`: the
# paper shows no legible number, and `remark` says why. `*` stands for each player that the release has.


@dataclass(frozen=True, slots=True)
class PrintedValue:
    """One row of the table."""

    item: str
    version: str
    metric: str
    setting: str
    domain: str
    player: str
    computed_of: str
    printed: float | None
    tolerance: float
    remark: str


@cache
def printed_values() -> tuple[PrintedValue, ...]:
    """Return all rows, in the order of the file."""
    text = files("perennial.warehouse.kumo.paper").joinpath("printed.csv").read_text(encoding="utf-8")
    return tuple(_read_row(row) for row in csv.DictReader(io.StringIO(text)))


def _read_row(row: dict[str, str]) -> PrintedValue:
    texts = {key: value for key, value in row.items() if key not in ("printed", "tolerance")}
    printed = float(row["printed"]) if row["printed"] else None
    return PrintedValue(**texts, printed=printed, tolerance=float(row["tolerance"] or 0))


# The legible numbers of the KUMO paper's two versions, as rows of `published_scores`.

_UNITS = {
    "success_rate": "share",
    "outcome_only_success": "share",
    "parse_error_rate": "share",
    "relative_action_count": "ratio",
    "mean_of_ratios_tests_plus_1": "ratio",
    "tokens": "tokens",
    "mean_tokens": "tokens",
    "optimal_count": "actions",
    "most_frequent_optimal_count": "actions",
    "correlation_success_rate": "correlation",
    "correlation_relative_action_count": "correlation",
    "cramers_v": "correlation",
    "revised_books": "books",
    "revision_gain_r": "correlation",
}


def published_scores() -> Iterator[PublishedScore]:
    """Yield what is printed; `model` is whose number it is, also where the paper prints another's name."""
    for row in printed_values():
        if row.printed is not None:
            yield PublishedScore(
                source="paper, version 2" if row.version == "2" else "paper",
                place=row.item,
                player=row.player,
                figure=row.metric,
                value=row.printed,
                unit=_UNITS[row.metric],
                setting=row.setting or "all",
                domain=row.domain or "all",
                model=row.computed_of or row.player or None,
            )
