-- Than whom is a player better or worse on the instances that both played?
-- $edition = %
-- $player = %
-- No row: no two players answered the same instances of a setting.
SELECT edition, setting, player, other_player, instances, difference, difference_low, difference_high, difference_simultaneous_low,
       difference_simultaneous_high, p_value, p_adjusted
FROM paired_comparisons
WHERE edition LIKE $edition AND player LIKE $player
ORDER BY edition, setting, player, difference DESC, other_player
