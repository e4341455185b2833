"""The numbers that the two versions of the KUMO paper print: `printed.csv`, facts without sentences.

`item` is the figure or passage; `version` 2 is what only the second version has. `player` is the name
printed; `computed_of` is whose number it is where the paper prints it under another name. No `printed`: the
paper shows no legible number, and `remark` says why. `*` stands for each player that the release has.
"""

import csv
import io
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


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
