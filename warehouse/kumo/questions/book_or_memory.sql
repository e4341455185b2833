-- How much of a success rate needs the knowledge book, and how much is lost where its facts are exchanged?
-- $edition = %
-- No row: no model has played KUMO without the book (player closed:MODEL) or with facts exchanged (--counterfactual).
SELECT edition, setting, player, 'without the book' AS against, instances, gap, gap_low, gap_high
FROM control_gaps
WHERE edition LIKE $edition AND domain = 'all'
UNION ALL
SELECT edition, setting, player, 'facts exchanged', instances, gap, gap_low, gap_high
FROM counterfactual_gaps
WHERE edition LIKE $edition AND domain = 'all'
ORDER BY edition, setting, player, against
