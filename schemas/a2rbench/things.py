"""What models do with answers: one reads what the program could not, others say how an answer came about."""

from dataclasses import asdict, dataclass, field
from typing import Literal, Self, get_args

from perennial.schemas.analysts import AnalysisForm, AnalystPlan
from perennial.schemas.model_calls import ModelChoice
from perennial.schemas.rows import JsonObject, ReadJson

# What analysts choose from: section 3.4 of the paper.
ANALYSIS = AnalysisForm(
    "a2rbench",
    "a2rbench/analyst.md.j2",
    wrong=(
        "Abstraction_Failure-Operator_Inference",
        "Abstraction_Failure-Scope_Condition",
        "Reasoning_Failure-Procedural_Error",
        "Format_Or_Collapse-Reasoning_Collapse",
    ),
    right=(
        "Success-Type_A-Surface_Fitting",
        "Success-Type_B-Inferior_Rule",
        "Success-Type_C-Correct_Generalization",
    ),
    styles=("Direct_Deduction", "Hypothesis_Testing", "Chaotic_Guessing"),
)


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """The models that read answers, as an evaluation's `protocol` keeps them.

    `judge` reads replies that the program found no answer in, "": nobody does; `analysts` say how episodes
    came about. Both are given with what their calls pass on.
    """

    judge: str = ""
    judge_params: JsonObject = field(default_factory=dict)
    analysts: AnalystPlan = field(default_factory=AnalystPlan)

    def as_protocol(self) -> JsonObject:
        """The protocol, nothing where no model reads."""
        protocol: JsonObject = {}
        if self.judge:
            # The name distinguishes evaluations with a judge from those without.
            protocol |= {"name": f"judge {self.judge}"}
            protocol |= {"judge": {"model": self.judge, "params": self.judge_params}}
        return protocol | self.analysts.as_protocol()

    @classmethod
    def from_protocol(cls, protocol: ReadJson) -> Self:
        """Read what `as_protocol` wrote."""
        judge = protocol.get("judge", {})
        return cls(judge.get("model", ""), judge.get("params", {}), AnalystPlan.from_protocol(protocol))

    def judges(self) -> tuple[ModelChoice, ...]:
        """The judge, where there is one."""
        return (ModelChoice(self.judge, self.judge_params),) if self.judge else ()

    def choices(self) -> tuple[ModelChoice, ...]:
        """All models that read answers: the judge and the analysts."""
        return (*self.judges(), *self.analysts.choices())


# Who writes rules and inputs, who judges them, and how often they may try: a part of the plan.

# Rules of perennial's: drawn from the edition's seed, and a fixed catalogue that everybody can read.
DRAWN, CATALOGUE = "drawn", "catalogue"
OURS = (DRAWN, CATALOGUE)

# Roles of models before anybody plays, and the temperatures of their calls (appendix B of the paper).
AuthorRole = Literal["designer", "architect", "judge", "expander"]
TEMPERATURES: dict[AuthorRole, float] = {"designer": 0.5, "architect": 0.2, "judge": 0.1, "expander": 0.5}

# The steps by which a rule (V0) and a variation (V1 to V9) are written, in order.
Step = Literal["rule", "rule_judged", "code", "run", "judged", "inputs", "inputs_run", "inputs_judged"]
STEPS: tuple[Step, ...] = get_args(Step)


@dataclass(frozen=True, slots=True)
class RuleAuthoringPlan:
    """The authors of rules, who take the seeds of each cell in turn: `drawn`, `catalogue`, and models.

    `judge` judges what models wrote; `expander` writes their variations, "": the rule's author does.
    `candidates` is how many rules an author may begin for a seed, `retries` how often a step is tried again
    with what was wrong. `params` are what calls pass on, by role and model.
    """

    authors: tuple[str, ...] = (DRAWN,)
    judge: str = ""
    expander: str = ""
    candidates: int = 3
    retries: int = 2
    params: dict[str, dict[str, JsonObject]] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        """The authors that are models."""
        return tuple(name for name in self.authors if name not in OURS)

    def author_of(self, number: int) -> str:
        """Who writes the seed of this number in each cell."""
        return self.authors[number % len(self.authors)]

    def choice(self, role: AuthorRole, model: str) -> ModelChoice:
        """A model with what its calls in a role pass on."""
        return ModelChoice(model, self.params[role][model])

    def choices(self) -> tuple[ModelChoice, ...]:
        """All models of all roles with what their calls pass on."""
        return tuple(
            ModelChoice(model, params) for models in self.params.values() for model, params in models.items()
        )

    def as_json(self) -> JsonObject:
        """The plan's part in `plan.json`."""
        return {**asdict(self), "authors": list(self.authors)}

    @classmethod
    def from_json(cls, values: JsonObject) -> "RuleAuthoringPlan":
        """Read what `as_json` wrote."""
        return cls(**{**values, "authors": tuple(values["authors"])})


# An item, as a row of `a2rbench_items` holds it, and the names of its cell.

RuleType = Literal["symbolic", "semantic"]
RULE_TYPES: tuple[RuleType, ...] = get_args(RuleType)
# By dimension from 1.
SHAPES = ("line", "grid", "cube")
DOMAINS = tuple(f"{shape}_{type_}" for shape in SHAPES for type_ in RULE_TYPES)

# Shared figures are made by setting: an item and its copy in other tokens must never be counted together.
Setting = Literal["seed", "augmented", "remapped"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)

ParseKind = Literal["program", "judge", "none"]
PARSE_KINDS: tuple[ParseKind, ...] = get_args(ParseKind)

TIERS = ("bubblewrap", "seccomp", "none")
VARIATIONS = 10


def name_domain(dimension: int, type_: str) -> str:
    """The name of a cell of the grid, such as `line_symbolic`."""
    return f"{SHAPES[dimension - 1]}_{type_}"


@dataclass(frozen=True, slots=True)
class Item:
    """An item: its fields are the columns of the table, in their order."""

    instance_id: str
    seed_item: str
    rule: str
    author: str
    type: str
    dimension: int
    variation: int
    is_remapped: bool
    of: str | None
    description: str
    inverse_description: str
    code: str
    examples: str
    query: str
    answer: str
    phi: str | None
    commutes: bool | None
    fits: int
    fits_other: int
    max_loop_depth: int
    total_ifs: int
    max_if_depth: int
    max_complexity: int
    mutability: int
    return_complexity: int
    gzip: float
    deflate: float
    prompt: str
    template_hash: str
    rejected_draws: int
    steps: str | None

    @property
    def domain(self) -> str:
        """The cell of the grid that it is of."""
        return name_domain(self.dimension, self.type)

    @property
    def setting(self) -> Setting:
        """What kind of item it is."""
        return "remapped" if self.is_remapped else "augmented" if self.variation else "seed"


# A2RBench's own part of an edition's plan.


@dataclass(frozen=True, slots=True)
class A2RBenchPlan:
    """What of A2RBench decides an edition's items.

    `seeds` of each cell, each with the variations V0 to V`variations`, and copies in other tokens where
    `remapping` is on; `catalogue` is the content id of the catalogue and of the grammar. `tier` is the
    protection that the machine gave to workers when the edition was begun.
    """

    seeds: int
    variations: int
    remapping: bool
    catalogue: str
    tier: str
    authoring: RuleAuthoringPlan = field(default_factory=RuleAuthoringPlan)

    def as_json(self) -> JsonObject:
        """The plan's part in `plan.json`."""
        return {**asdict(self), "authoring": self.authoring.as_json()}

    @classmethod
    def from_json(cls, values: JsonObject) -> "A2RBenchPlan":
        """Read what `as_json` wrote."""
        return cls(**{**values, "authoring": RuleAuthoringPlan.from_json(values["authoring"])})
