-- Which questions do the models answer better in one of the two languages? (the paper reads the 100 that differ most: `rank <= 100`)
-- A row per pair that models have scored answers to in both languages: the unweighted mean of their rates in each, over the models with
-- both, and the difference, Chinese minus English. The same questions may differ by chance: with few models and runs most do.
WITH rates AS (
    SELECT e.edition, q.pair, q.domain, e.player, q.language, avg(e.success::INT) AS rate
    FROM episodes AS e
    JOIN knowlogic_questions AS q USING (edition, instance_id)
    SEMI JOIN (SELECT edition, player FROM leaderboard WHERE player_group = 'models') AS m
    ON m.edition = e.edition AND m.player = e.player
    WHERE e.version IS NULL AND e.status <> 'api_error'
    GROUP BY ALL
), both_languages AS (
    SELECT edition, pair, domain, player, any_value(rate) FILTER (language = 'zh') AS zh, any_value(rate) FILTER (language = 'en') AS en
    FROM rates
    GROUP BY ALL
    HAVING count(*) = 2
), pairs AS (
    SELECT edition, pair, domain, count(*) AS models, avg(zh) AS zh_accuracy, avg(en) AS en_accuracy, avg(zh - en) AS difference
    FROM both_languages
    GROUP BY ALL
)
SELECT edition, row_number() OVER (PARTITION BY edition ORDER BY abs(difference) DESC, pair) AS rank, pair, domain, models,
       zh_accuracy, en_accuracy, difference
FROM pairs
ORDER BY edition, rank
