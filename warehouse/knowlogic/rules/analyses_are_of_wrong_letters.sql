-- an analysis of an answer of KnowLogic is of wrong letters, and is an analyst's own call
SELECT a.episode_id, a.analyst, e.success, n.letters, c.role, c.model
FROM knowlogic_analyses AS a
LEFT JOIN episodes AS e USING (episode_id)
LEFT JOIN knowlogic_answers AS n USING (episode_id)
LEFT JOIN calls AS c USING (call_id)
WHERE e.success IS DISTINCT FROM false OR n.letters IS NULL OR (c.role, c.model) IS DISTINCT FROM ('analyst', a.analyst)
