"""Where pages are served, whether others than this machine may be let in, and what this process serves."""

import errno
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from perennial.schemas.errors import InvalidOption
from perennial.tasks.llm.endpoint import bracket_host, is_loopback

DEFAULT_PORT = 8501

# Names by which a browser on this machine asks for a page: a website that rebinds its own name has another.
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]", "::1")

# `create_server` passes on the resolver's numbers in an OSError: names without an address have these.
_NO_ADDRESS_HERE = (errno.EADDRNOTAVAIL, socket.EAI_NONAME, socket.EAI_AGAIN, socket.EAI_FAIL)


@dataclass(frozen=True, slots=True)
class Address:
    """Host and port, and the files of the certificate and its key where this server ends TLS itself."""

    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False

    @property
    def is_local(self) -> bool:
        """Whether it is reached from this machine alone."""
        return is_loopback(urlsplit(f"//{bracket_host(self.host)}"))

    @property
    def names(self) -> tuple[str, ...] | None:
        """The hosts under which it is asked for; None where the operator lets others in, under any name."""
        return (*LOOPBACK_NAMES, self.host) if self.is_local and not self.behind_proxy else None

    def url(self, port: int) -> str:
        """Return the URL of the pages at the port that was opened."""
        scheme = "http" if self.certificate is None else "https"
        return f"{scheme}://{bracket_host(self.host)}:{port}"


def check_address(address: Address) -> None:
    """Raise InvalidOption for an address that lets others in without TLS, or for files that are no TLS."""
    if (address.certificate is None) != (address.key is None):
        raise InvalidOption("--tls-cert and --tls-key belong together: give both, or neither")
    if address.certificate is None and not address.is_local and not address.behind_proxy:
        raise InvalidOption(
            f"--host {address.host}: other machines would read everything without TLS; give --tls-cert FILE "
            "and --tls-key FILE, or --behind-proxy where a proxy in front ends TLS, or leave --host out"
        )
    if address.certificate is not None:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(address.certificate, address.key)
        except (OSError, ValueError) as error:
            raise InvalidOption(
                f"--tls-cert {address.certificate}, --tls-key {address.key}: no certificate with its key in "
                f"PEM ({getattr(error, 'strerror', None) or error}): give the files that a browser's "
                "certificate authority, or `openssl req -x509`, made"
            ) from None


def open_port(address: Address) -> socket.socket:
    """Return a socket that listens there; raise InvalidOption where that is not possible."""
    try:
        return socket.create_server(
            (address.host, address.port), family=socket.AF_INET6 if ":" in address.host else socket.AF_INET
        )
    except OSError as error:
        if error.errno in _NO_ADDRESS_HERE:
            raise InvalidOption(
                f"--host {address.host}: no address of this machine ({error.strerror or error}); give "
                "one that it has, such as 127.0.0.1"
            ) from None
        raise InvalidOption(
            f"--port {address.port} on {address.host} cannot be used ({error.strerror or error}): choose "
            "another, or --port 0 for any free one"
        ) from None


@dataclass(frozen=True, slots=True)
class Site:
    """What the script of each visit shows: a data root, or in place of the explorer the file of a study."""

    root: str
    study: str | None = None


_served: list[Site] = []


def serve_site(site: Site) -> None:
    """Let every visit from now on see this site."""
    _served[:] = [site]


def served_site() -> Site:
    """Return the site that this process serves."""
    return _served[0]
