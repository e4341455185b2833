-- an analysis of an answer of A2RBench has a category of its outcome, right or wrong, and is an analyst's own call
SELECT a.episode_id, a.analyst, a.outcome_category, e.success, e.status, c.role, c.model
FROM a2rbench_analyses AS a
LEFT JOIN episodes AS e USING (episode_id)
LEFT JOIN calls AS c USING (call_id)
WHERE e.success IS DISTINCT FROM starts_with(a.outcome_category, 'Success') OR e.status = 'api_error'
   OR (c.role, c.model) IS DISTINCT FROM ('analyst', a.analyst)
