-- What did rules and variations that models wrote cost? A row per author and kind: `seed` (a rule with the inputs of V0) or
-- `expansion` (inputs of V1 to V9), with all calls that were made for it, judgements included, whether it was accepted or not. A
-- call that several steps name counts in equal parts, so that the rows of an edition add up to its authors' calls.
WITH steps AS (
    SELECT edition, author, CASE variation WHEN 0 THEN 'seed' ELSE 'expansion' END AS kind, domain, number, step, passed,
           call_id, 1.0 / count(*) OVER (PARTITION BY edition, call_id) AS share
    FROM a2rbench_attempts
), spent AS (
    SELECT s.edition, s.author, s.kind, sum(s.share) AS calls,
           sum(s.share * c.prompt_tokens) AS prompt_tokens,
           sum(s.share * c.completion_tokens) AS completion_tokens,
           sum(s.share * c.cost_usd) AS cost_usd,
           sum(s.share) FILTER (c.cost_usd IS NULL) AS unpriced
    FROM steps AS s
    JOIN calls AS c ON c.edition = s.edition AND c.evaluation = '' AND c.call_id = s.call_id
    GROUP BY ALL
), counted AS (
    SELECT edition, author, kind,
           count(*) FILTER (passed AND step = CASE kind WHEN 'seed' THEN 'judged' ELSE 'inputs_judged' END) AS accepted
    FROM steps
    GROUP BY ALL
)
SELECT n.edition, n.author, n.kind, n.accepted, coalesce(s.calls, 0) AS calls, s.prompt_tokens, s.completion_tokens,
       s.cost_usd, coalesce(s.unpriced, 0) AS calls_without_cost,
       CASE WHEN n.accepted > 0 AND s.unpriced IS NULL THEN s.cost_usd / n.accepted END AS cost_per_accepted_usd
FROM counted AS n
LEFT JOIN spent AS s USING (edition, author, kind)
ORDER BY n.edition, n.author, n.kind DESC
