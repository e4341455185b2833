-- Which answer was given in each episode, and which one is right? Each benchmark writes both in its own form.
SELECT edition, evaluation, episode_id, NULL::VARCHAR AS answer, NULL::VARCHAR AS right_answer FROM episodes WHERE false
