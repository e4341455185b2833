"""An edition as a dataset of the Hugging Face Hub: a card with its configurations, and the files beside it."""

import json
from collections.abc import Sequence
from pathlib import Path

from flows.export.instance_lines import FILE, write_instances
from flows.export.source import Source
from schemas.disclosure import canary_line
from warehouse.disclosure.export_tables import ExportedFile, export_tables


def write_dataset(source: Source, folder: Path) -> list[ExportedFile]:
    """Write the instances as the configuration `instances`; with answers each table as one more."""
    files = write_instances(source, folder)
    if source.with_answers:
        files += export_tables(source.store, source.edition, folder, leave_out=source.leave_out)
    return files


def card_head(source: Source, files: Sequence[ExportedFile]) -> str:
    """Return the YAML at the head of the dataset's card: licence, tags, canary and configurations.

    JSON is YAML: each value is written as JSON.
    """
    configs = [{"config_name": "instances", "data_files": FILE, "default": True}]
    # The Hub tells no columns of a file without rows from those of another one.
    tables = dict.fromkeys(file.table for file in files if file.name != FILE and file.rows)
    configs += [
        {
            "config_name": "all_instances" if table == "instances" else table,
            "data_files": f"tables/{table}/*/*.parquet",
        }
        for table in tables
    ]
    head = {
        "license": source.licence.lower(),
        "pretty_name": source.edition,
        "tags": ["benchmark", "reasoning", source.plan.benchmark],
        "language": ["en"],
        "configs": configs,
        "perennial_canary": canary_line(source.plan.canary),
    }
    lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items())
    return "\n".join(("---", *lines, "---", "", ""))
