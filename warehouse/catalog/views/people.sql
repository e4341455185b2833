-- Who took part in a study, and how did each person do? Rates are over the tasks that were assigned; a task whose time ran
-- out, or that was never begun, was not solved. Persons whose answers are left out are listed with the reason. How people
-- compare with models stands in `leaderboard`, `domain_scores` and `paired_comparisons`, where all of them are player `human`.
SELECT edition, evaluation, participant, age_band, education, gender, major, assigned, started, answered, solved,
       solved / nullif(assigned, 0) AS success_rate, actions, median_seconds, earnings, excluded, exclusion
FROM participants
ORDER BY edition, evaluation, participant
