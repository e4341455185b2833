-- Does a player do better with the final books than with other books of the same instances?
SELECT setting, player, version AS book, instances, success_rate_usual AS success_final,
       success_rate_version AS success_other, difference, difference_low, difference_high, population, no_interval
FROM version_comparisons
WHERE edition = $edition AND domain = 'all'
ORDER BY setting, player, book
