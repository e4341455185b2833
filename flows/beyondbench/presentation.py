"""What BeyondBench's public page says of it."""

from schemas.presentation import Presentation

PRESENTATION = Presentation(
    "BeyondBench",
    (
        "A problem states all that is needed and asks for one answer in a given format: a number, a list, "
        "the next term of a sequence, the moves of a puzzle, a filled grid. There are 44 algorithmic tasks "
        "in three suites: easy, medium and hard.",
        "The player replies once. Its answer is checked against the constraints of the problem, so any right"
        " solution counts, whatever its wording.",
    ),
    "Every problem has a solution that its own rules verify, so the best possible success rate is 1: program"
    " exact computes it.",
    "exact",
    "Srivastava et al., BeyondBench, 2025, arXiv 2509.24210",
)
