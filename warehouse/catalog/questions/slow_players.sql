-- How long does an episode take?
-- $edition = %
-- No row: nobody has played.
SELECT edition, player, count(*) AS episodes, median(seconds) AS median_seconds, max(seconds) AS longest_seconds
FROM episodes
WHERE edition LIKE $edition
GROUP BY edition, player
ORDER BY median_seconds DESC, player
