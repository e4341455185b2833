"""What servers mean by their words: why a reply ended, and why a call failed.

Servers of the OpenAI form each have words of their own: `length`, `MAX_TOKENS`, `model_length` and
`maxPredictedTokensReached` are one thing. So a word is compared by its form (lower case, `_` between its
parts) and by its kind: the tables below hold the stems that kinds of words have in common. They are
applied to single calls, to lines of a batch and to other harnesses' logs alike.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

# Why a reply ended: the model was done, a limit cut it, a filter or the model refused, the server failed
# in the middle of it, or the word is not known.
Ending = Literal["complete", "cut", "refused", "broken", "unknown"]
# Why a call failed: this prompt is refused, this prompt is too long, or it will pass.
Failure = Literal["refused", "overflow", "passing"]

_MAX_CHARS = 20_000
_MAX_DEPTH = 5
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_GAP = re.compile(r"[^a-z0-9]+")
_PARTS = re.compile(r"[a-z0-9]+")
# Dates, versions and formats that servers add to a name.
_VERSION = re.compile(
    r"\d+|v\d+|preview|exp|beta|free|gguf|awq|gptq|hf|[bf]p?\d+|int\d|i?q\d\w*|[kmsl]|xs|xl"
)


def _any(*alternatives: str) -> re.Pattern[str]:
    """Compile a table of stems or phrases, several to a line."""
    return re.compile("|".join(alternatives), re.IGNORECASE)


# ---- why a reply ended: the first row with a stem in the word decides
_ENDINGS: tuple[tuple[Ending, re.Pattern[str]], ...] = (
    # A limit of requests, and a connection that is refused, are the server's troubles.
    ("broken", _any("network|connection|rate_?limit|quota|resource|time_?out|timed_?out|deadline")),
    (
        "refused",
        _any(
            "filter|safety|unsafe|block|polic|moderat|guard_?rail|prohibit|sensitiv|toxic|recit|refus|flagg",
            "violat|harmful|_harm_|jailbreak|copyright|infring|censor|forbidden|disallow|declin|_s?pii_",
            "armor|inappropriat|intervened|_language_|risk|_hate_|_nsfw_|_denied_|blacklist|denylist|reject",
            "offensiv|abus|sexual|violen|profan|explicit|malicious|illegal",
        ),
    ),
    (
        "cut",
        _any(
            "length|limit|trunc|_max|maximum|context|window|_cut|cutoff|overflow|budget|incomplete|too_long",
            "_cap(ped)?_|out_of_tokens|tokens_(exhaust|used|reached)|^_tokens?_$|predict|repetition",
        ),
    ),
    (
        "broken",
        _any(
            "error|abort|cancel|interrupt|disconnect|fail|overload|unavailab|pre_?empt|evict|exception|crash",
            "shut_?down|killed|terminat|memory|_oom_|_lost_|_closed_|dropped|user_?stop|unload|throttl",
            "capacity|stall|restart|abnormal|unsuccess|not_finished|unfinished",
        ),
    ),
    (
        "complete",
        _any(
            "stop|_eos|_eot|_eod|_k?end|complete|finish|_done_|success|normal|natural|tool|function|turn",
            "_word|sequence|^_(null|none|unspecified|unknown|load)?_$",
        ),
    ),
)
# It begins the names of an enumeration, and says nothing.
_PREFIX = re.compile(r"^_(?:k_)?(?:(?:finish|stop|done|end)_?reason_|reason_|k_)")


def read_ending(*words: object) -> Ending:
    """Read why a reply ended from what a server says of it, the worst where it says several things.

    A server that says nothing (null, "", `FINISH_REASON_UNSPECIFIED`) is taken to be done.
    """
    endings = {_read_ending(word) for word in words if isinstance(word, str) and word}
    order: tuple[Ending, ...] = ("refused", "broken", "cut", "complete", "unknown")
    return next((ending for ending in order if ending in endings), "complete")


def _read_ending(word: str) -> Ending:
    form = _PREFIX.sub("_", normalize(word[:_MAX_CHARS]))
    return next((ending for ending, stems in _ENDINGS if stems.search(form)), "unknown")


def normalize(word: str) -> str:
    """Bring a name to one form: `maxTokens`, `MAX-TOKENS` and `max tokens` are all `_max_tokens_`."""
    parts = _GAP.split(_HUMP.sub("_", word).casefold())
    return f"_{'_'.join(filter(None, parts))}_"


# ---- why a call failed

# Waiting does not change these, whatever the text says: key, money, address; or it does (429).
_OTHER_STATUSES = frozenset({401, 402, 404, 405, 408, 425, 429})
_REFUSING_CODES = _any(
    "content_?filter|content_?(management_?)?policy|content_?moderat|content_?(risk|security|safety|block)",
    "responsible_?ai|moderation|safety_?(error|violation|block|check|filter|system)|_safety_|unsafe",
    "guard_?rail|flagged|sensitive|prohibited|block_?list|jailbreak|harmful|toxic|recitation|censor",
    "inappropriate|(prompt|input|output)_?(block|reject|refus|filter)|polic(y|ies)_?violat|violat.*polic",
    "usage_?polic|data_?inspection|infringement|^_(1301|1026|1027)_$",
)
_REFUSING_WORDS = _any(
    r"content[ _-]?(?:management |safety |moderation )?(?:filter|polic|moderat)|moderat(?:ion|ed)",
    r"(?:usage|safety|acceptable[ -]use|responsible ai|prohibited use) polic|recitation|content risk",
    r"\bflagged\b|\bsafety (?:system|filter|reason|check|concern|guideline)|\bunsafe\b|\bharmful\b",
    r"sensitive (?:content|information|word|data|material|topic)|new_sensitive|considered high risk",
    r"inappropriate|prohibited content|guardrail|jailbreak|\btoxic",
    r"blocked by (?:the |our )?(?:content|safety|prompt)",
    r"(?:prompt|input|content|completion) (?:was|is|were|has been) (?:blocked|filtered|refused)",
    r"violat\w* (?:\w+ ){0,4}(?:polic|guideline|terms|rules)|敏感|违规|不安全|審核|审核|涉黄|不合规",
)
# A filter that has no setting of this name, or an account that is locked, refuses no prompt.
_ABOUT_THE_CALLER = _any(
    r"(?:account|organi[sz]ation|api[ _-]?key|subscription|project|country|region|territory|ip address)\b"
    r".{0,60}\b(?:flagged|suspend|disabled|deactivated|block|banned|terminat|violat|not supported)",
    r"(?:unknown|unrecogni[sz]ed|unsupported|unexpected|extra) (?:\w+ )?(?:parameter|argument|field|input)",
    r"invalid (?:value|type) for|not a valid parameter|extra inputs are not",
)
_OVERFLOW_CODES = _any(
    "context_?(length|window|size|limit)|exceed_?context|context_?overflow|string_too_long",
    "(prompt|input|message|request)s?_?(is_?|are_?)?(tokens_?)?(too_?(long|large)|length_exceed)",
    "max_?prompt_?tokens|tokens?_?limits?_?(reached|exceeded)|too_many_(input_|prompt_)?tokens",
)
_OVERFLOW_WORDS = _any(
    r"context (?:length|window|size|limit)|context the overflows|maximum context|n_ctx\b|上下文",
    r"(?:prompt|input|messages?|request|query|conversation|sequence) (?:\([^)]{0,60}\) )?"
    r"(?:is |are |was |body )?too (?:long|large)|too many (?:input |prompt |total )?tokens",
    r"(?:input|prompt|messages?|inputs?)\W{1,3}(?:tokens?|length|token count)[^.]{0,80}"
    r"(?:exceed|longer than|greater than|larger than|must be|should be|too)",
    r"(?:exceed\w*|above|over|larger than) (?:the |this )?(?:model'?s? )?"
    r"(?:maximum|max|token|allowed|configured)(?: \w+){0,3} (?:tokens?|length|limit)",
    r"prompt exceeds|range of input length|longer than the model|max size: \d+ tokens",
    r"reduce the (?:length|size) of (?:the |your )?(?:messages?|prompt|input)|输入过长|超过.{0,12}长度",
)
_PASSING_WORDS = _any(
    r"provider returned error|model (?:\S+ )?(?:is )?(?:currently |still )?loading|loading (?:the )?model",
    r"(?:is|are) (?:currently )?overloaded|temporarily unavailable|try again (?:later|in)",
    r"upstream (?:error|request failed|connect)|no healthy upstream|server (?:is )?busy",
)


def read_failure(http_status: int, body: object) -> Failure | None:
    """Read what a failed call's body says of this prompt, None where it says nothing of the kind.

    `http_status` is 200 where a body of that status holds an error in place of a reply.
    """
    if http_status in _OTHER_STATUSES:
        return None
    names, texts = _collect(body)
    if http_status < 500 and _refuses(body, names, texts):
        return "refused"
    is_limit_of_rate = any("rate_limit" in name for name in names)
    if not is_limit_of_rate and (
        http_status == 413
        or any(map(_OVERFLOW_CODES.search, names))
        or any(map(_OVERFLOW_WORDS.search, texts))
    ):
        return "overflow"
    return "passing" if any(map(_PASSING_WORDS.search, texts)) else None


def _refuses(body: object, names: list[str], texts: list[str]) -> bool:
    if any(map(_REFUSING_CODES.search, names)) or _holds_verdict(body):
        return True
    text = " ".join(texts)
    return bool(_REFUSING_WORDS.search(text)) and not _ABOUT_THE_CALLER.search(text)


def _holds_verdict(value: object, depth: int = _MAX_DEPTH) -> bool:
    """Whether a filter's result stands somewhere in a body: `filtered: true`, or why a prompt is blocked."""
    if isinstance(value, list) and depth:
        return any(_holds_verdict(child, depth - 1) for child in value[:20])
    if not isinstance(value, Mapping) or not depth:
        return False
    for name, inner in list(value.items())[:50]:
        form = normalize(str(name)[:80])
        if form in ("_filtered_", "_flagged_") and inner is True:
            return True
        if form in ("_flagged_input_", "_block_reason_") and isinstance(inner, str) and inner:
            return True
        if _holds_verdict(inner, depth - 1):
            return True
    return False


_CODE_NAMES = ("code", "type", "status", "reason", "error_code", "err_code", "status_code")
_TEXT_NAMES = ("message", "msg", "detail", "error", "status_msg", "error_msg", "raw", "error_message")
_INNER_NAMES = (
    *("error", "innererror", "inner_error", "details", "detail", "metadata", "base_resp", "errors"),
    *("provider_specific_fields", "message"),
)


# ---- how long a reply may be at most
_OUTPUT_LIMITS = _any(
    r"at most (?P<a>\d+) (?:completion|output) tokens",
    r"max_(?:completion_|output_|new_)?tokens\b[^\[]{0,60}\[ ?\d+ ?, ?(?P<b>\d+) ?\]",
    r"max_(?:completion_|output_|new_)?tokens\W{1,3}\d+ > (?P<c>\d+)",
    r"max_(?:completion_|output_|new_)?tokens\b.{0,60}?(?:less than or equal to|<=|at most|cannot exceed|"
    r"maximum(?: value| allowed)? (?:is|of))\W{0,3}(?P<d>\d+)",
)
_CONTEXT = _any(r"context (?:length|window|size)(?: is| of)? (?P<a>\d+)|must be <= (?P<b>\d+)\W+Given")
_PROMPT = _any(
    r"(?P<a>\d+) (?:(?:input|prompt) tokens|in the messages|`inputs` tokens)",
    r"(?P<b>\d+) tokens (?:from|in|of) the (?:input|prompt|messages)",
)


def read_output_limit(http_status: int, body: object) -> tuple[int, bool] | None:
    """Read how many tokens a reply may have at most where an error says that the limit sent is too high.

    And whether that is the model's own limit, or what its context leaves beside this prompt. None: it is
    another error.
    """
    if http_status not in (400, 422):
        return None
    text = re.sub(r"(?<=\d),(?=\d{3})", "", " ".join(_collect(body)[1]))
    context, prompt = _find_number(_CONTEXT, text), _find_number(_PROMPT, text)
    if context is not None and prompt is not None:
        return (context - prompt, False) if context > prompt else None
    limit = _find_number(_OUTPUT_LIMITS, text)
    return None if not limit else (limit, True)


def _find_number(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    return None if match is None else next(int(digits[:12]) for digits in match.groups() if digits)


def _collect(body: object) -> tuple[list[str], list[str]]:
    """The codes of an error, each in its normal form, and what it says in words."""
    names: list[str] = []
    texts: list[str] = []
    for name, value in _walk(body, _MAX_DEPTH):
        if name in _CODE_NAMES:
            names.append(normalize(str(value)[:200]))
        else:
            texts.append(value[:_MAX_CHARS] if isinstance(value, str) else "")
    return names, list(filter(None, texts))


def _walk(value: object, depth: int) -> Iterator[tuple[str, Any]]:
    """The codes and the texts of an error object, and of those within it."""
    if not depth:
        return
    if isinstance(value, str):
        yield "message", value
    elif isinstance(value, list):
        for child in value[:20]:
            yield from _walk(child, depth - 1)
    elif isinstance(value, Mapping):
        for name in _CODE_NAMES:
            if isinstance(value.get(name), str | int):
                yield name, value[name]
        for name in _TEXT_NAMES:
            text = value.get(name)
            if isinstance(text, str):
                yield "message", text
                yield from _walk(_parse(text), depth - 1)
        for name in _INNER_NAMES:
            if isinstance(value.get(name), dict | list):
                yield from _walk(value[name], depth - 1)


def _parse(text: str) -> object:
    """The error that a gateway passes on as text, None where the text is no JSON."""
    start = text[:_MAX_CHARS].find("{")
    if start < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(text[:_MAX_CHARS], start)[0]
    except (ValueError, RecursionError):
        return None


def is_same_model(asked: str, served: str) -> bool:
    """Whether a server reports the name of the model asked, up to a folder, a date or a format."""
    asked_parts, served_parts = (
        [part for part in _PARTS.findall(name.casefold()) if part != "latest"] for name in (asked, served)
    )
    shorter, longer = sorted((asked_parts, served_parts), key=len)
    starts = (start for start in range(len(longer) - len(shorter) + 1))
    return any(
        longer[start : start + len(shorter)] == shorter
        and all(map(_VERSION.fullmatch, longer[start + len(shorter) :]))
        and (start == 0 or "/" in max(asked, served, key=len))
        for start in starts
    )
