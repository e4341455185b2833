"""A KUMO edition in growth: its configurations, its cells, and what is staged of each."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.kumo.plan import KumoPlan
from perennial.schemas.rows import Rows
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config

CHUNK = 10_000
_GROUP = 50  # instances of a setting: domains of few instances share a batch, which costs more than they do
PROPOSALS = Batch("proposals")
CONFIGS = Batch("configs")
WORLDS = Batch("worlds")
COUNTERFACTUALS = Batch("counterfactuals")


@dataclass(frozen=True, slots=True, order=True)
class WorkCell:
    """A group of configurations, a setting, and one chunk of the instances of each: the unit of work.

    Chunk 0 holds the instances before `CHUNK`, and so on: no stage holds more of them in memory at once.
    Where there are several chunks, a group is one configuration.
    """

    group: int
    setting: str
    chunk: int = 0

    def batch(self, stage: str, *parts: str) -> Batch:
        """Return the batch of a stage that works on this cell (for a player: one of the parts)."""
        return Batch(stage, (str(self.group), self.setting, str(self.chunk), *parts))

    @classmethod
    def from_batch(cls, batch: Batch) -> "WorkCell":
        """Return the cell that a batch works on."""
        group, setting, chunk, *_ = batch.key
        return cls(int(group), setting, int(chunk))


def batch_of_given(config_id: str) -> Batch:
    """Return the batch of a domain that was given, not proposed."""
    return Batch("domains", (config_id,))


@dataclass(frozen=True)
class KumoEdition:
    """An edition of KUMO over its workspace."""

    workspace: Workspace
    _encoded: dict[str, EncodedConfig] = field(default_factory=dict, init=False, compare=False, repr=False)

    @cached_property
    def plan(self) -> KumoPlan:
        """KUMO's own part of the edition's plan."""
        return KumoPlan.from_json(self.workspace.growth.own)

    def read_proposed(self) -> Rows:
        """Return the rows of `domains` that a model proposed, in order; none before they are staged."""
        if not self.plan.authoring.proposals or not self.workspace.is_done(PROPOSALS):
            return []
        return self.workspace.rows(PROPOSALS, "kumo_domains")

    @property
    def configs(self) -> tuple[str, ...]:
        """The ids of all configurations: the given ones, then drawn ones and what models wrote, so far."""
        return (*self.plan.configs, *self._read_made())

    @property
    def cells(self) -> tuple[WorkCell, ...]:
        """All cells of the edition, as far as its configurations are staged."""
        chunks = range(-(-self.plan.instances // CHUNK))
        groups = range(-(-len(self.configs) // self._group_size))
        return tuple(
            WorkCell(group, setting.name, chunk)
            for group in groups
            for setting in self.plan.settings
            for chunk in chunks
        )

    def configs_of(self, cell: WorkCell) -> tuple[str, ...]:
        """Return the ids of the cell's configurations."""
        return self.configs[cell.group * self._group_size :][: self._group_size]

    @property
    def _group_size(self) -> int:
        return 1 if self.plan.instances > CHUNK else max(1, _GROUP // self.plan.instances)

    def size(self, cell: WorkCell) -> int:
        """Return how many instances of each of its configurations the cell is to hold."""
        return min(CHUNK, self.plan.instances - cell.chunk * CHUNK)

    def config(self, config_id: str) -> EncodedConfig:
        """Return a staged configuration, encoded."""
        if config_id not in self._encoded:
            if config_id in self.plan.configs:
                (row,) = self.workspace.rows(batch_of_given(config_id), "kumo_seed_configs")
                self._encoded[config_id] = _encode(row["config"])
            else:
                self._encoded.update((made, _encode(text)) for made, text in self._read_made().items())
        return self._encoded[config_id]

    def domain_name(self, config_id: str) -> str:
        """Return the name of a configuration's domain, its id where it is not staged yet."""
        is_given = config_id in self.plan.configs
        if is_given and not self.workspace.is_done(batch_of_given(config_id)):
            return config_id
        return self.config(config_id).config.name

    def instance_rows(self, cell: WorkCell) -> Rows:
        """Return the staged instances of a cell: their rows of `instances` and `kumo_instances` in one."""
        batch = cell.batch("sample")
        pairs = zip(
            self.workspace.rows(batch, "instances"), self.workspace.rows(batch, "kumo_instances"), strict=True
        )
        return [{**shared, **kumo_row} for shared, kumo_row in pairs]

    def draw_rows(self) -> Rows:
        """Return the staged rows of `kumo_draws` of all cells."""
        batches = (cell.batch("sample") for cell in self.cells)
        return [row for batch in batches for row in self.workspace.rows(batch, "kumo_draws")]

    def book_rows(self, cell: WorkCell) -> Rows:
        """Return the staged rows of `kumo_books` of a cell: every version of each instance's book."""
        return self.workspace.rows(cell.batch("books"), "kumo_books")

    def read_worlds(self) -> dict[str, str]:
        """Return the configurations of the synthetic worlds, as JSON by id; none before they are staged."""
        return self._read_configs(WORLDS) if self.plan.worlds else {}

    def _read_made(self) -> dict[str, str]:
        """The configurations that were made for this edition: drawn ones, then those of models."""
        exchanged = self._read_configs(COUNTERFACTUALS) if self.plan.counterfactual else {}
        authored = self._read_configs(CONFIGS) if self.plan.authoring.proposals else {}
        return {**exchanged, **self.read_worlds(), **authored}

    def _read_configs(self, batch: Batch) -> dict[str, str]:
        if not self.workspace.is_done(batch):
            return {}
        rows = self.workspace.rows(batch, "kumo_seed_configs")
        return {row["config_id"]: row["config"] for row in rows}


@lru_cache(maxsize=64)
def _encode(config_json: str) -> EncodedConfig:
    return encode_config(parse_config(config_json, "staged configuration"))
