-- Does a player still find the rules where its book stands among those of other domains (`--books among-N`)?
-- Paired by instance with the same question and its book alone; the gap has a 95% interval of `population`. Tokens are of the
-- first call of an episode, as the server counted them.
WITH opened AS (
    SELECT e.edition, i.setting, i.domain, e.player, e.version, c.prompt_tokens
    FROM episodes AS e
    JOIN turns AS t ON t.edition = e.edition AND t.evaluation = e.evaluation AND t.episode_id = e.episode_id AND t.turn = 1
    JOIN calls AS c ON c.edition = t.edition AND c.evaluation = t.evaluation AND c.call_id = t.call_id
    LEFT JOIN instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
    WHERE e.status <> 'api_error'
), tokens AS (
    SELECT edition, setting, coalesce(domain, 'all') AS domain, player, version, avg(prompt_tokens) AS prompt_tokens
    FROM opened
    GROUP BY GROUPING SETS ((edition, setting, domain, player, version), (edition, setting, player, version))
)
SELECT v.edition, v.setting, v.domain, v.player, split_part(v.version, '-', 2)::INTEGER AS books, v.instances,
       a.prompt_tokens, u.prompt_tokens AS prompt_tokens_alone, v.success_rate_version AS success_rate,
       v.success_rate_usual AS success_rate_alone, v.difference AS gap, v.difference_low AS gap_low, v.difference_high AS gap_high,
       v.population, v.no_interval
FROM version_comparisons AS v
LEFT JOIN tokens AS a USING (edition, setting, domain, player, version)
LEFT JOIN tokens AS u
  ON u.edition = v.edition AND u.setting = v.setting AND u.domain = v.domain AND u.player = v.player AND u.version IS NULL
WHERE starts_with(v.version, 'among-')
ORDER BY v.edition, v.setting, v.domain <> 'all', v.domain, v.player, books
