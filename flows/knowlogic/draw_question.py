"""Draw one fresh question: of a domain, scenario, difficulty and language, or of drawn ones."""

from collections.abc import Mapping, Sequence
from typing import cast

from flows.knowlogic.edition import load_domain
from schemas.errors import InstancesExhausted, InvalidOption, join_choices, suggest
from schemas.ids import derive_rng
from schemas.knowlogic.question import Question
from schemas.knowlogic.things import DIFFICULTIES, DOMAINS, LANGUAGES, Difficulty, Language
from tasks.knowlogic.growing import ScenarioRequest, grow_scenario


def draw_question(
    domain: str = "", seed: int = 0, *, scenario: str = "", difficulty: str = "", language: str = ""
) -> Question:
    """Return one question; equal arguments give the same one. What is "" is drawn by the seed.

    Raises InvalidOption for what does not exist, InstancesExhausted where nothing was found.
    """
    rng = derive_rng(seed, "knowlogic/draw", 0)
    found = load_domain(_choose("domain", domain, DOMAINS) if domain else rng.choice(DOMAINS))
    own = find_scenario(found.shares, scenario) if scenario else rng.choice(sorted(found.shares))
    known = [each for each in DIFFICULTIES if found.shares[own].get(each)]
    chosen = _choose("difficulty", difficulty, known) if difficulty else rng.choice(known)
    spoken = _choose("language", language, LANGUAGES) if language else LANGUAGES[0]
    request = ScenarioRequest(found, own, {cast(Difficulty, chosen): 1}, (cast(Language, spoken),), seed)
    questions = [each for of in grow_scenario(request).drawn.values() for each in of]
    if not questions:
        raise InstancesExhausted(f"{found.name}/{own}: no {chosen} question was found; give another --seed")
    return questions[0]


def find_scenario(shares: Mapping[str, object], name: str) -> str:
    """Return the name of a scenario; raise InvalidOption where the domain has none of that name."""
    return _choose("scenario", name, sorted(shares))


def _choose(option: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise InvalidOption(f"{option} {value!r}: expected {join_choices(known)}{suggest(value, known)}")
    return value
