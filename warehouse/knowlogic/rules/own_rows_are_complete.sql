-- every instance of KnowLogic has its row in knowlogic_questions, with its domain and its difficulty as setting
SELECT i.instance_id, i.domain, i.setting, q.domain AS own_domain, q.difficulty
FROM instances AS i
LEFT JOIN knowlogic_questions AS q USING (instance_id)
WHERE i.benchmark = 'knowlogic'
  AND (q.domain IS DISTINCT FROM i.domain OR q.difficulty IS DISTINCT FROM i.setting)
