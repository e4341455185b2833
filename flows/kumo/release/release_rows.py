"""The KUMO authors' domains, configurations, instances and books as rows, their defects as findings."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TypeVar

from schemas.errors import UnreadableInput
from schemas.ids import content_id
from schemas.kumo.things import BookVerdict, Instance, Rejection, SeedConfig, Setting, observation_text
from tasks.kumo.configuration import parse_json
from tasks.kumo.encoding import EncodedConfig, encode_config, encode_instance, instance_id
from tasks.kumo.release.configurations import config_from_json, config_from_module
from tasks.kumo.release.instances import parse_instance
from tasks.kumo.search import WORK_LIMIT, Solution, solve_instances
from tasks.kumo.topology import signature
from tasks.kumo.validation import validate_config
from warehouse.kumo.release.contents import MAX_LINE_BYTES, read_books, read_configs, read_instances
from warehouse.kumo.release.folders import read_lines
from warehouse.kumo.release.things import InstanceFile, Release, Skipped, TrajectoryFile
from warehouse.kumo.release.trajectory_lines import InstanceKey
from warehouse.kumo.rows import (
    Row,
    book_row,
    config_row,
    domain_row,
    instance_row,
    outcome_rows,
    shared_instance_row,
)

BOOK_AUTHOR = "kumo-2025-release"
_MOST_INSTANCES = 5_000
Place = tuple[str, Setting]
Thing = TypeVar("Thing")


@dataclass(slots=True)
class ReleaseRows:
    """What was read: rows by table, what was found and skipped, and each instance's key by place and seed."""

    tables: dict[str, list[Row]]
    findings: list[Rejection] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    keys: dict[Place, dict[int, InstanceKey]] = field(default_factory=dict)
    instance_ids: set[str] = field(default_factory=set)


def read_release(release: Release) -> ReleaseRows:
    """Return the small things of the release; runs are read on their keys afterwards.

    An instance keeps the length of the authors' published optimal play, so that published figures come
    back; its expected steps are our exact search's. A domain without a readable configuration, and all
    that belongs to it, is skipped.
    """
    names = (
        "instances",
        "kumo_domains",
        "kumo_seed_configs",
        "kumo_outcomes",
        "kumo_instances",
        "kumo_books",
    )
    rows = ReleaseRows({name: [] for name in names}, skipped=list(release.skipped))
    configs: dict[str, EncodedConfig] = {}
    for domain, read in _skip_findings(
        read_configs(release.configs, config_from_json, config_from_module), rows
    ):
        rows.findings += [Rejection("import", domain, "said-twice", remark) for remark in read.remarks]
        configs[domain] = encode_config(read.config)
        _add_config(rows, read.config)
    books = {(b.domain, b.setting, b.seed): b.text for b in _skip_findings(read_books(release.books), rows)}
    optimal = {(file.domain, file.setting): _golden_moves(file, rows) for file in release.oracle}
    for file in release.instances:
        encoded = configs.get(file.domain)
        if encoded is None:
            rows.skipped.append(Skipped(file.file.name, None, f"domain {file.domain} has no configuration"))
        else:
            _add_instances(rows, encoded, file, books, optimal.get((file.domain, file.setting), {}))
    return rows


def _skip_findings(things: Iterable[Thing | Skipped], rows: ReleaseRows) -> Iterator[Thing]:
    for thing in things:
        if isinstance(thing, Skipped):
            rows.skipped.append(thing)
        else:
            yield thing


def _add_config(rows: ReleaseRows, config: SeedConfig) -> None:
    findings = validate_config(config)
    rows.findings += [
        Rejection("validation", config.name, finding.rule, finding.message) for finding in findings
    ]
    rows.tables["kumo_domains"].append(domain_row(config, "import"))
    rows.tables["kumo_seed_configs"].append(config_row(config, [finding.message for finding in findings]))
    outcomes = {(row["action"], row["state"]): row for row in reversed(outcome_rows(config))}
    rows.tables["kumo_outcomes"] += outcomes.values()


def _golden_moves(file: TrajectoryFile, rows: ReleaseRows) -> dict[int, list[str]]:
    """Return the published optimal play by seed: its tests, and the truth that it names."""
    moves: dict[int, list[str]] = {}
    for entry in read_lines(file.file, MAX_LINE_BYTES):
        if isinstance(entry, Skipped):
            rows.skipped.append(entry)
            continue
        number, text = entry
        try:
            line = parse_json(text, file.file.name)
            played = [move for move in line["trajectories"][0]["actions"] if isinstance(move, str)]
            moves[line["seed"]] = played
        except (UnreadableInput, KeyError, IndexError, TypeError):
            rows.skipped.append(Skipped(file.file.name, number, "no optimal play in it"))
    return moves


def _add_instances(
    rows: ReleaseRows,
    encoded: EncodedConfig,
    file: InstanceFile,
    books: Mapping[tuple[str, Setting, int], str],
    optimal: Mapping[int, list[str]],
) -> None:
    read = read_instances(file, lambda text, index: parse_instance(text, encoded, index))
    instances = _select_used(list(_skip_findings(read, rows)), file, books, optimal, rows)
    boards = [encode_instance(encoded, instance) for instance in instances]
    solutions = solve_instances(boards, time_limit=inf, work_limit=WORK_LIMIT)
    keys = rows.keys.setdefault((file.domain, file.setting), {})
    config_id = encoded.config.config_id  # a hash of the whole configuration, computed again at each access
    for instance, board, solution in zip(instances, boards, solutions, strict=True):
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
                golden=optimal.get(instance.seed) or _our_moves(instance, solution),
                signature=signature(board),
            )
        )
        book_id = _add_book(rows, identity, books.get((file.domain, file.setting, instance.seed)))
        keys[instance.seed] = _key(instance, identity, book_id)


def _select_used(
    instances: list[Instance],
    file: InstanceFile,
    books: Mapping[tuple[str, Setting, int], str],
    optimal: Mapping[int, list[str]],
    rows: ReleaseRows,
) -> list[Instance]:
    """Return the instances; of a file for training, with 100,000 of them, those that a book or play is of."""
    if len(instances) <= _MOST_INSTANCES:
        return instances
    used = [
        instance
        for instance in instances
        if instance.seed in optimal or (file.domain, file.setting, instance.seed) in books
    ]
    left_out = (
        f"{len(instances) - len(used):,} of {len(instances):,} instances have no book and no optimal play"
    )
    rows.skipped.append(Skipped(file.file.name, None, left_out))
    return used


def _identity(rows: ReleaseRows, encoded: EncodedConfig, instance: Instance, file: InstanceFile) -> str:
    """Return the canonical id, or another one for an instance that the release has under two seeds."""
    identity = instance_id(encoded, instance)
    if identity not in rows.instance_ids:
        rows.instance_ids.add(identity)
        return identity
    message = f"seed {instance.seed} of {file.setting.name} is the same instance as an earlier seed"
    rows.findings.append(Rejection("import", file.domain, "duplicate-instance", message))
    return content_id("ki", identity, file.domain, file.setting.name, instance.seed)


def _our_moves(instance: Instance, solution: Solution) -> list[str]:
    if solution.golden_answer is None:
        return [""]
    moves = [instance.actions[action] for action in solution.golden_actions]
    return [*moves, instance.truths[solution.golden_answer]]


def _add_book(rows: ReleaseRows, identity: str, text: str | None) -> str | None:
    if text is None:
        return None
    row = {**book_row(identity, 0, text, BOOK_AUTHOR, BookVerdict()), "verdict": "unchecked"}
    rows.tables["kumo_books"].append(row)
    return str(row["book_id"])


def _key(instance: Instance, identity: str, book_id: str | None) -> InstanceKey:
    return InstanceKey(
        instance_id=identity,
        book_id=book_id,
        truths=instance.truths,
        actions=instance.actions,
        observations=tuple(observation_text(value) for value in instance.observations),
        states=instance.states,
        valid_truths=instance.valid_truths,
    )
