"""How stages go about their work; nothing here decides what an edition holds."""

from dataclasses import dataclass, replace
from typing import Generic

from typing_extensions import TypeVar

from perennial.schemas.model_calls import CallPolicy
from perennial.schemas.settings import RefreshSettings

# What a stage that takes bare policies is given, it cannot look into.
InputsT_co = TypeVar("InputsT_co", covariant=True, default=object)
GivenT = TypeVar("GivenT")


@dataclass(frozen=True, slots=True)
class Policies(Generic[InputsT_co]):
    """How calls are made, and what a benchmark's stages are given beside the plan.

    `own` is its policy (`RefreshSettings.own_policy`), None where nothing is to stop it; `inputs` are its
    inputs (`perennial.flows.benchmark.Preparation`), which batches that run elsewhere do not get. `smoke`:
    each model plays one instance before the rest.
    """

    calls: CallPolicy
    accept_api_errors: bool
    own: object = None
    inputs: InputsT_co | None = None
    smoke: bool = False

    @staticmethod
    def of(
        settings: RefreshSettings, inputs: GivenT | None = None, units: tuple[str, ...] = ()
    ) -> "Policies[GivenT]":
        """Return what the settings say; the limits are of these editions and evaluations together."""
        return Policies(
            replace(settings.call_policy(), units=units),
            settings.accept_api_errors,
            settings.own_policy(),
            inputs,
            settings.smoke,
        )

    def without_inputs(self) -> "Policies[InputsT_co]":
        """Return the policies as batches elsewhere get them."""
        return replace(self, inputs=None)
