-- Which instances do weaker players solve rather than stronger ones?
-- $edition = %
SELECT edition, domain, setting, instance_id, players, share_solved, discrimination, discrimination_low, discrimination_high
FROM item_analysis
WHERE edition LIKE $edition AND discrimination < 0
ORDER BY discrimination, instance_id
