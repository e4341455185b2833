"""The stages by which an edition of KnowLogic grows, declared once."""

from functools import partial

from perennial.flows.benchmark import Stage, always
from perennial.flows.knowlogic import check_questions, grow_questions
from perennial.flows.knowlogic.edition import batches_of

STAGES = (
    Stage(
        "questions",
        "Draws questions that no earlier edition holds, of each difficulty and type, in all languages.",
        partial(batches_of, stage="questions"),
        grow_questions.grow,
        writes=("instances", "knowlogic_questions", "rejections"),
        earlier=("instances",),
        spreads=always,
    ),
    Stage(
        "gate",
        "Proves each question by two engines and reads its texts back.",
        partial(batches_of, stage="gate"),
        check_questions.check_scenario,
        reads=("knowlogic_questions",),
        writes=("knowlogic_gate",),
        spreads=always,
    ),
)
