-- Is a player better than another one on the instances that both played? The difference of success rates with its interval
-- (of `population`), and McNemar's exact test on majority labels, corrected (Holm) over the pairs of one setting and kind of
-- player (models, programs, controls, checkpoints). Each pair has two rows, one for each of its players as `player`. A p that
-- no float holds is 0; `mcnemar_p_shown` writes it as `< 1e-300`.
WITH pairs AS (
    SELECT d.edition, d.setting, d.player, d.other AS other_player, d.n AS instances,
           d.value AS difference, d.low AS difference_low, d.high AS difference_high, d.population, d.no_interval,
           m.n AS discordant_instances,
           m.p_value AS mcnemar_p, m.p_adjusted AS mcnemar_p_holm,
           m.family,
           CASE WHEN m.p_value < 1e-300 THEN '< 1e-300' ELSE format('{:.3g}', m.p_value) END AS mcnemar_p_shown
    FROM statistics AS d
    LEFT JOIN statistics AS m
      ON m.edition = d.edition AND m.setting = d.setting AND m.player = d.player AND m.other = d.other
     AND m.statistic = 'mcnemar'
    WHERE d.statistic = 'paired_difference'
)
FROM pairs
UNION ALL
SELECT * REPLACE (other_player AS player, player AS other_player, -difference AS difference,
                  -difference_high AS difference_low, -difference_low AS difference_high)
FROM pairs
ORDER BY edition, setting, abs(difference) DESC, difference DESC, player, other_player
