"""Mastermind's own statistic: the mean number of guesses of a game."""

from perennial.tasks.statistics.rate_figures import Analysis, Mean, count_scored

_NUMBERS = "SELECT episode_id, count(*) AS number FROM mastermind_guesses GROUP BY ALL"

ANALYSIS = Analysis(
    joins=f"LEFT JOIN ({_NUMBERS}) AS g USING (episode_id)",
    counts={"guesses": "coalesce(sum(g.number) FILTER (e.status <> 'api_error'), 0)::BIGINT"},
    means=(Mean("mean_guesses", lambda cells: cells["guesses"], count_scored),),
)
