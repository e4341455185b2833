"""The options of the scripted server."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from perennial.schemas.errors import InvalidOption
from tests.server.faults import fault_names
from tests.server.script import Script

DEFAULT_MODELS = ("scripted", "scripted-perfect")
HOLD_POINTS = ("upload", "created", "polled", "output")
DEFAULT_ROLES = "tests.server.roles"


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a scripted server behaves. Times are in seconds, rates between 0 and 1.

    `faults` gives rates by name (see `--help`). No keys: none is asked for. `hold_after` None: nothing is
    held. `refuse` names parameters that are answered with 400. `has_batches`: there is a Batch API; it is
    held at the point `hold_batch`, one of HOLD_POINTS, if that is given. `has_tools`: it reads tools that it
    is offered.
    `roles` is the module whose `scripts()` returns the roles.
    """

    host: str = "127.0.0.1"
    port: int = 0
    seed: int = 0
    latency_s: float = 0.0
    models: tuple[str, ...] = DEFAULT_MODELS
    keys: tuple[str, ...] = field(default=(), repr=False)
    faults: Mapping[str, float] = field(default_factory=dict)
    max_transport_faults: int = 3
    retry_after_s: float = 0.05
    slow_s: float = 1.0
    refuse: tuple[str, ...] = ()
    log: str | None = None
    hold_after: int | None = None
    has_batches: bool = True
    has_tools: bool = True
    hold_batch: str | None = None
    roles: str = DEFAULT_ROLES

    def rate(self, fault: str, role: str | None = None) -> float:
        """Return a fault's rate: the one for this role, else the one for all."""
        general = self.faults.get(fault, 0.0)
        return general if role is None else self.faults.get(f"{role}.{fault}", general)


def load_roles(module: str) -> tuple[Script, ...]:
    """Return the roles that a module offers by its `scripts()`."""
    return tuple(import_module(module).scripts())


def check_options(options: ServerOptions, roles: Iterable[Script]) -> None:
    """Raise InvalidOption for a fault that does not exist, a rate outside 0 to 1, or a negative number."""
    known = fault_names(roles)
    for name, rate in options.faults.items():
        if name not in known:
            raise InvalidOption(f"there is no fault {name!r}: --help lists those there are")
        if not 0 <= rate <= 1:
            raise InvalidOption(f"the rate of {name!r} is {rate}: give one from 0 to 1")
    for name in ("port", "latency_s", "max_transport_faults", "retry_after_s", "slow_s", "hold_after"):
        value = getattr(options, name)
        if value is not None and not 0 <= value < float("inf"):
            raise InvalidOption(f"{name} is {value}: give a number that is not negative")
