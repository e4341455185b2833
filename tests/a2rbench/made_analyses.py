"""Judged answers and analyses on the made edition (`tests.a2rbench.made_edition`), with their calls."""

from typing import Any

from perennial.schemas.a2rbench.things import ANALYSIS
from perennial.schemas.tables import TABLES
from tests.a2rbench.made_edition import MODELS, Rows

ANALYSTS = ("x", "y")
# The analysts differ on the category of one in so many answers.
DIFFERS = 4


def add_analyses(made: Rows) -> None:
    """Add what two analysts say of each of the models' answers, and a judge that found nothing."""
    made["calls"].append(_call("judge", "j"))
    for answer in made["a2rbench_answers"]:
        if answer["parse"] == "none":
            answer["judge_call_id"] = "call_judge_j"
    for analyst in ANALYSTS:
        made["calls"].append(_call("analyst", analyst))
    chosen = [row for row in made["episodes"] if row["player"] in MODELS]
    for number, episode in enumerate(chosen):
        categories = ANALYSIS.categories(episode["success"])
        for place, analyst in enumerate(ANALYSTS):
            shift = place if number % DIFFERS == 0 else 0
            row = {"episode_id": episode["episode_id"], "analyst": analyst}
            row |= {"outcome_category": categories[(number + shift) % len(categories)]}
            row |= {"reasoning_style": ANALYSIS.styles[number % 3], "justification": "so"}
            made["a2rbench_analyses"].append(row | {"call_id": f"call_analyst_{analyst}"})


def _call(role: str, model: str) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for column in TABLES["calls"].columns:
        row[column.name] = "" if column.type == "string" else 1
        if column.nullable:
            row[column.name] = None
    return row | {
        "call_id": f"call_{role}_{model}",
        "role": role,
        "model": model,
        "status": "ok",
        "reasoning_source": "none",
        "usage": "missing",
        "reply": "{}",
        "repeat": 0,
    }
