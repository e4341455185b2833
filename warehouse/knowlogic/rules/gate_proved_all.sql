-- the gate proved every question of a scenario of KnowLogic, read back each of its texts and found every change that it tried
WITH scenarios AS (
    SELECT domain, scenario, count(DISTINCT pair) AS pairs, count(*) AS texts,
           sum(4 - has_none::INT) * count(DISTINCT pair) / count(*) AS options
    FROM knowlogic_questions
    WHERE payload IS NOT NULL
    GROUP BY ALL
)
SELECT s.domain, s.scenario, s.pairs, s.texts, g.pairs AS tested, g.proved, g.texts AS read_back, g.changes
FROM scenarios AS s
LEFT JOIN knowlogic_gate AS g USING (domain, scenario)
WHERE g.pairs IS DISTINCT FROM s.pairs OR g.proved <> s.pairs OR g.texts <> s.texts
   OR g.options <> s.options OR g.changes <> g.refused OR g.changes < 15 * s.texts
