"""This machine is reached without a proxy; `test_root_in_peril` refreshes where the environment names one."""

import os
import urllib.request

import pytest

from perennial.flows.serve.prefect_environment import bypass_proxies

NOWHERE = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("lower", "upper", "merged"),
    [
        (None, None, "127.0.0.1,localhost,::1"),
        ("corp.example, 10.0.0.1", None, "corp.example,10.0.0.1,127.0.0.1,localhost,::1"),
        ("a.example", "b.example,localhost", "a.example,b.example,localhost,127.0.0.1,::1"),
    ],
)
def test_this_machine_is_added_to_what_no_proxy_names(
    lower: str | None, upper: str | None, merged: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("no_proxy", lower), ("NO_PROXY", upper)):
        monkeypatch.setenv(name, value or "")
    monkeypatch.setenv("http_proxy", NOWHERE)
    bypass_proxies()
    bypass_proxies()
    assert os.environ["no_proxy"] == os.environ["NO_PROXY"] == merged
    assert urllib.request.proxy_bypass("127.0.0.1:4200")
    assert not urllib.request.proxy_bypass("api.example:443")
