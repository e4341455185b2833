-- Which player solves how much, in each setting?
-- Rows are in the order of every leaderboard, `place`: models first, programs last, as lines of reference (`player_group` says
-- reference, or floor for the program that answers without the work). In a group the order is that of `rank`, and without a rank
-- that of success_rate. rank is among the players of a kind (programs have none): each two are compared on the instances that both have and, where
-- these are fewer than five, by their adjusted rates (`ranked_by` then says adjusted). success_rate is over the player's own instances
-- (`instances` of them), common_rate over those that all players of the kind with enough have (`common_instances`),
-- adjusted_rate what it would solve of all instances of the setting (a Rasch model), with its standard error by instance and by
-- domain. All figures come from `statistics`; a rate is the mean over instances of the mean over runs. Intervals (95%) are of
-- `population`: new domains, which is what the next edition will show, or these domains, where other instances would be drawn;
-- those of `these_domains` are beside the former. `not_asked` are instances that a model's own context does not hold: its success
-- rate is over the others. `floor` is what answers without the work are worth, exact where it has no interval, and `above_floor`
-- (rate - floor) / (1 - floor). `answers` says whether perennial asked the player or a log says so. A benchmark's own measures are in a view of its own, such as `kumo_leaderboard`.
WITH figures AS (
    FROM statistics WHERE domain = 'all' AND other = '' AND statistic IN
        ('place', 'rank', 'success_rate', 'success_rate_these_domains', 'status_solved', 'majority_success', 'common_rate', 'adjusted_rate',
         'adjusted_rate_se', 'mean_score', 'above_floor')
), refused AS (
    SELECT DISTINCT edition, subject AS instance_id, player
    FROM rejections
    WHERE rule = 'not_asked'
), floors AS (
    SELECT edition, setting, value AS floor, low AS floor_low, high AS floor_high FROM statistics WHERE statistic = 'floor'
), unasked AS (
    SELECT r.edition, i.setting, r.player, count(*) AS not_asked
    FROM refused AS r
    JOIN instances AS i USING (edition, instance_id)
    ANTI JOIN episodes AS e ON e.edition = r.edition AND e.instance_id = r.instance_id AND e.player = r.player
    GROUP BY ALL
)
SELECT edition, n.benchmark, setting,
       any_value(value) FILTER (statistic = 'place')::BIGINT AS place,
       any_value(convention) FILTER (statistic = 'place') AS player_group,
       player,
       any_value(value) FILTER (statistic = 'rank')::BIGINT AS rank,
       coalesce(any_value(n) FILTER (statistic = 'majority_success'), 0) AS instances,
       any_value(n) FILTER (statistic = 'status_solved') AS attempted,
       any_value(n) FILTER (statistic = 'success_rate') AS scored,
       coalesce(any_value(u.not_asked), 0) AS not_asked,
       any_value(value) FILTER (statistic = 'success_rate') AS success_rate,
       any_value(low) FILTER (statistic = 'success_rate') AS success_rate_low,
       any_value(high) FILTER (statistic = 'success_rate') AS success_rate_high,
       any_value(population) FILTER (statistic = 'success_rate') AS population,
       any_value(low) FILTER (statistic = 'success_rate_these_domains') AS success_rate_these_domains_low,
       any_value(high) FILTER (statistic = 'success_rate_these_domains') AS success_rate_these_domains_high,
       any_value(n) FILTER (statistic = 'common_rate') AS common_instances,
       any_value(value) FILTER (statistic = 'common_rate') AS common_rate,
       any_value(low) FILTER (statistic = 'common_rate') AS common_rate_low,
       any_value(high) FILTER (statistic = 'common_rate') AS common_rate_high,
       any_value(value) FILTER (statistic = 'adjusted_rate') AS adjusted_rate,
       any_value(value) FILTER (statistic = 'adjusted_rate_se' AND convention = 'instances') AS adjusted_rate_se,
       any_value(value) FILTER (statistic = 'adjusted_rate_se' AND convention = 'domains') AS adjusted_rate_se_domains,
       any_value(convention) FILTER (statistic = 'rank' AND value IS NOT NULL) AS ranked_by,
       any_value(value) FILTER (statistic = 'mean_score') AS score,
       any_value(low) FILTER (statistic = 'rank')::BIGINT AS rank_low,
       any_value(high) FILTER (statistic = 'rank')::BIGINT AS rank_high,
       any_value(f.floor) AS floor, any_value(f.floor_low) AS floor_low, any_value(f.floor_high) AS floor_high,
       any_value(a.answers) AS answers,
       any_value(value) FILTER (statistic = 'above_floor') AS above_floor,
       any_value(low) FILTER (statistic = 'above_floor') AS above_floor_low,
       any_value(high) FILTER (statistic = 'above_floor') AS above_floor_high
FROM figures
JOIN editions AS n USING (edition)
LEFT JOIN floors AS f USING (edition, setting)
LEFT JOIN unasked AS u USING (edition, setting, player)
LEFT JOIN player_answers AS a USING (edition, player)
GROUP BY edition, n.benchmark, setting, player
HAVING count(*) FILTER (statistic = 'success_rate') > 0
ORDER BY edition, setting, place, player
