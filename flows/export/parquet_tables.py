"""An edition as a folder of Parquet tables, laid out as in a data root, answers included."""

from pathlib import Path

from perennial.flows.export.source import Source
from perennial.warehouse.export_tables import ExportedFile, export_tables


def write_tables(source: Source, folder: Path) -> list[ExportedFile]:
    """Write all tables and return what describes their files."""
    return export_tables(source.store, source.edition, folder, leave_out=source.leave_out)
