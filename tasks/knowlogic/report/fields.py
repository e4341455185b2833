"""Accuracy as fields, players by scenario and by question type (the paper's figures 5 and 6)."""

from collections.abc import Mapping, Sequence

from perennial.schemas.knowlogic.things import DOMAINS, PRECISIONS, QUESTION_TYPES
from perennial.tasks.report.content import Drawing, Query, Record, ReportData, Section, figure, omit_section
from perennial.tasks.report.figures.fields import Map, draw_fields
from perennial.tasks.report.wording import span

SCENARIOS = Query(
    "scenarios",
    """
-- Which scenarios are hard for whom?
SELECT * EXCLUDE (edition)
FROM knowlogic_scenarios
WHERE edition = $edition AND language = 'all'
""",
)

TYPES = Query(
    "types",
    """
-- Does it matter how a question is asked, and how many letters are right?
SELECT * EXCLUDE (edition)
FROM knowlogic_types
WHERE edition = $edition AND language = 'all' AND domain = 'all' AND label <> 'chain_length'
""",
)

_LEGEND = (
    "Dark is 0, light is 1, empty is not scored. Where there is room its number is written in it, with "
    "the 95% interval for questions that vary, a pair of texts counting once; point to a field to read "
    "both. n is the number of questions of a field, each in one language."
)
_NO_LABELS = (
    "The questions of this edition have no labels: it was imported, or perennial analyse has not run."
)
_LABELS: Mapping[str, tuple[str, Sequence[str]]] = {
    "type": ("question type", QUESTION_TYPES),
    "precision": ("precision", PRECISIONS),
    "right_letters": ("number of right letters", ("1", "2", "3", "4")),
    "slots": ("number of slots in space", ("4", "5", "6")),
    "slots_precision": (
        "number of slots and precision in space",
        tuple(f"{slots} {precision}" for slots in (4, 5, 6) for precision in PRECISIONS),
    ),
}


@figure("scenarios", "Accuracy by scenario", SCENARIOS)
def scenarios(data: ReportData) -> Section:
    """Return the section of accuracy by scenario: a drawing per domain."""
    key, title = scenarios.key, scenarios.title
    table = data.tables[key]
    rows = table.records()
    if not rows:
        return omit_section(key, title, [table], _NO_LABELS)
    drawings = []
    for domain in DOMAINS:
        listed = [row for row in rows if row["domain"] == domain]
        if listed:
            names = sorted({row["scenario"] for row in listed})
            drawings.append(_draw(domain, title, listed, "scenario", names, data.players()))
    caption = (
        "Each field is a player's accuracy on the questions of a scenario, both languages together. "
        f"Scenarios may differ in their questions' difficulty too. {_LEGEND}"
    )
    return Section(key, title, caption, (table,), tuple(drawings))


@figure("types", "Accuracy by question type", TYPES)
def types(data: ReportData) -> Section:
    """Return the section of accuracy by question type, precision and number of right letters."""
    key, title = types.key, types.title
    table = data.tables[key]
    rows = table.records()
    if not rows:
        return omit_section(key, title, [table], _NO_LABELS)
    drawings = []
    for label, (words, order) in _LABELS.items():
        listed = [row for row in rows if row["label"] == label]
        if listed:
            names = sorted({row["value"] for row in listed}, key=order.index)
            drawings.append(_draw(words, title, listed, "value", names, data.players()))
    caption = (
        "Each field is a player's accuracy on the questions of one kind, all domains and both languages "
        "together: by what is asked for, by whether it fits one choice (precise) or may fit several (vague), "
        "by how many letters are right, and in space by how many slots the statements name (5: one of six "
        f"things is not named), also with their precision. {_LEGEND}"
    )
    return Section(key, title, caption, (table,), tuple(drawings))


def _draw(
    name: str, title: str, rows: Sequence[Record], column: str, names: Sequence[str], players: Sequence[str]
) -> Drawing:
    drawn = [
        {
            "player": row["player"],
            "column": row[column].replace("_", " "),
            "rate": row["accuracy"],
            "low": row["accuracy_low"],
            "high": row["accuracy_high"],
            "n": row["questions"],
        }
        for row in rows
    ]
    columns = [of.replace("_", " ") for of in names]
    heading = f"{name}, n = {span(row['questions'] for row in rows)} per field"
    return draw_fields(heading, f"{title}: {name}", drawn, columns, players, Map("accuracy", "questions"))
