-- Do models that are good at one benchmark do well at another? Spearman's and Pearson's correlation over the models that have a
-- score (`profiles`) in both of two settings, of one edition or of two; programs, people, controls and checkpoints do not count.
-- The 95% interval is Fisher's, tanh(atanh r +- 1.96 sqrt(v / (n - 3))) over n models: v is 1 for Pearson's r and 1 + r^2 / 2 for Spearman's
-- (D. G. Bonett and T. A. Wright, Psychometrika 65 (2000) 23-28), as in `correlations`. `undefined` says why a figure is
-- NULL: fewer than seven models, or a side on which all score the same; for the interval alone, r = 1. Chance in the scores hides
-- correlations: `reliability` is the share of their spread over a setting's models that is the models', and `disattenuated` Pearson's
-- correlation without chance, r / sqrt(reliability * other_reliability); its interval has its ends from that of r.
-- p_value is that of t with n - 2 degrees of freedom (of Spearman's at least 2 / n!, which no order of n falls below); p_holm is Holm's
-- correction over all correlations of the coefficient between newest editions, or over all others of it.
WITH columns AS (
    SELECT DISTINCT benchmark, edition, is_newest, setting FROM profiles
), models AS (
    SELECT edition, setting, player, score FROM profiles WHERE domain = 'all' AND kind = 'models'
), pairs AS (
    SELECT a.benchmark, a.edition, a.setting, b.benchmark AS other_benchmark, b.edition AS other_edition, b.setting AS other_setting,
           a.is_newest AND b.is_newest AS is_newest
    FROM columns AS a
    JOIN columns AS b ON (a.benchmark, a.edition, a.setting) < (b.benchmark, b.edition, b.setting)
), met AS (
    SELECT p.*, s.player, s.x, s.y
    FROM pairs AS p
    LEFT JOIN (
        SELECT q.edition, q.setting, q.other_edition, q.other_setting, x.player, x.score AS x, y.score AS y
        FROM pairs AS q
        JOIN models AS x USING (edition, setting)
        JOIN models AS y ON y.edition = q.other_edition AND y.setting = q.other_setting AND y.player = x.player
    ) AS s USING (edition, setting, other_edition, other_setting)
), ranked AS (
    SELECT *,
           rank() OVER (side ORDER BY x) + (count(*) OVER (PARTITION BY edition, setting, other_edition, other_setting, x) - 1) / 2 AS x_rank,
           rank() OVER (side ORDER BY y) + (count(*) OVER (PARTITION BY edition, setting, other_edition, other_setting, y) - 1) / 2 AS y_rank
    FROM met
    WINDOW side AS (PARTITION BY edition, setting, other_edition, other_setting)
), long AS (
    SELECT * EXCLUDE (x, y, x_rank, y_rank), 'pearson' AS coefficient, x, y FROM ranked
    UNION ALL
    SELECT * EXCLUDE (x, y, x_rank, y_rank), 'spearman', x_rank, y_rank FROM ranked
), computed AS (
    SELECT benchmark, edition, setting, other_benchmark, other_edition, other_setting, is_newest, coefficient, count(player) AS players,
           max(x) = min(x) OR max(y) = min(y) AS is_constant,
           CASE WHEN players >= 7 AND NOT is_constant THEN round(corr(x, y ORDER BY player), 12) END AS r
    FROM long
    GROUP BY ALL
), reliable AS (
    SELECT edition, setting, any_value(value) FILTER (convention = 'these domains') AS these,
           coalesce(any_value(value) FILTER (convention = 'new domains'), these) AS widest
    FROM (
        -- Where all players are models, their reliability is told once.
        SELECT * FROM statistics WHERE statistic = 'reliability' AND domain = 'all'
        QUALIFY player = 'models' OR count(*) FILTER (player = 'models') OVER (PARTITION BY edition, setting) = 0
    )
    GROUP BY ALL
), tested AS (
    -- The finite series of Student's t for whole degrees of freedom (M. Abramowitz and I. A. Stegun, 26.7.3 and 26.7.4), where
    -- sin(theta) is |r|: the terms of its sum are `series`, each from the one before.
    SELECT *, players % 2 AS odd,
           list_sum(list_transform(
               range((players - 2 - odd) // 2),
               lambda k: coalesce(list_product(list_transform(range(1, k + 1), lambda j: (2 * j - 1 + odd) / (2 * j + odd) * (1 - r * r))), 1)
           )) AS series,
           CASE WHEN odd = 1 THEN 1 - 2 / pi() * (asin(abs(r)) + abs(r) * sqrt(1 - r * r) * series)
                ELSE 1 - abs(r) * series END AS by_t,
           CASE WHEN r IS NOT NULL THEN least(1, greatest(0, by_t, CASE WHEN coefficient = 'spearman' THEN 2 / gamma(players + 1) ELSE 0 END)) END AS p_value
    FROM computed
), ordered AS (
    SELECT *, row_number() OVER (PARTITION BY coefficient, is_newest, p_value IS NULL ORDER BY p_value) AS place,
           count(p_value) OVER (PARTITION BY coefficient, is_newest) AS tests
    FROM tested
), corrected AS (
    SELECT *, least(1, max((tests - place + 1) * p_value)
                       OVER (PARTITION BY coefficient, is_newest, p_value IS NULL ORDER BY place)) AS p_holm
    FROM ordered
), scaled AS (
    SELECT c.*, CASE WHEN c.edition = c.other_edition THEN x.these ELSE x.widest END AS reliability,
           CASE WHEN c.edition = c.other_edition THEN y.these ELSE y.widest END AS other_reliability,
           CASE WHEN coefficient = 'pearson' AND least(reliability, other_reliability) > 0
                THEN sqrt(reliability * other_reliability) END AS share, CASE WHEN abs(r) < 1
                   THEN 1.959963984540054 * sqrt(CASE WHEN coefficient = 'pearson' THEN 1 ELSE 1 + r * r / 2 END / (players - 3)) END AS half
    FROM corrected AS c
    LEFT JOIN reliable AS x ON x.edition = c.edition AND x.setting = c.setting
    LEFT JOIN reliable AS y ON y.edition = c.other_edition AND y.setting = c.other_setting
)
SELECT benchmark, edition, setting, other_benchmark, other_edition, other_setting, is_newest, coefficient, players, r AS correlation,
       tanh(atanh(r) - half) AS correlation_low, tanh(atanh(r) + half) AS correlation_high, p_value, p_holm, reliability, other_reliability,
       CASE WHEN share * r IS NOT NULL THEN greatest(-1, least(1, r / share)) END AS disattenuated,
       CASE WHEN share * half IS NOT NULL THEN greatest(-1, least(1, tanh(atanh(r) - half) / share)) END AS disattenuated_low,
       CASE WHEN share * half IS NOT NULL THEN greatest(-1, least(1, tanh(atanh(r) + half) / share)) END AS disattenuated_high,
       CASE WHEN players < 7 THEN 'fewer than 7 models have both'
            WHEN is_constant THEN 'all models score the same in one of them'
            WHEN abs(r) = 1 THEN 'interval: the agreement is perfect'
            WHEN coefficient = 'pearson' AND share IS NULL
            THEN 'disattenuated: a reliability is unknown or not above 0' END AS undefined
FROM scaled
ORDER BY benchmark, edition, setting, other_benchmark, other_edition, other_setting, coefficient
