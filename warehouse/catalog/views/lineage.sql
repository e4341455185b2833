-- Where does an episode come from? Its calls, instance, seed, edition and evaluation in one row, whatever the benchmark.
-- `perennial calls ID` shows a call whole; the template and its hash say how the player was asked. What came back turn
-- by turn is in `transcripts`. A benchmark's own view, such as `kumo_lineage`, adds its books and configurations.
WITH replies AS (
    -- Turns of programs, which make no calls, are not even read.
    SELECT t.edition, t.evaluation, t.episode_id, list(t.call_id ORDER BY t.turn) AS call_ids,
           any_value(c.model) AS player_model, any_value(c.template) AS player_template,
           any_value(c.template_hash) AS player_template_hash
    FROM turns AS t
    LEFT JOIN calls AS c ON c.edition = t.edition AND c.evaluation = t.evaluation AND c.call_id = t.call_id
    WHERE t.call_id IS NOT NULL
    GROUP BY ALL
)
SELECT e.edition, e.evaluation, e.episode_id, e.player, e.run, e.version, e.status, e.success, e.score, e.turns, e.tokens, e.cost_usd,
       p.call_ids, p.player_model, p.player_template, p.player_template_hash,
       i.instance_id, i.benchmark, i.domain, i.setting, i.seed, r.seed_commitment, i.index, i.content_hash,
       r.settings AS refresh_settings, v.settings AS evaluation_settings, v.code_version, v.created_at
FROM episodes AS e
LEFT JOIN replies AS p USING (edition, evaluation, episode_id)
LEFT JOIN instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
LEFT JOIN editions AS r ON r.edition = e.edition
LEFT JOIN evaluations AS v ON v.edition = e.edition AND v.evaluation = e.evaluation
