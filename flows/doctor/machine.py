"""Looks at the machine: the versions that are installed, and Prefect."""

import json
import os
import platform
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPException
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import OpenerDirector, ProxyHandler, Request, build_opener

from flows.doctor.check import (
    UNREADABLE,
    Check,
    Look,
    report_failure,
    report_flaws,
    report_pass,
    report_warning,
)
from flows.doctor.root import first_that_exists
from flows.serve.prefect_environment import configure_prefect, prefect_home
from schemas.settings import RefreshSettings
from tasks.llm.http.endpoint import is_loopback
from warehouse.ledger.ledger import without_credentials

_DISTRIBUTION = "perennial-bench"
_GENERAL = 1
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


def _versions() -> Check:
    from packaging.requirements import Requirement

    try:
        installed = distribution(_DISTRIBUTION)
    except PackageNotFoundError:
        return report_warning("perennial runs from its folder and is not installed", _INSTALL)
    required = [Requirement(line) for line in installed.requires or []]
    direct = [one for one in required if one.marker is None or one.marker.evaluate({"extra": ""})]
    wrong = [told for one in direct if (told := _wrong_version(one.name, str(one.specifier)))]
    python = installed.metadata["Requires-Python"] or ""
    if not _fits(platform.python_version(), python):
        wrong.insert(0, f"Python {platform.python_version()} runs, required is {python}")
    if wrong:
        return report_flaws(wrong, _INSTALL, _GENERAL)
    return report_pass(
        f"Python {platform.python_version()}, perennial {installed.version}, Prefect {version('prefect')}, "
        f"and all {len(direct)} dependencies as required",
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


def _check_named_server(url: str) -> Check:
    """Look at the server of PREFECT_API_URL, which a user name or a key may be needed for."""
    shown = without_credentials(url)
    opener = build_opener(ProxyHandler({})) if is_loopback(urlsplit(url)) else build_opener()
    try:
        _ask_server(opener, f"{url.rstrip('/')}/health")
        found = str(_ask_server(opener, f"{url.rstrip('/')}/admin/version"))
    except HTTPError as error:
        return report_failure(f"{shown} answers with {error.code}", _PREFECT, _GENERAL)
    except (URLError, OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        return report_failure(f"{shown} does not answer as Prefect does ({reason})", _PREFECT, _GENERAL)
    installed = version("prefect")
    seen = f"{shown} answers, Prefect {found}"
    if found.split(".")[:2] != installed.split(".")[:2]:
        remedy = (
            f"run the same version on both sides: `pip install prefect=={found}` here, or update the server"
        )
        return report_warning(f"{seen}, and {installed} is installed here", remedy)
    return report_pass(seen)


def _ask_server(opener: OpenerDirector, url: str) -> object:
    request = Request(url, headers=_credentials())
    with opener.open(request, timeout=_TIMEOUT_S) as reply:
        return json.loads(reply.read(1 << 16))


def _credentials() -> dict[str, str]:
    """Return the header that Prefect's own client would send."""
    key, pair = os.environ.get("PREFECT_API_KEY"), os.environ.get("PREFECT_API_AUTH_STRING")
    if key:
        return {"Authorization": f"Bearer {key}"}
    return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"} if pair else {}


def _embedded_home(home: Path) -> Check:
    above = first_that_exists(home)
    if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
        return report_pass(f"each refresh starts a server of its own, in {home}")
    remedy = "make that folder writable, or start `prefect server start` elsewhere and set PREFECT_API_URL"
    return report_failure(f"{home} cannot be made or written", remedy, UNREADABLE)


def _start_server() -> Check:
    """Start an embedded server in a folder of its own, and end it again."""
    from flows.serve.embedded_server import EmbeddedServer

    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="perennial-") as folder, _keep_environment():
        home = prefect_home(folder)
        os.environ.pop("PREFECT_HOME", None)
        configure_prefect(folder, verbose=False)
        with EmbeddedServer(home) as server:
            server.wait_ready()
            seconds = time.monotonic() - begun
    return report_pass(f"an embedded server started within {seconds:.0f} s and was ended again")


@contextmanager
def _keep_environment() -> Iterator[None]:
    before = dict(os.environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
