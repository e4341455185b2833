"""The base URL and the key of an endpoint: checked before use, and the URL as it may be shown."""

import re
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from perennial.schemas.errors import InvalidOption
from perennial.schemas.model_calls.endpoint import find_misplaced_path

_QUOTES = ('"', "'", "`")
_SCHEME = re.compile(r"(?:bearer|basic|token)\s*[: ]|authorization\s*:", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"(?:export +)?[A-Z][A-Z0-9_]*=.")


def check_url(base_url: str) -> SplitResult:
    """Return the base URL in its parts; raise InvalidOption where no request can be sent to it as it is."""
    try:
        url = urlsplit(base_url.strip())
        valid = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise InvalidOption(
            "the base URL (base_url, else OPENAI_BASE_URL) is not one that can be asked: "
            "give it as http://host:port/v1 or https://host/v1"
        )
    if url.username or url.password or url.query:
        raise InvalidOption(
            "the base URL (base_url, else OPENAI_BASE_URL) holds a user, a password or a query, "
            "which would be shown and stored: "
            "give it without, and set PERENNIAL_API_KEY or OPENAI_API_KEY"
        )
    misplaced = find_misplaced_path(url.path)
    if misplaced:
        raise InvalidOption(
            f"the base URL (base_url, else OPENAI_BASE_URL) ends in {misplaced}, which each request adds: "
            "give it without, such as http://host:port/v1"
        )
    return url


def strip_url(url: SplitResult) -> str:
    """Return the URL without a trailing slash."""
    port = "" if url.port is None else f":{url.port}"
    return f"{url.scheme}://{bracket_host(url.hostname or '')}{port}{url.path.rstrip('/')}"


def bracket_host(host: str) -> str:
    """Return the host as a URL shows it: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def is_loopback(url: SplitResult) -> bool:
    """Whether the URL names this machine."""
    host = url.hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def check_key(key: str, variable: str = "") -> str:
    """Return the key without spaces around it; raise InvalidOption where no server can know it.

    `variable` is the environment variable that holds it, "" for PERENNIAL_API_KEY or OPENAI_API_KEY.
    """
    key = key.strip()
    fault = _find_fault(key)
    if fault:
        raise InvalidOption(
            f"the key {fault}: set {variable or 'PERENNIAL_API_KEY or OPENAI_API_KEY'} to the key alone, "
            "on one line"
        )
    return key


def _find_fault(key: str) -> str:
    if not key.isascii() or not key.isprintable():
        return "has characters that no request can carry"
    if key[:1] in _QUOTES or key[-1:] in _QUOTES:
        return "has quotes around it, which belong to the shell"
    if _SCHEME.match(key):
        return "begins with the word that each request puts before it"
    if _ASSIGNMENT.match(key):
        return "begins with the name of a variable"
    return "has a space in it" if " " in key else ""
