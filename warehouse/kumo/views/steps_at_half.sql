-- How many steps does a player manage? steps_at_half is the number of expected steps (of the optimum, `promise_steps`) at which
-- its success above guessing is one half: by a logistic curve over the instances of all settings whose optimum is exact, the
-- floor being 1 / truths, with Fieller's interval (95%, of `population`) by domain. The edition has instances of fewest_steps to
-- most_steps: beyond them the curve is extrapolated. One row per player; NULL where no_interval says why.
WITH asked AS (
    SELECT edition, min(promise_steps) AS fewest_steps, max(promise_steps) AS most_steps
    FROM kumo_instances
    WHERE promise_status = 'exact' AND n_valid = 1
    GROUP BY edition
)
SELECT s.edition, s.player, s.n AS instances, s.value AS steps_at_half, s.low AS steps_at_half_low, s.high AS steps_at_half_high,
       s.population, s.no_interval, a.fewest_steps, a.most_steps
FROM statistics AS s
JOIN asked AS a USING (edition)
WHERE s.statistic = 'steps_at_half'
ORDER BY s.edition, s.value DESC NULLS LAST, s.player
