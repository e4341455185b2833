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
    """All tables, read once; a cell that a row lacks is empty, as the rules find it."""
    tables = {}
    root = files("perennial.warehouse.knowlogic")
    for folder in FOLDERS:
        directory = root / folder
        for file in sorted(directory.iterdir(), key=lambda entry: entry.name) if directory.is_dir() else ():
            if file.name.endswith(".csv"):
                rows = tuple(csv.DictReader(StringIO(file.read_text(encoding="utf-8")), restval=""))
                tables[f"{folder}/{file.name.removesuffix('.csv')}"] = rows
    return Knowledge(tables, content_id("kb", {name: list(rows) for name, rows in tables.items()}))
