"""Keep secrets out of all that is stored or shown: servers may echo the key that they were sent.

A key of 8 characters or more is replaced wherever it stands. A shorter one (local servers: "EMPTY",
"ollama") may be an ordinary word: it is replaced as a whole word, in what is no answer. One of less than 4
characters is no secret and is left, as replacing it would garble any message.
"""

import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from perennial.schemas.model_calls.calls import Reply
from perennial.tasks.llm.retry_policy import Received

REDACTED = "[key]"
_MIN_SECRET_CHARS = 8
_MIN_WORD_CHARS = 4
_FIELDS = ("error", "raw", "content", "reasoning", "served_model", "finish_reason", "usage_reported")
_NEVER = re.compile(r"(?!)")


class Redaction:
    """Replaces secrets by `[key]`, whether text, JSON, URLs, HTML or base64 spell them.

    What it leaves is not changed by another pass.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        secrets = sorted({secret for secret in secrets if len(secret) >= _MIN_WORD_CHARS}, key=len)[::-1]
        long = [secret for secret in secrets if len(secret) >= _MIN_SECRET_CHARS]
        words = [rf"(?<!\w){_spelling(secret)}(?!\w)" for secret in secrets if secret not in long]
        self._coded = sorted(set().union(*map(_in_base64, long)))
        self._long = _any_of(list(map(_spelling, long)))
        # The mark comes first and replaces itself: a key that is a part of it is not found in it.
        self._words = _any_of([re.escape(REDACTED), *words] if words else [])

    def text(self, text: str) -> str:
        """Return the text without any secret."""
        return self._words.sub(REDACTED, self._without_long(text))

    def redact_received(self, received: Received) -> Received:
        """Return what was received without secrets, before any of it is shortened."""
        answered = received.http_status is not None and 200 <= received.http_status <= 299
        redact = self._without_long if answered else self.text
        problem = received.problem and self.text(received.problem)
        return replace(received, body=redact(received.body), problem=problem)

    def reply(self, reply: Reply) -> Reply:
        """Return the reply without secrets, those included that only show once JSON is read."""
        redact = self._without_long if reply.answered else self.text
        texts: dict[str, Any] = {name: redact(text) for name in _FIELDS if (text := getattr(reply, name))}
        return replace(reply, **texts)

    def _without_long(self, text: str) -> str:
        for coded in self._coded:
            text = text.replace(coded, REDACTED)
        return self._long.sub(REDACTED, text)


def _any_of(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns)) if patterns else _NEVER


def _spelling(secret: str) -> str:
    return "".join(map(_character, secret))


def _character(char: str) -> str:
    """Return the pattern of a character: itself, or escaped by JSON (once or more), a URL or HTML."""
    code = ord(char)
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{code:02x}")
    # Each begins with a character of its own, by which `re` quickly skips what is no secret;
    # repetitions are bounded, so that no text takes more than linear time.
    forms = [
        re.escape(char),
        rf"\\\\{{0,7}}(?:u00|x){digits}",
        rf"%(?:25){{0,3}}{digits}",
        rf"&#(?:0{{0,4}}{code}|[xX]0{{0,4}}{digits});",
    ]
    if not char.isalnum():
        forms.append(rf"\\\\{{0,7}}{re.escape(char)}")
    return f"(?:{'|'.join(forms)})"


def _in_base64(secret: str) -> set[str]:
    """Return what stands for the secret in base64, wherever it begins, without what its neighbours change."""
    spelled = set()
    for offset in range(3):
        coded = b64encode(bytes(offset) + secret.encode()).decode().rstrip("=")
        kept = coded[(0, 2, 3)[offset] : len(coded) - bool((offset + len(secret)) % 3)]
        spelled |= {kept, kept.replace("+", "-").replace("/", "_")}
    return spelled
