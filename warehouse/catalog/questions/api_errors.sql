-- What would the success rate be if API errors counted as failures?
-- $edition = %
-- No row: no call failed for good.
SELECT edition, setting, player, attempted, api_errors, success_rate, success_rate_as_parse_errors, change
FROM api_error_sensitivity
WHERE edition LIKE $edition AND api_errors > 0
ORDER BY change, player
