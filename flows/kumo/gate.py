"""The gate that an edition passes before anybody plays it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal

from perennial.flows.kumo.edition import KumoEdition, WorkCell
from perennial.flows.stages.workspace import Policies, Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import AuditFailed, UnreadableInput, in_one_line
from perennial.schemas.kumo.plan import KumoPlan
from perennial.schemas.kumo.things import NO_THRESHOLDS, GatePolicy, Instance, Setting
from perennial.schemas.rows import Row, Rows
from perennial.tasks.kumo.authors.read_back import parse_read_back
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config, instance_id
from perennial.tasks.kumo.guessing import GUESSES, LEAST_P, count_survivals, judge_ranks, rank_valid_truth
from perennial.tasks.kumo.sampling.solver import can_differ
from perennial.tasks.kumo.self_test import SelfTest, SoundInstance
from perennial.tasks.kumo.space import SpaceSize, count_boards, repeat_probability, space_size
from perennial.warehouse.audit.audit import require_pass
from perennial.warehouse.catalog.catalog import published_editions
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.issued_ids import issued_instances
from perennial.warehouse.kumo.overlap import (
    NOT_READ,
    READ_BY_GRAMMAR,
    READ_BY_MODEL,
    BatchFacts,
    InstanceFacts,
    earlier_instances,
    facts_schema,
    names_sum,
    read_facts,
    same_names,
    text_hash,
    write_facts,
)
from perennial.warehouse.kumo.rows import SYMBOLIC_CHECK, instance_from_row
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow


# What the gate expects of an edition, each as one row of table `audits`.


_SHOWN_PROBLEMS = 3


@dataclass(frozen=True, slots=True)
class Expectation:
    """A sentence that holds or not; a broken critical one stops publishing."""

    suite: Literal["grader", "overlap"]
    sentence: str
    severity: Literal["critical", "warning"] = "critical"

    def row(self, observed: str, problems: Sequence[str] = (), *, broken_by: int | None = None) -> Row:
        """Return the row: `observed` where no problem is named, else the first ones of them.

        `broken_by` is the number of rows that broke it, where this is not the number of problems.
        """
        more = f"; and {len(problems) - _SHOWN_PROBLEMS:,} more" if len(problems) > _SHOWN_PROBLEMS else ""
        count = len(problems) if broken_by is None else broken_by
        return {
            "suite": self.suite,
            "expectation": self.sentence,
            "success": not problems,
            "observed": "; ".join(problems[:_SHOWN_PROBLEMS]) + more if problems else observed,
            "unexpected_count": count,
            "severity": self.severity,
            "validation": None,
        }


SHOWN = Expectation("grader", "the observations that players see leave exactly the valid truths")
GRADED = Expectation("grader", "naming a valid truth is graded as solved, and naming any other one as wrong")
BALANCED = Expectation("grader", "of a balanced instance every listed truth could be the only survivor")
AGREED = Expectation("grader", "python-sat and the compiled programme judge each list alike")
READ = Expectation("grader", "the reader solves each instance from the text of its book")
READ_BACK = Expectation("grader", "the reader solves each instance by what a model read out of its book")
LISTED = Expectation("grader", "each instance without a book that passed its check is listed in rejections")
PLAYED = Expectation("grader", "each instance has a book that passed its check", "warning")
BATCH_EXPECTATIONS = (SHOWN, GRADED, BALANCED, READ, READ_BACK, LISTED)

DERIVED = Expectation("overlap", "each instance_id is that of the instance's truths, actions and states")
DISTINCT = Expectation("overlap", "no two instances have the same truths, actions and states")
NEW_TASKS = Expectation("overlap", "no earlier edition holds the same truths, actions and observations")
NEW_FORMS = Expectation("overlap", "no earlier edition holds the same truths, actions and states")
NEW_IDS = Expectation("overlap", "no earlier edition holds the same instance_id")


# The gate's look at an edition as a whole: its rows of table `audits`, from the facts of its batches.


DomainSetting = tuple[str, str]


def edition_rows(
    edition: KumoEdition, facts: Sequence[tuple[WorkCell, BatchFacts]], policy: GatePolicy
) -> list[Row]:
    """Return all of the gate's rows of table `audits` for a staged edition.

    Earlier editions are all that are published now, withdrawn ones included. A function of what is staged,
    of these and of the policy alone: batches and their order do not count.
    """
    whole = _Whole(edition, tuple(facts))
    return [
        *_grader_rows(whole),
        *_own_rows(whole, policy),
        *_earlier_rows(whole),
        *_space_rows(whole, policy),
    ]


@dataclass(frozen=True)
class _Whole:
    """An edition's facts, and the editions that came before it."""

    edition: KumoEdition
    facts: tuple[tuple[WorkCell, BatchFacts], ...]

    @property
    def store(self) -> Store:
        return self.edition.workspace.staging.store

    @cached_property
    def columns(self) -> "pyarrow.Table":
        """The facts of all instances, sorted by id."""
        import pyarrow as pa

        tables = [facts.columns.replace_schema_metadata(None) for _, facts in self.facts]
        return (
            pa.concat_tables([facts_schema().empty_table(), *tables]).sort_by("instance_id").combine_chunks()
        )

    @cached_property
    def earlier(self) -> tuple[str, ...]:
        """The earlier editions of this benchmark: no instance of another can be one of them."""
        plan = self.edition.workspace.plan
        return tuple(
            name
            for name in published_editions(self.store)
            if name != plan.edition and _benchmark_of(self.store, name) == plan.benchmark
        )

    @cached_property
    def balanced(self) -> list[tuple[Setting, BatchFacts]]:
        if not self.edition.plan.is_balanced:
            return []
        return [(Setting.parse(cell.setting), facts) for cell, facts in self.facts]

    @property
    def size(self) -> int:
        return int(self.columns.num_rows)

    @cached_property
    def domain_names(self) -> dict[str, str]:
        """What each configuration's domain is called; two of one name are distinguished by their ids."""
        names = {id_: self.edition.config(id_).config.name for id_ in self.edition.configs}
        listed = list(names.values())
        return {id_: name if listed.count(name) == 1 else f"{name} {id_}" for id_, name in names.items()}

    def ids_where(self, column: str, value: object) -> list[str]:
        import pyarrow.compute as pc

        ids: list[str] = self.columns.filter(pc.equal(self.columns[column], value))["instance_id"].to_pylist()
        return ids


def _benchmark_of(store: Store, edition: str) -> str:
    column = store.read_table(table_file("editions", edition), ["benchmark"])["benchmark"]
    return str(column[0].as_py())


def _grader_rows(whole: _Whole) -> Iterator[Row]:
    """The rows of the self-test: a batch that failed would have staged no facts."""
    named = sum(facts.columns.num_rows * Setting.parse(cell.setting).n_truths for cell, facts in whole.facts)
    unread = whole.ids_where("read_by", NOT_READ)
    yield SHOWN.row(f"{whole.size:,} instances")
    yield GRADED.row(f"{named:,} truths named")
    balanced = whole.balanced
    if balanced:
        yield BALANCED.row(f"{sum(facts.columns.num_rows for _, facts in balanced):,} balanced instances")
        yield _agreement_row(whole)
    by_grammar = len(whole.ids_where("read_by", READ_BY_GRAMMAR)) + len(whole.ids_where("has_control", True))
    yield READ.row(f"{by_grammar:,} books, read by their grammar")
    yield READ_BACK.row(f"{len(whole.ids_where('read_by', READ_BY_MODEL)):,} books that models wrote")
    yield LISTED.row(f"{len(unread):,} instances")
    yield PLAYED.row(f"{whole.size:,} instances", [f"{id_} is not played" for id_ in unread])


def _agreement_row(whole: _Whole) -> Row:
    """The row of the lists that both engines judged while the edition was drawn."""
    draws = whole.edition.draw_rows()
    checked, refused = (sum(row[name] for row in draws) for name in ("checked", "refused"))
    problems = [
        f"{whole.domain_names[row['config_id']]}, {row['setting']}: {row['disagreements']:,} of "
        f"{row['checked']:,} lists"
        for row in draws
        if row["disagreements"]
    ]
    differ = sum(row["disagreements"] for row in draws)
    return AGREED.row(f"{checked:,} lists, {refused:,} of them refused", problems, broken_by=differ)


def _own_rows(whole: _Whole, policy: GatePolicy) -> Iterator[Row]:
    import pyarrow.compute as pc

    counted = pc.value_counts(whole.columns["canonical_id"]).to_pylist()
    repeated = sorted(entry["values"] for entry in counted if entry["counts"] > 1)
    yield DERIVED.row(f"{whole.size:,} instances")
    yield DISTINCT.row(
        f"{len(counted):,} of {whole.size:,}",
        [f"{', '.join(whole.ids_where('canonical_id', id_))} are one instance" for id_ in repeated],
    )
    yield _trivial_row(whole, policy)
    yield from _guess_rows(whole)
    yield _books_row(whole, policy)


def _guess_rows(whole: _Whole) -> Iterator[Row]:
    """A row for each guess over the balanced instances: its rates, and p over all settings.

    Published instances are known to fall to guesses: nothing is expected of them.
    """
    for guess in GUESSES if whole.balanced else ():
        by_setting: dict[str, list[int]] = {}
        for setting, facts in whole.balanced:
            counts = by_setting.setdefault(setting.name, [0] * setting.n_truths)
            for rank, number in enumerate(facts.about["ranks"][guess]):
                counts[rank] += number
        p = judge_ranks(by_setting)
        rates = [
            f"{name} {counts[0] / sum(counts):.3f} (chance {1 / len(counts):.3f}, n = {sum(counts):,})"
            for name, counts in by_setting.items()
            if sum(counts)
        ]
        observed = "; ".join([*rates, "too few instances to tell" if p is None else f"p = {p:.2g}"])
        problems = [observed] if p is not None and p <= LEAST_P else []
        expected = (
            f"of balanced instances the valid truth is at each rank of the guess by {guess} equally often "
            f"(chi-squared, p > {LEAST_P:g})"
        )
        yield Expectation("overlap", expected).row(observed, problems)


def _trivial_row(whole: _Whole, policy: GatePolicy) -> Row:
    trivial = whole.ids_where("is_trivial", True)
    share = len(trivial) / whole.size if whole.size else 0.0
    observed = f"{share:.6g}: {len(trivial):,} of {whole.size:,} instances"
    problems = [f"{observed}, such as {', '.join(trivial[:3])}"] if share > policy.max_trivial_share else []
    expected = (
        "the share of instances whose answer needs no test, given lists, rules and promise, is at most "
        f"{policy.max_trivial_share:g} (max_trivial_share)"
    )
    return Expectation("overlap", expected).row(observed, problems, broken_by=len(trivial))


def _books_row(whole: _Whole, policy: GatePolicy) -> Row:
    import pyarrow.compute as pc

    with_books = whole.columns.filter(pc.is_valid(whole.columns["book"]))
    counted = pc.value_counts(with_books["book"]).to_pylist()
    share = len(counted) / with_books.num_rows if with_books.num_rows else 1.0
    observed = f"{share:.6g}: {len(counted):,} texts for {with_books.num_rows:,} instances"
    problems = []
    if share < policy.min_distinct_books:
        book = min(entry["values"] for entry in counted if entry["counts"] > 1)
        problems.append(f"{observed}; {', '.join(whole.ids_where('book', book)[:3])} have one book")
    repeats = with_books.num_rows - len(counted)
    least = f"at least {policy.min_distinct_books:g} (min_distinct_books)"
    expected = f"the share of distinct texts among the books shown is {least}"
    return Expectation("overlap", expected).row(observed, problems, broken_by=repeats)


def _earlier_rows(whole: _Whole) -> Iterator[Row]:
    """The rows of what earlier editions hold too: tasks and forms by content, and ids."""
    ids = whole.columns["instance_id"].to_pylist()
    issued = issued_instances(whole.store, whole.earlier)
    earlier_ids = [id_ for id_, is_known in zip(ids, issued.which(ids), strict=True) if is_known]
    compared = f"{whole.size:,} instances against {len(issued):,} of {len(whole.earlier):,} earlier editions"
    tasks, forms = _repeats(whole)
    yield NEW_TASKS.row(compared, tasks)
    yield NEW_FORMS.row(compared, forms)
    yield NEW_IDS.row(compared, [f"{id_} was issued before" for id_ in earlier_ids])


def _repeats(whole: _Whole) -> tuple[list[str], list[str]]:
    """What of an edition is the same task as an earlier instance, and what has the same form.

    By content: neither side's instance_id is trusted. Of the edition only those batches are read that hold an
    instance of the same names.
    """
    import numpy as np

    candidates: dict[int, list[tuple[str, Row]]] = defaultdict(list)
    for edition, row in same_names(whole.store, whole.earlier, whole.columns["names"].to_numpy()):
        candidates[names_sum(row["truths"], row["actions"])].append((edition, row))
    wanted = np.array(list(candidates), np.uint64)
    tasks: list[str] = []
    forms: list[str] = []
    for cell, facts in whole.facts:
        chosen = facts.columns.filter(np.isin(facts.columns["names"].to_numpy(), wanted)).to_pylist()
        rows_by_id = {row["instance_id"]: row for row in whole.edition.instance_rows(cell)} if chosen else {}
        for fact in chosen:
            for edition, earlier in candidates[fact["names"]]:
                same = f"{fact['instance_id']} is {earlier['instance_id']} of edition {edition}"
                if fact["canonical_id"] == _form_of(whole.store, edition, earlier):
                    forms.append(same)
                if _task(rows_by_id[fact["instance_id"]]) == _task(earlier):
                    tasks.append(same)
    return sorted(tasks), sorted(forms)


def _form_of(store: Store, edition: str, earlier: Row) -> str:
    """The canonical id of an earlier instance's content; its own id without a configuration."""
    encoded = _earlier_configs(store, edition).get(earlier["config_id"])
    if encoded is None:
        return str(earlier["instance_id"])
    try:
        row = {**earlier, "valid_truths": []}
        return instance_id(encoded, instance_from_row(row, encoded.config))
    except (KeyError, IndexError, TypeError, ValueError):
        # An imported instance may name what its configuration lacks.
        return str(earlier["instance_id"])


def _task(row: Row) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """The task that players see: truths, and actions with their observations, in no order."""
    return frozenset(row["truths"]), frozenset(zip(row["actions"], row["observations"], strict=True))


@lru_cache(maxsize=8)
def _earlier_configs(store: Store, edition: str) -> dict[str, EncodedConfig]:
    name = table_file("kumo_seed_configs", edition)
    if not store.exists(name):
        return {}
    configs = {}
    for row in store.read_table(name, ["config_id", "config"]).to_pylist():
        try:
            configs[row["config_id"]] = encode_config(parse_config(row["config"], edition))
        except UnreadableInput:
            continue
    return configs


def _space_rows(whole: _Whole, policy: GatePolicy) -> Iterator[Row]:
    """A row for each domain and setting: the size of its space and the probability of repeats."""
    issued = earlier_instances(whole.store, whole.earlier)
    drawn: Counter[DomainSetting] = Counter()
    spaces: dict[DomainSetting, SpaceSize] = {}
    for cell, facts in whole.facts:
        drawn.update({(config_id, cell.setting): count for config_id, count in facts.about["drawn"].items()})
        for config_id, space in facts.about["spaces"].items():
            spaces[config_id, cell.setting] = SpaceSize(**space)
    for (config_id, setting), space in spaces.items():
        domain = whole.edition.config(config_id).config.name
        before, now = issued.get((domain, setting), 0), drawn[config_id, setting]
        probability = repeat_probability(space.least, before, now)
        bound = "" if space.is_exact else "at most "
        observed = f"{bound}{probability:.2g}, for {now:,} draws after {before:,} issued; {space}"
        problems = [observed] if probability > policy.max_collision_probability else []
        expected = (
            f"{whole.domain_names[config_id]}, {setting}: this many uniform draws repeat an instance with a "
            f"probability of at most {policy.max_collision_probability:g} (max_collision_probability)"
        )
        yield Expectation("overlap", expected).row(observed, problems)


# The gate between the books and the episodes: the grader's self-test, and the overlap with earlier editions.
#
# It needs no episodes, so it comes before them: no model plays, and is paid for, on instances that would
# not be published. First each batch by itself, anywhere; then the edition as a whole, by the operator's
# thresholds. A failure stops the refresh there and names the instance; publishing adds the rows to `audits`.


EDITION = Batch("overlap")


def check_cell(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Stage beside the batch what the gate finds out of the instances and books of one cell.

    Raises AuditFailed, naming the instances, where one fails the grader's self-test or its id is not its
    own; nothing is staged of the batch then. What was looked at before and is unchanged is skipped.
    """
    edition, cell = KumoEdition(workspace), WorkCell.from_batch(batch)
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
    thresholds = policies.own_policy if isinstance(policies.own_policy, GatePolicy) else NO_THRESHOLDS
    rows = edition_rows(edition, facts, thresholds)
    _require(workspace, rows)
    return {"audits": rows}


def _require(workspace: Workspace, rows: list[Row]) -> None:
    staging = workspace.staging
    require_pass(rows, staging.store.location(staging.folder))


def _facts(edition: KumoEdition, cell: WorkCell) -> BatchFacts | None:
    """The facts of a batch, None where there are none of what is staged now."""
    workspace, batch = edition.workspace, cell.batch("gate")
    facts = read_facts(workspace.staging, workspace.key(batch)) if workspace.is_done(batch) else None
    return facts if facts is not None and facts.about["looked_at"] == _inputs(edition, cell) else None


def _required_facts(edition: KumoEdition, cell: WorkCell) -> BatchFacts:
    facts = _facts(edition, cell)
    if facts is None:
        raise AuditFailed(
            f"the instances of {', '.join(map(edition.domain_name, edition.configs_of(cell)))}, "
            f"{cell.setting}, were staged again after the gate looked at them: give the same refresh again"
        )
    return facts


def _inputs(edition: KumoEdition, cell: WorkCell) -> list[str | None]:
    """Hashes of all that the gate looks at in a batch."""
    workspace = edition.workspace
    parts = [
        workspace.staging.parts(workspace.key(cell.batch("sample"))).get("kumo_instances"),
        workspace.staging.parts(workspace.key(cell.batch("books"))).get("kumo_books"),
    ]
    return [None if part is None else part.sha256 for part in parts]


def _about(edition: KumoEdition, cell: WorkCell) -> Row:
    """What is kept beside the facts: with the first chunk, the size of each configuration's space."""
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
    cell: WorkCell
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
        rejected_ids = {row["subject"] for row in rejections}
        for row in self.edition.instance_rows(self.cell):
            final, control = (books.get((row["instance_id"], version)) for version in ("final", "template"))
            # A row that names a foreign configuration is looked at by another's: its id is not its own then.
            test = tests.get(row["config_id"], tests[configs[0]])
            self.drawn[row["config_id"]] += 1
            self._look_at(test, row, final, control, rejected_ids)

    def rows(self) -> list[Row]:
        return [
            expectation.row("", self.problems[expectation]) for expectation in (*BATCH_EXPECTATIONS, DERIVED)
        ]

    def _look_at(
        self, test: SelfTest, row: Row, book: Row | None, control: Row | None, rejected_ids: set[str]
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
        if book is None and row["instance_id"] not in rejected_ids:
            self.problems[LISTED].append(f"{named}: it has no book that passed, and no rejection says why")
        if control is not None:
            self._note(READ, named, test.find_reader_failure(board, control["text"]))
        self.facts.append(
            InstanceFacts(
                instance_id=row["instance_id"],
                canonical_id=canonical,
                names=names_sum(board.instance.truths, board.instance.actions),
                # A balanced instance, as was just checked, leaves all its truths possible.
                is_trivial=not (is_balanced or can_differ(board.encoded)) or row["expected_steps"] <= 0,
                book=None if book is None else text_hash(book["text"]),
                read_by=NOT_READ if book is None else self._read(test, board, named, book),
                has_control=control is not None,
            )
        )

    def _read(self, test: SelfTest, board: SoundInstance, named: str, book: Row) -> str:
        """Let the reader play with the book that players are shown; return who read it."""
        if book["checked_by"] == SYMBOLIC_CHECK:
            self._note(READ, named, test.find_reader_failure(board, book["text"]))
            return READ_BY_GRAMMAR
        try:
            read_back = parse_read_back(self._last_reply(book))
        except UnreadableInput as error:
            self.problems[READ_BACK].append(f"{named}: what a model read out of its book is lost ({error})")
        else:
            self._note(READ_BACK, named, test.find_rules_failure(board, read_back))
        return READ_BY_MODEL

    def _last_reply(self, book: Row) -> str:
        """The reply by which the book's check was decided; raise UnreadableInput without one."""
        reply = self._replies.get(book["check_call_ids"][-1]) if book["check_call_ids"] else None
        if reply is None:
            raise UnreadableInput(f"book {book['book_id']} names no call that read it back")
        return reply

    @cached_property
    def _replies(self) -> dict[str, str | None]:
        rows = self.edition.workspace.rows(self.cell.batch("books"), "calls")
        return {row["call_id"]: row["reply"] for row in rows}

    def _note(self, expectation: Expectation, named: str, problem: str | None) -> None:
        if problem is not None:
            self.problems[expectation].append(f"{named}: {problem}")


def _instance(row: Row, encoded: EncodedConfig) -> Instance | str:
    """The instance that the row holds, or in words that it holds none."""
    try:
        return instance_from_row(row, encoded.config)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        why = in_one_line(f"{type(error).__name__}: {error}")
        return f"its row is not an instance of its configuration ({why})"


def _describe_impossible(board: SoundInstance, survivals: Sequence[float]) -> str | None:
    """Which truths could never be the only survivor, counted by the engine that did not draw them."""
    names = [repr(name) for name, number in zip(board.instance.truths, survivals, strict=True) if not number]
    return f"{', '.join(names)} could not be the only survivor" if names else None
