-- the tokens of a call's reasoning are among those of its reply
SELECT call_id, model, completion_tokens, reasoning_tokens
FROM calls
WHERE reasoning_tokens > completion_tokens
