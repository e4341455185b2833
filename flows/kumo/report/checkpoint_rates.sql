-- How well does each training checkpoint do in each domain that the edition has instances of?
SELECT domain, setting, player, instances, success_rate, success_rate_low, success_rate_high, population
FROM domain_scores
WHERE edition = $edition AND contains(player, 'sft/') AND success_rate IS NOT NULL
ORDER BY setting, domain, player
