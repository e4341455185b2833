-- How do models of a kind do: tuned for reasoning or not, with open or closed weights, small or large?
SELECT l.setting, l.player, f.family, f.parameters_billion, f.tuning, f.weights, l.success_rate, l.success_rate_low,
       l.success_rate_high, l.population, t.mean_tokens, t.mean_reasoning_tokens
FROM leaderboard AS l
JOIN model_facts AS f USING (edition, player)
LEFT JOIN token_use AS t USING (edition, setting, player)
WHERE l.edition = $edition AND l.success_rate IS NOT NULL
ORDER BY l.setting, l.success_rate DESC, l.player
