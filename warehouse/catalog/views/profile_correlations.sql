-- Do models that are good at one benchmark do well at another? Spearman's and Pearson's correlation over the models that have a
-- score (`profiles`) in both of two settings, of one edition or of two; programs, people, controls and checkpoints do not count.
-- The 95% interval is Fisher's, tanh(atanh r +- 1.96 sqrt(v / (n - 3))) over n models: v is 1 for Pearson's r and 1 + r^2 / 2 for Spearman's
-- (D. G. Bonett and T. A. Wright, Psychometrika 65 (2000) 23-28), as in `correlations`. `undefined` says why a figure is
-- NULL: fewer than three models, or a side on which all score the same; for the interval alone, three models or r = 1.
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
    SELECT p.*, x.player, x.score AS x, y.score AS y
    FROM pairs AS p
    LEFT JOIN (
        models AS x JOIN models AS y USING (player)
    ) ON x.edition = p.edition AND x.setting = p.setting AND y.edition = p.other_edition AND y.setting = p.other_setting
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
           CASE WHEN players >= 3 AND NOT is_constant THEN round(corr(x, y ORDER BY player), 12) END AS r
    FROM long
    GROUP BY ALL
), scaled AS (
    SELECT *, CASE WHEN players > 3 AND abs(r) < 1
                   THEN 1.959963984540054 * sqrt(if(coefficient = 'pearson', 1, 1 + r * r / 2) / (players - 3)) END AS half
    FROM computed
)
SELECT benchmark, edition, setting, other_benchmark, other_edition, other_setting, is_newest, coefficient, players, r AS correlation,
       tanh(atanh(r) - half) AS low, tanh(atanh(r) + half) AS high,
       CASE WHEN players < 3 THEN 'fewer than 3 models have both'
            WHEN is_constant THEN 'all models score the same in one of them'
            WHEN abs(r) = 1 THEN 'interval: the agreement is perfect'
            WHEN half IS NULL THEN 'interval: fewer than 4 models have both' END AS undefined
FROM scaled
ORDER BY benchmark, edition, setting, other_benchmark, other_edition, other_setting, coefficient
