-- Which instances distinguish players, and which should be dropped next time? Difficulty is the share solved (mean over
-- players), discrimination the correlation with the players' scores on all other instances.
SELECT i.edition, i.benchmark, i.domain, i.setting, i.instance_id, s.n AS players, s.value AS share_solved,
       p.value AS discrimination, p.low AS discrimination_low, p.high AS discrimination_high,
       s.value = 1 AS everybody_solves_it, s.value = 0 AS nobody_solves_it
FROM instances AS i
JOIN statistics AS s ON s.edition = i.edition AND s.other = i.instance_id AND s.statistic = 'item_share_solved'
LEFT JOIN statistics AS p ON p.edition = i.edition AND p.other = i.instance_id AND p.statistic = 'item_discrimination'
ORDER BY i.edition, discrimination NULLS FIRST, i.instance_id
