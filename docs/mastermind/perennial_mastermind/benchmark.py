"""Mastermind as a benchmark: what the entry point names. Nothing heavy is imported before it is needed."""

from functools import partial
from pkgutil import resolve_name

from perennial_mastermind.tables import CODES, GUESSES
from schemas.benchmark import Benchmark, later
from schemas.measure import Floor, Measure

_GUESSES = Measure(
    "mean_guesses",
    "any",
    "guesses",
    "guesses = mean over codes of the mean over runs",
    "Guesses is the mean number of guesses of a game, whether the code was found or not.",
)
_FLOOR = Floor("guesser", "floor = guesser, which reads no answer", "The floor is what blind guesses solve.")
_ANSWERS = (
    "SELECT e.edition, e.evaluation, e.episode_id, arg_max(g.guess, g.number), any_value(c.code) "
    "FROM episodes AS e JOIN mastermind_codes AS c USING (edition, instance_id) "
    "LEFT JOIN mastermind_guesses AS g USING (edition, evaluation, episode_id) GROUP BY ALL"
)

BENCHMARK = Benchmark(
    "mastermind",
    settings=partial(resolve_name, "perennial_mastermind.grow:MastermindSettings"),
    prepare=later("perennial_mastermind.grow:prepare"),
    growing=partial(resolve_name, "perennial_mastermind.grow:STAGES"),
    playing=partial(resolve_name, "perennial_mastermind.seats:PLAYING"),
    analysis=partial(resolve_name, "perennial_mastermind.figures:ANALYSIS"),
    estimate=later("perennial_mastermind.grow:estimate_evaluation"),
    tables=(CODES, GUESSES),
    sql="perennial_mastermind",
    answers=_ANSWERS,
    measures=(_GUESSES,),
    floor=_FLOOR,
    report=partial(resolve_name, "perennial_mastermind.report.sections:REPORT"),
    pages=partial(resolve_name, "perennial_mastermind.pages:PAGES"),
)
