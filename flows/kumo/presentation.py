"""What KUMO's public page says of it."""

from schemas.presentation import Presentation

PRESENTATION = Presentation(
    "KUMO",
    (
        "A player is shown a list of possible truths (diseases, minerals, composers), a list of actions "
        "(tests to run) and a book, which says which truths each outcome of an action rules out. Exactly one"
        " truth on the list is valid.",
        "In each turn the player takes an action and sees its outcome, or names a truth, which ends the "
        "game. It wins if no outcome rules out the truth that it named. Fewer actions are better.",
    ),
    "The optimum solves every instance with the fewest expected tests of any policy, because it uses "
    "throughout that exactly one truth is valid.",
    "optimum",
    "Lin et al., Generative evaluation of complex reasoning in large language models, 2025",
)
