"""The rows of the shared tables that every benchmark writes as an edition grows."""

from typing import Any


def question_row(
    instance_id: str,
    *,
    benchmark: str,
    domain: str,
    setting: str,
    seed: int | None,
    index: int,
    cluster: str,
    origin: str = "",
) -> dict[str, Any]:
    """The row of table `instances`; the id is a content id, a prefix and a hash of what is asked.

    `origin`: what it shares with instances that would give it away; by default it shares nothing.
    """
    return {
        "instance_id": instance_id,
        "benchmark": benchmark,
        "domain": domain,
        "setting": setting,
        "seed": seed,
        "index": index,
        "content_hash": instance_id.partition("_")[2],
        "cluster": cluster,
        "origin": origin or instance_id,
    }
