"""How often tests of topology and success reject at .05: with and without an effect.

python -m tests.benchmarks.topology [--release FOLDER] [--draws 400] [--permutations 999]

Instances are Easy ones of invented worlds, or those of the release of KUMO's authors; outcomes are made.
The log odds of success are the sum of standard normal draws per domain and per instance and of the effect:
.6 per standard deviation of edges within domains, or a standard normal draw per signature without its trend
on edges. A player has five runs per instance. Beside the paper's V and chi-square test: the V of pooled
signatures, with labels permuted freely and within domains; the same of quartiles of edges; the trend of
mean success on edges. A test that is undefined rejects nothing; `defined` is the share of draws with a V of
pooled signatures.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perennial.schemas.kumo.things import Instance, Setting
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import (
    EncodedConfig,
    encode_config,
    encode_instance,
    parse_instances,
    signature,
)
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.worlds import MIXED, draw_world
from perennial.tasks.statistics.association import chi_square, compute_pooled_v, compute_trend

Numbers = NDArray[np.float64]
RUNS = 5
DOMAINS = 65
PER_DOMAIN = 50
LEVEL = 0.05
COLUMNS = ("V", "chi2", "free", "within", "quartiles", "trend", "defined")
RUN_COLUMNS = ("mean of 5", "majority", "one run")


@dataclass(frozen=True, slots=True)
class Scenario:
    """Draw `per_domain` instances of each of `domains` domains; effects in log odds."""

    domains: int
    per_domain: int
    between_domains: float = 0.0
    per_edge_deviation: float = 0.0
    per_signature: float = 0.0

    @property
    def name(self) -> str:
        """Say what succeeds more often than what."""
        effects = (("edges", self.per_edge_deviation), ("signatures", self.per_signature))
        effect = ", ".join(word for word, size in effects if size) or "no effect"
        differing = ", domains differ" if self.between_domains else ""
        return f"{self.domains * self.per_domain:,} ({self.domains} x {self.per_domain}), {effect}{differing}"


SCENARIOS = (
    Scenario(1, 50),
    *(
        Scenario(20, size, 1.0, **effect)
        for size in (10, 50)
        for effect in ({}, {"per_edge_deviation": 0.6}, {"per_signature": 1.0})
    ),
)


@dataclass(frozen=True, slots=True)
class Topology:
    """The graphs of instances, as many of each domain: arrays of domains x instances."""

    signatures: NDArray[np.int64]
    edges: Numbers

    def choose(self, generator: np.random.Generator, scenario: Scenario) -> "Topology":
        """Draw the scenario's domains, and of each its first instances."""
        domains = generator.choice(len(self.edges), scenario.domains, replace=False)
        return Topology(*(array[domains, : scenario.per_domain] for array in (self.signatures, self.edges)))


@dataclass(frozen=True, slots=True)
class Answers:
    """Made answers: the graph and the solved runs of each instance, and its domain."""

    signatures: NDArray[np.int64]
    edges: Numbers
    domains: NDArray[np.int64]
    solved: NDArray[np.bool_]


def main() -> None:
    """Print the table of tests, and the power of the trend by what it is computed of."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.topology")
    parser.add_argument("--draws", type=int, default=400, help="draws per row")
    parser.add_argument("--permutations", type=int, default=999)
    parser.add_argument("--release", type=Path, help="folder of the authors' release")
    chosen = parser.parse_args()
    topology = read_release(chosen.release) if chosen.release else draw_worlds(DOMAINS, PER_DOMAIN)
    distinct = len(np.unique(topology.signatures))
    print(f"{len(topology.edges)} domains, {topology.edges.size:,} instances, {distinct:,} signatures")
    print(f"{'n (domains x each)':<45}" + "".join(f"{column:>10}" for column in COLUMNS))
    for scenario in SCENARIOS:
        figures = reject(topology, scenario, chosen.draws, chosen.permutations)
        print(f"{scenario.name:<45}" + "".join(f"{figure:10.3f}" for figure in figures), flush=True)
    print(f"{'trend of edges, by label':<45}" + "".join(f"{column:>10}" for column in RUN_COLUMNS))
    scenario = Scenario(20, 10, 1.0, 0.3)
    powers = compare_labels(topology, scenario, chosen.draws, chosen.permutations)
    print(f"{scenario.name + ' (.3 per sd)':<45}" + "".join(f"{power:10.3f}" for power in powers))


def reject(topology: Topology, scenario: Scenario, draws: int, permutations: int) -> tuple[float, ...]:
    """Compute for COLUMNS: the paper's mean V, the share of draws that each test rejects, and defined."""
    rows = []
    for seed, answers in enumerate(make_answers(topology, scenario, draws)):
        majority = 2 * answers.solved.sum(axis=1) > RUNS
        papers = chi_square(answers.signatures, majority)
        anywhere = np.zeros_like(answers.domains)
        pooled = [
            compute_pooled_v(classes, majority, strata, seed, permutations)
            for classes, strata in (
                (answers.signatures, anywhere),
                (answers.signatures, answers.domains),
                (find_quartiles(answers.edges), answers.domains),
            )
        ]
        trend = compute_trend(answers.edges, answers.solved.mean(axis=1), answers.domains, seed, permutations)
        tests = (papers.p_value, *(pooled_v.p_value for pooled_v in pooled), trend.p_value)
        v = float("nan") if papers.cramers_v is None else papers.cramers_v
        rows.append((v, *(p is not None and p <= LEVEL for p in tests), pooled[1].v is not None))
    return tuple(np.nanmean(np.array(rows, float), axis=0).tolist())


def compare_labels(
    topology: Topology, scenario: Scenario, draws: int, permutations: int
) -> tuple[float, ...]:
    """Compute for RUN_COLUMNS the share of draws in which the trend rejects."""
    rejected = []
    for seed, answers in enumerate(make_answers(topology, scenario, draws)):
        success = answers.solved.mean(axis=1)
        trends = (
            compute_trend(answers.edges, label.astype(float), answers.domains, seed, permutations)
            for label in (success, success > 1 / 2, answers.solved[:, 0])
        )
        rejected.append([trend.p_value is not None and trend.p_value <= LEVEL for trend in trends])
    return tuple(np.mean(rejected, axis=0).tolist())


def make_answers(topology: Topology, scenario: Scenario, draws: int) -> Iterator[Answers]:
    """Yield the outcomes of five runs on instances of drawn domains."""
    generator = np.random.default_rng([draws, scenario.domains, scenario.per_domain])
    for _ in range(draws):
        chosen = topology.choose(generator, scenario)
        centered = chosen.edges - chosen.edges.mean(axis=1, keepdims=True)
        deviation = max(float(centered.std()), 1e-9)
        names, codes = np.unique(chosen.signatures, return_inverse=True)
        by_signature = generator.standard_normal(len(names))[codes.reshape(chosen.edges.shape)]
        # No trend is left: neither within domains nor over all.
        by_signature = by_signature - by_signature.mean(axis=1, keepdims=True)
        by_signature -= centered * float((by_signature * centered).sum()) / (centered.size * deviation**2)
        log_odds = (
            scenario.between_domains * generator.standard_normal((scenario.domains, 1))
            + generator.standard_normal(chosen.edges.shape)
            - scenario.per_edge_deviation * centered / deviation
            + scenario.per_signature * by_signature
        ).ravel()
        solved = generator.random((log_odds.size, RUNS)) < 1 / (1 + np.exp(-log_odds[:, None]))
        domains = np.repeat(np.arange(scenario.domains), scenario.per_domain)
        yield Answers(chosen.signatures.ravel(), chosen.edges.ravel(), domains, solved)


def find_quartiles(edges: Numbers) -> NDArray[np.int64]:
    """Number the quarter that each number of edges lies in."""
    return np.searchsorted(np.quantile(edges, (0.25, 0.5, 0.75)), edges).astype(np.int64)


def draw_worlds(count: int, per_domain: int) -> Topology:
    """Draw Easy instances of worlds, as an edition's default does."""
    request = SamplingRequest(Setting.parse("easy"), per_domain, 0)
    worlds = [encode_config(draw_world(0, number, MIXED).config) for number in range(count)]
    return measure([(world, sample_instances(world, request).instances) for world in worlds])


def read_release(folder: Path) -> Topology:
    """Read the Easy instances of all released domains."""
    domains = []
    for path in sorted(folder.glob("instances/*/truth_num=4+action_num=6+valid_truth_num=1.jsonl")):
        name = path.parent.name
        text = (folder / "domains" / f"{name}.json").read_text(encoding="utf-8")
        encoded = encode_config(parse_config(text, name))
        lines = path.read_text(encoding="utf-8").splitlines()
        domains.append((encoded, list(parse_instances(lines, encoded, path.name))))
    return measure(domains)


def measure(domains: list[tuple[EncodedConfig, Sequence[Instance]]]) -> Topology:
    """Compute signature and edges of each instance."""
    boards = [[encode_instance(config, instance) for instance in instances] for config, instances in domains]
    names = np.unique([[signature(board) for board in row] for row in boards], return_inverse=True)[1]
    edges = np.array([[sum(mask.bit_count() for mask in board.related) for board in row] for row in boards])
    return Topology(names.reshape(edges.shape).astype(np.int64), edges.astype(float))


if __name__ == "__main__":
    main()
