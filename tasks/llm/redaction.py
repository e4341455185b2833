"""Keep secrets out of all that is stored or shown: servers may echo the key that they were sent.

A key of 8 characters or more is replaced wherever it stands. A shorter one (local servers: "EMPTY",
"ollama") may be an ordinary word: it is replaced as a whole word, in what is no answer. One of less than 4
characters is no secret and is left, as replacing it would garble any message.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from schemas.calls import Reply
from tasks.llm.retry_policy import Received

REDACTED = "[key]"
_MIN_SECRET_CHARS = 8
_MIN_WORD_CHARS = 4
_FIELDS = ("error", "raw", "content", "reasoning", "served_model", "finish_reason", "usage_reported")
_NEVER = re.compile(r"(?!)")


class Redaction:
    """Replaces secrets by `[key]`, whether text, JSON, URLs, HTML or base64 spell them.

    One pass replaces all spellings, and what it leaves is not changed by another.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        secrets = sorted({secret for secret in secrets if len(secret) >= _MIN_WORD_CHARS}, key=len)[::-1]
        long = [pattern for secret in secrets if _is_long(secret) for pattern in _spellings(secret)]
        words = [rf"(?<!\w){_spelling(secret)}(?!\w)" for secret in secrets if not _is_long(secret)]
        self._long = _any_of(long)
        self._all = _any_of([*long, *words])

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
        pattern = self._long if reply.answered else self._all
        texts = {name: getattr(reply, name) for name in _FIELDS if getattr(reply, name)}
        changed: dict[str, Any] = {name: _without(text, pattern) for name, text in texts.items()}
        changed = {name: text for name, text in changed.items() if text is not texts[name]}
        return replace(reply, **changed) if changed else reply


def _is_long(secret: str) -> bool:
    return len(secret) >= _MIN_SECRET_CHARS


def _without(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(REDACTED, text) if pattern.search(text) else text


def _any_of(patterns: list[str]) -> re.Pattern[str]:
    # The mark comes first and replaces itself: a key that is a part of it is not found in it.
    return re.compile("|".join([re.escape(REDACTED), *patterns])) if patterns else _NEVER


def _spellings(secret: str) -> Iterator[str]:
    yield _spelling(secret)
    yield from map(re.escape, _in_base64(secret))


def _spelling(secret: str) -> str:
    return "".join(map(_character, secret))


def _character(char: str) -> str:
    """Return the pattern of a character: itself, or escaped by JSON (once or more), a URL or HTML."""
    code = ord(char)
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{code:02x}")
    # Repetitions are bounded, so that no text takes more than linear time.
    forms = [
        re.escape(char),
        rf"\\{{1,8}}(?:u00|x){digits}",
        rf"%(?:25){{0,3}}{digits}",
        rf"&#(?:0{{0,4}}{code}|[xX]0{{0,4}}{digits});",
    ]
    if not char.isalnum():
        forms.append(rf"\\{{1,8}}{re.escape(char)}")
    return f"(?:{'|'.join(forms)})"


def _in_base64(secret: str) -> set[str]:
    """Return what stands for the secret in base64, wherever it begins, without what its neighbours change."""
    spelled = set()
    for offset in range(3):
        coded = b64encode(bytes(offset) + secret.encode()).decode().rstrip("=")
        kept = coded[(0, 2, 3)[offset] : len(coded) - bool((offset + len(secret)) % 3)]
        spelled |= {kept, kept.replace("+", "-").replace("/", "_")}
    return spelled
