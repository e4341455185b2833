-- Where does an episode of KUMO come from? Its moves, calls, book, instance, seed, configuration, domain and edition.
-- `perennial refresh` with the seed, once it is revealed, draws the instance again. Templates and their hashes
-- say how the player was asked, and how the book's author was.
WITH moves AS (
    SELECT edition, evaluation, episode_id, list(m.move ORDER BY turn) AS moves,
           list(t.feedback ORDER BY turn) AS feedback
    FROM kumo_moves AS m
    JOIN turns AS t USING (edition, evaluation, episode_id, turn)
    GROUP BY ALL
), versions AS (
    SELECT edition, instance_id, list(call_id ORDER BY revision) FILTER (call_id IS NOT NULL) AS call_ids
    FROM kumo_books
    GROUP BY ALL
)
SELECT l.* EXCLUDE (refresh_settings, evaluation_settings, code_version, created_at), k.tests, m.moves, m.feedback,
       b.book_id, b.version AS book_version, b.author AS book_author, b.revision AS book_revision, b.verdict AS book_verdict,
       b.checked_by AS book_checked_by, b.is_replacement AS book_is_replacement,
       b.call_id AS book_call_id, w.template AS book_template, w.template_hash AS book_template_hash,
       v.call_ids AS book_version_call_ids,
       i.truths, i.actions, i.valid_truths, i.expected_steps, i.optimal_tests, i.golden, i.promise_steps,
       i.promise_status, i.promise_golden,
       c.config_id, c.config, c.call_ids AS config_call_ids,
       d.domain_id, d.category, d.source AS domain_source, d.call_id AS domain_call_id,
       l.refresh_settings, l.evaluation_settings, l.code_version, l.created_at
FROM lineage AS l
JOIN kumo_episodes AS k USING (edition, evaluation, episode_id)
LEFT JOIN moves AS m USING (edition, evaluation, episode_id)
LEFT JOIN kumo_books AS b ON b.edition = l.edition AND b.book_id = k.book_id
LEFT JOIN calls AS w ON w.edition = b.edition AND w.evaluation = '' AND w.call_id = b.call_id
LEFT JOIN versions AS v ON v.edition = b.edition AND v.instance_id = b.instance_id
LEFT JOIN kumo_instances AS i ON i.edition = l.edition AND i.instance_id = l.instance_id
LEFT JOIN kumo_seed_configs AS c ON c.edition = i.edition AND c.config_id = i.config_id
LEFT JOIN kumo_domains AS d ON d.edition = c.edition AND d.domain_id = c.domain_id
