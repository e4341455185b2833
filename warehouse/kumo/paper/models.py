"""What is known of the models that the KUMO paper names: `models.csv`, as models.toml would say it."""

import csv
import io
from importlib.resources import files
from typing import Any


def facts_of_paper_models() -> dict[str, dict[str, Any]]:
    """Return family, parameters_billion, tuning and weights of each model that the paper names."""
    text = files("perennial.warehouse.kumo.paper").joinpath("models.csv").read_text(encoding="utf-8")
    return {row.pop("player"): _read_facts(row) for row in csv.DictReader(io.StringIO(text))}


def _read_facts(row: dict[str, str]) -> dict[str, Any]:
    return {
        name: float(value) if name == "parameters_billion" else value for name, value in row.items() if value
    }
