"""`perennial report --explorer`: a URL of a web server, or one line."""

import pytest

from perennial.flows.cli.look.report import check_explorer
from perennial.schemas.errors import InvalidOption


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "127.0.0.1:8501", "http://", "file:///etc/passwd", "http://[x"]
)
def test_what_is_no_address_of_a_web_server_is_refused(url: str) -> None:
    with pytest.raises(InvalidOption, match="--explorer"):
        check_explorer(url)


def test_addresses_of_web_servers_are_accepted() -> None:
    check_explorer("http://127.0.0.1:8501")
    check_explorer("https://example.org/kumo")
