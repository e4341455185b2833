"""What a model said, as a reply of perennial's: the same statuses, with reasoning split off."""

import json

from schemas.model_calls.calls import ModelRequest, Reply
from tasks.llm.replies import read_attempt
from tasks.llm.retry_policy import Received

_REQUEST = ModelRequest("player", "", (), {}, "", "")


def read_reply(content: str | None, finish_reason: str | None) -> Reply:
    """Return the reply of a message's content: ok, truncated or empty."""
    message = {"role": "assistant", "content": content or ""}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]}
    return read_attempt(_REQUEST, Received(200, json.dumps(body), 0.0), None).reply
