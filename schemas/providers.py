"""Who serves a model, by the address of its server."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Provider:
    """A public service: its name among Inspect's providers, and among those of genai-prices."""

    name: str
    price_list: str


# By exact host: a name that only resembles one of these is another server.
_PROVIDERS = {
    "api.openai.com": Provider("openai", "openai"),
    "api.anthropic.com": Provider("anthropic", "anthropic"),
    "generativelanguage.googleapis.com": Provider("google", "google"),
    "api.x.ai": Provider("grok", "x-ai"),
    "api.mistral.ai": Provider("mistral", "mistral"),
    "api.deepseek.com": Provider("deepseek", "deepseek"),
    "api.perplexity.ai": Provider("perplexity", "perplexity"),
    "api.groq.com": Provider("groq", "groq"),
    "api.together.xyz": Provider("together", "together"),
    "api.fireworks.ai": Provider("fireworks", "fireworks"),
    "openrouter.ai": Provider("openrouter", "openrouter"),
}


def find_provider(base_url: str) -> Provider | None:
    """The service at this address, None for any other server: one of your own has no price and no maker."""
    parts = urlsplit(base_url)
    if parts.scheme != "https" or parts.port not in (None, 443) or "@" in parts.netloc:
        return None
    return _PROVIDERS.get(parts.hostname or "")


def name_for_inspect(base_url: str, model: str) -> str:
    """The model's name among Inspect's models: with its provider, or the host of another server."""
    provider = find_provider(base_url)
    prefix = provider.name if provider else f"openai-api/{urlsplit(base_url).hostname}"
    return f"{prefix}/{model}"


def is_local(base_url: str) -> bool:
    """Whether the server is on this machine or in a private network."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return host == "localhost"
