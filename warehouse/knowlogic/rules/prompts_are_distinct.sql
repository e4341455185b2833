-- no two questions of an edition of KnowLogic show the same prompt
SELECT prompt, count(*) AS questions, min(instance_id) AS instance_id
FROM knowlogic_questions
GROUP BY prompt
HAVING count(*) > 1
