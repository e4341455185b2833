-- What are action counts compared with? Means over instances: Algorithm 3's expected tests by its own model of outcomes,
-- its policy's under the sampler's prior, the optimum's, and the tests of both on the observations.
SELECT i.setting, count(*) AS instances,
       count(*) FILTER (k.promise_status = 'exact') AS exact,
       avg(k.expected_steps) FILTER (k.expected_steps >= 0) AS expected_steps,
       avg(k.policy_steps) AS policy_steps, avg(k.promise_steps) AS promise_steps,
       avg(k.optimal_tests) AS optimal_tests, avg(k.promise_tests) AS promise_tests
FROM kumo_instances AS k
JOIN instances AS i USING (edition, instance_id)
WHERE edition = $edition
GROUP BY i.setting
ORDER BY max(k.n_truths * k.n_actions), i.setting
