-- Which of two players is better on the instances that both played?
SELECT setting, player, other_player, instances, difference, low, high, population, discordant_instances, mcnemar_p, mcnemar_p_holm,
       family, mcnemar_p_shown
FROM paired_comparisons
WHERE edition = $edition
ORDER BY setting, abs(difference) DESC, player, other_player
