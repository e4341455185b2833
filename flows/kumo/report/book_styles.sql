-- Is a book harder to read in one style than in another?
SELECT setting, style, player, instances, success_rate, success_rate_low, success_rate_high
FROM book_style_scores
WHERE edition = $edition
ORDER BY setting, style, player
