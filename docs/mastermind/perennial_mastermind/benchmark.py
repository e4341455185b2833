"""Mastermind as a benchmark: what the entry point names. Nothing heavy is imported before it is needed."""

from typing import TYPE_CHECKING

from perennial.flows.benchmark import Benchmark
from perennial.schemas.late_module import LateModule
from perennial.schemas.presentation import Presentation
from perennial.schemas.statistics import Floor, Measure
from perennial_mastermind.tables import CODES, GUESSES

if TYPE_CHECKING:
    from perennial_mastermind import figures, grow, pages, practice, seats, sections
else:
    figures = LateModule("perennial_mastermind.figures")
    grow = LateModule("perennial_mastermind.grow")
    pages = LateModule("perennial_mastermind.pages")
    practice = LateModule("perennial_mastermind.practice")
    seats = LateModule("perennial_mastermind.seats")
    sections = LateModule("perennial_mastermind.sections")


_GUESSES = Measure(
    "mean_guesses",
    "any",
    "guesses",
    "guesses = mean over codes of the mean over runs",
    "Guesses is the mean number of guesses of a game, whether the code was found or not.",
)
_FLOOR = Floor("guesser", "floor = guesser, which reads no answer", "The floor is what blind guesses solve.")
_ANSWERS = (
    "SELECT e.edition, e.evaluation, e.episode_id, arg_max(g.guess, g.number), any_value(c.code), NULL "
    "FROM episodes AS e JOIN mastermind_codes AS c USING (edition, instance_id) "
    "LEFT JOIN mastermind_guesses AS g USING (edition, evaluation, episode_id) GROUP BY ALL"
)
_PRESENTATION = Presentation(
    "Mastermind",
    (
        "A code of colored pegs is hidden. Each guess is answered with the number of pegs in place and the "
        "number of right colors out of place. The player wins if it guesses the code in time.",
    ),
    "Program solver keeps to the codes that fit all answers, and finds every code.",
    "solver",
)

BENCHMARK = Benchmark(
    "mastermind",
    settings=lambda: grow.MastermindSettings,
    prepare=lambda settings, store: grow.prepare(settings, store),
    growing=lambda: grow.STAGES,
    playing=lambda: seats.PLAYING,
    analysis=lambda: figures.ANALYSIS,
    estimate=lambda store, plan, prices: grow.estimate_evaluation(store, plan, prices),
    tables=(CODES, GUESSES),
    sql="perennial_mastermind",
    answers=_ANSWERS,
    measures=(_GUESSES,),
    floor=_FLOOR,
    report=lambda: sections.REPORT,
    pages=lambda: pages.PAGES,
    presentation=lambda: _PRESENTATION,
    practice=lambda: practice.PRACTICE,
)
