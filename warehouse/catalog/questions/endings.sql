-- How do the episodes of each player end?
-- $edition = %
SELECT edition, setting, player, attempted, solved, wrong, unparsed, truncated, refused, turn_limit, api_error
FROM statuses
WHERE edition LIKE $edition
ORDER BY edition, setting, player
