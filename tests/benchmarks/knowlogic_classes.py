"""Chain lengths of KnowLogic's classes, in each domain; beside them those of the paper's levels, cut alike.

By hand: `python -m tests.benchmarks.knowlogic_classes`. The second row of a domain sorts the same questions
by the level and cuts them 1:2:3: the paper's formula does not order them by what must be put together.
"""

from collections import Counter
from statistics import mean

from perennial.schemas.knowlogic.things import DIFFICULTIES, DOMAINS, Question
from tests.benchmarks.knowlogic_guesser import draw


def main() -> None:
    """Print the mean chain length of each class, and how often hard questions have each length."""
    drawn = draw("classes", 600)
    for name in DOMAINS:
        questions = [each for each in drawn if each.domain == name]
        classes = [[each for each in questions if each.difficulty == of] for of in DIFFICULTIES]
        ordered = sorted(questions, key=lambda each: each.level)
        first, second = len(ordered) // 6, len(ordered) // 2
        for what, groups in (
            ("classes", classes),
            ("levels", [ordered[:first], ordered[first:second], ordered[second:]]),
        ):
            print(f"{name:<7} {what:<8} {describe(groups)}")


def describe(groups: list[list[Question]]) -> str:
    """Return numbers and mean chain lengths of easy, medium and hard questions, and hard ones by length."""
    means = ", ".join(
        f"{of} {mean(each.chain_length for each in group):.2f} of {len(group)}"
        for of, group in zip(DIFFICULTIES, groups, strict=True)
    )
    lengths = sorted(Counter(each.chain_length for each in groups[-1]).items())
    return f"{means}; hard by steps: " + ", ".join(f"{steps}: {number}" for steps, number in lengths)


if __name__ == "__main__":
    main()
