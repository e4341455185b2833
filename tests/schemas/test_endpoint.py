import pytest

from perennial.schemas.model_calls import DEFAULT_BASE_URL, choose_endpoint

GATEWAY = "https://gateway.example/v1"
OTHER = "https://other.example/v1"
OWN, OPENAI, URL = "PERENNIAL_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"


@pytest.mark.parametrize(
    ("base_url", "environment", "url", "key_from", "withheld"),
    [
        ("", {}, DEFAULT_BASE_URL, None, None),
        ("", {OPENAI: "o"}, DEFAULT_BASE_URL, OPENAI, None),
        ("", {OPENAI: "o", URL: ""}, DEFAULT_BASE_URL, OPENAI, None),
        ("", {OPENAI: "o", URL: GATEWAY + "/ "}, GATEWAY, OPENAI, None),
        ("", {URL: GATEWAY}, GATEWAY, None, None),
        ("", {OWN: "p", OPENAI: "o", URL: GATEWAY}, GATEWAY, OWN, None),
        ("", {OWN: "p"}, DEFAULT_BASE_URL, OWN, None),
        (OTHER, {OPENAI: "o"}, OTHER, None, OPENAI),
        (OTHER, {OPENAI: "o", URL: GATEWAY}, OTHER, None, OPENAI),
        (OTHER, {OWN: "p", OPENAI: "o", URL: GATEWAY}, OTHER, OWN, None),
        (GATEWAY, {OPENAI: "o", URL: GATEWAY}, GATEWAY, OPENAI, None),
        ("https://gateway.example:443/v2", {OPENAI: "o", URL: GATEWAY}, None, OPENAI, None),
        ("http://gateway.example/v1", {OPENAI: "o", URL: GATEWAY}, None, None, OPENAI),
        ("https://gateway.example:8443/v1", {OPENAI: "o", URL: GATEWAY}, None, None, OPENAI),
        (DEFAULT_BASE_URL, {OPENAI: "o"}, DEFAULT_BASE_URL, OPENAI, None),
        (DEFAULT_BASE_URL, {OPENAI: "o", URL: GATEWAY}, DEFAULT_BASE_URL, None, OPENAI),
    ],
)
def test_a_key_goes_to_the_host_that_it_belongs_to_and_no_other(
    base_url, environment, url, key_from, withheld
):
    endpoint = choose_endpoint(base_url, environment)
    assert endpoint.base_url == (url or base_url)
    assert (endpoint.key_from, endpoint.withheld) == (key_from, withheld)
    assert endpoint.key == environment.get(key_from or "", "")


def test_what_is_shown_of_an_endpoint_names_the_variable_and_not_the_key():
    given = choose_endpoint("", {OPENAI: "sk-secret", URL: GATEWAY})
    assert given.describe() == f"{GATEWAY} (OPENAI_BASE_URL, with OPENAI_API_KEY)"
    withheld = choose_endpoint(OTHER, {OPENAI: "sk-secret"})
    assert withheld.describe() == f"{OTHER} (base_url, without a key; OPENAI_API_KEY belongs to another host)"
    assert "sk-secret" not in repr(given) + repr(withheld)
