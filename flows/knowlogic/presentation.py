"""What KnowLogic's public page says of it."""

from schemas.presentation import Presentation

PRESENTATION = Presentation(
    "KnowLogic",
    (
        "A question is a short text with an introduction and statements, from which it follows where "
        "everybody stands, what happened when, or who is who. Solving it takes logic and common knowledge: "
        "directions, dates, kinship, properties of animals and things.",
        "Four options follow, of which one or more are right. The player replies once, with letters in "
        "brackets, and gets no partial credit. Each question is written in Chinese and in English.",
    ),
    "Statements and options are checked by two independent engines, so the best possible success rate is 1: "
    "program exact reads every question and finds all right letters.",
    "exact",
    "KnowLogic: A Benchmark for Commonsense Reasoning via Knowledge-Driven Data Synthesis, 2025",
)
