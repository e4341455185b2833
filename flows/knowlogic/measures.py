"""KnowLogic's own figures on leaderboards, beside the success rate, which is its accuracy."""

from schemas.measure import Measure

MEASURES = (
    Measure(
        "unextracted_rate",
        "any",
        "unextracted rate",
        "unextracted rate = share of scored replies from which no letters were read; they are wrong",
        "Unextracted rate is the share of scored replies from which no letters were read; these are wrong.",
    ),
)
