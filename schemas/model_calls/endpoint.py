"""Which server is asked and which key it gets: a key goes to no other host than the one that it belongs to.

`PERENNIAL_API_KEY` belongs to the endpoint that perennial uses, whichever that is. `OPENAI_API_KEY` belongs
to `OPENAI_BASE_URL`, or to OpenAI's own service where that is not set. A model of models.toml with a server
of its own gets the key of the variable that it names, and no other.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_OWN_KEY, _OPENAI_KEY, _OPENAI_URL = "PERENNIAL_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"
# Of single requests: a base URL holds none of them.
_REQUEST_PATHS = ("/chat/completions", "/completions", "/responses", "/messages", "/embeddings", "/models")
_VERSION = re.compile(r"/v\d")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and the key that it gets ("" for none), each with the name of where it comes from.

    `withheld` is the variable of a key that is set but belongs to another host. `is_own`: it is another
    server than that of the settings, so that nothing of the environment goes there unnamed.
    """

    base_url: str
    url_from: str
    key: str = field(default="", repr=False)
    key_from: str | None = None
    withheld: str | None = None
    is_own: bool = False

    def describe(self) -> str:
        """Return the endpoint in words, without the key."""
        return f"{self.base_url} ({self.describe_sources()})"

    def describe_sources(self) -> str:
        """Return in words where URL and key come from."""
        key = f"with {self.key_from}" if self.key_from else "without a key"
        other = f"; {self.withheld} belongs to another host" if self.withheld else ""
        return f"{self.url_from}, {key}{other}"


def choose_endpoint(base_url: str, environment: Mapping[str, str]) -> Endpoint:
    """Return the endpoint: `base_url` where it is set, else `OPENAI_BASE_URL`, else OpenAI's own service."""
    of_openai_key = environment.get(_OPENAI_URL, "").strip().rstrip("/")
    url_from = "base_url" if base_url else _OPENAI_URL if of_openai_key else "default"
    url = base_url or of_openai_key or DEFAULT_BASE_URL
    if environment.get(_OWN_KEY):
        return Endpoint(url, url_from, environment[_OWN_KEY], _OWN_KEY)
    if not environment.get(_OPENAI_KEY):
        return Endpoint(url, url_from)
    if _origin(url) != _origin(of_openai_key or DEFAULT_BASE_URL):
        return Endpoint(url, url_from, withheld=_OPENAI_KEY)
    return Endpoint(url, url_from, environment[_OPENAI_KEY], _OPENAI_KEY)


def choose_model_endpoint(
    base_url: str, key_env: str, settings: Endpoint, environment: Mapping[str, str]
) -> Endpoint:
    """Return the server of a model of models.toml that names `base_url` and `key_env` ("" where it does not).

    Without a variable of its own it gets the settings' key, at the settings' host, and none elsewhere. The
    key is "" where the variable that `key_from` names is not set.
    """
    url = base_url or settings.base_url
    url_from = "models.toml" if base_url else settings.url_from
    is_own = _origin(url) != _origin(settings.base_url)
    if key_env:
        return Endpoint(url, url_from, environment.get(key_env, ""), key_env, is_own=is_own)
    if is_own:
        return Endpoint(url, url_from, is_own=True)
    return Endpoint(url, url_from, settings.key, settings.key_from, settings.withheld)


def check_base_url(value: str) -> str:
    """Return a base URL without a closing slash; raise ValueError for what is no HTTP URL or holds a key."""
    if not value:
        return value
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError("expected a URL such as http://127.0.0.1:8000/v1")
    if parts.username or parts.password or parts.query:
        raise ValueError(
            "a URL with a user name, a password or a query: keys come from the environment alone "
            "(PERENNIAL_API_KEY or OPENAI_API_KEY)"
        )
    misplaced = find_misplaced_path(parts.path)
    if misplaced:
        raise ValueError(
            f"a URL that ends in {misplaced}, which each request adds: expected the URL before it, such as "
            "http://127.0.0.1:8000/v1"
        )
    return value.rstrip("/")


def find_misplaced_path(path: str) -> str:
    """Return the address of a single request that a base URL's path ends in, "" where it ends in none."""
    return next((end for end in _REQUEST_PATHS if path.rstrip("/").lower().endswith(end)), "")


def suggest_version(url: str) -> str:
    """Return a hint for a base URL that answers no chat and lacks the /v1 of most servers, else ""."""
    return "" if _VERSION.search(urlsplit(url).path) else f" ({url} has no /v1: try {url}/v1)"


def _origin(url: str) -> tuple[str, str, int | None] | None:
    """Return scheme, host and port of a URL, None where it is none."""
    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return parts.scheme, parts.hostname or "", port
