-- Does the shape of an instance's truth-action graph go with solving it? Chi-square of signature x majority label.
-- `cramers_v` is the paper's; its table is sparse, so the bias-corrected V and a permutation p-value are given with it.
SELECT edition, setting, domain, player, max(n) AS instances,
       max(value) FILTER (statistic = 'cramers_v') AS cramers_v,
       max(p_value) FILTER (statistic = 'cramers_v') AS chi_square_p,
       max(value) FILTER (statistic = 'cramers_v_corrected') AS corrected_v,
       max(p_value) FILTER (statistic = 'cramers_v_corrected') AS permutation_p
FROM statistics
WHERE statistic IN ('cramers_v', 'cramers_v_corrected')
GROUP BY ALL
ORDER BY edition, setting, domain, player
