"""The score of a domain: every check, in the order in which an author looks at them."""

from perennial.schemas.kumo.samplers import AS_PUBLISHED
from perennial.schemas.kumo.things import SeedConfig, Setting
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling import SamplingRequest, sample_instances
from perennial.tasks.kumo.scoring.check import Check
from perennial.tasks.kumo.scoring.difficulty import check_difficulty, solve_sample
from perennial.tasks.kumo.scoring.giveaways import (
    check_frequencies,
    check_guesses,
    check_single_states,
    check_words,
)
from perennial.tasks.kumo.scoring.redundancy import check_redundancy

_DRAWN = 4_000  # Easy instances whose answers are counted: drawing one takes a tenth of a millisecond


def score_domain(config: SeedConfig, instances: int, seed: int = 0, threads: int = 1) -> list[Check]:
    """Return the checks of a domain, over so many Easy and so many Hard instances drawn with the seed.

    Raises what sampling raises of a domain that has too few truths, actions or instances.
    """
    encoded = encode_config(config)
    easy, hard = (solve_sample(encoded, name, instances, seed, threads) for name in ("easy", "hard"))
    request = SamplingRequest(Setting.parse("easy"), _DRAWN, seed, 1.0, True, sampler=AS_PUBLISHED)
    drawn = sample_instances(encoded, request)
    return [
        *check_difficulty(easy, hard),
        *check_redundancy(encoded),
        *(check_frequencies(drawn.instances) if len(drawn.instances) > 1 else ()),
        *((check_guesses(encoded, drawn.instances),) if drawn.instances else ()),
        check_single_states(encoded),
        check_words(config),
    ]
