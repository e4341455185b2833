"""What may be asked of sampling, and what is refused at once."""

import math
from dataclasses import dataclass

from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.things import AS_PUBLISHED, BALANCED, COMPILED, Setting
from perennial.tasks.kumo.encoding import EncodedConfig

_MASK_BITS = 64
_BALANCED_TRUTHS = 20  # so many that the tables of the balanced draw fit into memory


@dataclass(frozen=True, slots=True)
class SamplingRequest:
    """How many instances of which setting, and by which seed.

    `min_expected_steps` is the least number of expected steps (Algorithm 3 of Lin et al., 2025): 0 takes
    every instance, as the paper does; a value in (0, 1] needs no search, because the expected steps are 0
    exactly where some truth is related to no action, and 1 or more otherwise; above 1 the exact search
    decides. With `require_test` an instance is left out where lists, rules and promise give its answer: some
    truth survives whatever is observed. The sampler `balanced` takes only lists of truths and actions where
    every truth could be the only survivor (so that a test is always needed), and none of them twice. The
    instances get the indices from `first_index` on. A run of several requests says in each how many instances
    it asks for in all and how many it has: only what is said of a shortfall looks at that. The engine judges
    lists of the balanced sampler, and changes no instance.
    """

    setting: Setting
    count: int
    seed: int
    min_expected_steps: float = 1.0
    require_test: bool = False
    first_index: int = 0
    asked_in_all: int | None = None
    found_before: int = 0
    sampler: str = AS_PUBLISHED
    engine: str = COMPILED

    @property
    def is_balanced(self) -> bool:
        """Whether each listed truth is to be valid equally often, whatever else is listed."""
        return self.sampler == BALANCED

    @property
    def is_searched(self) -> bool:
        """Whether only the exact search can tell if an instance has the expected steps asked for."""
        return self.min_expected_steps > 1.0

    @property
    def is_filtered(self) -> bool:
        """Whether a draw has to be looked at before it is an instance of the request."""
        return self.is_searched or self.is_undecided

    @property
    def is_undecided(self) -> bool:
        """Whether no truth may be sure before any test."""
        return self.require_test and not self.is_balanced


def check_request(encoded: EncodedConfig, request: SamplingRequest, workers: int) -> None:
    """Raise InvalidOption, saying which value is impossible and why, where the request makes no sense."""
    domain = encoded.config.name
    setting = request.setting
    n_truths, n_actions, n_valid = setting.n_truths, setting.n_actions, setting.n_valid
    rules = [
        (request.count >= 1, f"count {request.count}: at least 1 instance must be asked for"),
        (request.first_index >= 0, f"first_index {request.first_index}: indices begin at 0"),
        (workers >= 1, f"workers {workers}: at least 1 process must do the work"),
        (n_valid >= 1, f"{n_valid} valid truths: an instance has at least 1"),
        (
            n_valid < n_truths,
            f"{n_valid} valid truths of {n_truths}: at least one truth must be invalid, "
            f"so use fewer valid truths or more truths",
        ),
        (n_actions >= 1, f"{n_actions} actions: an instance has at least 1"),
        (
            n_truths <= len(encoded.truths),
            f"{n_truths} truths, but domain {domain!r} has {len(encoded.truths)}: use a smaller setting",
        ),
        (
            n_actions <= len(encoded.actions),
            f"{n_actions} actions, but domain {domain!r} has {len(encoded.actions)}: use a smaller setting",
        ),
        (
            not request.is_undecided or max(n_truths, n_actions) <= _MASK_BITS,
            f"{n_truths} truths and {n_actions} actions: whether a test is needed is decided for "
            f"{_MASK_BITS} of each at most; use a smaller setting, or --no-require-test",
        ),
        (
            not request.is_balanced or n_valid == 1,
            f"{n_valid} valid truths: the balanced sampler draws instances with one valid truth, as "
            f"hardly any list lets every {n_valid} of its truths be those that survive; use "
            f"--sampler {AS_PUBLISHED}, or a setting without v{n_valid}",
        ),
        (
            not request.is_balanced or (n_truths <= _BALANCED_TRUTHS and n_actions <= _MASK_BITS),
            f"{n_truths} truths and {n_actions} actions: the balanced sampler draws {_BALANCED_TRUTHS} "
            f"truths and {_MASK_BITS} actions at most; use a smaller setting, or --sampler {AS_PUBLISHED}",
        ),
        (
            math.isfinite(request.min_expected_steps) and 0 <= request.min_expected_steps <= n_actions,
            f"min_expected_steps {request.min_expected_steps}: expected steps lie between 0 and the "
            f"number of actions, {n_actions}",
        ),
    ]
    for holds, message in rules:
        if not holds:
            raise InvalidOption(f"setting {setting.name}: {message}")
