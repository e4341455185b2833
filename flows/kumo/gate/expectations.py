"""What the gate expects of an edition, each as one row of table `audits`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from perennial.schemas.rows import Row

_SHOWN_PROBLEMS = 3


@dataclass(frozen=True, slots=True)
class Expectation:
    """A sentence that holds or not; a broken critical one stops publishing."""

    suite: Literal["grader", "overlap"]
    sentence: str
    severity: Literal["critical", "warning"] = "critical"

    def row(self, observed: str, problems: Sequence[str] = (), *, broken_by: int | None = None) -> Row:
        """Return the row: `observed` where no problem is named, else the first ones of them.

        `broken_by` is the number of rows that broke it, where this is not the number of problems.
        """
        more = f"; and {len(problems) - _SHOWN_PROBLEMS:,} more" if len(problems) > _SHOWN_PROBLEMS else ""
        count = len(problems) if broken_by is None else broken_by
        return {
            "suite": self.suite,
            "expectation": self.sentence,
            "success": not problems,
            "observed": "; ".join(problems[:_SHOWN_PROBLEMS]) + more if problems else observed,
            "unexpected_count": count,
            "severity": self.severity,
            "validation": None,
        }


SHOWN = Expectation("grader", "the observations that players see leave exactly the valid truths")
GRADED = Expectation("grader", "naming a valid truth is graded as solved, and naming any other one as wrong")
BALANCED = Expectation("grader", "of a balanced instance every listed truth could be the only survivor")
AGREED = Expectation("grader", "python-sat and the compiled programme judge each list alike")
READ = Expectation("grader", "the reader solves each instance from the text of its book")
READ_BACK = Expectation("grader", "the reader solves each instance by what a model read out of its book")
TOLD = Expectation("grader", "each instance without a book that passed its check is listed in rejections")
PLAYED = Expectation("grader", "each instance has a book that passed its check", "warning")
BATCH_EXPECTATIONS = (SHOWN, GRADED, BALANCED, READ, READ_BACK, TOLD)

DERIVED = Expectation("overlap", "each instance_id is that of the instance's truths, actions and states")
DISTINCT = Expectation("overlap", "no two instances have the same truths, actions and states")
NEW_TASKS = Expectation("overlap", "no earlier edition holds the same truths, actions and observations")
NEW_FORMS = Expectation("overlap", "no earlier edition holds the same truths, actions and states")
NEW_IDS = Expectation("overlap", "no earlier edition holds the same instance_id")


def no_better_than_chance(guess: str, least_p: float) -> Expectation:
    """Return what is expected of a guess without a test over balanced instances."""
    return Expectation(
        "overlap",
        f"of balanced instances the valid truth is at each rank of the guess by {guess} equally often "
        f"(chi-squared, p > {least_p:g})",
    )


def few_trivial(most: float) -> Expectation:
    """Return what is expected of the share of instances whose answer needs no test."""
    return Expectation(
        "overlap",
        "the share of instances whose answer needs no test, given lists, rules and promise, is at most "
        f"{most:g} (max_trivial_share)",
    )


def many_books(least: float) -> Expectation:
    """Return what is expected of the share of distinct books."""
    return Expectation(
        "overlap",
        f"the share of distinct texts among the books shown is at least {least:g} (min_distinct_books)",
    )


def rare_repeats(where: str, most: float) -> Expectation:
    """Return what is expected of the instance space of a domain and setting."""
    return Expectation(
        "overlap",
        f"{where}: this many uniform draws repeat an instance with a probability of at most {most:g} "
        "(max_collision_probability)",
    )
