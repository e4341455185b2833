"""How many actions a player takes beside a reference: KUMO's own means, with the SQL of what they count.

An action count is the tests of a run and a constant; a run that failed counts as n_actions + 1 actions under
every convention. A convention is named after its reference, whose value is 0: `algorithm-3`, the headline,
and `optimum`, where that is proved. Both divide the sum of counts by the sum of references; the paper's
`kumo-2025` is a mean of ratios to Algorithm 3, which instances with a small reference decide.

Excess tests are what it took until the outcomes decided the answer, beside the reference: a run that ended
before counts as one that took all actions, whether its guess was right or not. So no guess lowers the figure,
where testing on would have ended with no more tests than that (docs/decisions/13-excess-tests.md).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perennial.tasks.statistics.cells import Cells
from perennial.tasks.statistics.figures.rate_figures import Mean, count_scored

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column

JOINS = "JOIN kumo_episodes AS x USING (episode_id) JOIN kumo_instances AS k USING (instance_id)"
COUNTS = {
    "signature": "hash(any_value(k.signature))",
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
    "deciding_tests": "coalesce(sum(if(x.decided, x.tests, greatest(x.tests, k.n_actions))) FILTER ("
    "e.status <> 'api_error' AND x.decided IS NOT NULL), 0)::BIGINT",
    "guesses": "count(*) FILTER (e.status IN ('solved', 'wrong') AND NOT x.decided)",
}


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

    def optimum(self, cells: Cells) -> "Column":
        """Return the reference's count of actions on each instance."""
        optimum: Column = cells[self.reference] + self.extra
        return optimum

    def excess(self, cells: Cells) -> "Column":
        """Return the sum over scored runs of count - optimum."""
        failed = cells["runs"] - cells["solved"]
        counts = cells["solved_tests"] + self.extra * cells["solved"] + (cells["n_actions"] + 1) * failed
        excess: Column = counts - cells["runs"] * self.optimum(cells)
        return excess

    def relative(self) -> Mean:
        """Return the relative action count under this convention."""
        if self.is_ratio_of_sums:
            return Mean(
                "relative_action_count",
                self.excess,
                lambda cells: cells[self.runs],
                self.optimum,
                self.convention,
                has_domains=True,
                what="sum of mean counts / sum of the reference's - 1, over instances",
            )
        return Mean(
            "relative_action_count",
            lambda cells: self.excess(cells) / self.optimum(cells),
            count_scored,
            convention=self.convention,
            what="mean of (count - optimum) / optimum over instances, as the paper has it",
        )


ALGORITHM_3 = ActionCount("algorithm-3", 1)
OPTIMUM = ActionCount("optimum", 1, "promise_tests", "runs_with_optimum")
PAPER = ActionCount("kumo-2025", 2, is_ratio_of_sums=False)
CONVENTIONS = (ALGORITHM_3, OPTIMUM, PAPER)
MEANS = (
    *(convention.relative() for convention in CONVENTIONS),
    Mean(
        "excess_tests",
        lambda cells: cells["deciding_tests"] - cells["judged"] * cells["optimal_tests"],
        lambda cells: cells["judged"],
        convention=ALGORITHM_3.convention,
        what="mean over instances of the mean over runs of tests - Algorithm 3's, all actions counting as "
        "tests where the outcomes seen do not decide the answer",
    ),
    Mean("guess_share", lambda cells: cells["guesses"], lambda cells: cells["judged"], is_share=True),
    Mean("mean_tests", lambda cells: cells["tests"], count_scored),
)
