"""How stages go about their work; nothing here decides what an edition holds."""

from dataclasses import dataclass, replace
from typing import Any

from schemas.calls import CallPolicy
from schemas.kumo.gate import GatePolicy
from schemas.settings import RefreshSettings


@dataclass(frozen=True, slots=True)
class Policies:
    """How calls are made, what blocks an edition, and what a benchmark was given beside its plan (`inputs`).

    Batches that run elsewhere get no inputs.
    """

    calls: CallPolicy
    gate: GatePolicy
    accept_api_errors: bool
    inputs: Any = None

    @classmethod
    def of(cls, settings: RefreshSettings, inputs: Any = None) -> "Policies":
        """Return what the settings say."""
        return cls(settings.call_policy(), settings.gate_policy(), settings.accept_api_errors, inputs)

    def without_inputs(self) -> "Policies":
        """Return the policies as batches elsewhere get them."""
        return replace(self, inputs=None)
