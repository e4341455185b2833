-- Which instances do weaker players solve rather than stronger ones?
-- $edition = %
-- No row: no instance has a discrimination below 0 (and where too few players answered, none has one).
SELECT edition, domain, setting, instance_id, players, share_solved, discrimination, discrimination_low, discrimination_high
FROM item_analysis
WHERE edition LIKE $edition AND discrimination < 0
ORDER BY discrimination, instance_id
