"""A proxy of the environment stands between no process of a run and the embedded server."""

import os
import urllib.request
from pathlib import Path

import pytest

from perennial.flows.serve.prefect_environment import bypass_proxies
from tests.flows.prefect_harness import ONE_WORKER, Harness, clean_environment

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


@pytest.mark.slow
def test_a_refresh_works_behind_a_proxy(tmp_path: Path) -> None:
    proxies = {"http_proxy": NOWHERE, "NO_PROXY": "corp.example", "ALL_PROXY": "socks5://127.0.0.1:9"}
    alone = Harness({**clean_environment(), **ONE_WORKER, **proxies})
    arguments = ("refresh", "--root", "data", "--size", "tiny", "--players", "optimum")
    done = alone.perennial(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
