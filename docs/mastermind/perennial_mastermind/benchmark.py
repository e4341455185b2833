"""Mastermind as a benchmark: what the entry point names. Nothing heavy is imported before it is needed."""

from typing import Any

from perennial.schemas.benchmark import Declaration
from perennial.schemas.statistics import Floor, Measure
from perennial.schemas.table_form import Column, Reference, Table


def _settings() -> type[Any]:
    from perennial_mastermind.mastermind import MastermindSettings

    return MastermindSettings


def _implementation() -> type[Any]:
    from perennial_mastermind.mastermind import Mastermind

    return Mastermind


_CODES = Table(
    "mastermind_codes",
    "a hidden code",
    (
        Column("instance_id", "string", "the instance"),
        Column("code", "string", "the hidden letters"),
    ),
    key=("instance_id",),
    extends="instances",
    references=(Reference("instance_id", "instances", "instance_id"),),
)
_GUESSES = Table(
    "mastermind_guesses",
    "a guess of an episode, with its answer",
    (
        Column("episode_id", "string", "the episode"),
        Column("number", "int64", "the guess's number in the episode, from 1", minimum=1),
        Column("guess", "string", "the letters"),
        Column("in_place", "int64", "letters in the right place", minimum=0),
        Column("elsewhere", "int64", "letters that are in the code at another place", minimum=0),
    ),
    key=("episode_id", "number"),
    references=(Reference("episode_id", "episodes", "episode_id"),),
    kind="answers",
)
_NUMBER_OF_GUESSES = Measure(
    "mean_guesses",
    "any",
    "guesses",
    "guesses = mean over codes of the mean over runs",
    "Guesses is the mean number of guesses of a game, whether the code was found or not.",
)
_ANSWERS = (
    "SELECT e.edition, e.evaluation, e.episode_id, arg_max(g.guess, g.number), any_value(c.code), NULL "
    "FROM episodes AS e JOIN mastermind_codes AS c USING (edition, instance_id) "
    "LEFT JOIN mastermind_guesses AS g USING (edition, evaluation, episode_id) GROUP BY ALL"
)

BENCHMARK = Declaration(
    "mastermind",
    settings=_settings,
    implementation=_implementation,
    tables=(_CODES, _GUESSES),
    sql="perennial_mastermind",
    answers=_ANSWERS,
    measures=(_NUMBER_OF_GUESSES,),
    floor=Floor("guesser", "floor = guesser, which reads no answer", "What blind guesses solve."),
)
