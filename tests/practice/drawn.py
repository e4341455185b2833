"""Practice questions for tests."""

from itertools import islice
from typing import Any

from flows.practice.draw import PracticeQuestions
from schemas.practice import PracticeQuestion
from warehouse.editions.id_set import IdSet

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
