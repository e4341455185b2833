-- What did the authors' calls for each domain cost? A row per domain and stage: `proposal` (a call's cost is shared evenly
-- among the domains that it gave), `configuration`, and `books` with reading back, judging and revising. Domain NULL:
-- calls that gave no domain. The rows of an edition add up to its authors' calls.
WITH proposing AS (
    SELECT c.edition, d.domain_id, 'proposal' AS stage, c.call_id,
           1 / greatest(1, count(d.domain_id) OVER (PARTITION BY c.edition, c.call_id)) AS share
    FROM calls AS c
    LEFT JOIN kumo_domains AS d ON d.edition = c.edition AND d.call_id = c.call_id
    WHERE c.evaluation = '' AND c.role = 'proposer'
), configuring AS (
    SELECT DISTINCT edition, domain_id, 'configuration' AS stage, unnest(call_ids) AS call_id, 1.0 AS share
    FROM kumo_authored_domains
), writing AS (
    SELECT edition, instance_id, call_id FROM kumo_books WHERE call_id IS NOT NULL
    UNION
    SELECT edition, instance_id, unnest(check_call_ids || judge_call_ids) FROM kumo_books
    UNION
    SELECT edition, subject, call_id FROM rejections
    WHERE evaluation = '' AND stage = 'books' AND call_id IS NOT NULL
), authoring AS (
    FROM proposing
    UNION ALL
    FROM configuring
    UNION ALL
    SELECT DISTINCT w.edition, s.domain_id, 'books', w.call_id, 1.0
    FROM writing AS w
    JOIN kumo_instances AS i USING (edition, instance_id)
    JOIN kumo_seed_configs AS s USING (edition, config_id)
)
SELECT a.edition, d.domain, d.category, a.stage,
       sum(a.share) AS calls,
       sum(a.share * c.prompt_tokens) AS prompt_tokens,
       sum(a.share * c.completion_tokens) AS completion_tokens,
       sum(a.share * c.cost_usd) AS cost_usd,
       count(*) FILTER (c.cost_usd IS NULL) AS calls_without_cost
FROM authoring AS a
JOIN calls AS c ON c.edition = a.edition AND c.evaluation = '' AND c.call_id = a.call_id
LEFT JOIN kumo_domains AS d ON d.edition = a.edition AND d.domain_id = a.domain_id
GROUP BY ALL
ORDER BY a.edition, d.domain NULLS LAST, a.stage
