"""How Prefect is set up: before its first import, by environment variables that it reads then."""

import os
from functools import partialmethod
from pathlib import Path

from perennial.schemas.variables import default_root

_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
_NO_PROXY = ("no_proxy", "NO_PROXY")


def prefect_home(root: str) -> Path:
    """Return the folder for Prefect's own state: in the data root, or beside the work for a remote root."""
    local = root.removeprefix("file://")
    return Path(default_root() if "://" in local else local).absolute() / ".prefect"


def configure_prefect(root: str, verbose: bool) -> None:
    """Set Prefect's environment; what the operator has set already wins."""
    home = prefect_home(root)
    home.mkdir(parents=True, exist_ok=True)
    defaults = {
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        # The log goes to the server, where Prefect's pages show it.
        "PREFECT_LOGGING_LEVEL": "INFO",
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "INFO" if verbose else "CRITICAL",
        "PREFECT_LOGGING_SERVER_LEVEL": "WARNING" if verbose else "CRITICAL",
        "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
        "PREFECT_CLI_PROMPT": "false",
        # A server that Prefect would start by itself answers everybody, and outlives this process.
        "PREFECT_SERVER_EPHEMERAL_ENABLED": "false",
    }
    for name, value in defaults.items():
        os.environ.setdefault(name, value)


def bypass_proxies() -> None:
    """Let no proxy of the environment stand between this process, its children and this machine's servers.

    Other addresses are reached through the proxy as before.
    """
    named = [name for variable in _NO_PROXY for name in os.environ.get(variable, "").split(",")]
    merged = ",".join(dict.fromkeys(filter(None, (*(name.strip() for name in named), *_THIS_MACHINE))))
    os.environ.update(dict.fromkeys(_NO_PROXY, merged))


def keep_prefect_from_proxies() -> None:
    """Have Prefect's clients look for no proxy where one is set that they cannot be made with, such as SOCKS.

    They fail for it even at an address that it is not for. Call this once PREFECT_API_URL is set.
    """
    proxies = [value for name, value in os.environ.items() if name.lower().endswith("_proxy")]
    if all(value.lower().startswith(("http://", "https://")) for value in proxies if "://" in value):
        return
    from prefect.client import base

    for client in (base.PrefectHttpxAsyncClient, base.PrefectHttpxSyncClient):
        client.__init__ = partialmethod(client.__init__, trust_env=False)  # type: ignore[assignment,method-assign]


def configure_serving(root: str, verbose: bool) -> None:
    """Set Prefect's environment for a server that stays and for the runs that are started beside it."""
    # Runs start in the folder of `serve`, where `warehouse` may well be a folder of data.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    configure_prefect(root, verbose)
