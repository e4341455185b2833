"""The names of published files, relative to the data root."""

from perennial.schemas.units import evaluation_of, is_evaluation, split_unit

PART = "part-0"  # what an edition itself publishes; evaluations have names of their own
FORMAT = 11  # of data roots; raised when tables change so that other versions would err


def table_file(table: str, unit: str) -> str:
    """Return the name of the table's file of that edition or evaluation, relative to the data root."""
    edition, name = split_unit(unit)
    return f"tables/{table}/edition={edition}/{name or PART}.parquet"


def row_file(unit: str) -> str:
    """Return the name of the file whose presence publishes the edition or evaluation."""
    return table_file("evaluations" if is_evaluation(unit) else "editions", unit)


def unit_of(file: str) -> str:
    """Return the edition or evaluation whose table's file this is."""
    _, _, folder, part = file.split("/")
    edition, name = folder.removeprefix("edition="), part.removesuffix(".parquet")
    return edition if name == PART else evaluation_of(edition, name)
