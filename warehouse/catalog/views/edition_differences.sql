-- How differently does a player do in two editions? Success rates over the domains that both have, each with equal
-- weight: the newer edition's minus the older one's, with a 95% interval of `population`, which is that of
-- the domains' rates.
-- Editions share no instance, so that the interval comes from those of the domains' rates (G. Y. Zou and A. Donner,
-- Statistics in Medicine 27 (2008) 1693-1702): low = d - sqrt(sum((r - low_r)^2 + (high_s - s)^2)) / domains, high likewise.
-- A difference may be the player's or the edition's: `perennial report --compare` tells them apart by players that both have.
WITH rates AS (
    SELECT s.edition, e.benchmark, e.created_at, s.setting, s.domain, s.player, s.value, s.low, s.high,
           s.population
    FROM statistics AS s
    JOIN statistics AS m USING (edition, setting, domain, player, other)
    JOIN editions AS e USING (edition)
    WHERE s.statistic = 'success_rate' AND m.statistic = 'majority_success' AND m.n > 1
      AND s.domain <> 'all' AND s.setting <> 'all' AND s.other = ''
), differences AS (
    SELECT a.edition, a.benchmark, b.edition AS other_edition, a.setting, a.player, count(*) AS shared_domains,
           avg(a.value) AS success_rate, avg(b.value) AS other_success_rate,
           sqrt(sum((a.value - a.low) ** 2 + (b.high - b.value) ** 2)) / count(*) AS below,
           sqrt(sum((a.high - a.value) ** 2 + (b.value - b.low) ** 2)) / count(*) AS above,
           any_value(a.population) AS population
    FROM rates AS a
    JOIN rates AS b USING (benchmark, setting, domain, player)
    WHERE (a.created_at, a.edition) > (b.created_at, b.edition)
    GROUP BY a.edition, a.benchmark, b.edition, a.setting, a.player
)
SELECT edition, benchmark, other_edition, setting, player, shared_domains, success_rate, other_success_rate,
       success_rate - other_success_rate AS difference,
       greatest(success_rate - other_success_rate - below, -1) AS difference_low,
       least(success_rate - other_success_rate + above, 1) AS difference_high, population
FROM differences
ORDER BY edition, other_edition, setting, player
