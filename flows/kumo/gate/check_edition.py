"""The gate's look at an edition as a whole: its rows of table `audits`, from the facts of its batches."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from perennial.flows.kumo.edition import Cell, KumoEdition
from perennial.flows.kumo.gate.expectations import (
    AGREED,
    BALANCED,
    DERIVED,
    DISTINCT,
    GRADED,
    NEW_FORMS,
    NEW_IDS,
    NEW_TASKS,
    PLAYED,
    READ,
    READ_BACK,
    SHOWN,
    TOLD,
    few_trivial,
    many_books,
    no_better_than_chance,
    rare_repeats,
)
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import GatePolicy, Setting
from perennial.schemas.rows import Row
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config, instance_id
from perennial.tasks.kumo.scoring import GUESSES, LEAST_P, judge_ranks
from perennial.tasks.kumo.space import SpaceSize, repeat_probability
from perennial.warehouse.catalog.catalog import published_editions
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.issued_ids import issued_instances
from perennial.warehouse.kumo.overlap import (
    NOT_READ,
    READ_BY_GRAMMAR,
    READ_BY_MODEL,
    BatchFacts,
    earlier_instances,
    facts_schema,
    names_sum,
    same_names,
)
from perennial.warehouse.kumo.rows import instance_from_row
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow

Place = tuple[str, str]


def edition_rows(
    edition: KumoEdition, facts: Sequence[tuple[Cell, BatchFacts]], policy: GatePolicy
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
    facts: tuple[tuple[Cell, BatchFacts], ...]

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
        """The facts of balanced instances, each batch with its setting."""
        if not self.edition.plan.is_balanced:
            return []
        return [(Setting.parse(cell.setting), facts) for cell, facts in self.facts]

    @property
    def size(self) -> int:
        """The number of instances."""
        return int(self.columns.num_rows)

    @cached_property
    def domain_names(self) -> dict[str, str]:
        """What each configuration's domain is called; two of one name are distinguished by their ids."""
        names = {id_: self.edition.config(id_).config.name for id_ in self.edition.configs}
        listed = list(names.values())
        return {id_: name if listed.count(name) == 1 else f"{name} {id_}" for id_, name in names.items()}

    def ids_where(self, column: str, value: object) -> list[str]:
        """Return the ids of the instances with this value."""
        import pyarrow.compute as pc

        ids: list[str] = self.columns.filter(pc.equal(self.columns[column], value))["instance_id"].to_pylist()
        return ids


def _benchmark_of(store: Store, edition: str) -> str:
    column = store.read_table(table_file("editions", edition), ["benchmark"])["benchmark"]
    return str(column[0].as_py())


def _grader_rows(whole: _Whole) -> Iterator[Row]:
    """Yield the rows of the self-test: a batch that failed would have staged no facts."""
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
    yield TOLD.row(f"{len(unread):,} instances")
    yield PLAYED.row(f"{whole.size:,} instances", [f"{id_} is not played" for id_ in unread])


def _agreement_row(whole: _Whole) -> Row:
    """Return the row of the lists that both engines judged while the edition was drawn."""
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
    """Yield the rows of what the edition holds by itself."""
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
    """Yield a row for each guess over the balanced instances: its rates, and p over all settings.

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
        yield no_better_than_chance(guess, LEAST_P).row(observed, problems)


def _trivial_row(whole: _Whole, policy: GatePolicy) -> Row:
    trivial = whole.ids_where("is_trivial", True)
    share = len(trivial) / whole.size if whole.size else 0.0
    observed = f"{share:.6g}: {len(trivial):,} of {whole.size:,} instances"
    problems = [f"{observed}, such as {', '.join(trivial[:3])}"] if share > policy.max_trivial_share else []
    return few_trivial(policy.max_trivial_share).row(observed, problems, broken_by=len(trivial))


def _books_row(whole: _Whole, policy: GatePolicy) -> Row:
    import pyarrow.compute as pc

    shown = whole.columns.filter(pc.is_valid(whole.columns["book"]))
    counted = pc.value_counts(shown["book"]).to_pylist()
    share = len(counted) / shown.num_rows if shown.num_rows else 1.0
    observed = f"{share:.6g}: {len(counted):,} texts for {shown.num_rows:,} instances"
    problems = []
    if share < policy.min_distinct_books:
        book = min(entry["values"] for entry in counted if entry["counts"] > 1)
        problems.append(f"{observed}; {', '.join(whole.ids_where('book', book)[:3])} have one book")
    repeats = shown.num_rows - len(counted)
    return many_books(policy.min_distinct_books).row(observed, problems, broken_by=repeats)


def _earlier_rows(whole: _Whole) -> Iterator[Row]:
    """Yield the rows of what earlier editions hold too: tasks and forms by content, and ids."""
    ids = whole.columns["instance_id"].to_pylist()
    issued = issued_instances(whole.store, whole.earlier)
    known = [id_ for id_, is_known in zip(ids, issued.which(ids), strict=True) if is_known]
    compared = f"{whole.size:,} instances against {len(issued):,} of {len(whole.earlier):,} earlier editions"
    tasks, forms = _repeats(whole)
    yield NEW_TASKS.row(compared, tasks)
    yield NEW_FORMS.row(compared, forms)
    yield NEW_IDS.row(compared, [f"{id_} was issued before" for id_ in known])


def _repeats(whole: _Whole) -> tuple[list[str], list[str]]:
    """Return what of an edition is the same task as an earlier instance, and what has the same form.

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
        own = {row["instance_id"]: row for row in whole.edition.instance_rows(cell)} if chosen else {}
        for fact in chosen:
            for edition, earlier in candidates[fact["names"]]:
                same = f"{fact['instance_id']} is {earlier['instance_id']} of edition {edition}"
                if fact["canonical_id"] == _form_of(whole.store, edition, earlier):
                    forms.append(same)
                if _task(own[fact["instance_id"]]) == _task(earlier):
                    tasks.append(same)
    return sorted(tasks), sorted(forms)


def _form_of(store: Store, edition: str, earlier: Row) -> str:
    """Return the canonical id of an earlier instance's content; its own id without a configuration."""
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
    """Return the task that players see: truths, and actions with their observations, in no order."""
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
    """Yield a row for each domain and setting: the size of its space and the probability of repeats."""
    issued = earlier_instances(whole.store, whole.earlier)
    drawn: Counter[Place] = Counter()
    spaces: dict[Place, SpaceSize] = {}
    for cell, facts in whole.facts:
        drawn.update({(config_id, cell.setting): count for config_id, count in facts.about["drawn"].items()})
        for config_id, space in facts.about["spaces"].items():
            spaces[config_id, cell.setting] = SpaceSize(**space)
    for (config_id, setting), space in spaces.items():
        domain = whole.edition.config(config_id).config.name
        before, now = issued.get((domain, setting), 0), drawn[config_id, setting]
        probability = repeat_probability(space.least, before, now)
        observed = (
            f"{_describe_probability(space, probability)}, for {now:,} draws after {before:,} issued; {space}"
        )
        problems = [observed] if probability > policy.max_collision_probability else []
        where = f"{whole.domain_names[config_id]}, {setting}"
        yield rare_repeats(where, policy.max_collision_probability).row(observed, problems)


def _describe_probability(space: SpaceSize, probability: float) -> str:
    """Return the probability in words: of a space that is only bounded it is an upper bound."""
    return f"{'' if space.is_exact else 'at most '}{probability:.2g}"
