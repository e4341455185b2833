-- KnowLogic's guesser is right no more often than sets of letters that are equally likely allow, with five standard errors: one in four where one thing fits, one in eight where 'none of the above' is offered too, one in ten elsewhere
WITH pairs AS (
    SELECT q.pair, any_value(q.domain) AS domain, avg(e.success::INT) AS rate,
           CASE WHEN any_value(q.type) LIKE 'precise%' THEN 0.25
                WHEN any_value(q.has_none) THEN 0.125
                ELSE 0.1 END AS chance
    FROM episodes AS e
    JOIN knowlogic_questions AS q USING (instance_id)
    WHERE e.player = 'guesser' AND e.status <> 'api_error' AND q.payload IS NOT NULL
    GROUP BY q.pair
)
SELECT domain, count(*) AS questions, avg(rate) AS rate, avg(chance) AS chance
FROM pairs
GROUP BY GROUPING SETS ((), (domain))
HAVING count(*) >= 20 AND avg(rate) > avg(chance) + 5 * sqrt(sum(chance * (1 - chance))) / count(*)
