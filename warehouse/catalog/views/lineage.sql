-- Where does an episode come from? Its moves, calls, book, instance, seed, configuration, domain and refresh in one row.
-- `perennial sample` with this configuration, seed and setting draws the instance again; `perennial calls ID` shows a
-- call whole. Templates and their hashes say how the player was asked, and how the book's author was.
WITH moves AS (
    SELECT t.edition, t.episode_id, list(t.move ORDER BY t.turn) AS moves,
           list(t.observation ORDER BY t.turn) AS observations,
           list(t.call_id ORDER BY t.turn) FILTER (t.call_id IS NOT NULL) AS call_ids,
           any_value(c.model) AS player_model, any_value(c.template) AS player_template,
           any_value(c.template_hash) AS player_template_hash
    FROM turns AS t
    LEFT JOIN calls AS c ON c.edition = t.edition AND c.call_id = t.call_id
    GROUP BY ALL
), versions AS (
    SELECT edition, instance_id, list(call_id ORDER BY revision) FILTER (call_id IS NOT NULL) AS call_ids
    FROM books
    GROUP BY ALL
)
SELECT e.edition, e.episode_id, e.player, e.run, e.status, e.success, e.tests, e.tokens, e.cost_usd,
       m.moves, m.observations, m.call_ids, m.player_model, m.player_template, m.player_template_hash,
       b.book_id, b.author AS book_author, b.revision AS book_revision, b.verdict AS book_verdict,
       b.checked_by AS book_checked_by, b.is_replacement AS book_is_replacement,
       b.call_id AS book_call_id, w.template AS book_template, w.template_hash AS book_template_hash,
       v.call_ids AS book_version_call_ids,
       i.instance_id, i.setting, i.seed, i.index, i.truths, i.actions, i.valid_truths, i.expected_steps,
       i.optimal_tests, i.golden,
       c.config_id, c.config, c.call_ids AS config_call_ids,
       d.domain_id, d.name AS domain, d.category, d.source AS domain_source, d.call_id AS domain_call_id,
       r.settings AS refresh_settings, r.code_version, r.created_at
FROM episodes AS e
LEFT JOIN moves AS m USING (edition, episode_id)
LEFT JOIN books AS b ON b.edition = e.edition AND b.book_id = e.book_id
LEFT JOIN calls AS w ON w.edition = b.edition AND w.call_id = b.call_id
LEFT JOIN versions AS v ON v.edition = b.edition AND v.instance_id = b.instance_id
JOIN kumo_instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
JOIN seed_configs AS c ON c.edition = i.edition AND c.config_id = i.config_id
JOIN domains AS d ON d.edition = c.edition AND d.domain_id = c.domain_id
JOIN editions AS r ON r.edition = e.edition
