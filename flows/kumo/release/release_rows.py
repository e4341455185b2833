"""The KUMO authors' domains, configurations, instances and books as rows, their defects as findings."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from perennial.flows.kumo.release.domain_files import read_config
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.ids import content_id
from perennial.schemas.kumo.things import BookVerdict, Instance, SeedConfig, Setting, observation_text
from perennial.schemas.rows import Rejection, Row
from perennial.tasks.kumo.books import other_sentences, rules_of
from perennial.tasks.kumo.configuration import parse_json
from perennial.tasks.kumo.encoding import (
    EncodedConfig,
    encode_config,
    encode_instance,
    instance_id,
    parse_instances,
    signature,
)
from perennial.tasks.kumo.search.solve import optimum_columns, solve_exactly
from perennial.tasks.kumo.validation import validate_config
from perennial.warehouse.kumo.release.layout import (
    Release,
    ReleaseFile,
    RunCell,
    SettingFile,
    Skipped,
    read_lines,
    read_text,
)
from perennial.warehouse.kumo.release.trajectories import RunInstance
from perennial.warehouse.kumo.rows import (
    book_row,
    config_row,
    domain_row,
    instance_row,
    outcome_rows,
    shared_instance_row,
)

BOOK_AUTHOR = "kumo-2025-release"
_MOST_INSTANCES = 5_000
_MAX_LINE_BYTES = 10_000_000  # the longest measured has 4,000
_BOOK_BYTES = 1_000_000  # the largest measured has 18,000
_TABLES = ("instances", "kumo_domains", "kumo_seed_configs", "kumo_outcomes", "kumo_instances", "kumo_books")
Books = Mapping[tuple[str, Setting, int], str]


@dataclass(slots=True)
class ReleaseRows:
    """What was read: rows by table, what was found and skipped, and each instance by place and seed."""

    tables: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in _TABLES})
    findings: list[Rejection] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    boards: dict[RunCell, dict[int, RunInstance]] = field(default_factory=dict)
    instance_ids: set[str] = field(default_factory=set)

    def skip(self, file: ReleaseFile, line: int | None, reason: str) -> None:
        """Note that a file or a line of it is skipped."""
        self.skipped.append(Skipped(file.name, line, reason))


def read_release(release: Release) -> ReleaseRows:
    """Return the small things of the release; runs are read on its boards afterwards.

    An instance keeps the length of the authors' published optimal play, so that published figures come
    back; its expected steps are our exact search's. A domain without a readable configuration, and all
    that belongs to it, is skipped.
    """
    rows = ReleaseRows(skipped=list(release.skipped))
    configs = {
        domain: encode_config(config)
        for domain, file in release.configs.items()
        if (config := _read_config(rows, domain, file)) is not None
    }
    books = {
        (file.domain, file.setting, file.seed): text
        for file in release.books
        if (text := _read_book(rows, file.file)) is not None
    }
    optimal = {(file.domain, file.setting): _read_golden_moves(rows, file) for file in release.oracle}
    for file in release.instances:
        encoded = configs.get(file.domain)
        if encoded is None:
            rows.skip(file.file, None, f"domain {file.domain} has no configuration")
        else:
            _add_instances(rows, encoded, file, books, optimal.get((file.domain, file.setting), {}))
    return rows


def _read_config(rows: ReleaseRows, domain: str, file: ReleaseFile) -> SeedConfig | None:
    read = read_config(domain, file)
    if isinstance(read, Skipped):
        rows.skipped.append(read)
        return None
    config = read.config
    flaws = validate_config(config)
    rows.findings += [Rejection("import", domain, "said-twice", remark) for remark in read.remarks]
    rows.findings += [Rejection("validation", config.name, flaw.rule, flaw.message) for flaw in flaws]
    rows.tables["kumo_domains"].append(domain_row(config, "import"))
    rows.tables["kumo_seed_configs"].append(config_row(config, [flaw.message for flaw in flaws]))
    outcomes = {(row["action"], row["state"]): row for row in reversed(outcome_rows(config))}
    rows.tables["kumo_outcomes"] += outcomes.values()
    return config


def _read_book(rows: ReleaseRows, file: ReleaseFile) -> str | None:
    text = read_text(file, _BOOK_BYTES)
    if isinstance(text, Skipped):
        rows.skipped.append(text)
    elif not text.strip():
        rows.skip(file, None, "empty, expected the text of a knowledge book")
    else:
        return text
    return None


def _readable_lines(rows: ReleaseRows, file: SettingFile) -> Iterator[tuple[int, str]]:
    """Number and text of each line that can be read, and note the others."""
    for entry in read_lines(file.file, _MAX_LINE_BYTES):
        if isinstance(entry, Skipped):
            rows.skipped.append(entry)
        else:
            yield entry


def _read_golden_moves(rows: ReleaseRows, file: SettingFile) -> dict[int, list[str]]:
    """The published optimal play by seed: its tests, and the truth that it names."""
    moves: dict[int, list[str]] = {}
    for number, text in _readable_lines(rows, file):
        try:
            line = parse_json(text, file.file.name)
            played = [move for move in line["trajectories"][0]["actions"] if isinstance(move, str)]
            moves[line["seed"]] = played
        except (UnreadableInput, KeyError, IndexError, TypeError):
            rows.skip(file.file, number, "no optimal play in it")
    return moves


def _add_instances(
    rows: ReleaseRows,
    encoded: EncodedConfig,
    file: SettingFile,
    books: Books,
    optimal: Mapping[int, list[str]],
) -> None:
    instances = _select_used(_read_instances(rows, encoded, file), file, books, optimal, rows)
    grids = [encode_instance(encoded, instance) for instance in instances]
    solutions = solve_exactly(grids, is_balanced=False)
    boards = rows.boards.setdefault((file.domain, file.setting), {})
    config_id = encoded.config.config_id  # a hash of the whole configuration, computed again at each access
    for instance, grid, solution in zip(instances, grids, solutions, strict=True):
        identity = _identity(rows, encoded, instance, file)
        shared = shared_instance_row(
            instance, instance_id=identity, domain=encoded.config.name, setting=file.setting.name
        )
        canonical = instance_id(encoded, instance)
        rows.tables["instances"].append({**shared, "content_hash": canonical.partition("_")[2]})
        rows.tables["kumo_instances"].append(
            instance_row(
                instance,
                instance_id=identity,
                config_id=config_id,
                expected_steps=-1.0 if solution.expected_steps is None else solution.expected_steps,
                golden=optimal.get(instance.seed) or solution.golden_moves(instance),
                signature=signature(grid),
                optimum=optimum_columns(instance, solution.optimum),
            )
        )
        text = books.get((file.domain, file.setting, instance.seed))
        book_id = None if text is None else _add_book(rows, identity, text, encoded, instance)
        observation_texts = map(observation_text, instance.observations)
        boards[instance.seed] = RunInstance(
            instance_id=identity,
            book_id=book_id,
            truths=instance.truths,
            valid_truths=instance.valid_truths,
            observation_of=dict(zip(instance.actions, observation_texts, strict=True)),
            state_of=dict(zip(instance.actions, instance.states, strict=True)),
        )


def _read_instances(rows: ReleaseRows, encoded: EncodedConfig, file: SettingFile) -> list[Instance]:
    """The file's instances in its order; `index` is the line, so that a skipped one leaves a gap.

    Skipped too: an instance of another setting than the file's, and one whose seed the file already had (its
    book and its runs could not be told apart).
    """
    instances: list[Instance] = []
    lines: dict[int, int] = {}
    expected = file.setting.n_truths, file.setting.n_actions, file.setting.n_valid
    for number, text in _readable_lines(rows, file):
        try:
            instance = replace(next(parse_instances([text], encoded, "")), index=number - 1)
        except UnreadableInput as error:
            rows.skip(file.file, number, str(error).removeprefix(", line 1: "))
            continue
        size = len(instance.truths), len(instance.actions), len(instance.valid_truths)
        if size != expected:
            reason = f"{_size(size)}, but the file's name says {_size(expected)}"
            rows.skip(file.file, number, reason)
        elif instance.seed in lines:
            rows.skip(file.file, number, f"seed {instance.seed} again, as in line {lines[instance.seed]}")
        else:
            lines[instance.seed] = number
            instances.append(instance)
    return instances


def _size(size: tuple[int, int, int]) -> str:
    return f"{size[0]} truths, {size[1]} actions and {size[2]} valid"


def _select_used(
    instances: list[Instance],
    file: SettingFile,
    books: Books,
    optimal: Mapping[int, list[str]],
    rows: ReleaseRows,
) -> list[Instance]:
    """The instances; of a file for training, with 100,000 of them, those that a book or play is of."""
    if len(instances) <= _MOST_INSTANCES:
        return instances
    used = [
        instance
        for instance in instances
        if instance.seed in optimal or (file.domain, file.setting, instance.seed) in books
    ]
    left_out = len(instances) - len(used)
    reason = f"{left_out:,} of {len(instances):,} instances have no book and no optimal play"
    rows.skip(file.file, None, reason)
    return used


def _identity(rows: ReleaseRows, encoded: EncodedConfig, instance: Instance, file: SettingFile) -> str:
    """The canonical id, or another one for an instance that the release has under two seeds."""
    identity = instance_id(encoded, instance)
    if identity not in rows.instance_ids:
        rows.instance_ids.add(identity)
        return identity
    message = f"seed {instance.seed} of {file.setting.name} is the same instance as an earlier seed"
    rows.findings.append(Rejection("import", file.domain, "duplicate-instance", message))
    return content_id("ki", identity, file.domain, file.setting.name, instance.seed)


def _add_book(rows: ReleaseRows, identity: str, text: str, encoded: EncodedConfig, instance: Instance) -> str:
    other = other_sentences(text, encoded.config, instance, rules_of(encoded, instance))
    row = {**book_row(identity, 0, text, BOOK_AUTHOR, BookVerdict(other=other)), "verdict": "unchecked"}
    rows.tables["kumo_books"].append(row)
    return str(row["book_id"])
