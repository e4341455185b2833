"""The tables of Mastermind: their names begin with the benchmark's."""

from perennial.schemas.table_form import Column, Reference, Table

CODES = Table(
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
GUESSES = Table(
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
