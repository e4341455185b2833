-- every episode of KnowLogic has its row in knowlogic_answers
SELECT e.episode_id, e.player
FROM episodes AS e
JOIN knowlogic_questions AS q USING (instance_id)
ANTI JOIN knowlogic_answers USING (episode_id)
