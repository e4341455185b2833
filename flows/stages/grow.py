"""How an edition or an evaluation is made: its stages in order, each over its batches, run by a runner."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Protocol

from perennial.flows.benchmark import Stage, find_benchmark
from perennial.flows.stages.model_calls import CallsFailed
from perennial.flows.stages.play_episodes import play_stage, try_players
from perennial.flows.stages.workspace import Policies, Workspace, open_workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import CallsStopped, EndpointFailed, count
from perennial.schemas.units import describe_unit, is_evaluation
from perennial.warehouse.ledger.reading import LedgerReader, describe_causes
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.lineage import StageTables, jobs_of

# The stages of what is staged: a benchmark's own of an edition; play and what follows it of answers.


def stages_of(unit: str, benchmark: str) -> tuple[Stage, ...]:
    """Return the stages by which this edition or evaluation of the benchmark is made, in order."""
    installed = find_benchmark(benchmark)
    return (play_stage(benchmark), *installed.reading_stages()) if is_evaluation(unit) else installed.stages()


def list_jobs(unit: str, benchmark: str) -> tuple[StageTables, ...]:
    """Return its stages as jobs of its lineage, and the one that publishes it."""
    made = stages_of(unit, benchmark)
    return jobs_of(
        unit,
        benchmark,
        (StageTables(stage.name, stage.doc, stage.reads, stage.writes, stage.earlier) for stage in made),
    )


# Whether all that a plan asks for is staged, and nothing else: looked at before an edition is published.
#
# Batches are read one by one as their marks say. A mark, a part or the whole folder that somebody removed
# meanwhile would be missed by no reader, and the edition be published without it.

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a staged edition is: what its plan asks for so far, by key, in words.

    Of an edition whose domains models propose, batches are known as far as their configurations are staged.
    """

    asked: dict[str, str]
    done: frozenset[str]

    @property
    def missing(self) -> list[str]:
        """The batches that are asked for and not staged whole, in the order of the stages, in words."""
        return [description for key, description in self.asked.items() if key not in self.done]

    @property
    def unasked(self) -> list[str]:
        """The keys of staged batches that the plan does not ask for, sorted."""
        return sorted(self.done - set(self.asked))


def progress_of(workspace: Workspace) -> Progress:
    """Return how far the staged edition is; raise Damaged where a mark or a part is damaged."""
    return Progress(dict(_describe_batches(workspace)), frozenset(workspace.staging.done_keys()))


def require_complete(workspace: Workspace) -> None:
    """Raise Damaged unless every batch of the plan is staged with all its parts, and no other batch is.

    The content of the parts is checked when they are read.
    """
    staging = workspace.staging
    state = progress_of(workspace)
    if state.missing:
        count = len(state.missing)
        more = f" and {count - _SHOWN:,} more" if count > _SHOWN else ""
        raise staging.damage(
            f"{count:,} of the {len(state.asked):,} batches of {describe_unit(staging.unit)} are not in "
            f"{staging.store.location(staging.folder)}, though the refresh staged them: "
            f"{', '.join(state.missing[:_SHOWN])}{more}"
        )
    if state.unasked:
        raise staging.damage(
            f"{staging.store.location(staging.folder)} holds {len(state.unasked):,} batches that the plan of "
            f"{describe_unit(staging.unit)} does not ask for, such as {state.unasked[0]}"
        )
    _require_parts(workspace, state.asked)


def _require_parts(workspace: Workspace, asked: dict[str, str]) -> None:
    staging = workspace.staging
    present: dict[str, set[str]] = {}
    for key, description in asked.items():
        for table in staging.parts(key):
            name = staging.part_file(table, key)
            folder, _, file = name.rpartition("/")
            if folder not in present:
                present[folder] = set(staging.store.names(folder))
            if file not in present[folder]:
                raise staging.damage(f"{staging.store.location(name)} ({description}) is missing")


def _describe_batches(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Yield key and words of every batch, as far as it is known which there are."""
    for stage in stages_of(workspace.plan.unit, workspace.plan.benchmark):
        for batch in stage.batches(workspace):
            yield workspace.key(batch), str(batch)


FAILED_EPISODES = "api_errors"
Counts = dict[str, int]


@dataclass(frozen=True, slots=True)
class Work:
    """Batches of one stage that run one after the other; picklable, so that any process can do it."""

    root: str
    unit: str
    batches: tuple[Batch, ...]
    policies: Policies
    edition_seed: int | None = field(default=None, repr=False)  # elsewhere nobody has the file that keeps it
    label: str = ""  # for readers

    def run(self) -> Counts:
        """Stage the batches that are not staged yet; return the rows of all of them by table."""
        workspace = open_workspace(self.root, self.unit, self.edition_seed)
        stages = stages_of(self.unit, workspace.plan.benchmark)
        stage = next(stage for stage in stages if stage.name == self.batches[0].stage)
        counts: Counter[str] = Counter()
        for batch in self.batches:
            counts.update(_stage_batch(workspace, stage, batch, self.policies))
        return dict(counts)


def _stage_batch(workspace: Workspace, stage: Stage, batch: Batch, policies: Policies) -> Counts:
    key = workspace.key(batch)
    if workspace.staging.is_done(key) and not stage.repeats:
        return workspace.staging.counts(key)
    try:
        tables = stage.run(workspace, batch, policies)
    except CallsFailed as failed:
        return {FAILED_EPISODES: failed.episodes}
    return workspace.staging.write_batch(key, tables)


@dataclass(frozen=True, slots=True)
class OwnWork:
    """Work of this process, with its name for readers."""

    label: str
    run: Callable[[], Counts]

    def __call__(self) -> Counts:
        """Do it and return the rows of each table."""
        return self.run()


class StageRunner(Protocol):
    """Runs the work of a stage."""

    def run(self, name: str, here: Sequence[Callable[[], Counts]], spread: Sequence[Work] = ()) -> Counts:
        """Do all of it and return the added counts: `here` in order in this process, `spread` anywhere."""
        ...


def grow(workspace: Workspace, policies: Policies, runner: StageRunner) -> None:
    """Stage all that the plan asks for, but for what is staged already.

    Raises EndpointFailed where a stage's model calls failed for good, once the other players have played;
    what was answered is kept.
    """
    for stage in stages_of(workspace.plan.unit, workspace.plan.benchmark):
        batches = stage.batches(workspace)
        if batches:
            works = list(_works(workspace, stage, batches, policies))
            spread = [work for work in works if stage.spreads(workspace, work.batches[0])]
            # A model that does not answer leaves the other players to be asked.
            failures: list[str] | None = [] if stage.name == "episodes" else None
            here = [
                OwnWork(work.label, work.run if failures is None else partial(_note_failure, work, failures))
                for work in works
                if work not in spread
            ]
            if policies.smoke and stage.name == "episodes":
                try_players(workspace, batches, policies)
            counts = runner.run(stage.name, here, spread)
            if failures:
                raise EndpointFailed(_describe_failures(failures, len(here)))
            _refuse_failed_calls(workspace, counts)


def _note_failure(work: Work, failures: list[str]) -> Counts:
    """Do the work; an endpoint that fails is added to the failures."""
    try:
        return work.run()
    except CallsStopped:
        raise
    except EndpointFailed as error:
        failures.append(str(error))
        return {}


_MOST_REASONS = 5


def _describe_failures(failures: Sequence[str], works: int) -> str:
    """Return why players failed, each reason once, and what became of the others."""
    reasons = list(dict.fromkeys(failures))
    others = works - len(failures)
    rest = f"; the other {count(others, 'task')} of this stage ended, and nothing of them is asked again"
    more = f"; and {count(len(reasons) - _MOST_REASONS, 'more reason')}" * (len(reasons) > _MOST_REASONS)
    return "; ".join(reasons[:_MOST_REASONS]) + more + rest * (others > 0)


def _works(
    workspace: Workspace, stage: Stage, batches: Iterable[Batch], policies: Policies
) -> Iterable[Work]:
    origin = (workspace.staging.store.root, workspace.plan.unit)
    groups = [(b,) for b in batches] if stage.chain is None else _chains(stage.chain, batches)
    for group in groups:
        elsewhere = stage.spreads(workspace, group[0])
        sent_policies = policies.without_inputs() if elsewhere else policies
        label = stage.label(workspace, group[0], policies)
        yield Work(*origin, group, sent_policies, workspace.edition_seed, label)


def _chains(chain: Callable[[Batch], object], batches: Iterable[Batch]) -> list[tuple[Batch, ...]]:
    return [tuple(group) for _, group in groupby(batches, key=chain)]


def _refuse_failed_calls(workspace: Workspace, counts: Counts) -> None:
    failed = counts.get(FAILED_EPISODES, 0)
    if failed:
        with LedgerReader(ledger_file(workspace.staging.store.root)) as ledger:
            causes = describe_causes(ledger.causes(workspace.plan.unit, "player"))
        raise EndpointFailed(
            f"{failed} episodes ended because model calls failed for good: {causes} (`perennial calls` lists "
            "them, with --status unavailable or rejected); the same command makes only these calls "
            "again, and --accept-api-errors publishes them as api_error, left out of every rate"
        )
