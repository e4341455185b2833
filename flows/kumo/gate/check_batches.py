"""The gate between the books and the episodes: the grader's self-test, and the overlap with earlier editions.

It needs no episodes, so it comes before them: no model plays, and is paid for, on instances that would not be
published. First each batch by itself, anywhere; then the edition as a whole, by the operator's thresholds. A
failure stops the refresh there and names the instance; publishing adds the rows to `audits`.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from perennial.flows.kumo.edition import Cell, KumoEdition
from perennial.flows.kumo.gate.check_edition import edition_rows
from perennial.flows.kumo.gate.expectations import (
    BALANCED,
    BATCH_EXPECTATIONS,
    DERIVED,
    GRADED,
    READ,
    READ_BACK,
    SHOWN,
    TOLD,
    Expectation,
)
from perennial.flows.stages.policies import Policies
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import AuditFailed, UnreadableInput, in_one_line
from perennial.schemas.kumo.plan import KumoPlan
from perennial.schemas.kumo.things import NO_THRESHOLDS, GatePolicy, Instance, Setting
from perennial.schemas.rows import Row, Rows
from perennial.tasks.kumo.authors.read_back import parse_read_back
from perennial.tasks.kumo.encoding import EncodedConfig, instance_id
from perennial.tasks.kumo.scoring import GUESSES, count_survivals, rank_valid_truth
from perennial.tasks.kumo.self_test import SelfTest, SoundInstance, needs_no_test
from perennial.tasks.kumo.space import SpaceSize, count_boards, space_size
from perennial.warehouse.audit.audit import require_pass
from perennial.warehouse.kumo.overlap import (
    NOT_READ,
    READ_BY_GRAMMAR,
    READ_BY_MODEL,
    BatchFacts,
    InstanceFacts,
    names_sum,
    read_facts,
    text_hash,
    write_facts,
)
from perennial.warehouse.kumo.rows import SYMBOLIC_CHECK, instance_from_row

EDITION = Batch("overlap")


def check_cell(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Stage beside the batch what the gate finds out of the instances and books of one cell.

    Raises AuditFailed, naming the instances, where one fails the grader's self-test or its id is not its
    own; nothing is staged of the batch then. What was looked at before and is unchanged is skipped.
    """
    edition, cell = KumoEdition(workspace), Cell.of(batch)
    if _facts(edition, cell) is None:
        check = _CellCheck(edition, cell)
        check.run()
        _require(workspace, check.rows())
        about = {**_about(edition, cell), "drawn": check.drawn, "ranks": check.ranks}
        write_facts(workspace.staging, workspace.key(batch), check.facts, about)
    return {}


def check_edition(workspace: Workspace, _batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the gate's rows of table `audits`, by what was found of the cells.

    Raises AuditFailed where an expectation does not hold. It looks again in each refresh, since thresholds
    and earlier editions may be others when a refresh is resumed.
    """
    edition = KumoEdition(workspace)
    facts = [(cell, _required_facts(edition, cell)) for cell in edition.cells]
    thresholds = policies.own if isinstance(policies.own, GatePolicy) else NO_THRESHOLDS
    rows = edition_rows(edition, facts, thresholds)
    _require(workspace, rows)
    return {"audits": rows}


def _require(workspace: Workspace, rows: list[Row]) -> None:
    staging = workspace.staging
    require_pass(rows, staging.store.location(staging.folder))


def _facts(edition: KumoEdition, cell: Cell) -> BatchFacts | None:
    """Return the facts of a batch, None where there are none of what is staged now."""
    workspace, batch = edition.workspace, cell.batch("gate")
    facts = read_facts(workspace.staging, workspace.key(batch)) if workspace.is_done(batch) else None
    return facts if facts is not None and facts.about["looked_at"] == _inputs(edition, cell) else None


def _required_facts(edition: KumoEdition, cell: Cell) -> BatchFacts:
    facts = _facts(edition, cell)
    if facts is None:
        raise AuditFailed(
            f"the instances of {', '.join(map(edition.domain_name, edition.configs_of(cell)))}, "
            f"{cell.setting}, were staged again after the gate looked at them: give the same refresh again"
        )
    return facts


def _inputs(edition: KumoEdition, cell: Cell) -> list[str | None]:
    """Return hashes of all that the gate looks at in a batch."""
    workspace = edition.workspace
    parts = [
        workspace.staging.parts(workspace.key(cell.batch("sample"))).get("kumo_instances"),
        workspace.staging.parts(workspace.key(cell.batch("books"))).get("kumo_books"),
    ]
    return [None if part is None else part.sha256 for part in parts]


def _about(edition: KumoEdition, cell: Cell) -> Row:
    """Return what is kept beside the facts: with the first chunk, the size of each configuration's space."""
    setting = Setting.parse(cell.setting)
    spaces = {
        config_id: asdict(_space(edition.config(config_id), setting, edition.plan))
        for config_id in edition.configs_of(cell)
        if cell.chunk == 0
    }
    return {"looked_at": _inputs(edition, cell), "spaces": spaces}


def _space(encoded: EncodedConfig, setting: Setting, plan: KumoPlan) -> SpaceSize:
    if plan.is_balanced:
        return count_boards(encoded, setting, plan.min_expected_steps)
    return space_size(encoded, setting, plan.min_expected_steps, plan.require_test)


@dataclass
class _CellCheck:
    """The self-test of one cell: problems by expectation, and facts of the instances."""

    edition: KumoEdition
    cell: Cell
    problems: dict[Expectation, list[str]] = field(default_factory=lambda: defaultdict(list))
    facts: list[InstanceFacts] = field(default_factory=list)
    drawn: Counter[str] = field(default_factory=Counter)
    ranks: dict[str, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        n_truths = Setting.parse(self.cell.setting).n_truths
        self.ranks = {guess: [0] * n_truths for guess in GUESSES}

    def run(self) -> None:
        """Look at all instances of the batch."""
        configs = self.edition.configs_of(self.cell)
        tests = {config_id: SelfTest(self.edition.config(config_id)) for config_id in configs}
        books = {
            (book["instance_id"], book["version"]): book
            for book in self.edition.book_rows(self.cell)
            if book["verdict"] == "passed"
        }
        rejections = self.edition.workspace.rows(self.cell.batch("books"), "rejections")
        told = {row["subject"] for row in rejections}
        replies = _Replies(self.edition, self.cell)
        for row in self.edition.instance_rows(self.cell):
            final, control = (books.get((row["instance_id"], version)) for version in ("final", "template"))
            # A row that names a foreign configuration is looked at by another's: its id is not its own then.
            test = tests.get(row["config_id"], tests[configs[0]])
            self.drawn[row["config_id"]] += 1
            self._look_at(test, row, final, control, told, replies)

    def rows(self) -> list[Row]:
        """Return a row of `audits` for each expectation."""
        return [
            expectation.row("", self.problems[expectation]) for expectation in (*BATCH_EXPECTATIONS, DERIVED)
        ]

    def _look_at(
        self,
        test: SelfTest,
        row: Row,
        book: Row | None,
        control: Row | None,
        told: set[str],
        replies: "_Replies",
    ) -> None:
        encoded = test.encoded
        named = f"{row['instance_id']} ({encoded.config.name}, {self.cell.setting})"
        instance = _instance(row, encoded)
        board = test.board(instance) if isinstance(instance, Instance) else instance
        if isinstance(board, str):
            self.problems[SHOWN].append(f"{named}: {board}")
            return
        canonical = instance_id(encoded, board.instance)
        if canonical != row["instance_id"]:
            self.problems[DERIVED].append(f"{named}: its content gives {canonical}")
        self._note(GRADED, named, test.find_misgrading(board))
        is_balanced = self.edition.plan.is_balanced
        if is_balanced:
            survivals = count_survivals(board.encoded)
            self._note(BALANCED, named, _describe_impossible(board, survivals))
            for guess, rank in rank_valid_truth(board.encoded, survivals).items():
                self.ranks[guess][rank] += 1
        if book is None and row["instance_id"] not in told:
            self.problems[TOLD].append(f"{named}: it has no book that passed, and no rejection says why")
        if control is not None:
            self._note(READ, named, test.find_reader_failure(board, control["text"]))
        self.facts.append(
            InstanceFacts(
                instance_id=row["instance_id"],
                canonical_id=canonical,
                names=names_sum(board.instance.truths, board.instance.actions),
                # A balanced instance, as was just checked, leaves all its truths possible.
                is_trivial=(not is_balanced and needs_no_test(board.encoded)) or row["expected_steps"] <= 0,
                book=None if book is None else text_hash(book["text"]),
                read_by=NOT_READ if book is None else self._read(test, board, named, book, replies),
                has_control=control is not None,
            )
        )

    def _read(self, test: SelfTest, board: SoundInstance, named: str, book: Row, replies: "_Replies") -> str:
        """Let the reader play with the book that players are shown; return who read it."""
        if book["checked_by"] == SYMBOLIC_CHECK:
            self._note(READ, named, test.find_reader_failure(board, book["text"]))
            return READ_BY_GRAMMAR
        try:
            said = parse_read_back(replies.last_of(book))
        except UnreadableInput as error:
            self.problems[READ_BACK].append(f"{named}: what a model read out of its book is lost ({error})")
        else:
            self._note(READ_BACK, named, test.find_rules_failure(board, said))
        return READ_BY_MODEL

    def _note(self, expectation: Expectation, named: str, problem: str | None) -> None:
        if problem is not None:
            self.problems[expectation].append(f"{named}: {problem}")


class _Replies:
    """The replies of the models that read the books of a batch back, as the batch staged them."""

    def __init__(self, edition: KumoEdition, cell: Cell) -> None:
        self._read: dict[str, str | None] | None = None
        self._place = (edition.workspace, cell.batch("books"))

    def last_of(self, book: Row) -> str:
        """Return the reply by which the book's check was decided; raise UnreadableInput without one."""
        if self._read is None:
            workspace, batch = self._place
            self._read = {row["call_id"]: row["reply"] for row in workspace.rows(batch, "calls")}
        reply = self._read.get(book["check_call_ids"][-1]) if book["check_call_ids"] else None
        if reply is None:
            raise UnreadableInput(f"book {book['book_id']} names no call that read it back")
        return reply


def _instance(row: Row, encoded: EncodedConfig) -> Instance | str:
    """Return the instance that the row holds, or in words that it holds none."""
    try:
        return instance_from_row(row, encoded.config)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        return f"its row is not an instance of its configuration ({_words(error)})"


def _describe_impossible(board: SoundInstance, survivals: Sequence[float]) -> str | None:
    """Return which truths could never be the only survivor, counted by the engine that did not draw them."""
    names = [repr(name) for name, number in zip(board.instance.truths, survivals, strict=True) if not number]
    return f"{', '.join(names)} could not be the only survivor" if names else None


def _words(error: object) -> str:
    return in_one_line(f"{type(error).__name__}: {error}")
