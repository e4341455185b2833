"""Load the knowledge base: every CSV file of the folders of this package."""

import csv
from functools import lru_cache
from importlib.resources import files
from io import StringIO

from perennial.schemas.ids import content_id
from perennial.schemas.knowlogic.things import Knowledge

FOLDERS = ("names", "nature", "space", "time", "social", "kinship")


@lru_cache(maxsize=1)
def load_knowledge() -> Knowledge:
    """All tables, read once."""
    tables = {}
    root = files("perennial.warehouse.knowlogic")
    for folder in FOLDERS:
        directory = root / folder
        for file in sorted(directory.iterdir(), key=lambda entry: entry.name) if directory.is_dir() else ():
            if file.name.endswith(".csv"):
                text = file.read_text(encoding="utf-8")
                tables[f"{folder}/{file.name.removesuffix('.csv')}"] = tuple(csv.DictReader(StringIO(text)))
    return Knowledge(tables, content_id("kb", {name: list(rows) for name, rows in tables.items()}))
