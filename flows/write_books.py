"""Stage 3: write the knowledge book of each instance and check that it says exactly its rules."""

from flows.workspace import Workspace, open_workspace, stage_once
from schemas.ids import derive_rng
from tasks.kumo.books import write_book
from tasks.kumo.books.check import check_book
from tasks.kumo.books.rules import rules_of
from warehouse.kumo_rows import book_row, instance_from_row, rejection_row
from warehouse.stage import Rows

TEMPLATE_AUTHOR = "template"


def write_books_batch(root: str, edition: str, config_id: str, setting_name: str) -> dict[str, int]:
    """Stage the books of one configuration and setting; return the row counts.

    A book with a missing or an extra rule is kept with its verdict, but is not used: its instance
    stands in `rejections`.
    """
    workspace = open_workspace(root, edition)
    key = workspace.books_key(config_id, setting_name)
    return stage_once(workspace, key, lambda: _written(workspace, config_id, setting_name))


def _written(workspace: Workspace, config_id: str, setting_name: str) -> dict[str, Rows]:
    encoded = workspace.config(config_id)
    books: Rows = []
    rejections: Rows = []
    rows = workspace.staging.read_batch(workspace.sample_key(config_id, setting_name), "kumo_instances")
    for row in rows:
        instance_id = row["instance_id"]
        instance = instance_from_row(row, encoded.config)
        rules = rules_of(encoded, instance)
        rng = derive_rng(workspace.plan.seed, f"book/{instance_id}", 0)
        text = write_book(encoded.config, instance, rules, rng)
        verdict = check_book(text, instance, rules)
        missing, extra = list(verdict.missing), list(verdict.extra)
        books.append(book_row(instance_id, 0, text, TEMPLATE_AUTHOR, missing, extra))
        if not verdict.passed:
            message = f"{len(missing)} rules missing, {len(extra)} extra; rename what the book cannot say"
            rejections.append(rejection_row("books", instance_id, "book_rules_differ", message))
    return {"books": books, "rejections": rejections}
