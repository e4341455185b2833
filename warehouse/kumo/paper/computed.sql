-- What the paper prints, computed anew from the episodes of an imported edition: one row per figure.
-- Mean over runs, as published; counts are tests + 2, and a failed run counts as n_actions + 1 (the paper's
-- relative action count). `mean_of_ratios_tests_plus_1` is the same mean with tests + 1 on both sides.
WITH main_domains AS (
    SELECT unnest(['ChemicalEnv', 'EducationEnv', 'FantasyEnv', 'MedicalEnv', 'MusicEnv']) AS domain
), runs AS (
    SELECT i.setting, i.domain, e.player, e.success, e.status, e.tokens, k.optimal_tests,
           CASE WHEN e.success THEN x.tests + 2 ELSE k.n_actions + 1 END AS actions,
           CASE WHEN e.success THEN x.tests + 1 ELSE k.n_actions + 1 END AS actions_plus_1
    FROM episodes AS e
    -- Every episode has these rows. Inner joins would be reordered: of one edition, by `edition` alone.
    LEFT JOIN kumo_episodes AS x USING (edition, evaluation, episode_id)
    LEFT JOIN instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
    LEFT JOIN kumo_instances AS k ON k.edition = e.edition AND k.instance_id = e.instance_id
    WHERE e.edition = 'kumo-2025-release' AND e.evaluation = '1'
), scopes AS (
    SELECT domain AS scope, * FROM runs
    UNION ALL SELECT 'all', * FROM runs
    UNION ALL SELECT 'five', * FROM runs WHERE domain IN (SELECT domain FROM main_domains)
), means AS (
    SELECT setting, scope AS domain, player, avg(success::INT) AS success_rate,
           avg((actions - optimal_tests - 2) / (optimal_tests + 2)) AS relative_action_count,
           avg((actions_plus_1 - optimal_tests - 1) / (optimal_tests + 1)) AS mean_of_ratios_tests_plus_1,
           avg((status = 'unparsed')::INT) AS parse_error_rate, avg(tokens)::DOUBLE AS tokens
    FROM scopes
    GROUP BY ALL
), optima AS (
    SELECT i.setting, k.optimal_tests + 2 AS optimal
    FROM kumo_instances AS k
    JOIN instances AS i USING (edition, instance_id)
    WHERE edition = 'kumo-2025-release' AND i.domain IN (SELECT domain FROM main_domains)
), correlated AS (
    SELECT m.setting, s.benchmark, corr(m.success_rate, s.score) AS success_rate,
           corr(m.relative_action_count, s.score) AS relative_action_count, count(*) AS players
    FROM means AS m
    JOIN external_scores AS s USING (player)
    WHERE m.domain = 'five'
    GROUP BY ALL
), revised AS (
    -- What an import keeps of books that were revised.
    SELECT setting, domain, amount
    FROM rejections
    WHERE edition = 'kumo-2025-release' AND rule = 'revised-books'
)
SELECT metric, setting, domain, player, value
FROM (UNPIVOT means ON success_rate, relative_action_count, mean_of_ratios_tests_plus_1, parse_error_rate, tokens
      INTO NAME metric VALUE value)
UNION ALL SELECT 'domains', setting, scope, '', count(DISTINCT domain) FROM scopes
    WHERE scope IN ('all', 'five') GROUP BY ALL
UNION ALL SELECT 'mean_tokens', setting, domain, 'models', avg(tokens) FROM means
    WHERE player NOT LIKE 'sft/%' AND player <> 'oracle' GROUP BY ALL
UNION ALL SELECT 'optimal_count', setting, 'five', 'oracle', avg(optimal) FROM optima GROUP BY ALL
UNION ALL SELECT 'most_frequent_optimal_count', setting, 'five', 'oracle', mode(optimal) FROM optima GROUP BY ALL
UNION ALL SELECT 'correlation_success_rate', setting, 'five', benchmark, success_rate FROM correlated WHERE players > 2
UNION ALL SELECT 'correlation_relative_action_count', setting, 'five', benchmark, relative_action_count
    FROM correlated WHERE players > 2
UNION ALL SELECT 'cramers_v', setting, domain, player, value FROM statistics
    WHERE edition = 'kumo-2025-release' AND statistic = 'cramers_v' AND domain = 'all'
UNION ALL SELECT 'outcome_only_success', setting, domain, player, sum(solved) / sum(runs)
    FROM kumo_outcome_runs WHERE edition = 'kumo-2025-release' GROUP BY ALL
UNION ALL SELECT 'revised_books', setting, domain, 'books', amount::DOUBLE FROM revised
ORDER BY ALL
