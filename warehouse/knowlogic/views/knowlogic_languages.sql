-- In which language does a player answer the same questions better? Only pairs with scored answers in both languages count.
-- `difference` is the mean over pairs of accuracy in Chinese minus accuracy in English, with a 95% interval by pair, and p of no
-- difference, below .05 where this interval leaves out 0; `p_adjusted` is Holm's over the models (programs apart): one family
-- for all domains together, one for the single domains. McNemar's exact test asks whether `only_zh` and `only_en`, pairs solved (by
-- the majority of runs) in one language alone, are equally many: it is of these pairs and runs alone.
WITH figures AS (
    SELECT edition, domain, player,
           any_value(n) FILTER (statistic LIKE 'language_difference%') AS pairs,
           any_value(value) FILTER (statistic = 'paired_accuracy' AND other = 'zh') AS zh_accuracy,
           any_value(low) FILTER (statistic = 'paired_accuracy' AND other = 'zh') AS zh_accuracy_low,
           any_value(high) FILTER (statistic = 'paired_accuracy' AND other = 'zh') AS zh_accuracy_high,
           any_value(value) FILTER (statistic = 'paired_accuracy' AND other = 'en') AS en_accuracy,
           any_value(low) FILTER (statistic = 'paired_accuracy' AND other = 'en') AS en_accuracy_low,
           any_value(high) FILTER (statistic = 'paired_accuracy' AND other = 'en') AS en_accuracy_high,
           any_value(value) FILTER (statistic LIKE 'language_difference%') AS difference,
           any_value(low) FILTER (statistic LIKE 'language_difference%') AS difference_low,
           any_value(high) FILTER (statistic LIKE 'language_difference%') AS difference_high,
           any_value(p_value) FILTER (statistic LIKE 'language_difference%') AS p_value,
           any_value(p_adjusted) FILTER (statistic LIKE 'language_difference%') AS p_adjusted,
           any_value(n) FILTER (statistic = 'language_mcnemar') AS discordant,
           any_value(value) FILTER (statistic = 'language_mcnemar') AS share_zh,
           any_value(p_value) FILTER (statistic = 'language_mcnemar') AS mcnemar_p_these_instances
    FROM statistics
    WHERE statistic IN ('language_difference', 'language_difference_in_domain', 'paired_accuracy', 'language_mcnemar')
    GROUP BY ALL
)
SELECT edition, domain, player, pairs, zh_accuracy, zh_accuracy_low, zh_accuracy_high,
       en_accuracy, en_accuracy_low, en_accuracy_high, difference, difference_low, difference_high,
       p_value, p_adjusted, coalesce(round(share_zh * discordant), 0)::BIGINT AS only_zh,
       discordant - coalesce(round(share_zh * discordant), 0)::BIGINT AS only_en, mcnemar_p_these_instances
FROM figures
ORDER BY edition, list_position(['all', 'space', 'nature', 'time', 'social', 'mix'], domain), difference DESC, player
