"""What an evaluation of a given size can tell, and the smallest one that tells enough.

From the parts of the variance of a success (`perennial.schemas.statistics`), for d domains, i
instances each and r runs: the variance of a rate over the population of domains, and that of the difference
between two players on the same instances. Half-widths are of 95% intervals with Student's t for d - 1 degrees
of freedom; a difference is detectable with a power where it is (t for 95% + t for the power) standard errors.
(R. L. Brennan, Generalizability Theory, 2001, chapter 4; E. Miller, Adding Error Bars to Evals, 2024.)
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from perennial.schemas.rows import JsonObject, Row
from perennial.schemas.statistics import MeasuredVariance, Parts
from perennial.tasks.statistics.variance_parts import PART_NAMES, UNREPEATED

LEVEL = 0.95
POWER = 0.8
MOST_INSTANCES, MOST_RUNS = 200, 10
_ENOUGH_DOMAINS = 20


@dataclass(frozen=True, slots=True)
class Design:
    """So many domains, instances in each and runs of each; `episodes` are those of one player."""

    domains: int
    instances: int
    runs: int

    @property
    def episodes(self) -> int:
        """The number of episodes of one player."""
        return self.domains * self.instances * self.runs


@dataclass(frozen=True, slots=True)
class Precision:
    """What a design tells: half-widths of 95% intervals, and the difference found with the given power."""

    rate: float
    difference: float
    detectable: float


def measure_design(parts: Parts, design: Design, power: float = POWER) -> Precision:
    """Return what the design tells; raise ValueError for fewer than two domains."""
    if design.domains < 2:
        raise ValueError(f"{design.domains} domains: expected 2 or more, as an interval needs them")
    free = design.domains - 1
    reach = _quantile(free, (1 + LEVEL) / 2)
    size = design.domains, design.instances, design.runs
    difference = parts.difference_variance(*size) ** 0.5
    return Precision(
        reach * parts.rate_variance(*size) ** 0.5,
        reach * difference,
        (reach + _quantile(free, power)) * difference,
    )


@lru_cache(maxsize=4_096)
def _quantile(free: int, share: float) -> float:
    """Return Student's quantile: a search asks for the same ones again and again."""
    from scipy.special import stdtrit

    return float(stdtrit(free, share))


def find_design(
    parts: Parts, goal: str, bound: float, most_domains: int, power: float = POWER
) -> Design | None:
    """Return the design with the fewest episodes that reaches the goal, `rate` or `detectable`.

    Among equals the one with fewer domains. None where no design of `most_domains` or fewer does.
    """
    fitting = (
        design
        for design in _designs(most_domains)
        if getattr(measure_design(parts, design, power), goal) <= bound
    )
    return min(fitting, key=lambda design: (design.episodes, design.domains, design.runs), default=None)


def best_design(parts: Parts, episodes: int, most_domains: int) -> Design | None:
    """Return the design that measures differences best with `episodes` of a player, or fewer.

    None for fewer than two.
    """
    fitting = (design for design in _designs(most_domains) if design.episodes <= episodes)
    return min(
        fitting,
        key=lambda design: (measure_design(parts, design).difference, design.episodes, design.domains),
        default=None,
    )


def _designs(most_domains: int) -> Iterator[Design]:
    for domains in range(2, most_domains + 1):
        for instances in (*range(1, 21), *range(25, MOST_INSTANCES + 1, 5)):
            for runs in (1, 2, 3, 5, MOST_RUNS):
                yield Design(domains, instances, runs)


def combine_parts(published: Mapping[str, tuple[float, int]], measured: Parts) -> Parts | None:
    """Return the parts of published editions, by name with their clusters, as a design needs them.

    Without repeated runs, those and instances of single models are shared out as the measured ones are. None
    for fewer than 20 clusters, and where all answers are alike.
    """
    domain, _, _, player_instance, run = PART_NAMES
    _, clusters = published.get(domain, (0.0, 0))
    if clusters < _ENOUGH_DOMAINS:
        return None
    means = {name: mean for name, (mean, _) in published.items()}
    if run not in means:
        share = measured.player_instance / (measured.player_instance + measured.run)
        both = means[UNREPEATED]
        means |= {player_instance: share * both, run: (1 - share) * both}
    parts = Parts(*(means[name] for name in PART_NAMES))
    return parts if parts.total > 0 else None


def measure_plan(
    variance: MeasuredVariance | None, sizes: Mapping[str, tuple[int, int]], runs: int
) -> dict[str, Row]:
    """What an evaluation can tell, by setting; `sizes` are its domains and all its instances.

    Nothing for a benchmark that draws no domains; a setting of fewer than two is left out, as no interval for
    new domains exists.
    """
    precision: dict[str, JsonObject] = {}
    if variance is None:
        return precision
    for setting, (domains, instances) in sizes.items():
        if domains < 2 or instances < domains:
            continue
        measured = measure_design(variance.parts, Design(domains, instances // domains, runs))
        precision[setting] = {
            "domains": domains,
            "instances_per_domain": instances // domains,
            "runs": runs,
            "half_width_rate": round(measured.rate, 4),
            "half_width_difference": round(measured.difference, 4),
            "detectable_difference": round(measured.detectable, 4),
            "variance": f"{variance.source}, at success rates near {variance.parts.usual_rate:.2f}",
        }
    return precision
