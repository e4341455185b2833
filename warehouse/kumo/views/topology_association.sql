-- Does the shape of an instance's truth-action graph go with solving it? `topology_trend`: percentage points of success that one more
-- edge costs or gives, within domains. `cramers_v_pooled`: Bergsma's V of signature and majority label, with signatures of fewer than five
-- instances in one class; compare `permuted_v`, the mean without association. Domains differ in shapes and in difficulty, so both
-- p-values permute within domains, adjusted (Holm) over the players of one setting and kind. `_undefined` says why a figure is NULL.
-- `cramers_v_kumo_2025` and `chi_square_p_kumo_2025` are the paper's, over pooled domains, for five runs only.
-- A p that no float holds is 0; `_shown` writes it as `< 1e-300`.
SELECT edition, setting, domain, player, max(n) AS instances,
       max(value) FILTER (statistic = 'topology_trend') AS topology_trend,
       max(low) FILTER (statistic = 'topology_trend') AS topology_trend_low,
       max(high) FILTER (statistic = 'topology_trend') AS topology_trend_high,
       max(p_value) FILTER (statistic = 'topology_trend') AS topology_trend_p,
       max(p_adjusted) FILTER (statistic = 'topology_trend') AS topology_trend_p_holm,
       max(no_interval) FILTER (statistic = 'topology_trend') AS topology_trend_undefined,
       max(value) FILTER (statistic = 'cramers_v_pooled') AS cramers_v_pooled,
       max(value) FILTER (statistic = 'cramers_v_pooled_permuted') AS permuted_v,
       (max(value) FILTER (statistic = 'topology_classes'))::BIGINT AS classes,
       max(value) FILTER (statistic = 'topology_pooled_share') AS share_in_other,
       max(p_value) FILTER (statistic = 'cramers_v_pooled') AS cramers_v_pooled_p,
       max(p_adjusted) FILTER (statistic = 'cramers_v_pooled') AS cramers_v_pooled_p_holm,
       max(no_interval) FILTER (statistic = 'cramers_v_pooled') AS cramers_v_pooled_undefined,
       max(value) FILTER (statistic = 'cramers_v') AS cramers_v_kumo_2025,
       max(low) FILTER (statistic = 'cramers_v') AS cramers_v_kumo_2025_low,
       max(high) FILTER (statistic = 'cramers_v') AS cramers_v_kumo_2025_high,
       max(p_value) FILTER (statistic = 'cramers_v') AS chi_square_p_kumo_2025,
       max(CASE WHEN p_value < 1e-300 THEN '< 1e-300' ELSE format('{:.3g}', p_value) END)
           FILTER (statistic = 'cramers_v') AS chi_square_p_kumo_2025_shown
FROM statistics
WHERE statistic IN ('topology_trend', 'cramers_v_pooled', 'cramers_v_pooled_permuted', 'topology_classes', 'topology_pooled_share', 'cramers_v')
GROUP BY ALL
ORDER BY edition, setting, domain, player
