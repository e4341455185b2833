-- Does the shape of an instance's truth-action graph go with solving it? Signature x majority label.
-- `cramers_v_kumo_2025` and `chi_square_p_kumo_2025` are the paper's, over pooled domains: its table is sparse, and domains
-- differ in shapes and in difficulty. The bias-corrected V comes with a p by permuting labels within domains, adjusted
-- (Holm) over the players of one setting and kind. A p that no float holds is 0; `_shown` writes it as `< 1e-300`.
SELECT edition, setting, domain, player, max(n) AS instances,
       max(value) FILTER (statistic = 'cramers_v') AS cramers_v_kumo_2025,
       max(low) FILTER (statistic = 'cramers_v') AS cramers_v_kumo_2025_low,
       max(high) FILTER (statistic = 'cramers_v') AS cramers_v_kumo_2025_high,
       max(p_value) FILTER (statistic = 'cramers_v') AS chi_square_p_kumo_2025,
       max(CASE WHEN p_value < 1e-300 THEN '< 1e-300' ELSE format('{:.3g}', p_value) END)
           FILTER (statistic = 'cramers_v') AS chi_square_p_kumo_2025_shown,
       max(value) FILTER (statistic = 'cramers_v_corrected') AS corrected_v,
       max(low) FILTER (statistic = 'cramers_v_corrected') AS corrected_v_low,
       max(high) FILTER (statistic = 'cramers_v_corrected') AS corrected_v_high,
       max(p_value) FILTER (statistic = 'cramers_v_corrected') AS permutation_p,
       max(p_adjusted) FILTER (statistic = 'cramers_v_corrected') AS permutation_p_holm
FROM statistics
WHERE statistic IN ('cramers_v', 'cramers_v_corrected')
GROUP BY ALL
ORDER BY edition, setting, domain, player
