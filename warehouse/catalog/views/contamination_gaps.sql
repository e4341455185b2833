-- Does a player do better on the public instances of an edition than on those that its secret split kept private?
-- Without a leak the two are exchangeable: gap is the public rate minus the private rate within domain and setting, with its
-- interval (95%, of `population`), and p of one side by redrawing the split; p_holm is corrected over the players of a kind.
-- detectable_gap is the smallest one that would have been found with power .8. One row per player of an edition with a private share.
WITH figures AS (
    FROM statistics WHERE starts_with(statistic, 'contamination_')
)
SELECT f.edition, e.benchmark, e.created_at, f.player, any_value(m.training_cutoff) AS training_cutoff,
       any_value(f.family) FILTER (statistic = 'contamination_gap') AS player_kind,
       any_value(value) FILTER (statistic = 'contamination_gap') AS gap,
       any_value(low) FILTER (statistic = 'contamination_gap') AS gap_low,
       any_value(high) FILTER (statistic = 'contamination_gap') AS gap_high,
       any_value(population) FILTER (statistic = 'contamination_gap') AS population,
       any_value(p_value) FILTER (statistic = 'contamination_gap') AS p_value,
       any_value(p_adjusted) FILTER (statistic = 'contamination_gap') AS p_holm,
       any_value(value) FILTER (statistic = 'contamination_detectable') AS detectable_gap,
       any_value(value) FILTER (statistic = 'contamination_detectable') <= 0.08 AS detects_08,
       any_value(value) FILTER (statistic = 'contamination_rate' AND convention = 'public') AS public_rate,
       any_value(value) FILTER (statistic = 'contamination_rate' AND convention = 'private') AS private_rate,
       any_value(n) FILTER (statistic = 'contamination_rate' AND convention = 'public') AS public_instances,
       any_value(n) FILTER (statistic = 'contamination_rate' AND convention = 'private') AS private_instances,
       any_value(n) FILTER (statistic = 'contamination_gap') AS origins,
       any_value(value) FILTER (statistic = 'contamination_left_out')::BIGINT AS origins_left_out,
       any_value(no_interval) FILTER (statistic = 'contamination_gap') AS no_gap
FROM figures AS f
JOIN editions AS e ON e.edition = f.edition
LEFT JOIN model_facts AS m ON m.edition = f.edition AND m.player = f.player
GROUP BY f.edition, e.benchmark, e.created_at, f.player
ORDER BY f.edition, player_kind, gap DESC NULLS LAST, f.player
