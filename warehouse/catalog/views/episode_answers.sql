-- Which answer was given in each episode, and which one is right? Each benchmark writes both in its own form, and says what kind
-- of fault a wrong answer has.
SELECT edition, evaluation, episode_id, NULL::VARCHAR AS answer, NULL::VARCHAR AS right_answer, NULL::VARCHAR AS fault
FROM episodes WHERE false
