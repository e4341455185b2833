"""Name the current flow run by the editions that it makes, in place of Prefect's random name."""

from collections.abc import Sequence

from prefect import runtime
from prefect.client.orchestration import get_client

_TAG = "edition:"


def name_run(editions: Sequence[str]) -> None:
    """Give the current flow run the names of its editions, as its tags too; outside of one do nothing."""
    run_id = runtime.flow_run.id
    if run_id is None:
        return
    kept = [tag for tag in runtime.flow_run.tags if not tag.startswith(_TAG)]
    with get_client(sync_client=True) as client:
        tags = [*kept, *(f"{_TAG}{edition}" for edition in editions)]
        client.update_flow_run(run_id, name=", ".join(editions), tags=tags)


def editions_of(tags: Sequence[str]) -> list[str]:
    """Return the editions that a flow run with these tags makes, none while it has not said which."""
    return sorted(tag.removeprefix(_TAG) for tag in tags if tag.startswith(_TAG))
