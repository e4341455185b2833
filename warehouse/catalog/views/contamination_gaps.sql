-- Does a player do better on the public instances of an edition than on those that its secret split kept private?
-- Without a leak the two are exchangeable: gap is the public rate minus the private rate within domain and setting, with its
-- interval (95%, of `population`), and p of one side by redrawing the split; p_holm is corrected over the players of a kind.
-- Weaker evidence is fall_since: the rate here minus that in newest_edition, the newest one that the player answered too, both on the
-- common scale (`rate_in_edition`, mean over settings), which a harder edition lowers as well. detectable_gap is the smallest one that would have been found with power .8. One row per player of an edition with a private share.
WITH figures AS (
    FROM statistics WHERE starts_with(statistic, 'contamination_')
), scaled AS (
    SELECT s.benchmark, s.other AS edition, e.created_at, s.setting, s.player, avg(s.value) AS rate
    FROM scale AS s
    JOIN editions AS e ON e.edition = s.other
    WHERE s.statistic = 'rate_in_edition'
    GROUP BY ALL
), later AS (
    SELECT h.edition, h.player, n.edition AS newest_edition, avg(h.rate - n.rate) AS fall_since
    FROM scaled AS h
    JOIN scaled AS n ON n.benchmark = h.benchmark AND n.setting = h.setting AND n.player = h.player AND n.created_at > h.created_at
    GROUP BY h.edition, h.player, n.edition, n.created_at
    QUALIFY row_number() OVER (PARTITION BY h.edition, h.player ORDER BY n.created_at DESC, n.edition DESC) = 1
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
       any_value(no_interval) FILTER (statistic = 'contamination_gap') AS no_gap,
       any_value(l.newest_edition) AS newest_edition, any_value(l.fall_since) AS fall_since
FROM figures AS f
JOIN editions AS e ON e.edition = f.edition
LEFT JOIN model_facts AS m ON m.edition = f.edition AND m.player = f.player
LEFT JOIN later AS l ON l.edition = f.edition AND l.player = f.player
GROUP BY f.edition, e.benchmark, e.created_at, f.player
ORDER BY f.edition, player_kind, gap DESC NULLS LAST, f.player
