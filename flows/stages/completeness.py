"""Whether all that a plan asks for is staged, and nothing else: looked at before an edition is published.

Batches are read one by one as their marks say. A mark, a part or the whole folder that somebody removed
meanwhile would be missed by no reader, and the edition be published without it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from perennial.flows.stages.unit_stages import stages_of
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.units import describe_unit

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
        return [told for key, told in self.asked.items() if key not in self.done]

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
    for key, told in asked.items():
        for table in staging.parts(key):
            name = staging.part_file(table, key)
            folder, _, file = name.rpartition("/")
            if folder not in present:
                present[folder] = set(staging.store.names(folder))
            if file not in present[folder]:
                raise staging.damage(f"{staging.store.location(name)} ({told}) is missing")


def _describe_batches(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Yield key and words of every batch, as far as it is known which there are."""
    for stage in stages_of(workspace.plan.unit, workspace.plan.benchmark):
        for batch in stage.batches(workspace):
            yield workspace.key(batch), str(batch)
