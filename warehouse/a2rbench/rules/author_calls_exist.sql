-- every call that a rule or an attempt of A2RBench names is among the calls, and a rule's calls are those of its attempts
WITH named AS (
    SELECT domain, number, call_id FROM a2rbench_attempts WHERE call_id IS NOT NULL
), listed AS (
    SELECT domain, number, unnest(call_ids) AS call_id FROM a2rbench_rules
)
SELECT n.domain, n.number, n.call_id, 'no such call' AS fault
FROM named AS n
ANTI JOIN calls AS c USING (call_id)
UNION ALL
SELECT l.domain, l.number, l.call_id, 'the call of no attempt'
FROM listed AS l
ANTI JOIN named AS n USING (domain, number, call_id)
