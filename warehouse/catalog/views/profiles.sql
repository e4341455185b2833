-- How good is a player at each benchmark, and at each of its domains: score, interval, rank and cost?
-- A row is a player in a domain of one setting of an edition; domain `all` is the whole setting. Settings are never counted
-- together, as in `leaderboard`: their questions differ in size, or are copies of each other.
-- score is the success rate over the instances that all players of its kind with enough of them have there (`instances` of
-- them): the mean over these of the mean over runs. A player that has too few of them is absent. rank is its place by score among
-- players of its kind: models, programs, people, controls or checkpoints. cost_usd is of all the player's episodes there. `is_newest`
-- picks, of each benchmark, the newest edition with answers that is not withdrawn.
WITH scores AS (
    SELECT r.edition, r.setting, r.domain, r.player, k.convention AS kind, r.n AS instances, r.value AS score, r.low, r.high, r.population
    FROM statistics AS r
    JOIN statistics AS k USING (edition, setting, domain, player, other)
    WHERE r.statistic = 'common_rate' AND k.statistic = 'rank_in_kind'
), known AS (
    SELECT e.edition, e.benchmark,
           row_number() OVER (PARTITION BY e.benchmark ORDER BY e.created_at DESC, e.edition DESC) = 1 AS is_newest
    FROM editions AS e
    WHERE e.edition IN (SELECT edition FROM scores)
), costs AS (
    SELECT e.edition, i.setting, coalesce(i.domain, 'all') AS domain,
           CASE WHEN starts_with(e.player, 'human:') THEN 'human' ELSE e.player END AS pooled,
           count(*) AS episodes, count(e.cost_usd) AS episodes_with_cost,
           sum(round(e.cost_usd * 1e12)::HUGEINT) / 1e12 AS cost_usd
    FROM episodes AS e
    JOIN instances AS i USING (edition, instance_id)
    WHERE e.version IS NULL
    GROUP BY GROUPING SETS ((e.edition, i.setting, i.domain, pooled), (e.edition, i.setting, pooled))
)
SELECT n.benchmark, s.edition, n.is_newest, s.setting, s.domain, s.player, s.kind, s.instances, s.score,
       s.low AS score_low, s.high AS score_high, s.population,
       rank() OVER (PARTITION BY s.edition, s.setting, s.domain, s.kind ORDER BY s.score DESC) AS rank,
       c.episodes, c.episodes_with_cost, c.cost_usd
FROM scores AS s
JOIN known AS n USING (edition)
LEFT JOIN costs AS c ON c.edition = s.edition AND c.setting = s.setting AND c.domain = s.domain AND c.pooled = s.player
ORDER BY n.benchmark, s.edition, s.setting, s.domain <> 'all', s.domain, s.kind <> 'models', s.kind, rank, s.player
