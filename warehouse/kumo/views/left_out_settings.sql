-- Do expected steps say how hard a size is? The curve of `steps_at_half` is fitted to all settings of an edition but one, of
-- which it predicts the success rate. difference is observed minus predicted, with a 95% interval of `population` by domain.
-- One row per player and setting, in editions with three settings or more.
SELECT edition, setting, player, any_value(n) AS instances,
       any_value(value) FILTER (convention = 'predicted') AS predicted_rate,
       any_value(value) FILTER (convention = 'observed') AS observed_rate,
       any_value(value) FILTER (convention = 'difference') AS difference,
       any_value(low) AS difference_low, any_value(high) AS difference_high,
       any_value(population) AS population, any_value(no_interval) AS no_interval
FROM statistics
WHERE statistic = 'rate_left_out'
GROUP BY edition, setting, player
ORDER BY edition, player, setting
