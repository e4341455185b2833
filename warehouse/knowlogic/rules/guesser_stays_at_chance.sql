-- KnowLogic's guesser is right in no more than 8% of an edition's questions, with five standard errors: precise gaps (one answer in four) are rare, statements have 15 sets of letters, each as likely as another; in a domain, type and class of 100 questions or more it is right in no more than 12%
WITH pairs AS (
    SELECT q.pair, any_value(q.domain) AS domain, any_value(q.type) AS type,
           any_value(q.difficulty) AS difficulty, avg(e.success::INT) AS rate
    FROM episodes AS e
    JOIN knowlogic_questions AS q USING (instance_id)
    WHERE e.player = 'guesser' AND e.status <> 'api_error' AND q.payload IS NOT NULL
    GROUP BY q.pair
)
SELECT domain, type, difficulty, count(*) AS questions, avg(rate) AS rate
FROM pairs
GROUP BY GROUPING SETS ((), (domain), (domain, type, difficulty))
HAVING (grouping(type) = 1 AND count(*) >= 20 AND avg(rate) > 0.08 + 5 * sqrt(0.08 * 0.92 / count(*)))
    OR (grouping(type) = 0 AND count(*) >= 100 AND avg(rate) > 0.12 + 5 * sqrt(0.12 * 0.88 / count(*)))
