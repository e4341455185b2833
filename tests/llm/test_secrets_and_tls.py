"""Headers of the environment are never stored or shown; a distrusted certificate says what to set."""

import asyncio
import ssl
import subprocess
from pathlib import Path

import pytest

from perennial.schemas.model_calls import Reply, Spent
from perennial.schemas.settings.model_entry import CallPolicy, ModelEntry
from perennial.tasks.llm.clients import ModelClients
from perennial.tasks.llm.listing import ask_for_models
from tests.llm.http_double import FAST, KEY, MemoryLedger, client, double, fault, ok, request

GATEWAY = "gw-secret-0123456789"
BEARER = "tok-0123456789"
HEADERS = f"X-Gateway: {GATEWAY}\nX-Authorization: Bearer {BEARER}\nX-Title: perennial"


def test_headers_of_the_environment_are_sent_and_redacted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", HEADERS)
    own = "own-0123456789"
    echo = f"you sent {GATEWAY}, {BEARER}, {own} and perennial"
    ledger = MemoryLedger()

    async def run() -> list[Reply]:
        async with double(ok(echo), fault(400, echo)) as server:
            entry = ModelEntry(headers={"X-Own": "${OWN}"}, query={"sig": "${OWN}"})
            policy = CallPolicy(server.url, models={"m": entry})
            environment = {"OPENAI_CUSTOM_HEADERS": HEADERS, "OWN": own, "PERENNIAL_API_KEY": KEY}
            async with ModelClients(policy, environment, ledger, {}, Spent(), FAST) as clients:
                replies = [await clients.ask(request(repeat=n)) for n in range(2)]
            assert {**server.seen[0].headers}["x-gateway"] == GATEWAY
            assert server.seen[0].query == f"sig={own}"
            return replies

    good, bad = asyncio.run(run())
    assert good.content == "you sent [key], [key], [key] and perennial"
    assert bad.error == "HTTP 400: you sent [key], [key], [key] and perennial"
    for secret in (GATEWAY, BEARER, own):
        assert secret not in repr(ledger.stored)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of this machine that nobody has signed, with its key in one file."""
    folder = tmp_path_factory.mktemp("tls")
    made = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost")
    files = (
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        folder / "key.pem",
        "-out",
        folder / "ca.pem",
    )
    subprocess.run(["openssl", *made, *files], check=True, capture_output=True)
    return folder / "ca.pem"


def test_a_distrusted_certificate_names_the_variable_to_set(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, certificate.with_name("key.pem"))

    async def run() -> tuple[Reply, object]:
        async with double(ok(), tls=tls) as server, client(server.url, max_attempts=1) as asker:
            return await asker.ask(request()), await ask_for_models(CallPolicy(server.url), KEY)

    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    reply, listing = asyncio.run(run())
    told = (
        "no connection: the server's certificate is not trusted (self-signed certificate): set SSL_CERT_FILE "
        "to a file with the certificates of its authority"
    )
    assert reply.error == f"{told} (given up after 1 of 1 attempts)"
    assert listing == told
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert asyncio.run(run())[0].status == "ok"
