-- Do players that do well here do well there? Pearson and Spearman over players' success rates, between two settings,
-- two domains, or a setting and another benchmark (`external_scores`), where `measure` may also be one of the benchmark's own figures: over the models alone (`over` is `models`), or with
-- programs, controls and training checkpoints (`all`). n is the number of players: fewer than seven have no row. Chance in the
-- rates hides correlations: `reliability` is the share of the first rate's spread that is the players', and `disattenuated` what
-- Pearson's correlation would be without chance in `population` (other benchmarks' scores are taken as they are). p_holm is Holm's correction over
-- all correlations of one coefficient and measure over one set of players in the setting.
WITH reliable AS (
    SELECT edition, setting, domain, player, any_value(value) FILTER (convention = 'these domains') AS these,
           coalesce(any_value(value) FILTER (convention = 'new domains'), these) AS widest
    FROM statistics
    WHERE statistic = 'reliability'
    GROUP BY ALL
)
SELECT c.edition, n.benchmark, c.statistic AS coefficient, c.player AS over, c.setting, c.domain, c.other AS compared_with,
       CASE WHEN c.convention = 'any' THEN 'success_rate' ELSE c.convention END AS measure, c.n AS players,
       c.value AS correlation, c.low AS correlation_low, c.high AS correlation_high, c.p_value, c.p_adjusted AS p_holm,
       CASE WHEN c.convention <> 'any' THEN NULL WHEN starts_with(c.other, 'benchmark ') THEN coalesce(r.widest, a.widest)
            ELSE coalesce(r.these, a.these) END AS reliability,
       d.value AS disattenuated, d.low AS disattenuated_low, d.high AS disattenuated_high, d.population,
       d.no_interval, c.method
FROM statistics AS c
JOIN editions AS n ON n.edition = c.edition
LEFT JOIN statistics AS d
  ON d.statistic = 'pearson_disattenuated' AND c.statistic = 'pearson' AND d.edition = c.edition AND d.setting = c.setting
 AND d.domain = c.domain AND d.player = c.player AND d.other = c.other AND d.convention = c.convention
LEFT JOIN reliable AS r ON r.edition = c.edition AND r.setting = c.setting AND r.domain = c.domain AND r.player = c.player
-- Where all players are models, their reliability is told once.
LEFT JOIN reliable AS a ON a.edition = c.edition AND a.setting = c.setting AND a.domain = c.domain AND a.player = 'all'
WHERE c.statistic IN ('pearson', 'spearman')
ORDER BY c.edition, coefficient, over, c.setting, c.domain, compared_with, measure
