"""Draw one fresh question: of a domain, scenario, difficulty and language, or of drawn ones."""

from collections.abc import Sequence
from typing import cast

from perennial.flows.knowlogic.edition import load_domain
from perennial.schemas.errors import InstancesExhausted, InvalidOption, join_choices, suggest
from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import (
    DIFFICULTIES,
    DOMAINS,
    LANGUAGES,
    Difficulty,
    Language,
    Question,
)
from perennial.tasks.knowlogic.growing import ScenarioRequest, grow_scenario


def draw_question(
    domain: str = "", seed: int = 0, *, scenario: str = "", difficulty: str = "", language: str = ""
) -> Question:
    """Return one question; equal arguments give the same one. What is "" is drawn by the seed.

    Raises InvalidOption for what does not exist, InstancesExhausted where nothing was found.
    """
    rng = derive_rng(seed, "knowlogic/draw", 0)
    found = load_domain(_choose("domain", domain, DOMAINS) if domain else rng.choice(DOMAINS))
    scenarios = [_choose("scenario", scenario, sorted(found.shares))] if scenario else sorted(found.shares)
    held = {name: [each for each in DIFFICULTIES if found.shares[name].get(each)] for name in scenarios}
    if difficulty:
        known = [each for each in DIFFICULTIES if any(each in of for of in held.values())]
        chosen = _choose("difficulty", difficulty, known)
        scenarios = [name for name in scenarios if chosen in held[name]]
    own = rng.choice(scenarios)
    if not difficulty:
        chosen = rng.choice(held[own])
    spoken = _choose("language", language, LANGUAGES) if language else LANGUAGES[0]
    request = ScenarioRequest(found, own, {cast(Difficulty, chosen): 1}, (cast(Language, spoken),), seed)
    questions = [each for of in grow_scenario(request).drawn.values() for each in of]
    if not questions:
        raise InstancesExhausted(f"{found.name}/{own}: no {chosen} question was found; give another --seed")
    return questions[0]


def _choose(option: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise InvalidOption(f"{option} {value!r}: expected {join_choices(known)}{suggest(value, known)}")
    return value
