"""All that `perennial doctor` looks at, in order. Nothing is changed, and Prefect is never imported."""

import asyncio
import os
import platform
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution, distributions, version
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch
from urllib.parse import urlsplit

from perennial.flows.benchmark import find_benchmark
from perennial.flows.doctor.root import (
    UNREADABLE,
    WRITABLE,
    Check,
    Look,
    can_be_made,
    check_format,
    check_root,
    edition_looks,
    fail,
    fail_by,
    has_our_format,
    is_missing,
    is_readable,
    root_looks,
    warn,
)
from perennial.flows.serve.prefect_environment import configure_prefect, prefect_home
from perennial.schemas.errors import EndpointFailed, PerennialError
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.tasks.llm.endpoint import check_key, check_url, is_loopback, strip_url
from perennial.tasks.llm.listing import ask_for_models, listed_models
from perennial.tasks.play import models_of
from perennial.tasks.sandbox.tier import find_protection
from perennial.warehouse.ledger.ledger import without_credentials
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import httpx2
    from packaging.requirements import Requirement


# A look at the model endpoint: does it answer, take the key, and know the models that are configured?

_ENDPOINT_TIMEOUT_S = 10.0
_KEY = (
    "set PERENNIAL_API_KEY to a key of this endpoint (OPENAI_API_KEY goes to the host of OPENAI_BASE_URL, "
    "or to OpenAI's, alone), or name another one (base_url)"
)
_REACH = (
    "start the server, or correct base_url (PERENNIAL_BASE_URL, or base_url in perennial.toml) or "
    "OPENAI_BASE_URL"
)


def _check_endpoint(settings: RefreshSettings) -> str | Check:
    models = _models(settings)
    endpoint = settings.endpoint()
    if not models and endpoint.url_from == "default":
        return "not configured: no model is named"
    policy = CallPolicy(endpoint.base_url, concurrency=1, timeout_s=_ENDPOINT_TIMEOUT_S)
    address = strip_url(check_url(policy.base_url))
    key = check_key(endpoint.key)
    verdict = _judge(address, key, asyncio.run(ask_for_models(policy, key)), models)
    sources = f" ({endpoint.describe_sources()})"
    return verdict + sources if isinstance(verdict, str) else replace(verdict, seen=verdict.seen + sources)


def _judge(address: str, key: str, answer: "httpx2.Response | str", models: list[str]) -> str | Check:
    if isinstance(answer, str):
        return fail(f"{address} is not reached: {answer}", _REACH, EndpointFailed.exit_code)
    status = f"(HTTP {answer.status_code})"
    if answer.status_code in (401, 403):
        problem = "refuses the key" if key else "asks for a key, and none is set"
        return fail(f"{address} {problem} {status}", _KEY, EndpointFailed.exit_code)
    if answer.status_code >= 500:
        remedy = "try again later, or look at that server"
        return fail(f"{address} answers with an error {status}", remedy, EndpointFailed.exit_code)
    listed = listed_models(answer)
    if listed is None:
        remedy = "check that base_url ends as the server wants it, often in /v1"
        return warn(f"{address} answers and lists no models {status}", remedy)
    unlisted = [model for model in models if model not in listed]
    if unlisted:
        remedy = "correct the model's name, if the server does not know it unlisted"
        return warn(f"{address} answers and does not list {', '.join(unlisted)}", remedy)
    return f"{address} answers and lists {len(listed):,} model{'' if len(listed) == 1 else 's'}"


def _models(settings: RefreshSettings) -> list[str]:
    benchmark = find_benchmark(settings.benchmark)
    players = [name for name in settings.players if name not in benchmark.aliases]
    named = [*settings.author_models(), *models_of(players, benchmark)]
    return list(dict.fromkeys(name for name in named if name))


# Looks at the machine: the versions that are installed, the sandbox, and Prefect.

_DISTRIBUTION = "perennial-bench"
_TIMEOUT_S = 5.0

_INSTALL = "install perennial again, in an environment of its own: `pip install -e .` in its clone"
_PREFECT = "start that server, or unset PREFECT_API_URL: each refresh then starts one of its own"
_SANDBOX = (
    "run on Linux with seccomp, best with bubblewrap installed (program `bwrap`); until then set "
    "accept_weak_sandbox only for code that you trust"
)
_EMBEDDED = "see why it does not start with `prefect server start`"


def machine_looks(settings: RefreshSettings, *, deep: bool) -> Iterator[Look]:
    """Looks at versions, sandbox and Prefect; `deep` starts a server if none is named."""
    yield Look("versions", _INSTALL, _versions)
    yield Look("sandbox", _SANDBOX, _sandbox)
    url = os.environ.get("PREFECT_API_URL", "")
    if url:
        yield Look("prefect", _PREFECT, partial(_check_named_server, url))
    elif deep:
        yield Look("prefect", _EMBEDDED, _start_server)
    else:
        yield Look("prefect", _EMBEDDED, partial(_embedded_home, prefect_home(settings.root)))


def _versions() -> str | Check:
    from packaging.requirements import Requirement

    try:
        installed = distribution(_DISTRIBUTION)
    except PackageNotFoundError:
        return warn("perennial runs from its folder and is not installed", _INSTALL)
    python = platform.python_version()
    required = [Requirement(line) for line in installed.requires or []]
    direct = [need for need in required if need.marker is None or need.marker.evaluate({"extra": ""})]
    wrong = [f"{need} is required, {other} is installed" for need in direct if (other := _find_misfit(need))]
    if not Requirement(f"python{installed.metadata['Requires-Python'] or ''}").specifier.contains(
        python, True
    ):
        wrong.insert(0, f"Python {installed.metadata['Requires-Python']} is required, {python} runs")
    wrong += [f"package {name!r} installs a module `perennial` too" for name in sorted(_find_rivals())]
    if wrong:
        return fail_by(wrong, _INSTALL, PerennialError.exit_code)
    return (
        f"Python {python}, perennial {installed.version}, Prefect {version('prefect')}, "
        f"and all {len(direct)} dependencies as required"
    )


def _find_rivals() -> set[str]:
    """Find other packages that bring a module `perennial`."""
    # `packages_distributions` would make a path of each file of each package: half a second.
    listed = re.compile(r"^perennial($|(/.*)?\.py)", re.MULTILINE)
    lists = ((package, name) for package in distributions() for name in ("top_level.txt", "RECORD"))
    bringing = {package.name for package, name in lists if listed.search(package.read_text(name) or "")}
    return bringing - {_DISTRIBUTION}


def _sandbox() -> str | Check:
    """Look at what holds code that a model wrote: found by trying it."""
    protection = find_protection()
    seen = f"tier {protection.tier} ({'; '.join(protection.findings)})"
    if protection.tier == "none":
        return warn(
            f"{seen}: nothing protects this machine from code that a model or a file wrote, so that it "
            "is refused unless accept_weak_sandbox is set",
            _SANDBOX,
        )
    return f"{seen}: code that a model or a file wrote is run"


def _find_misfit(required: "Requirement") -> str:
    """The installed version of a dependency that does not fit; "" if it fits."""
    try:
        installed = version(required.name)
    except PackageNotFoundError:
        return "none"
    return "" if required.specifier.contains(installed, prereleases=True) else installed


def _check_named_server(url: str) -> str | Check:
    """Look at the server of PREFECT_API_URL, which a user name or a key may be needed for."""
    import httpx

    address = without_credentials(url)
    key, pair = os.environ.get("PREFECT_API_KEY"), os.environ.get("PREFECT_API_AUTH_STRING")
    user, _, password = (pair or "").partition(":")
    with httpx.Client(
        headers={"Authorization": f"Bearer {key}"} if key else None,
        auth=(user, password) if pair and not key else None,
        timeout=_TIMEOUT_S,
        trust_env=not is_loopback(urlsplit(url)),
    ) as client:
        try:
            client.get(f"{url.rstrip('/')}/health").raise_for_status()
            running = str(client.get(f"{url.rstrip('/')}/admin/version").raise_for_status().json())
        except httpx.HTTPStatusError as error:
            raise PerennialError(f"{address} answers with {error.response.status_code}") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise PerennialError(f"{address} does not answer as Prefect does ({error})") from None
    installed = version("prefect")
    if running.split(".")[:2] != installed.split(".")[:2]:
        seen = f"{address} answers, Prefect {running}, and {installed} is installed here"
        remedy = (
            f"run the same version on both sides: `pip install prefect=={running}` here, or update the server"
        )
        return warn(seen, remedy)
    return f"{address} answers, Prefect {running}"


def _embedded_home(home: Path) -> str | Check:
    if can_be_made(home):
        return f"each refresh starts a server of its own, in {home}"
    remedy = "make that folder writable, or start `prefect server start` elsewhere and set PREFECT_API_URL"
    return fail(f"{home} cannot be made or written", remedy, UNREADABLE)


def _start_server() -> str:
    """Start an embedded server in a folder of its own, and end it again."""
    from perennial.flows.serve.embedded_server import EmbeddedServer

    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="perennial-") as folder, patch.dict(os.environ):
        home = prefect_home(folder)
        os.environ.pop("PREFECT_HOME", None)
        configure_prefect(folder, verbose=False)
        with EmbeddedServer(home) as server:
            server.wait_ready()
            seconds = time.monotonic() - begun
    return f"an embedded server started within {seconds:.0f} s and was ended again"


def looks(settings: RefreshSettings, *, deep: bool, is_named: bool) -> Iterator[Look]:
    """Every look at the machine and at the data root that these settings name.

    `deep` starts an embedded Prefect server, in a folder of its own, where the environment names none.
    `is_named`: somebody named the root. One that does not exist comes first.
    """
    store = Store(settings.root)
    root_look = Look("root", WRITABLE, partial(check_root, store, is_named=is_named))
    if is_first := is_missing(store):
        yield root_look
    yield from machine_looks(settings, deep=deep)
    yield Look("endpoint", _KEY, partial(_check_endpoint, settings))
    if not is_first:
        yield root_look
    if not is_readable(store):
        return
    yield Look("format", "", partial(check_format, store))
    if has_our_format(store):
        yield from root_looks(store)
        yield from edition_looks(store)
