"""The variance of a success rate in parts: from domains, instances and runs, and what players share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parts:
    """Variances of success. `domain` and `instance` are common to all players, the others a player's own."""

    domain: float
    player_domain: float
    instance: float
    player_instance: float
    run: float

    def of_instances(self, runs: float) -> float:
        """Return the variance of a player's means over this many runs, between instances of a domain."""
        return self.instance + self.player_instance + self.run / runs

    def shared_share(self, runs: float) -> float:
        """Return which share of that variance players of the same instances have in common."""
        return self.instance / self.of_instances(runs)

    def rate_variance(self, domains: int, instances: int, runs: int) -> float:
        """Return the variance of a rate over the population of domains; `instances` are per domain."""
        return (self.domain + self.player_domain + self.of_instances(runs) / instances) / domains

    def difference_variance(self, domains: int, instances: int, runs: int) -> float:
        """Return the variance of the difference between two players on the same instances."""
        own = self.player_domain + (self.player_instance + self.run / runs) / instances
        return 2 * own / domains


@dataclass(frozen=True, slots=True)
class MeasuredVariance:
    """Parts that were measured where a benchmark's domains are drawn, and model calls per episode there.

    `source` says on what, in a few words. Tokens of a call are those of an instance of the same size; replies
    are brief ones and long ones.
    """

    parts: Parts
    calls_per_episode: float
    source: str
    prompt_tokens_per_call: int
    reply_tokens_per_call: tuple[int, int]
