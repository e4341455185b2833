"""Who may call a Prefect server that others have started: this process may, and strangers may not."""

from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import urlsplit

import httpx
from prefect.client.orchestration import PrefectClient
from prefect.exceptions import PrefectHTTPStatusError

from perennial.flows.watchers.watcher import without_credentials
from perennial.schemas.errors import InvalidOption, PerennialError
from perennial.tasks.llm.endpoint import is_loopback

_ANSWER_S = 5.0
_REMEDY = (
    "start it with PREFECT_SERVER_API_AUTH_STRING and set PREFECT_API_AUTH_STRING here to the same string "
    "(docs/operate.md)"
)


async def require_access(client: PrefectClient) -> None:
    """Raise PerennialError where the server does not answer, or does not take this process's credentials."""
    error = await client.api_healthcheck()
    if error is not None:
        raise PerennialError(
            f"no Prefect server answers at {client.api_url} ({type(error).__name__}): start it with "
            "`prefect server start`, or unset PREFECT_API_URL for an embedded one"
        )
    try:
        await client.api_version()
    except PrefectHTTPStatusError as refusal:
        if refusal.response.status_code != HTTPStatus.UNAUTHORIZED:
            raise
        raise InvalidOption(
            f"the Prefect server at {client.api_url} demands credentials and refuses those given: set "
            "PREFECT_API_AUTH_STRING to its PREFECT_SERVER_API_AUTH_STRING"
        ) from None


def refuse_open_server(api_url: str, warn: Callable[[str], None]) -> None:
    """Raise InvalidOption where the server takes calls without credentials from other machines.

    Whoever calls it starts runs with settings of his own beside the operator's key. On this machine alone
    that is a warning: the websites in its users' browsers are the callers then.
    """
    url = without_credentials(api_url)
    if not _answers_anybody(url):
        return
    if not is_loopback(urlsplit(url)):
        raise InvalidOption(
            f"the Prefect server at {url} takes calls from anybody without credentials, who could start runs "
            f"with your keys: {_REMEDY}"
        )
    warn(f"warning: the Prefect server at {url} takes calls from any website in a browser here: {_REMEDY}")


def _answers_anybody(url: str) -> bool:
    # Nothing secret is sent, so that the certificate does not matter; a redirect leads to a login.
    with httpx.Client(verify=False, trust_env=not is_loopback(urlsplit(url)), timeout=_ANSWER_S) as client:
        try:
            return client.get(f"{url.rstrip('/')}/admin/version").status_code == HTTPStatus.OK
        except httpx.HTTPError:
            return False
