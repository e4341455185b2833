"""How stages go about their work; nothing here decides what an edition holds."""

from dataclasses import dataclass, replace
from typing import Generic

from flows.benchmark import InputsT
from schemas.model_calls.calls import CallPolicy
from schemas.settings import RefreshSettings


@dataclass(frozen=True, slots=True)
class Policies(Generic[InputsT]):
    """How calls are made, and what a benchmark's stages are given beside the plan.

    `own` is its policy (`RefreshSettings.own_policy`), None where nothing is to stop it; `inputs` are its
    inputs (`flows.benchmark.Preparation`), which batches that run elsewhere do not get. `smoke`: each model
    plays one instance before the rest.
    """

    calls: CallPolicy
    accept_api_errors: bool
    own: object = None
    inputs: InputsT | None = None
    smoke: bool = False

    @classmethod
    def of(
        cls, settings: RefreshSettings, inputs: InputsT | None = None, units: tuple[str, ...] = ()
    ) -> "Policies[InputsT]":
        """Return what the settings say; the limits are of these editions and evaluations together."""
        return cls(
            replace(settings.call_policy(), units=units),
            settings.accept_api_errors,
            settings.own_policy(),
            inputs,
            settings.smoke,
        )

    def without_inputs(self) -> "Policies[InputsT]":
        """Return the policies as batches elsewhere get them."""
        return replace(self, inputs=None)
