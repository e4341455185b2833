-- Which episodes failed at the greatest cost of tokens?
-- $edition = %
-- $player = %
-- No row: no episode was lost, or nobody has played.
SELECT episode_id, edition, domain, setting, player, status, answer, right_answer, tokens, cost_usd
FROM episodes_wide
WHERE edition LIKE $edition AND player LIKE $player AND NOT success
ORDER BY tokens DESC NULLS LAST, episode_id
