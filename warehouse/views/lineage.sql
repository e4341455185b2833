-- Where does an episode come from? Its moves, book, instance, seed, configuration, domain and refresh in one row.
-- `perennial sample` with this configuration, seed and setting draws the instance again.
WITH moves AS (
    SELECT edition, episode_id, list(move ORDER BY turn) AS moves,
           list(observation ORDER BY turn) AS observations,
           list(call_id ORDER BY turn) FILTER (call_id IS NOT NULL) AS call_ids
    FROM turns
    GROUP BY ALL
)
SELECT e.edition, e.episode_id, e.player, e.run, e.status, e.success, e.tests, m.moves, m.observations, m.call_ids,
       b.book_id, b.author AS book_author, b.revision AS book_revision, b.verdict AS book_verdict,
       b.call_id AS book_call_id,
       i.instance_id, i.setting, i.seed, i.index, i.truths, i.actions, i.valid_truths, i.expected_steps,
       i.optimal_tests, i.golden,
       c.config_id, c.config, c.call_ids AS config_call_ids,
       d.domain_id, d.name AS domain, d.category, d.source AS domain_source,
       r.settings AS refresh_settings, r.code_version, r.created_at
FROM episodes AS e
LEFT JOIN moves AS m USING (edition, episode_id)
JOIN books AS b USING (edition, book_id)
JOIN kumo_instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
JOIN seed_configs AS c ON c.edition = i.edition AND c.config_id = i.config_id
JOIN domains AS d ON d.edition = c.edition AND d.domain_id = c.domain_id
JOIN editions AS r ON r.edition = e.edition
