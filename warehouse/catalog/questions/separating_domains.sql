-- Which domains separate models best: the widest distance of the best and the worst model, with the ends of their
-- intervals?
-- $edition = %
-- $benchmark = %
-- No row: no domain has success rates of two models, and separation compares at least two.
WITH models AS (
    SELECT DISTINCT edition, player FROM leaderboard WHERE player_group = 'models'
)
SELECT edition, setting, domain, count(*) AS models,
       arg_max(player, success_rate) AS best, max(success_rate) AS best_rate, arg_max(success_rate_low, success_rate) AS best_low,
       arg_min(player, success_rate) AS worst, min(success_rate) AS worst_rate, arg_min(success_rate_high, success_rate) AS worst_high,
       max(success_rate) - min(success_rate) AS spread,
       arg_max(success_rate_low, success_rate) > arg_min(success_rate_high, success_rate) AS intervals_part
FROM domain_scores
JOIN models USING (edition, player)
WHERE edition LIKE $edition AND benchmark LIKE $benchmark AND success_rate IS NOT NULL
GROUP BY edition, setting, domain
HAVING count(*) > 1
ORDER BY spread DESC, edition, setting, domain
