-- Which player solves how much of BeyondBench? The paper's table 3: accuracy, instruction following and mean tokens of a
-- reply in the three suites and overall, each with its population deviation across cells and a 95% interval.
-- Common accuracy is over the problems that all players with at least half of a suite have: compare players by it where
-- some were not asked all problems. Best accuracy counts best answers alone, where a task takes others too. Shares are 0 to 1. Overall is the mean of the three suites, and NULL for players without answers in one of them.
-- `beyondbench_scores` has the same as rows, with tasks, parse failures and token statuses.
WITH suites AS (
    SELECT edition, player, suite, accuracy, accuracy_deviation, accuracy_low, accuracy_high,
           common_accuracy, common_accuracy_low, common_accuracy_high, common_instances,
           best_accuracy, best_accuracy_low, best_accuracy_high,
           instruction_following, instruction_following_deviation, instruction_following_low, instruction_following_high,
           response_tokens, response_tokens_deviation, response_tokens_low, response_tokens_high, cells, not_asked
    FROM beyondbench_scores
    WHERE domain = 'all'
)
FROM (
    PIVOT suites ON suite IN ('easy', 'medium', 'hard', 'overall')
    USING any_value(accuracy) AS accuracy, any_value(accuracy_deviation) AS accuracy_deviation,
          any_value(accuracy_low) AS accuracy_low, any_value(accuracy_high) AS accuracy_high,
          any_value(common_accuracy) AS common_accuracy, any_value(common_accuracy_low) AS common_accuracy_low,
          any_value(common_accuracy_high) AS common_accuracy_high, any_value(common_instances) AS common_instances,
          any_value(best_accuracy) AS best_accuracy, any_value(best_accuracy_low) AS best_accuracy_low,
          any_value(best_accuracy_high) AS best_accuracy_high,
          any_value(instruction_following) AS instruction_following,
          any_value(instruction_following_deviation) AS instruction_following_deviation,
          any_value(instruction_following_low) AS instruction_following_low,
          any_value(instruction_following_high) AS instruction_following_high,
          any_value(response_tokens) AS response_tokens, any_value(response_tokens_deviation) AS response_tokens_deviation,
          any_value(response_tokens_low) AS response_tokens_low, any_value(response_tokens_high) AS response_tokens_high,
          any_value(cells) AS cells, any_value(not_asked) AS not_asked
    GROUP BY edition, player
)
ORDER BY edition, overall_accuracy DESC NULLS LAST, hard_accuracy DESC NULLS LAST, medium_accuracy DESC NULLS LAST,
         easy_accuracy DESC NULLS LAST, player
