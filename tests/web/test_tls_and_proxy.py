"""`perennial web` with a certificate of its own, and behind a proxy that ends TLS, over real connections."""

import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from base64 import b64encode
from pathlib import Path

import pytest

from tests.web.test_server import served

pytestmark = pytest.mark.slow

NAME = "perennial.example.org"


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate of this machine that nobody else has signed, and its key."""
    files = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost")
    subprocess.run(
        ["openssl", *made, "-addext", "subjectAltName=IP:127.0.0.1", "-out", files[0], "-keyout", files[1]],
        check=True,
        capture_output=True,
    )
    return files


def _open_socket(url: str) -> int:
    """Return the status of a page's request for its WebSocket, passed on under the proxy's name."""
    host, _, port = url.removeprefix("http://").partition(":")
    lines = (
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {NAME}",
        f"Origin: https://{NAME}",
        "X-Forwarded-Proto: https",
        "X-Forwarded-For: 203.0.113.9",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {b64encode(bytes(16)).decode()}",
    )
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall("\r\n".join((*lines, "", "")).encode())
        return int(connection.makefile("rb").readline().split()[1])


def test_with_a_certificate_the_pages_are_served_by_tls_alone(
    tmp_path: Path, certificate: tuple[Path, Path]
) -> None:
    cert, key = map(str, certificate)
    with served("--root", str(tmp_path), "--tls-cert", cert, "--tls-key", key) as (_, url):
        assert url.startswith("https://")
        trusting = ssl.create_default_context(cafile=cert)
        with urllib.request.urlopen(url, context=trusting, timeout=30) as reply:
            assert reply.status == 200
            assert "default-src 'self'" in reply.headers["Content-Security-Policy"]
        with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
            urllib.request.urlopen(url, timeout=30)
        with pytest.raises((OSError, urllib.error.URLError)):
            urllib.request.urlopen(url.replace("https:", "http:"), timeout=30)


def test_behind_a_proxy_a_page_of_its_name_is_served(tmp_path: Path) -> None:
    with served("--root", str(tmp_path), "--behind-proxy") as (_, url):
        assert _open_socket(url) == 101
