-- every call that a proposed domain, a configuration or a book's check or judge lists is in calls
WITH listed AS (
    SELECT config_id AS subject, unnest(call_ids) AS call_id FROM kumo_seed_configs
    UNION ALL
    SELECT domain_id, unnest(call_ids) FROM kumo_authored_domains
    UNION ALL
    SELECT book_id, unnest(check_call_ids || judge_call_ids) FROM kumo_books
)
SELECT subject, call_id FROM listed ANTI JOIN calls USING (call_id)
