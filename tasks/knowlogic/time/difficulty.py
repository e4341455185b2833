"""The difficulty of questions about time: 0.02 lc + 0.2 cg + 0.25 na + 0.05 dk + 0.5 dq + dc (Appendix D).

The paper leaves the variables open; here:

- lc, 'the length of COT': the statements of the text and one for each own option.
- cg, 'difficulty of the most challenging statement': 1 a year or a day, 2 a number of years or days from
  another event (of the text or of history), 3 a duration or a gap.
- na, 'number of options' (a constant as printed): the right options; 1 where 'none of the above' is right.
- dk, 'difficulty of knowledge': the obscurities (1 to 3) of the events of history that the text names.
- dq, 'difficulty of core question': 1 precise, 2 correct statements and vague, 3 incorrect statements.
- dc: 0.5 in a week, 0 in a life.

The class is ours (`perennial.tasks.knowlogic.difficulty`): easy up to two statements for four options, medium
with three, hard above.
"""

from perennial.schemas.knowlogic.things import QuestionType
from perennial.tasks.knowlogic.difficulty import Cuts
from perennial.tasks.knowlogic.time.claims import WEEK

CUTS = Cuts(easy=4, medium=5)

# cg by template; what is not listed is 2.
_HARDNESS = {"on": 1, "year": 1, "gap": 3, "lasts": 3, "longer": 3, "shorter": 3, "as_long": 3}
_QUESTIONS: dict[QuestionType, int] = {
    "precise_event": 1,
    "precise_slot": 1,
    "correct_statements": 2,
    "vague_event": 2,
    "incorrect_statements": 3,
}


def hardness_of(template: str) -> int:
    """Return cg of a statement."""
    return _HARDNESS.get(template, 2)


def variables_of(
    scenario: str, type_: QuestionType, lc: int, cg: int, right: int, dk: int
) -> dict[str, float]:
    """Return the variables of the formula."""
    dc = 0.5 if scenario == WEEK else 0.0
    return {"lc": lc, "cg": cg, "na": max(1, right), "dk": dk, "dq": _QUESTIONS[type_], "dc": dc}


def level_of(of: dict[str, float]) -> float:
    """Return the level of a question."""
    level = 0.02 * of["lc"] + 0.2 * of["cg"] + 0.25 * of["na"] + 0.05 * of["dk"] + 0.5 * of["dq"] + of["dc"]
    return round(level, 9)
