-- Why are a player's letters wrong? What analysts, who are models, say, in the seven categories of the paper's section 5.2 and
-- appendix H, and `Other` for what is none of them. A row per analyst, player and category, for each domain and each language, and
-- `all`. Shares are of the analysed answers: replies with wrong letters, at most so many of a player, drawn at random.
WITH said AS (
    SELECT a.edition, a.analyst, e.player, q.domain, q.language, a.outcome_category AS value
    FROM knowlogic_analyses AS a
    JOIN episodes AS e USING (edition, episode_id)
    LEFT JOIN knowlogic_questions AS q ON q.edition = e.edition AND q.instance_id = e.instance_id
), counted AS (
    SELECT edition, analyst, player, coalesce(domain, 'all') AS domain, coalesce(language, 'all') AS language, value,
           count(*) AS answers
    FROM said
    GROUP BY GROUPING SETS ((edition, analyst, player, value), (edition, analyst, player, domain, value),
                            (edition, analyst, player, language, value), (edition, analyst, player, domain, language, value))
)
SELECT edition, analyst, player, domain, language, value, answers,
       answers / sum(answers) OVER (PARTITION BY edition, analyst, player, domain, language) AS share
FROM counted
ORDER BY edition, analyst, player, list_position(['all', 'space', 'nature', 'time', 'social', 'mix'], domain),
         list_position(['all', 'zh', 'en'], language), share DESC, value
