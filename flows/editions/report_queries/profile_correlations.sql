-- Do models that are good at one benchmark do well at another? The newest edition of each.
SELECT benchmark, edition, setting, other_benchmark, other_edition, other_setting, coefficient, players, correlation,
       correlation_low, correlation_high, p_holm, reliability, other_reliability, disattenuated, disattenuated_low, disattenuated_high, undefined
FROM profile_correlations
WHERE is_newest
ORDER BY coefficient, benchmark, setting, other_benchmark, other_setting
