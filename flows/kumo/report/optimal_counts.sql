-- How many actions does the optimal policy take? Its tests and the one prediction, on each instance's observations;
-- intervals are Wilson's for the share of instances, and normal for the mean.
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
), bins AS (
    SELECT c.setting, c.optimal_count, count(*) AS instances, any_value(s.size) AS size, any_value(s.n) AS n,
           any_value(s.mean) AS mean, any_value(s.margin) AS margin, count(*) / any_value(s.n) AS share
    FROM counted AS c
    JOIN settings AS s USING (setting)
    GROUP BY c.setting, c.optimal_count
)
SELECT setting, optimal_count, instances, n, share,
       greatest(0, (share + 1.920729 / n - 1.959964 * sqrt(share * (1 - share) / n + 0.960365 / n / n))
                   / (1 + 3.841459 / n)) AS low,
       least(1, (share + 1.920729 / n + 1.959964 * sqrt(share * (1 - share) / n + 0.960365 / n / n))
                / (1 + 3.841459 / n)) AS high,
       mean AS mean_count, mean - margin AS mean_low, mean + margin AS mean_high
FROM bins
ORDER BY size, setting, optimal_count
