"""Rules over events with a year."""

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.warehouse.knowlogic.validation.finding import Found, key_of


def find_two_years(knowledge: Knowledge) -> Found:
    """Find events, the same by name in a language, that have one year here and another one there."""
    years: dict[tuple[str, str], str] = {}
    for table, rows in knowledge.tables.items():
        for row in rows:
            for language in ("zh", "en"):
                if not (row.get("year") and row.get(language)):
                    continue
                first = years.setdefault((language, row[language].casefold()), row["year"])
                if first != row["year"]:
                    yield table, key_of(row), f"{language} {row[language]!r} is of {row['year']} and {first}"
