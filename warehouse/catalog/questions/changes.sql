-- What has changed between editions of a benchmark for the same player?
-- $edition = %
-- No row: no player answered two editions of a benchmark in the same domains and setting.
SELECT edition, other_edition, setting, player, shared_domains, other_success_rate, success_rate, difference,
       difference_low, difference_high
FROM edition_differences
WHERE edition LIKE $edition
ORDER BY abs(difference) DESC, edition, other_edition, setting, player
