-- Does a player use more tokens on instances that fewer players solve: Pearson's r over instances, with its interval?
-- $edition = %
-- $player = %
-- No row: no player has numbers of tokens on three instances that differ in tokens and in difficulty.
WITH spent AS (
    SELECT edition, player, instance_id, avg(tokens) AS tokens
    FROM episodes
    WHERE edition LIKE $edition AND player LIKE $player AND tokens IS NOT NULL AND status <> 'api_error' AND version IS NULL
    GROUP BY ALL
), correlated AS (
    SELECT s.edition, i.setting, s.player, pearson(s.tokens, 1 - i.share_solved) AS correlation
    FROM spent AS s
    JOIN item_analysis AS i ON i.edition = s.edition AND i.instance_id = s.instance_id
    GROUP BY ALL
)
SELECT edition, setting, player, correlation.n AS instances, correlation.r AS r, correlation.low AS r_low, correlation.high AS r_high
FROM correlated
WHERE correlation.r IS NOT NULL
ORDER BY edition, setting, r DESC, player
