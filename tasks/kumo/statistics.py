"""KUMO's own statistics: actions beside the optimum, topology, domain graphs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import COUNTERFACTUAL, SECOND_CONFIGURER, SeedConfig
from perennial.schemas.statistics import NEW_DOMAINS, THESE_DOMAINS, Population
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.statistics import association
from perennial.tasks.statistics.association import chi_square, compute_pooled_v, compute_trend
from perennial.tasks.statistics.cells import ALL, Cells, Column, Numbers
from perennial.tasks.statistics.clusters import (
    GAP_METHOD,
    ClusterDraw,
    Interval,
    PopulationInterval,
    bound_gap,
    estimate_ratio,
    share_interval,
)
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rate_figures import Mean, count_scored, rates_in_units

if TYPE_CHECKING:
    from networkx import Graph


# How many actions a player takes beside a reference: KUMO's own means, with the SQL of what they count.
#
# An action count is the tests of a run and a constant; a run that failed counts as n_actions + 1 actions
# under every convention. A convention is named after its reference, whose value is 0: `algorithm-3`, the
# headline, and `optimum`, where that is proved. Both divide the sum of counts by the sum of references; the
# paper's `kumo-2025` is a mean of ratios to Algorithm 3, which instances with a small reference decide.
#
# Excess tests are what it took until the outcomes decided the answer, beside the reference: a run that ended
# before counts as one that took all actions, whether its guess was right or not. So no guess lowers the
# figure, where testing on would have ended with no more tests than that (docs/decisions.md#13-excess-tests).
#
# The reference is Algorithm 3's expected number of tests given the lists, and the two programs whose own
# expectation is known count by it: the mean is that of realised tests, without their luck. It needs the
# distribution of outcomes, which only balanced instances have; others, and `kumo-2025`, count realised tests.


_BALANCED = (
    "(SELECT config_id, setting, bool_and(engine <> 'constructive') AS is_balanced FROM kumo_draws "
    "GROUP BY ALL)"
)
JOINS = (
    "JOIN kumo_episodes AS x USING (episode_id) JOIN kumo_instances AS k USING (instance_id) "
    f"LEFT JOIN kumo_books AS b ON b.book_id = x.book_id LEFT JOIN {_BALANCED} AS d "
    "ON d.config_id = k.config_id AND d.setting = n.setting AND k.policy_steps IS NOT NULL"
)
FLOORS = (
    "SELECT i.setting, any_value(1 / k.n_truths), 0.0 FROM instances AS i "
    f"JOIN kumo_instances AS k USING (instance_id) LEFT JOIN {_BALANCED} AS d "
    "ON d.config_id = k.config_id AND d.setting = i.setting "
    "GROUP BY i.setting HAVING bool_and(coalesce(d.is_balanced, false) AND k.n_valid = 1)"
)
"""Before a test each of n truths is equally likely in balanced instances, so that no guess exceeds 1/n."""
_DECIDING_TESTS = "if(x.decided, x.tests, greatest(x.tests, k.n_actions))"
COUNTS = {
    "signature": "hash(any_value(k.signature))",
    "style": "coalesce(hash(any_value(b.style)), 0)",
    # Degrees of truths come first: their sum is the number of edges.
    "edges": "list_sum(string_split(split_part(any_value(k.signature), '|', 1), ',')::BIGINT[])::BIGINT",
    "n_actions": "any_value(k.n_actions)",
    "optimal_tests": "any_value(k.optimal_tests)",
    "promise_tests": "coalesce(any_value(k.promise_tests) FILTER (k.promise_status = 'exact'), 0)::BIGINT",
    "runs_with_optimum": "count(k.promise_tests) FILTER ("
    "e.status <> 'api_error' AND k.promise_status = 'exact')",
    "tests": "coalesce(sum(x.tests) FILTER (e.status <> 'api_error'), 0)::BIGINT",
    "solved_tests": "coalesce(sum(x.tests) FILTER (e.success), 0)::BIGINT",
    "judged": "count(x.decided) FILTER (e.status <> 'api_error')",
    "deciding_tests": f"coalesce(sum({_DECIDING_TESTS}) FILTER ("
    "e.status <> 'api_error' AND x.decided IS NOT NULL), 0)::BIGINT",
    "expected_tests": "any_value(if(d.is_balanced, k.policy_steps, k.optimal_tests))::DOUBLE",
    "expected_deciding_tests": "coalesce(sum(CASE WHEN d.is_balanced AND e.player IN ('algorithm-3', "
    "'oracle') THEN k.policy_steps WHEN d.is_balanced AND e.player = 'optimum' THEN k.promise_steps "
    f"ELSE {_DECIDING_TESTS} END) FILTER (e.status <> 'api_error' AND x.decided IS NOT NULL), 0)::DOUBLE",
    "guesses": "count(*) FILTER (e.status IN ('solved', 'wrong') AND NOT x.decided)",
}

_ALGORITHM_3 = "algorithm-3"


@dataclass(frozen=True, slots=True)
class ActionCount:
    """A convention of counting: tests + `extra`, measured by the column `reference` + `extra`.

    `runs` are the runs on instances whose reference is known.
    One more reference is one more of these, and its column in COUNTS.
    """

    convention: str
    extra: int
    reference: str = "optimal_tests"
    runs: str = "runs"
    is_ratio_of_sums: bool = True
    measured_from: str = _ALGORITHM_3

    def optimum(self, cells: Cells) -> Column:
        """The reference's count of actions on each instance."""
        optimum: Column = cells[self.reference] + self.extra
        return optimum

    def excess(self, cells: Cells) -> Column:
        """The sum over scored runs of count - optimum."""
        failed = cells["runs"] - cells["solved"]
        counts = cells["solved_tests"] + self.extra * cells["solved"] + (cells["n_actions"] + 1) * failed
        excess: Column = counts - cells["runs"] * self.optimum(cells)
        return excess

    def relative(self) -> Mean:
        """The relative action count under this convention."""
        if self.is_ratio_of_sums:
            return Mean(
                "relative_action_count",
                self.excess,
                lambda cells: cells[self.runs],
                self.optimum,
                self.convention,
                has_domains=True,
                measured_from=self.measured_from,
                least=-1,
                what="sum of mean counts / sum of the reference's - 1, over instances",
            )
        return Mean(
            "relative_action_count",
            lambda cells: self.excess(cells) / self.optimum(cells),
            count_scored,
            convention=self.convention,
            measured_from=self.measured_from,
            least=-1,
            what="mean of (count - optimum) / optimum over instances, as the paper has it",
        )


_UNDECIDED = "all actions counting as tests where the outcomes seen do not decide the answer"
ALGORITHM_3 = ActionCount(_ALGORITHM_3, 1)
OPTIMUM = ActionCount("optimum", 1, "promise_tests", "runs_with_optimum", measured_from="optimum")
PAPER = ActionCount("kumo-2025", 2, is_ratio_of_sums=False)
CONVENTIONS = (ALGORITHM_3, OPTIMUM, PAPER)
MEANS = (
    *(convention.relative() for convention in CONVENTIONS),
    Mean(
        "excess_tests",
        lambda cells: cells["expected_deciding_tests"] - cells["judged"] * cells["expected_tests"],
        lambda cells: cells["judged"],
        convention=ALGORITHM_3.convention,
        measured_from=_ALGORITHM_3,
        what="mean over instances of the mean over runs of tests - Algorithm 3's expected ones given the "
        f"lists (its realised ones where the sampler's distribution is unknown), {_UNDECIDED}",
    ),
    Mean(
        "excess_tests",
        lambda cells: cells["deciding_tests"] - cells["judged"] * cells["optimal_tests"],
        lambda cells: cells["judged"],
        convention=PAPER.convention,
        measured_from=_ALGORITHM_3,
        what="mean over instances of the mean over runs of tests - Algorithm 3's on the same outcomes, "
        f"{_UNDECIDED}",
    ),
    Mean("guess_share", lambda cells: cells["guesses"], lambda cells: cells["judged"], is_share=True),
    Mean("mean_tests", lambda cells: cells["tests"], count_scored, least=0),
)


# What a player's knowledge is worth: its success on true domains minus that on their counterfactuals. And how
# much it matters who configures: its success on the domains of one model minus that on another's.


_TWINS = {
    COUNTERFACTUAL: ("counterfactual_gap", "true domain minus counterfactual one"),
    SECOND_CONFIGURER: ("configurer_gap", "first configurer's domain minus the second's"),
}
_METHOD = (
    "mean difference of success rates, {}, over pairs of scored instances, "
    f"the first of one with the first of the other, and so on; {GAP_METHOD}; n counts pairs"
)


def twin_figures(cells: Cells) -> Iterator[Statistic]:
    """The gap of each player between domains and those made of their facts or proposals: in all, and in each.

    The two domains' instances are independent draws in an order that tells nothing, so that pairs of them
    differ by as much as their means do. Where API errors ended more episodes in one of the two, what is left
    of the other has no pair.
    """
    names = set(cells.domains.names)
    for suffix, (statistic, words) in _TWINS.items():
        paired = [name for name in cells.domains.names if name + suffix in names]
        for group in cells.groups() if paired else ():
            if group.domain == ALL:
                rates = {name: _rates(cells, rows) for name, rows in cells.by_domain(group.rows)}
                for domain, n, gap, bounds in _twin_gaps(rates, paired, suffix, cells.population):
                    columns = (cells.setting, domain, group.player, n, gap)
                    yield Statistic(statistic, *columns, _METHOD.format(words), **bounds._asdict())


def _twin_gaps(
    rates: Mapping[str, Numbers], paired: Sequence[str], suffix: str, population: Population
) -> Iterator[tuple[str, int, float, PopulationInterval]]:
    gaps: dict[str, Numbers] = {}
    for name in paired:
        first, other = rates.get(name, np.zeros(0)), rates.get(name + suffix, np.zeros(0))
        n = min(len(first), len(other))
        if n:
            gaps[name] = first[:n] - other[:n]
    if not gaps:
        return
    domain_index = np.repeat(np.arange(len(gaps)), [len(gap) for gap in gaps.values()])
    whole = np.concatenate(list(gaps.values()))
    one_place = ((name, gap, np.zeros(len(gap), np.int64)) for name, gap in gaps.items())
    for name, gap, pair in ((ALL, whole, domain_index), *one_place):
        yield name, len(gap), float(gap.mean()), bound_gap(gap, pair, pair, population)


def _rates(cells: Cells, rows: slice) -> Numbers:
    """The success rates of the scored instances, in the order of the instances."""
    scored = cells["runs"][rows] > 0
    rates, unit = rates_in_units(cells["solved"][rows][scored], cells["runs"][rows][scored])
    return rates / unit


# The domain graph: how the truths of a domain hang together through its actions.
#
# Nodes are truths; two are linked where they occur in one action's mapping, that is where for each of them
# some state of that action rules it out (the paper's 'Domain graph visualization', figure 3e). Where a
# configuration repeats a name the first entry counts, and unknown names are skipped, as in
# `perennial.tasks.kumo.encoding`.


METHOD = "Louvain communities of the domain graph, links weighted by number of actions; modularity"


@dataclass(frozen=True, slots=True)
class Communities:
    """The communities of a domain's truths, largest first; `modularity` is None where nothing is linked."""

    n_truths: int
    n_links: int
    communities: tuple[tuple[str, ...], ...]
    modularity: float | None

    @property
    def density(self) -> float:
        """The share of pairs of truths that are linked."""
        return 2 * self.n_links / max(1, self.n_truths * (self.n_truths - 1))


def domain_graph(config: SeedConfig) -> "Graph":
    """The undirected graph of truths; a link's `weight` is the number of actions that make it.

    Nodes are in the configuration's order, links in that of their nodes: the order of actions, of
    states and of rule-out lists changes nothing.
    """
    from networkx import Graph

    encoded = encode_config(config)
    truths = encoded.truths
    members = ([t for t in range(len(truths)) if mask >> t & 1] for mask in encoded.related)
    weights = Counter(pair for of_action in members for pair in combinations(of_action, 2))
    graph = Graph()
    graph.add_nodes_from(truths)
    graph.add_weighted_edges_from(
        (truths[a], truths[b], weight) for (a, b), weight in sorted(weights.items())
    )
    return graph


def communities(config: SeedConfig, seed: int) -> Communities:
    """The communities that Louvain's method finds in the domain graph, and their modularity.

    Q = 1/(2m) * sum over truths i, j of one community of (A_ij - k_i k_j / (2m)): the paper's equation 5,
    in -0.5..1, where A_ij counts the actions that link i and j, k_i is their sum over j and m their total
    (as many parallel links as actions). V. D. Blondel et al., Fast unfolding of communities in large
    networks, Journal of Statistical Mechanics (2008) P10008. A truth without a link is a community of
    its own; without any link Q is undefined. Communities stand by size, then by their first truth, and
    truths in the configuration's order.
    """
    from networkx.algorithms.community import louvain_communities, modularity

    graph = domain_graph(config)
    partition = louvain_communities(graph, weight="weight", seed=derive_rng(seed, "communities", 0))
    position = {truth: i for i, truth in enumerate(graph)}
    groups = (tuple(sorted(group, key=position.__getitem__)) for group in partition)
    ordered = tuple(sorted(groups, key=lambda group: (-len(group), position[group[0]])))
    n_links = graph.number_of_edges()
    return Communities(
        n_truths=len(graph),
        n_links=n_links,
        communities=ordered,
        modularity=float(modularity(graph, ordered, weight="weight")) if n_links else None,
    )


# The paper's studies of a KUMO edition: topology and success, and the domains' graphs.


TREND = "topology_trend"
POOLED_V = "cramers_v_pooled"
BOOK_STYLE = "book_style"
_RUNS_OF_THE_PAPER = 5
_CHI_SQUARE = f"{association.METHOD}; graph signature x majority label, domains pooled; n counts instances"
_TREND = (
    "slope of the mean success on the graph's edges, centered per domain, in percentage points per edge; "
    "95% interval by resampling domains; p by permuting within domains, "
    f"{association.RESAMPLES} permutations; n counts instances"
)
_POOLED = (
    f"Cramer's V, bias-corrected (Bergsma 2013), of majority label and signature, signatures of fewer than "
    f"{association.FEWEST_MEMBERS} instances in one class; p by permuting labels within domains, "
    f"{association.RESAMPLES} permutations; n counts instances"
)
_STYLE = (
    "Cramer's V, bias-corrected (Bergsma 2013), of majority label and style of the book; p by permuting the "
    f"styles of the instances, {association.RESAMPLES} permutations; n counts instances"
)
_GRAPH = f"{METHOD}; n counts truths"


def topology_figures(cells: Cells, seed: int) -> Iterator[Statistic]:
    """Each player's trend of success on edges and V of pooled signatures, permuted within domains.

    The paper's V and chi-square test only where it defines them: for majority labels of five runs.
    """
    for group in cells.groups():
        scored = cells["runs"][group.rows] > 0
        if group.domain != ALL or not scored.any():
            continue
        signatures = cells["signature"][group.rows][scored]
        labels = cells.has_majority()[group.rows][scored]
        domains = np.searchsorted(cells.domains.starts, cells.instance[group.rows][scored], side="right")
        key = (cells.setting, ALL, group.player)
        runs, solved, edges = (cells[name][group.rows][scored] for name in ("runs", "solved", "edges"))
        trend = compute_trend(edges.astype(float), 100 * solved / runs, domains, seed)
        yield Statistic(
            TREND,
            *key,
            n=trend.n,
            value=trend.slope,
            method=_TREND,
            low=trend.low,
            high=trend.high,
            p_value=trend.p_value,
            population=None if trend.low is None else NEW_DOMAINS,
            no_interval=trend.undefined or trend.no_interval,
        )
        pooled = compute_pooled_v(signatures, labels, domains, seed)
        yield Statistic(
            POOLED_V,
            *key,
            n=pooled.n,
            value=pooled.v,
            method=_POOLED,
            p_value=pooled.p_value,
            no_interval=pooled.undefined,
        )
        beside = (
            ("topology_classes", float(pooled.classes)),
            ("topology_pooled_share", pooled.pooled_share),
            ("cramers_v_pooled_permuted", pooled.permuted_v),
        )
        for statistic, value in beside:
            yield Statistic(statistic, *key, n=pooled.n, value=value, method=_POOLED)
        if (runs == _RUNS_OF_THE_PAPER).all():
            association = chi_square(signatures, labels)
            low, high = association.interval or (None, None)
            yield Statistic(
                "cramers_v",
                *(*key, association.n, association.cramers_v, _CHI_SQUARE, PAPER.convention),
                low=low,
                high=high,
                p_value=association.p_value,
                population=THESE_DOMAINS,
            )


def style_figures(cells: Cells, seed: int) -> Iterator[Statistic]:
    """`book_style` of each player that was shown template books of two styles or more: one test of all.

    A style is drawn for each instance, so that without an effect all orders of styles are equally likely.
    """
    for group in cells.groups():
        is_read = (cells["runs"][group.rows] > 0) & (cells["style"][group.rows] > 0)
        styles, labels = (column[group.rows][is_read] for column in (cells["style"], cells.has_majority()))
        if group.domain != ALL or len(np.unique(styles)) < 2:
            continue
        pooled = compute_pooled_v(styles, labels, np.zeros(len(styles), np.int64), seed)
        columns = (cells.setting, ALL, group.player, pooled.n, pooled.v, _STYLE)
        yield Statistic(BOOK_STYLE, *columns, p_value=pooled.p_value, no_interval=pooled.undefined)


def domain_figures(configs: Mapping[str, SeedConfig], seed: int) -> Iterator[Statistic]:
    """The number of communities of each domain's graph and their modularity."""
    for domain, config in configs.items():
        partition = communities(config, seed)
        figures = (("communities", float(len(partition.communities))), ("modularity", partition.modularity))
        for statistic, value in figures:
            yield Statistic(
                statistic,
                setting=ALL,
                domain=domain,
                player=ALL,
                n=partition.n_truths,
                value=value,
                method=_GRAPH,
            )


# Success rates of runs whose instances are known by their number alone.


def rate_of_outcomes(runs: Sequence[int], solved: Sequence[int]) -> tuple[float, Interval]:
    """The success rate in one domain and its 95% interval for other instances of it.

    An entry of each is an instance: the rate is the mean over instances of the mean over runs, as all success
    rates are; five equal runs on an instance say no more than one.
    """
    shares = np.array(solved) / np.array(runs)
    estimate = estimate_ratio(shares, np.ones(len(shares)), ClusterDraw())
    return estimate.ratio, share_interval(estimate, sum(runs))
