"""Stage 3: the knowledge book of each instance, written by template or by a model, and checked.

A book is used when its check found exactly the instance's rules. A model's book is read back by a model
and revised; one that never passes is replaced by the template's book, and says so.
"""

from functools import partial

from flows.stages.model_calls import BatchCalls, ModelSession, all_settled, run_session
from flows.stages.workspace import Batch, Workspace, open_workspace, stage_once
from schemas.calls import CallPolicy, ModelChoice
from schemas.ids import derive_rng
from schemas.kumo import Instance, Rejection, Rule
from tasks.kumo.authors.book_writing import BookHistory, BookVersion, write_model_book
from tasks.kumo.books import write_book
from tasks.kumo.books.check import check_book
from tasks.kumo.books.rules import rules_of
from tasks.kumo.encoding import EncodedConfig
from tasks.llm.structured import JsonAsker
from warehouse.kumo.rows import Row, book_row, instance_from_row, rejection_row
from warehouse.staging.staging import Rows

TEMPLATE_AUTHOR = "template"


def write_books_batch(root: str, edition: str, policy: CallPolicy, batch: Batch) -> dict[str, int]:
    """Stage the books of one batch; return the row counts.

    Every version is kept with its verdict. An instance without a book that passed stands in `rejections`
    and is not played.
    """
    workspace = open_workspace(root, edition)

    def written() -> dict[str, Rows]:
        if not workspace.plan.authoring.writer:
            return _by_template(workspace, batch)
        work = partial(_by_model, workspace, batch)
        return run_session(workspace, policy, work)

    return stage_once(workspace, workspace.key("books", batch), written)


def _by_template(workspace: Workspace, batch: Batch) -> dict[str, Rows]:
    encoded = workspace.config(batch.config_id)
    tables: dict[str, Rows] = {"books": [], "rejections": []}
    for row in workspace.instance_rows(batch):
        instance = instance_from_row(row, encoded.config)
        _add_template_book(tables, workspace, encoded, row["instance_id"], instance, revision=0)
    return tables


async def _by_model(workspace: Workspace, batch: Batch, session: ModelSession) -> dict[str, Rows]:
    encoded = workspace.config(batch.config_id)
    calls = session.batch()
    rows = workspace.instance_rows(batch)
    asker = session.json_asker(calls)
    histories = await all_settled(_history(workspace, encoded, row, calls, asker) for row in rows)
    tables: dict[str, Rows] = {"books": [], "rejections": []}
    for row, history in zip(rows, histories, strict=True):
        _add_history(tables, workspace, encoded, row, history)
    return calls.added_to(tables)


async def _history(
    workspace: Workspace, encoded: EncodedConfig, row: Row, calls: BatchCalls, asker: JsonAsker
) -> BookHistory:
    plan = workspace.plan.authoring
    instance = instance_from_row(row, encoded.config)
    return await write_model_book(
        calls,
        ModelChoice(plan.writer, plan.params),
        ModelChoice(plan.reviser, plan.params),
        encoded.config,
        instance,
        rules_of(encoded, instance),
        rounds=plan.book_rounds,
        instance_id=row["instance_id"],
        ask_json=asker,
    )


def _add_history(
    tables: dict[str, Rows], workspace: Workspace, encoded: EncodedConfig, row: Row, history: BookHistory
) -> None:
    instance_id = row["instance_id"]
    tables["books"] += [_version_row(instance_id, version) for version in history.versions]
    tables["rejections"] += [rejection_row(rejection) for rejection in history.rejections]
    if history.passed_version is None:
        instance = instance_from_row(row, encoded.config)
        revision = len(history.versions)
        _add_template_book(tables, workspace, encoded, instance_id, instance, revision, is_replacement=True)


def _version_row(instance_id: str, version: BookVersion) -> Row:
    verdict = version.verdict
    return book_row(
        instance_id,
        version.revision,
        version.text,
        version.author,
        verdict.missing,
        verdict.extra,
        confirmed=verdict.confirmed,
        ambiguous=verdict.ambiguous,
        passed=verdict.passed,
        checked_by=version.checked_by,
        call_id=version.call_id,
        check_call_ids=version.check_call_ids,
    )


def _add_template_book(
    tables: dict[str, Rows],
    workspace: Workspace,
    encoded: EncodedConfig,
    instance_id: str,
    instance: Instance,
    revision: int,
    is_replacement: bool = False,
) -> None:
    rules = rules_of(encoded, instance)
    text = _template_text(workspace, encoded, instance_id, instance, rules)
    verdict = check_book(text, instance, rules)
    tables["books"].append(
        book_row(
            instance_id,
            revision,
            text,
            TEMPLATE_AUTHOR,
            verdict.missing,
            verdict.extra,
            is_replacement=is_replacement,
        )
    )
    if not verdict.passed:
        message = (
            f"{len(verdict.missing)} rules missing, {len(verdict.extra)} extra; "
            "rename what the book cannot say"
        )
        tables["rejections"].append(
            rejection_row(Rejection("books", instance_id, "book_rules_differ", message))
        )


def _template_text(
    workspace: Workspace,
    encoded: EncodedConfig,
    instance_id: str,
    instance: Instance,
    rules: tuple[Rule, ...],
) -> str:
    rng = derive_rng(workspace.plan.seed, f"book/{instance_id}", 0)
    return write_book(encoded.config, instance, rules, rng)
