"""What A2RBench's public page says of it."""

from schemas.presentation import Presentation

PRESENTATION = Presentation(
    "A2RBench",
    (
        "An item shows five inputs with their outputs, and a sixth input, the query. One hidden rule made "
        "all outputs. Inputs are tokens in a list, a grid or a cube; in semantic items the tokens mean "
        "something, such as letters, digits or days of the week.",
        "The player replies once, with the rule in words and the output of the query. An output is right or "
        "wrong as a whole.",
    ),
    "The query's output is the only one that the examples allow among all rules that were tried, so the best"
    " possible success rate is 1.",
    "search",
    "A²RBench: An Automatic Paradigm for Formally Verifiable Abstract Reasoning Benchmark Generation",
)
