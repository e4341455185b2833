-- How well does a player reason where reports of outcomes can be wrong (`--reliability`)? Beside the exact reference: the best
-- play before its first test, and the exact probabilities given the reports that the player saw. Means over instances of means
-- over runs; the gap to the outcomes themselves is paired by instance, with a 95% interval of `population`.
WITH played AS (
    SELECT e.edition, i.setting, i.domain, e.player, e.version, e.instance_id, b.reliability, e.success::INTEGER AS success,
           coalesce(b.probability, 0) AS expected, b.largest, k.tests, CASE WHEN e.success THEN k.tests ELSE n.n_actions END + 1 AS count,
           b.stated, b.probability, b.optimum_success, b.optimum_tests, b.optimum_count
    FROM episodes AS e
    JOIN kumo_beliefs AS b ON b.edition = e.edition AND b.evaluation = e.evaluation AND b.episode_id = e.episode_id
    JOIN kumo_episodes AS k ON k.edition = e.edition AND k.evaluation = e.evaluation AND k.episode_id = e.episode_id
    JOIN instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
    JOIN kumo_instances AS n ON n.edition = e.edition AND n.instance_id = e.instance_id
    WHERE e.status <> 'api_error'
), by_instance AS (
    SELECT edition, setting, domain, player, version, reliability, instance_id, avg(success) AS success, avg(expected) AS expected,
           avg(largest) AS largest, avg(tests) AS tests, avg(count) AS count, avg(optimum_success) AS optimum_success,
           avg(optimum_tests) AS optimum_tests, avg(optimum_count) AS optimum_count, count(stated) AS stated,
           sum((stated - success) ** 2) AS errors, sum(probability * (1 - probability)) FILTER (stated IS NOT NULL) AS exact_errors
    FROM played
    GROUP BY edition, setting, domain, player, version, reliability, instance_id
), scores AS (
    SELECT edition, setting, coalesce(domain, 'all') AS domain, player, version, reliability, count(*) AS instances,
           avg(success) AS success_rate, avg(expected) AS expected_success, avg(largest) AS attainable_success, avg(tests) AS tests,
           avg(count) AS count, avg(optimum_success) AS optimum_success, avg(optimum_tests) AS optimum_tests,
           avg(optimum_count) AS optimum_count, sum(stated)::BIGINT AS stated, sum(errors) / nullif(sum(stated), 0) AS brier_score,
           sum(exact_errors) / nullif(sum(stated), 0) AS brier_score_exact
    FROM by_instance
    GROUP BY GROUPING SETS ((edition, setting, domain, player, version, reliability), (edition, setting, player, version, reliability))
)
SELECT s.* EXCLUDE (version), v.success_rate_usual AS success_rate_alone, v.difference AS gap,
       v.difference_low AS gap_low, v.difference_high AS gap_high, v.population,
       v.no_interval
FROM scores AS s
LEFT JOIN version_comparisons AS v USING (edition, setting, domain, player, version)
ORDER BY s.edition, s.setting, s.domain <> 'all', s.domain, s.player, s.reliability
