"""What every stage of a refresh works in: the staged edition, its plan and its configurations."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from schemas.errors import EditionConflict
from schemas.plan import RefreshPlan
from tasks.kumo.configuration import parse_config
from tasks.kumo.encoding import EncodedConfig, encode_config
from warehouse.staging.staging import Rows, Staging
from warehouse.store.store import Store

CHUNK = 10_000


@dataclass(frozen=True, slots=True, order=True)
class Batch:
    """The unit of work after the domains: a configuration, a setting, and one chunk of its instances.

    Chunk 0 holds the instances before `CHUNK`, and so on: no stage holds more of them in memory at once.
    """

    config_id: str
    setting: str
    chunk: int = 0


@dataclass(frozen=True)
class Workspace:
    """The staging of one edition, opened by root and name so that any process can do it."""

    staging: Staging
    plan: RefreshPlan

    def author_key(self, config_id: str) -> str:
        """Return the key of the batch that holds a domain's configuration."""
        return self.plan.batch_key("author", config_id)

    @property
    def proposals_key(self) -> str:
        """The key of the batch that holds the domains that a model proposed."""
        return self.plan.batch_key("proposals")

    def configure_key(self, domain_id: str) -> str:
        """Return the key of the batch that holds a proposed domain's configuration, if it got one."""
        return self.plan.batch_key("configure", domain_id)

    def key(self, stage: str, batch: Batch, *parts: str) -> str:
        """Return the key under which a stage keeps its rows of a batch (of a player: one of the parts)."""
        return self.plan.batch_key(stage, batch.config_id, batch.setting, str(batch.chunk), *parts)

    @property
    def statistics_key(self) -> str:
        """The key of the batch that holds all statistics."""
        return self.plan.batch_key("statistics")

    @property
    def gate_key(self) -> str:
        """The key of the batch that holds the gate's rows of `audits`."""
        return self.plan.batch_key("gate edition")

    def proposed(self) -> Rows:
        """Return the rows of `domains` that a model proposed, in order; none before they are staged."""
        if not self.plan.authoring.proposals or not self.staging.is_done(self.proposals_key):
            return []
        return self.staging.read_batch(self.proposals_key, "domains")

    @property
    def configs(self) -> tuple[str, ...]:
        """The ids of all configurations: the given ones, then those that models wrote so far."""
        return (*self.plan.configs, *self._authored)

    @property
    def batches(self) -> tuple[Batch, ...]:
        """All batches of the edition: the unit of work of every stage after the domains."""
        chunks = range(-(-self.plan.instances // CHUNK))
        return tuple(
            Batch(config_id, setting.name, chunk)
            for config_id in self.configs
            for setting in self.plan.settings
            for chunk in chunks
        )

    def chunks(self, config_id: str, setting: str) -> tuple[Batch, ...]:
        """Return the batches of one configuration and setting, in order."""
        return tuple(b for b in self.batches if (b.config_id, b.setting) == (config_id, setting))

    def size(self, batch: Batch) -> int:
        """Return how many instances the batch is to hold."""
        return min(CHUNK, self.plan.instances - batch.chunk * CHUNK)

    def config(self, config_id: str) -> EncodedConfig:
        """Return a staged configuration, encoded."""
        key = self.author_key(config_id) if config_id in self.plan.configs else self._authored[config_id]
        row = self.staging.read_batch(key, "seed_configs")[0]
        return _encoded(row["config"])

    def instance_rows(self, batch: Batch) -> Rows:
        """Return the staged rows of `kumo_instances` of a batch."""
        return self.staging.read_batch(self.key("sample", batch), "kumo_instances")

    def book_rows(self, batch: Batch) -> Rows:
        """Return the staged rows of `books` of a batch: every version of each instance's book."""
        return self.staging.read_batch(self.key("books", batch), "books")

    @property
    def _authored(self) -> dict[str, str]:
        """The batch of each configuration that a model wrote, by configuration id."""
        keys = (self.configure_key(row["domain_id"]) for row in self.proposed())
        done = (key for key in keys if self.staging.is_done(key))
        return {row["config_id"]: key for key in done for row in self.staging.read_batch(key, "seed_configs")}


@lru_cache(maxsize=64)
def _encoded(config_json: str) -> EncodedConfig:
    return encode_config(parse_config(config_json, "staged configuration"))


def open_workspace(root: str, edition: str) -> Workspace:
    """Open the staging of an edition; raise EditionConflict where there is none."""
    staging = Staging(Store(root), edition)
    plan = staging.read_plan()
    if plan is None:
        raise EditionConflict(f"nothing is staged for edition {edition!r} in {root}: run `perennial refresh`")
    return Workspace(staging, plan)


def stage_once(workspace: Workspace, key: str, produce: Callable[[], dict[str, Rows]]) -> dict[str, int]:
    """Return the row counts of a batch, producing and staging it unless that is already done."""
    if workspace.staging.is_done(key):
        return workspace.staging.counts(key)
    return workspace.staging.write_batch(key, produce())
