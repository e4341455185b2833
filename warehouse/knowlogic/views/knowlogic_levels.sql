-- How do accuracy and tokens of replies change with the paper's level? (its figure 12; figures 7 to 11 by level instead of class)
-- A row per band of the level, a quarter wide (`level` is where it begins), in each domain: levels of two domains are no values
-- of one formula. Tokens are of a reply with its reasoning, over all, right and wrong replies; programs have none. Intervals
-- (95%) count a pair once.
WITH figures AS (
    SELECT *, statistic = 'accuracy_by_level' AS is_rate, str_split(other, '/') AS parts
    FROM statistics
    WHERE statistic IN ('accuracy_by_level', 'reply_tokens_by_level')
), wide AS (
    SELECT edition, domain, parts[1] AS language, parts[-1]::DOUBLE AS level, player,
           any_value(n) FILTER (is_rate) AS questions,
           any_value(value) FILTER (is_rate) AS accuracy,
           any_value(low) FILTER (is_rate) AS accuracy_low,
           any_value(high) FILTER (is_rate) AS accuracy_high,
           any_value(value) FILTER (NOT is_rate AND parts[2] = 'all') AS tokens,
           any_value(low) FILTER (NOT is_rate AND parts[2] = 'all') AS tokens_low,
           any_value(high) FILTER (NOT is_rate AND parts[2] = 'all') AS tokens_high,
           any_value(n) FILTER (NOT is_rate AND parts[2] = 'right') AS right_questions,
           any_value(value) FILTER (NOT is_rate AND parts[2] = 'right') AS right_tokens,
           any_value(low) FILTER (NOT is_rate AND parts[2] = 'right') AS right_tokens_low,
           any_value(high) FILTER (NOT is_rate AND parts[2] = 'right') AS right_tokens_high,
           any_value(n) FILTER (NOT is_rate AND parts[2] = 'wrong') AS wrong_questions,
           any_value(value) FILTER (NOT is_rate AND parts[2] = 'wrong') AS wrong_tokens,
           any_value(low) FILTER (NOT is_rate AND parts[2] = 'wrong') AS wrong_tokens_low,
           any_value(high) FILTER (NOT is_rate AND parts[2] = 'wrong') AS wrong_tokens_high
    FROM figures
    GROUP BY ALL
)
FROM wide
ORDER BY edition, list_position(['space', 'nature', 'time', 'social', 'mix'], domain),
         list_position(['all', 'zh', 'en'], language), level, accuracy DESC, player
