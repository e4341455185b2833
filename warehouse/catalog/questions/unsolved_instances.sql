-- Which instances does nobody solve?
-- $edition = %
SELECT edition, benchmark, domain, setting, instance_id, players
FROM item_analysis
WHERE edition LIKE $edition AND nobody_solves_it
ORDER BY edition, domain, setting, instance_id
