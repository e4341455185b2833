"""Practice questions for tests: drawn ones, and an edition's question as a line of practice."""

from itertools import islice
from typing import Any

from perennial.flows.practice.draw import PracticeQuestions
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.rows import Row
from perennial.warehouse.editions.issued_ids import IdSet

# Small ones, quick to draw.
GIVEN: dict[str, dict[str, Any]] = {
    "a2rbench": {"dimension": 1, "variation": "standard"},
    "beyondbench": {"tasks": ["sorting", "n_queens/queens_8", "fibonacci_sequence"], "size": "smallest"},
    "knowlogic": {"domains": ["nature", "time"]},
    "kumo": {"domains": ["medical_diagnosis", "music_identification"], "truths": 4, "actions": 5},
}


def stream(benchmark: str, seed: int = 5, held: tuple[str, ...] = (), **changed: Any) -> PracticeQuestions:
    """Return the small questions of a benchmark, without those of these ids."""
    curriculum = changed.pop("curriculum", 0)
    return PracticeQuestions(benchmark, seed, GIVEN[benchmark] | changed, IdSet(held), curriculum)


def draw(benchmark: str, count: int, seed: int = 5, **changed: Any) -> list[PracticeQuestion]:
    """Return the first so many of them."""
    return list(islice(stream(benchmark, seed, **changed), count))


QUESTION_TABLES = {
    "a2rbench": "a2rbench_items",
    "beyondbench": "beyondbench_instances",
    "knowlogic": "knowlogic_questions",
    "kumo": "kumo_instances",
}
_COLUMNS = {
    "a2rbench": ("variation", "is_remapped"),
    "beyondbench": ("variation", "size", "payload"),
    "knowlogic": ("language", "type", "difficulty", "has_none"),
    "kumo": ("config_id",),
}


def line_of_edition(benchmark: str, row: Row, seat: Any) -> PracticeQuestion:
    """Return the line of practice that holds an edition's question: a row of its table, and its seat."""
    game = {name: row[name] for name in _COLUMNS[benchmark]} | {"shape": [1]}
    if benchmark == "kumo":
        game |= {"instance": seat.board.instance.as_json(), "golden": row["golden"][:-1]}
    return PracticeQuestion(
        row["instance_id"],
        benchmark,
        row["domain"].lower().replace(" ", "_"),  # editions name a domain of KUMO by its title
        0,
        0,
        {},
        ({"role": "user", "content": row.get("prompt", "")},),
        row.get("letters") or row.get("answer") or "",
        game,
    )
