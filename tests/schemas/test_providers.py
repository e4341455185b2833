"""Who serves a model, by the address of its server."""

import pytest

from perennial.schemas.providers import name_for_inspect


@pytest.mark.parametrize(
    ("url", "model", "named"),
    [
        ("https://api.openai.com/v1", "gpt-4.1-mini", "openai/gpt-4.1-mini"),
        ("https://API.OpenAI.com:443/v1", "gpt-4.1-mini", "openai/gpt-4.1-mini"),
        ("https://openrouter.ai/api/v1", "qwen/qwen3-8b", "openrouter/qwen/qwen3-8b"),
        ("https://api.openai.com.example.net/v1", "gpt-4.1", "openai-api/api.openai.com.example.net/gpt-4.1"),
        ("http://api.openai.com/v1", "gpt-4.1", "openai-api/api.openai.com/gpt-4.1"),
        ("https://api.openai.com:8443/v1", "gpt-4.1", "openai-api/api.openai.com/gpt-4.1"),
        ("http://127.0.0.1:8000/v1", "qwen3:8b", "openai-api/127.0.0.1/qwen3:8b"),
    ],
)
def test_a_log_names_the_provider_that_served(url: str, model: str, named: str) -> None:
    assert name_for_inspect(url, model) == named
