-- Does a player do better on public instances than on private ones, as one would who has seen the edition?
-- $edition = %
-- $player = %
-- No row: no edition with a private share (`perennial refresh --private-share 0.5`) has answers.
SELECT edition, player, gap, gap_low, gap_high, p_holm, detectable_gap, detects_08, created_at, training_cutoff, no_gap
FROM contamination_gaps
WHERE edition LIKE $edition AND player LIKE $player
ORDER BY edition, player_kind, gap DESC NULLS LAST, player
