-- How do the episodes of each player end?
-- $edition = %
-- No row: nobody has played.
SELECT edition, setting, player, attempted, solved, wrong, unparsed, truncated, refused, tool_call, turn_limit, api_error
FROM statuses
WHERE edition LIKE $edition
ORDER BY edition, setting, player
