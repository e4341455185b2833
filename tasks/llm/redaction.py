"""Keep secrets out of all that is stored or shown: servers may echo the key that they were sent."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from schemas.calls import Reply
from tasks.llm.retry_policy import Received

REDACTED = "[key]"
# A shorter key (local servers: "EMPTY", "ollama") may be an ordinary word of a model's answer.
_MIN_SECRET_CHARS = 8
_FIELDS = ("error", "raw", "content", "reasoning", "served_model", "finish_reason")


class Redaction:
    """Replaces secrets by `[key]`, in plain text and as JSON and URLs spell them.

    In what is an answer, secrets of less than 8 characters are left: there they may be ordinary words.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        secrets = [secret for secret in secrets if secret]
        self._all = _spellings(secrets)
        self._long = _spellings([secret for secret in secrets if len(secret) >= _MIN_SECRET_CHARS])

    def text(self, text: str) -> str:
        """Return the text without any secret."""
        return _without(text, self._all)

    def received(self, received: Received) -> Received:
        """Return what was received without secrets, before any of it is shortened."""
        answered = received.http_status is not None and 200 <= received.http_status <= 299
        body = _without(received.body, self._long if answered else self._all)
        problem = received.problem and self.text(received.problem)
        if body is received.body and problem is received.problem:
            return received
        return replace(received, body=body, problem=problem)

    def reply(self, reply: Reply) -> Reply:
        """Return the reply without secrets, those included that only show once JSON is read."""
        spellings = self._long if reply.answered else self._all
        texts = {name: getattr(reply, name) for name in _FIELDS if getattr(reply, name)}
        changed: dict[str, Any] = {name: _without(text, spellings) for name, text in texts.items()}
        changed = {name: text for name, text in changed.items() if text is not texts[name]}
        return replace(reply, **changed) if changed else reply


def _without(text: str, spellings: Sequence[str]) -> str:
    for spelling in spellings:
        if spelling in text:
            text = text.replace(spelling, REDACTED)
    return text


def _spellings(secrets: Iterable[str]) -> list[str]:
    """Return the secrets as text, JSON (with the escapes that some servers add) and URLs spell them."""
    forms: set[str] = set()
    for secret in secrets:
        escaped = json.dumps(secret)[1:-1]
        forms |= {secret, escaped, escaped.replace("/", "\\/"), quote(secret, safe="")}
        forms |= {escaped.replace("+", "\\u002B"), escaped.replace("+", "\\u002b")}
    return sorted(forms, key=len, reverse=True)
