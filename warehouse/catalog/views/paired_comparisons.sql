-- Is a player better than another one on the instances that both played? The difference of success rates with its 95% interval and p
-- by cluster, both of `population`: p is below .05 where the interval leaves out 0. A family is the pairs of one setting and kind of
-- player (models, programs, controls, checkpoints): its simultaneous intervals all hold in 95%, and p_adjusted (Bonferroni) is below .05
-- where such an interval leaves out 0. Ranks come from the same intervals. McNemar's exact test on majority labels is of
-- these instances alone, as if they were independent: it says nothing about other ones. Each pair has two rows, one for each of its
-- players as `player`. A p that no float holds is 0; `p_shown` writes it as `< 1e-300`.
WITH pairs AS (
    SELECT d.edition, e.benchmark, d.setting, d.player, d.other AS other_player, d.n AS instances,
           d.value AS difference, d.low AS difference_low, d.high AS difference_high,
           s.low AS difference_simultaneous_low, s.high AS difference_simultaneous_high, d.population, d.no_interval,
           d.p_value, d.p_adjusted, d.family,
           CASE WHEN d.p_value < 1e-300 THEN '< 1e-300' ELSE format('{:.3g}', d.p_value) END AS p_shown,
           m.n AS discordant_instances, m.p_value AS mcnemar_p_these_instances
    FROM statistics AS d
    JOIN editions AS e ON e.edition = d.edition
    LEFT JOIN statistics AS s
      ON s.edition = d.edition AND s.setting = d.setting AND s.player = d.player AND s.other = d.other
     AND s.statistic = 'paired_difference_simultaneous'
    LEFT JOIN statistics AS m
      ON m.edition = d.edition AND m.setting = d.setting AND m.player = d.player AND m.other = d.other
     AND m.statistic = 'mcnemar'
    WHERE d.statistic = 'paired_difference'
)
FROM (FROM pairs
UNION ALL
SELECT * REPLACE (other_player AS player, player AS other_player, 0 - difference AS difference,
                  -difference_high AS difference_low, -difference_low AS difference_high,
                  -difference_simultaneous_high AS difference_simultaneous_low, -difference_simultaneous_low AS difference_simultaneous_high)
FROM pairs)
ORDER BY edition, setting, abs(difference) DESC, difference DESC, player, other_player
