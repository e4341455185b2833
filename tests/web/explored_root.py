"""A data root for the explorer: editions made by hand, one with private instances and hostile replies."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from perennial.warehouse.store.store import Store
from tests.flows.report_root import publish_two
from tests.warehouse import tiny_edition

HOSTILE_REPLY = (
    '<script>document.title = "owned"</script><img src="http://127.0.0.1:9/x.png" onerror="document.title=1">'
    "\n![image](http://127.0.0.1:9/y.png) [link](javascript:alert(1)) $x$ :smile: \x1b[2J" + "long " * 20_000
)


def publish_explored(root: Path) -> None:
    """Publish `old`, `new` and `hostile`, all whose instances are private."""
    publish_two(root)
    tables = tiny_edition.tables()
    turns = tables["turns"]
    place = turns.schema.get_field_index("reply")
    replies = pa.array([HOSTILE_REPLY] * len(turns), pa.string())
    tables["turns"] = turns.set_column(place, turns.schema.field(place), replies)
    plan = tiny_edition.plan("hostile")
    plan = replace(plan, growth=replace(plan.growth, private_share=1.0, seed_commitment="ab" * 32))
    tiny_edition.publish(Store(str(root)), plan, tables, [], datetime(2026, 1, 4, tzinfo=UTC))


def digests(root: Path) -> dict[str, str]:
    """Return the digest of each file below the folder."""
    files = (file for file in sorted(root.rglob("*")) if file.is_file())
    return {str(file.relative_to(root)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
