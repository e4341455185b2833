-- Is a book harder to read in one style than in another? Each player's success rate by the style of the book that it was
-- shown. Some of eight intervals lie apart by chance alone: `p_holm` is the one test of each player over all styles.
WITH played AS (
    SELECT e.edition, i.setting, b.style, e.player, e.instance_id, avg(e.score) AS score
    FROM episodes AS e
    LEFT JOIN instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
    JOIN kumo_episodes AS k ON k.edition = e.edition AND k.evaluation = e.evaluation AND k.episode_id = e.episode_id
    JOIN kumo_books AS b ON b.edition = e.edition AND b.book_id = k.book_id
    WHERE b.style IS NOT NULL AND e.version IS NULL AND e.status <> 'api_error'
    GROUP BY ALL
), rates AS (
    SELECT edition, setting, style, player, count(*) AS instances, avg(score) AS success_rate,
           1.959964 * 1.959964 / count(*) AS z2n
    FROM played
    GROUP BY ALL
)
SELECT r.edition, r.setting, style, r.player, instances, success_rate,
       (success_rate + z2n / 2 - sqrt(z2n * (success_rate * (1 - success_rate) + z2n / 4))) / (1 + z2n) AS success_rate_low,
       (success_rate + z2n / 2 + sqrt(z2n * (success_rate * (1 - success_rate) + z2n / 4))) / (1 + z2n) AS success_rate_high,
       s.p_value, s.p_adjusted AS p_holm
FROM rates AS r
LEFT JOIN statistics AS s ON s.edition = r.edition AND s.setting = r.setting AND s.player = r.player AND s.statistic = 'book_style'
ORDER BY r.edition, r.setting, style, r.player
