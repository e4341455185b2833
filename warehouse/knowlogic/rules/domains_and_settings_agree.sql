-- an instance of KnowLogic has its question's domain, and its difficulty as setting
SELECT i.instance_id, i.domain, i.setting, q.domain AS own_domain, q.difficulty
FROM instances AS i
JOIN knowlogic_questions AS q USING (instance_id)
WHERE q.domain <> i.domain OR q.difficulty <> i.setting
