-- Which cheaper model is shown to be good enough: at most this margin below a more expensive one in success rate?
-- $edition = %
-- $player = %
-- $margin = 0.03
-- No row: no cheaper model is shown to be within the margin; view non_inferiority has the smallest margin of each pair.
SELECT edition, setting, player, other_player, cost_unit, cost, other_cost, saving, difference, difference_low, smallest_margin
FROM non_inferiority
WHERE edition LIKE $edition AND player LIKE $player AND difference_low > -($margin::DOUBLE)
ORDER BY edition, setting, saving DESC, player, other_player
