-- an answer of KnowLogic is a success exactly when the letters that were read are the right ones, and unparsed when none were read
SELECT e.episode_id, e.player, e.status, e.success, a.letters, q.letters AS "right"
FROM episodes AS e
JOIN knowlogic_answers AS a USING (episode_id)
JOIN knowlogic_questions AS q USING (instance_id)
WHERE e.success IS DISTINCT FROM (a.letters IS NOT NULL AND a.letters = q.letters)
   OR (e.status = 'unparsed' AND a.letters IS NOT NULL)
   OR (e.status IN ('solved', 'wrong') AND a.letters IS NULL)
