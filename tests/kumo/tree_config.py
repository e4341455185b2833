"""A small clean configuration about trees, and what changes a part of it."""

from dataclasses import replace

from perennial.schemas.kumo.things import Finding, Outcome, OutcomeState, SeedConfig
from perennial.tasks.kumo.validation import validate_config


def label(name: str, *rules_out: str) -> OutcomeState:
    return OutcomeState(name, None, None, rules_out)


def span(low: float, high: float, *rules_out: str) -> OutcomeState:
    return OutcomeState(None, low, high, rules_out)


SMELL = Outcome("Smell", "str", (label("sharp", "Oak", "Elm"), label("mild", "Ash")))
TOUCH = Outcome("Touch", "str", (label("rough", "Fir", "Elm"), label("smooth", "Oak", "Ash")))
HEIGHT = Outcome("Height", "float", (span(0, 10, "Fir", "Oak"), span(10, 40, "Elm")), "m")
CLEAN = SeedConfig(
    "Trees",
    ("Oak", "Ash", "Elm", "Fir"),
    ("Smell", "Touch", "Height"),
    (SMELL, TOUCH, HEIGHT),
    truth_notes={"Oak": "A broad tree."},
    action_notes={"Smell": "Crush a leaf."},
)


def with_smell(*states: OutcomeState, kind: str = "str") -> SeedConfig:
    return replace(CLEAN, outcomes=(Outcome("Smell", kind, states), TOUCH, HEIGHT))


def with_height(*states: OutcomeState, kind: str = "float") -> SeedConfig:
    return replace(CLEAN, outcomes=(SMELL, TOUCH, Outcome("Height", kind, states)))


def with_truth(name: str) -> SeedConfig:
    """Add a truth that the first state of Smell rules out."""
    sharp = replace(SMELL.states[0], rules_out=("Oak", "Elm", name))
    return replace(with_smell(sharp, SMELL.states[1]), truths=(*CLEAN.truths, name))


def with_action(name: str) -> SeedConfig:
    return replace(
        CLEAN, actions=(*CLEAN.actions, name), outcomes=(*CLEAN.outcomes, replace(SMELL, action=name))
    )


def small(config: SeedConfig) -> list[Finding]:
    return validate_config(config, min_truths=4, min_actions=3)
