-- a token status is that of the episode's tokens in the player's budget, and there is none where no tokens are known
WITH expected AS (
    SELECT e.episode_id, e.player, e.tokens, a.context_tokens, a.token_status,
           CASE WHEN a.context_tokens IS NULL THEN NULL
                WHEN e.status = 'truncated' THEN 'OVERFLOW'
                WHEN e.tokens IS NULL THEN NULL
                WHEN 100 * e.tokens <= 85 * a.context_tokens THEN 'VALID'
                WHEN e.tokens <= a.context_tokens THEN 'WARNING'
                ELSE 'OVERFLOW' END AS status
    FROM episodes AS e
    JOIN beyondbench_answers AS a USING (episode_id)
)
SELECT episode_id, player, tokens, context_tokens, token_status, status AS expected
FROM expected
WHERE token_status IS DISTINCT FROM status
