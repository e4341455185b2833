-- Do replies to harder questions take more tokens, and wrong ones more than right ones? (the paper's figure 12)
-- Mean tokens of a reply with its reasoning, over all, right and wrong replies, by domain, language and difficulty, with 95%
-- intervals in which a pair counts once. `pearson` and `spearman` are correlations with the level, over pairs: in the rows of
-- all difficulties of one domain, as levels of two domains are not comparable. Programs have no rows.
WITH figures AS (
    SELECT *, substr(other, 1, instr(other, '/') - 1) AS language, substr(other, instr(other, '/') + 1) AS which
    FROM statistics
    WHERE statistic IN ('reply_tokens', 'tokens_level_pearson', 'tokens_level_spearman')
), wide AS (
    SELECT edition, domain, language, setting AS difficulty, player,
           any_value(n) FILTER (statistic = 'reply_tokens' AND which = 'all') AS questions,
           any_value(value) FILTER (statistic = 'reply_tokens' AND which = 'all') AS tokens,
           any_value(low) FILTER (statistic = 'reply_tokens' AND which = 'all') AS tokens_low,
           any_value(high) FILTER (statistic = 'reply_tokens' AND which = 'all') AS tokens_high,
           any_value(n) FILTER (statistic = 'reply_tokens' AND which = 'right') AS right_questions,
           any_value(value) FILTER (statistic = 'reply_tokens' AND which = 'right') AS right_tokens,
           any_value(low) FILTER (statistic = 'reply_tokens' AND which = 'right') AS right_tokens_low,
           any_value(high) FILTER (statistic = 'reply_tokens' AND which = 'right') AS right_tokens_high,
           any_value(n) FILTER (statistic = 'reply_tokens' AND which = 'wrong') AS wrong_questions,
           any_value(value) FILTER (statistic = 'reply_tokens' AND which = 'wrong') AS wrong_tokens,
           any_value(low) FILTER (statistic = 'reply_tokens' AND which = 'wrong') AS wrong_tokens_low,
           any_value(high) FILTER (statistic = 'reply_tokens' AND which = 'wrong') AS wrong_tokens_high,
           any_value(value) FILTER (statistic = 'tokens_level_pearson' AND which = 'all') AS pearson,
           any_value(low) FILTER (statistic = 'tokens_level_pearson' AND which = 'all') AS pearson_low,
           any_value(high) FILTER (statistic = 'tokens_level_pearson' AND which = 'all') AS pearson_high,
           any_value(value) FILTER (statistic = 'tokens_level_pearson' AND which = 'right') AS right_pearson,
           any_value(low) FILTER (statistic = 'tokens_level_pearson' AND which = 'right') AS right_pearson_low,
           any_value(high) FILTER (statistic = 'tokens_level_pearson' AND which = 'right') AS right_pearson_high,
           any_value(value) FILTER (statistic = 'tokens_level_pearson' AND which = 'wrong') AS wrong_pearson,
           any_value(low) FILTER (statistic = 'tokens_level_pearson' AND which = 'wrong') AS wrong_pearson_low,
           any_value(high) FILTER (statistic = 'tokens_level_pearson' AND which = 'wrong') AS wrong_pearson_high,
           any_value(value) FILTER (statistic = 'tokens_level_spearman' AND which = 'all') AS spearman,
           any_value(low) FILTER (statistic = 'tokens_level_spearman' AND which = 'all') AS spearman_low,
           any_value(high) FILTER (statistic = 'tokens_level_spearman' AND which = 'all') AS spearman_high,
           any_value(value) FILTER (statistic = 'tokens_level_spearman' AND which = 'right') AS right_spearman,
           any_value(low) FILTER (statistic = 'tokens_level_spearman' AND which = 'right') AS right_spearman_low,
           any_value(high) FILTER (statistic = 'tokens_level_spearman' AND which = 'right') AS right_spearman_high,
           any_value(value) FILTER (statistic = 'tokens_level_spearman' AND which = 'wrong') AS wrong_spearman,
           any_value(low) FILTER (statistic = 'tokens_level_spearman' AND which = 'wrong') AS wrong_spearman_low,
           any_value(high) FILTER (statistic = 'tokens_level_spearman' AND which = 'wrong') AS wrong_spearman_high,
    FROM figures
    GROUP BY ALL
)
FROM wide
ORDER BY edition, list_position(['all', 'space', 'nature', 'time', 'social', 'mix'], domain),
         list_position(['all', 'zh', 'en'], language), list_position(['all', 'easy', 'medium', 'hard'], difficulty),
         tokens DESC, player
