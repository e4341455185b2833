"""The plans: what decides an edition's questions, and what decides an evaluation's answers."""

from dataclasses import asdict, dataclass, field, replace

from perennial.schemas.disclosure import canary_of, commitment_of, public_seed
from perennial.schemas.game import USUAL
from perennial.schemas.ids import content_id
from perennial.schemas.rows import JsonObject, ReadJson
from perennial.schemas.units import BY_LOG, PLAYED, evaluation_of, is_evaluation


@dataclass(frozen=True, slots=True)
class EditionPlan:
    """What decides an edition's questions; equal plans give equal questions, table by table.

    `own` is the benchmark's own part, a JSON object that shared code does not read; `found` names those keys
    of it that the benchmark found in the data root, instead of the operator asking for them.
    `known_editions` are the editions published before it began, whose instances it never issues again.
    `imported_from` is a digest of what an imported edition was read from.
    `seed` is None where it is secret; `seed_commitment` is its SHA-256, "" until it is drawn. `is_fresh`: it
    was drawn for this edition, not given. `private_share` of the instances stay out of exports. `is_trial`:
    it was grown for a model's first score, which is no result to publish.
    """

    edition: str
    benchmark: str
    own: JsonObject
    seed: int | None
    known_editions: tuple[str, ...]
    code_version: str
    imported_from: str = ""
    found: tuple[str, ...] = ()
    seed_commitment: str = ""
    is_fresh: bool = False
    private_share: float = 0.0
    is_trial: bool = False

    def __post_init__(self) -> None:
        if self.seed is not None and not self.imported_from:
            object.__setattr__(self, "seed_commitment", commitment_of(self.seed))

    def as_json(self) -> JsonObject:
        """The plan as `plan.json` keeps it."""
        return {**asdict(self), "known_editions": list(self.known_editions), "found": list(self.found)}

    @classmethod
    def from_json(cls, values: JsonObject) -> "EditionPlan":
        """Read what `as_json` wrote."""
        return cls(**{**values, **{key: tuple(values[key]) for key in ("known_editions", "found")}})

    @property
    def unit(self) -> str:
        """The name under which it is staged and published."""
        return self.edition

    @property
    def is_copied(self) -> bool:
        """Whether its rows are as others published them, which no gate or audit here has passed."""
        return bool(self.imported_from)

    @property
    def asked(self) -> JsonObject:
        """What the operator asked for: the plan without its name and without what was found there."""
        values = self.as_json()
        asked_parts = {key: value for key, value in values["own"].items() if key not in self.found}
        kept = ("benchmark", "private_share", "code_version", "imported_from")
        return {"seed": self._asked_seed} | {key: values[key] for key in kept} | asked_parts

    @property
    def _asked_seed(self) -> int | str:
        if self.is_fresh:
            return "fresh"
        return self.seed_commitment if self.seed is None else self.seed

    @property
    def public_seed(self) -> int:
        """The seed of what everybody may compute again: intervals, the draws of players."""
        return self.seed if self.seed is not None else public_seed(self.seed_commitment)

    @property
    def canary(self) -> str:
        """The GUID that marks texts and files of the edition."""
        return canary_of(self.seed_commitment or self.imported_from)

    @property
    def freshness(self) -> str:
        """Whether its questions could be known before, in words."""
        return "imported" if self.imported_from else "fresh" if self.is_fresh else "replayed, not fresh"

    def batch_key(self, stage: str, *parts: str) -> str:
        """The content key of a staged batch: equal plans give equal keys."""
        return content_id(stage, {**self.as_json(), "edition": "", "is_trial": False}, *parts)


def way_of(protocol: ReadJson, player: str) -> JsonObject:
    """How a protocol asks the player: of its `budgets` the player's own, and no `analysis`."""
    return {
        **{key: value for key, value in protocol.items() if key != "analysis"},
        "budgets": protocol.get("budgets", {}).get(player),
    }


REPLIES = "replies/"
PERENNIAL = "perennial"  # the protocol of every benchmark's usual way to ask
_LISTS = ("players", "anchors", "versions")


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What decides an evaluation's answers: who plays the questions of an edition, and how often.

    `player_params` are passed on with every call of a model that plays, but for those models to which
    `model_params` gives others (models.toml). `first_runs` are the numbers of the
    players' first runs, where earlier evaluations of the edition hold those before: they were found there.
    `seed` is the edition's public one, `canary` the edition's.
    `anchors` are those of the players that answer every edition, `versions` the versions of each question
    that are played (`perennial.flows.benchmark.Playing`). `protocol` is the benchmark's own, and nothing else
    is in it: how models are asked, where that is not its usual way, by `name`; what is under `texts` is not
    printed, what is under `budgets` is by player, and what is under `analysis` is done with answers
    afterwards. `facts` describe players that are models (models.toml) and decide nothing: whoever corrects
    them resumes. `instances` is how many of the edition's instances are played, spread evenly over domains
    and settings in one order (0: all of them); `played` says how many of these each player has answered in
    earlier evaluations: found there, and not played again.
    `imported_from` is a digest of what was imported, with REPLIES before it where that were replies alone.
    `people`, where people played: the name of their `study`, and the content id of what they did (`moves`).
    """

    edition: str
    name: str
    benchmark: str
    players: tuple[str, ...]
    runs: int
    seed: int
    code_version: str
    player_params: JsonObject = field(default_factory=dict)
    first_runs: dict[str, int] = field(default_factory=dict)
    imported_from: str = ""
    canary: str = ""
    anchors: tuple[str, ...] = ()
    versions: tuple[str, ...] = (USUAL,)
    protocol: JsonObject = field(default_factory=dict)
    model_params: dict[str, JsonObject] = field(default_factory=dict)
    people: dict[str, str] = field(default_factory=dict)
    instances: int = 0
    played: dict[str, int] = field(default_factory=dict)
    facts: dict[str, JsonObject] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        """The name under which it is staged and published, `EDITION@NAME`."""
        return evaluation_of(self.edition, self.name)

    @property
    def is_copied(self) -> bool:
        """Whether its rows are as others published them, instead of made here from replies."""
        return bool(self.imported_from) and not self.imported_from.startswith(REPLIES)

    @property
    def answers(self) -> str:
        """Whether perennial asked the players, or a log says what they answered."""
        return BY_LOG if self.imported_from else PLAYED

    def params_of(self, model: str) -> JsonObject:
        """What every call of this model passes on when it plays."""
        return self.model_params.get(model, self.player_params)

    def runs_of(self, player: str) -> range:
        """The numbers of the player's runs."""
        first = self.first_runs.get(player, 0)
        return range(first, first + self.runs)

    def places_of(self, player: str, total: int) -> range:
        """Which instances the player plays, as places in their order, of an edition of `total`."""
        return range(self.played.get(player, 0), self.instances or total)

    def as_json(self) -> JsonObject:
        """The plan as `plan.json` keeps it."""
        return asdict(self) | {key: list(getattr(self, key)) for key in _LISTS}

    @classmethod
    def from_json(cls, values: JsonObject) -> "EvaluationPlan":
        """Read what `as_json` wrote."""
        return cls(**{**values, **{key: tuple(values[key]) for key in _LISTS if key in values}})

    @property
    def asked(self) -> JsonObject:
        """What the operator asked for: the plan without names and without what was found there."""
        unasked = ("edition", "name", "first_runs", "seed", "canary", "played", "facts")
        return {key: value for key, value in self.as_json().items() if key not in unasked}

    def batch_key(self, stage: str, *parts: str) -> str:
        """The content key of a staged batch: equal plans give equal keys."""
        return content_id(stage, {**self.as_json(), "edition": "", "name": "", "facts": {}}, *parts)


Plan = EditionPlan | EvaluationPlan


def plan_from_json(unit: str, values: JsonObject) -> Plan:
    """Read the plan of an edition or evaluation; the unit's name says which."""
    return EvaluationPlan.from_json(values) if is_evaluation(unit) else EditionPlan.from_json(values)


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """What a refresh does: it grows an edition and makes its first evaluation."""

    growth: EditionPlan
    evaluation: EvaluationPlan

    @property
    def edition(self) -> str:
        """The edition's name."""
        return self.growth.edition

    @property
    def asked(self) -> JsonObject:
        """What the operator asked for, in both plans."""
        return {**self.growth.asked, **self.evaluation.asked}

    def with_commitment(self, commitment: str) -> "RefreshPlan":
        """Set the commitment of the seed, on which the evaluation depends too."""
        growth = replace(self.growth, seed_commitment=commitment)
        evaluation = replace(self.evaluation, seed=growth.public_seed, canary=growth.canary)
        return RefreshPlan(growth, evaluation)

    def with_name(self, edition: str) -> "RefreshPlan":
        """Rename edition and evaluation."""
        return RefreshPlan(replace(self.growth, edition=edition), replace(self.evaluation, edition=edition))
