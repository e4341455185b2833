-- Which of two players is better on the instances that both played? The better one stands first.
SELECT setting, player, other_player, instances, difference, difference_low, difference_high, population, discordant_instances,
       mcnemar_p, mcnemar_p_holm, family, mcnemar_p_shown
FROM paired_comparisons
WHERE edition = $edition AND (difference > 0 OR (difference = 0 AND player < other_player))
ORDER BY setting, abs(difference) DESC, player, other_player
