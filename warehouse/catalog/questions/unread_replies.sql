-- Which replies held no answer that could be read, or a refusal?
-- $edition = %
-- $player = %
-- No row: an answer was read from every reply, and none was truncated or refused.
SELECT t.edition, t.player, t.status, t.episode_id, right(t.reply, 200) AS end_of_reply
FROM transcripts AS t
WHERE t.edition LIKE $edition AND t.player LIKE $player AND t.status IN ('unparsed', 'truncated', 'refused', 'tool_call') AND t.feedback IS NULL
ORDER BY t.edition, t.player, t.status, t.episode_id
