"""Looks at the machine: the versions that are installed, and Prefect."""

import os
import platform
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

from flows.doctor.check import UNREADABLE, Check, Look, fail, fail_by, warn
from flows.doctor.root import can_be_made
from flows.serve.prefect_environment import configure_prefect, prefect_home
from schemas.errors import PerennialError
from schemas.settings import RefreshSettings
from tasks.llm.endpoint import is_loopback
from warehouse.ledger.ledger import without_credentials

_DISTRIBUTION = "perennial-bench"
_TIMEOUT_S = 5.0

_INSTALL = "install perennial again, in an environment of its own: `pip install perennial-bench`"
_PREFECT = "start that server, or unset PREFECT_API_URL: each refresh then starts one of its own"
_EMBEDDED = "see why it does not start with `prefect server start`"


def machine_looks(settings: RefreshSettings, *, deep: bool) -> Iterator[Look]:
    """Yield the looks at versions and Prefect; `deep` starts an embedded server where none is named."""
    yield Look("versions", _INSTALL, _versions)
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
    required = [Requirement(line) for line in installed.requires or []]
    direct = [one for one in required if one.marker is None or one.marker.evaluate({"extra": ""})]
    wrong = [told for one in direct if (told := _wrong_version(one.name, str(one.specifier)))]
    python = installed.metadata["Requires-Python"] or ""
    if not _fits(platform.python_version(), python):
        wrong.insert(0, f"Python {platform.python_version()} runs, required is {python}")
    if wrong:
        return fail_by(wrong, _INSTALL, PerennialError.exit_code)
    return (
        f"Python {platform.python_version()}, perennial {installed.version}, Prefect {version('prefect')}, "
        f"and all {len(direct)} dependencies as required"
    )


def _wrong_version(name: str, specifier: str) -> str:
    """Return what is wrong with the installed version of a dependency, "" where nothing is."""
    try:
        found = version(name)
    except PackageNotFoundError:
        return f"{name} is not installed, required is {specifier or 'any version'}"
    return "" if _fits(found, specifier) else f"{name} {found} is installed, required is {specifier}"


def _fits(found: str, specifier: str) -> bool:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(specifier).contains(found, prereleases=True)


def _check_named_server(url: str) -> str | Check:
    """Look at the server of PREFECT_API_URL, which a user name or a key may be needed for."""
    import httpx

    shown = without_credentials(url)
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
            found = str(client.get(f"{url.rstrip('/')}/admin/version").raise_for_status().json())
        except httpx.HTTPStatusError as error:
            raise PerennialError(f"{shown} answers with {error.response.status_code}") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise PerennialError(f"{shown} does not answer as Prefect does ({error})") from None
    installed = version("prefect")
    if found.split(".")[:2] != installed.split(".")[:2]:
        seen = f"{shown} answers, Prefect {found}, and {installed} is installed here"
        remedy = (
            f"run the same version on both sides: `pip install prefect=={found}` here, or update the server"
        )
        return warn(seen, remedy)
    return f"{shown} answers, Prefect {found}"


def _embedded_home(home: Path) -> str | Check:
    if can_be_made(home):
        return f"each refresh starts a server of its own, in {home}"
    remedy = "make that folder writable, or start `prefect server start` elsewhere and set PREFECT_API_URL"
    return fail(f"{home} cannot be made or written", remedy, UNREADABLE)


def _start_server() -> str:
    """Start an embedded server in a folder of its own, and end it again."""
    from flows.serve.embedded_server import EmbeddedServer

    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="perennial-") as folder, patch.dict(os.environ):
        home = prefect_home(folder)
        os.environ.pop("PREFECT_HOME", None)
        configure_prefect(folder, verbose=False)
        with EmbeddedServer(home) as server:
            server.wait_ready()
            seconds = time.monotonic() - begun
    return f"an embedded server started within {seconds:.0f} s and was ended again"
