-- Why are a player's answers right or wrong, and how does it reason? What analysts, who are models, say (the paper's section 3.4).
-- A row per analyst, player, outcome and category or style (`what`), for each cell and each variation, and `all`. Shares are of
-- the analysed answers of that outcome: at most so many of each are analysed, so that both outcomes together mean nothing.
WITH said AS (
    SELECT a.edition, a.analyst, e.player, i.domain, 'V' || o.variation AS variation,
           CASE WHEN e.success THEN 'right' ELSE 'wrong' END AS outcome, a.outcome_category, a.reasoning_style
    FROM a2rbench_analyses AS a
    JOIN episodes AS e USING (edition, episode_id)
    LEFT JOIN instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
    LEFT JOIN a2rbench_items AS o ON o.edition = e.edition AND o.instance_id = e.instance_id
), long AS (
    FROM said
    UNPIVOT (value FOR what IN (outcome_category AS category, reasoning_style AS style))
), counted AS (
    SELECT edition, analyst, player, coalesce(domain, 'all') AS domain, coalesce(variation, 'all') AS variation, outcome,
           what, value, count(*) AS answers
    FROM long
    GROUP BY GROUPING SETS ((edition, analyst, player, outcome, what, value),
                            (edition, analyst, player, domain, outcome, what, value),
                            (edition, analyst, player, variation, outcome, what, value))
)
SELECT edition, analyst, player, domain, variation, outcome, what, value, answers,
       answers / sum(answers) OVER (PARTITION BY edition, analyst, player, domain, variation, outcome, what) AS share
FROM counted
ORDER BY edition, analyst, player, domain <> 'all', domain, variation <> 'all', variation, outcome, what, share DESC, value
