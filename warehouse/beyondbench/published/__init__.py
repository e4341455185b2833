"""What the paper of BeyondBench and its authors' site print: numbers, without sentences."""

from collections.abc import Iterator
from functools import cache

from perennial.schemas.statistics import PublishedScore
from perennial.warehouse.catalog.scores import read_long, read_rows, read_wide

# The printed numbers of BeyondBench: tables 3, 4 and 25 to 30 of the paper, its text, and the authors' site.
#
# A row's label in tables 25 to 30 is not always its model's: column `printed_as` of the files has what the
# text at hand prints. The order of rows and the site's columns say whose they are.

PACKAGE = "perennial.warehouse.beyondbench.published"
PAPER, SITE = "paper", "site"
QUANTIZED_TABLES = (25, 26, 27, 28, 29, 30)
UNITS = {
    "accuracy": "percent",
    "instruction_following": "percent",
    "tokens": "tokens",
    "efficiency": "percent per thousand tokens",
    "overthinking": "ratio",
    "words": "words",
    "characters": "characters",
    "accuracy_gain": "percentage points",
    "models": "models",
}


def published_scores() -> Iterator[PublishedScore]:
    """All printed numbers."""
    for number in (3, 4, *QUANTIZED_TABLES):
        for score in read_wide(PACKAGE, f"table_{number}.csv", PAPER, f"table {number}", UNITS):
            site = models_of_site().get(row_of(score), "")
            yield score._replace(model=model_of(site))
    for score in read_wide(PACKAGE, "site.csv", SITE, "leaderboard", UNITS):
        yield score._replace(model=model_of(score.player))
    yield from read_long(PACKAGE, "text.csv", PAPER, UNITS)


def row_of(score: PublishedScore) -> tuple[str, str]:
    """The paper's name of a row of table 3 or 25 to 30: its player, and how it is quantized."""
    _, _, quantization = score.settings.partition(", ")
    return score.player, quantization if score.place != "table 3" else ""


@cache
def models_of_site() -> dict[tuple[str, str], str]:
    """The site's model by the paper's player and quantization (empty: none)."""
    return {(row["player"], row["quantization"]): row["site"] for row in read_rows(PACKAGE, "models.csv")}


def model_of(site: str) -> str | None:
    """The model's own name by the site's, None where that may mean several."""
    return _models().get(site) or None


@cache
def _models() -> dict[str, str]:
    return {row["site"]: row["model"] for row in read_rows(PACKAGE, "models.csv")}
