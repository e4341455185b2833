"""A root whose players reply at great length, in characters that grow when they are escaped."""

from pathlib import Path
from typing import Any

import pytest

from tests.flows import report_root

_REPLY = "\"'&<" * 20_000


def publish_loud(root: Path) -> None:
    """Publish the edition `printed`, with failures and endless replies."""
    usual = report_root._episode

    def loud(player: str, run: int, place: int, *given: Any) -> dict[str, list[dict[str, Any]]]:
        rows = usual(player, run, 1, *given)
        return {**rows, "turns": [{**turn, "reply": _REPLY} for turn in rows["turns"]]}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_root, "_episode", loud)
        report_root.publish_printed(root)
