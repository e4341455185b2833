-- How many actions does Algorithm 3's policy take? Its tests and the one prediction, on each instance's observations;
-- the mean of a setting has a normal interval.
WITH counted AS (
    SELECT i.setting, k.n_truths * k.n_actions AS size, k.optimal_tests + 1 AS optimal_count
    FROM kumo_instances AS k
    JOIN instances AS i USING (edition, instance_id)
    WHERE edition = $edition
), settings AS (
    SELECT setting, max(size) AS size, count(*) AS n, avg(optimal_count) AS mean,
           1.959964 * stddev_samp(optimal_count) / sqrt(count(*)) AS margin
    FROM counted
    GROUP BY setting
)
SELECT setting, optimal_count, count(*) AS instances, n, mean AS mean_count, mean - margin AS mean_low,
       mean + margin AS mean_high
FROM counted
JOIN settings AS s USING (setting)
GROUP BY setting, optimal_count, n, mean, margin, s.size
ORDER BY s.size, setting, optimal_count
