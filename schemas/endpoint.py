"""Which server is asked and which key it gets: a key goes to no other host than the one that it belongs to.

`PERENNIAL_API_KEY` belongs to the endpoint that perennial uses, whichever that is. `OPENAI_API_KEY` belongs
to `OPENAI_BASE_URL`, or to OpenAI's own service where that is not set.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_OWN_KEY, _OPENAI_KEY, _OPENAI_URL = "PERENNIAL_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and the key that it gets ("" for none), each with the name of where it comes from.

    `withheld` is the variable of a key that is set but belongs to another host.
    """

    base_url: str
    url_from: str
    key: str = field(default="", repr=False)
    key_from: str | None = None
    withheld: str | None = None

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


def _origin(url: str) -> tuple[str, str, int | None] | None:
    """Return scheme, host and port of a URL, None where it is none."""
    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return parts.scheme, parts.hostname or "", port
