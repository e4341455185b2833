-- What is the guesser's rate worth in the long run, in each setting of questions that perennial drew? From 12,000 questions of
-- each domain that nothing was learned from (`python -m tests.benchmarks.knowlogic_guesser`), weighted as the edition has
-- them; the error is that of the simulation.
WITH simulated (domain, correct) AS (
    VALUES ('space', 828), ('nature', 971), ('time', 879), ('social', 853), ('mix', 900)
), asked AS (
    SELECT i.setting, i.domain, count(*)::DOUBLE AS questions, bool_and(q.scenario IS NOT NULL) AS is_drawn
    FROM instances AS i
    JOIN knowlogic_questions AS q USING (instance_id)
    GROUP BY ALL
)
SELECT setting, sum(questions * correct / 12000) / sum(questions),
       sqrt(sum(questions ** 2 * correct * (12000 - correct) / 12000.0 ** 3)) / sum(questions)
FROM asked
JOIN simulated USING (domain)
GROUP BY setting
HAVING bool_and(is_drawn)
