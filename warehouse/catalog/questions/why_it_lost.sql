-- Why did a player lose: the commonest reasons, with an example of each?
-- $edition = %
-- $player = %
-- No row: no episode was lost, or nobody has played.
SELECT player, edition, reason, episodes, share, example
FROM losses
WHERE edition LIKE $edition AND player LIKE $player
ORDER BY player, edition, episodes DESC, reason
