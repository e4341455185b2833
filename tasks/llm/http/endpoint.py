"""The base URL and the key of an endpoint: checked before use, and the URL as it may be shown."""

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from schemas.errors import InvalidOption


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


def check_key(key: str) -> str:
    """Return the key without spaces around it; raise InvalidOption where no request can carry it."""
    key = key.strip()
    if not key.isascii() or not key.isprintable():
        raise InvalidOption(
            "the key has characters that no request can carry: "
            "set PERENNIAL_API_KEY or OPENAI_API_KEY to the key alone, on one line"
        )
    return key
