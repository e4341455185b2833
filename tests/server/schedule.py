"""Which fault strikes which reply: drawn from the seed and the request, never from the order of arrival."""

from collections.abc import Iterable
from dataclasses import dataclass

from perennial.schemas.ids import derive_seed
from tests.server.faults import EXTRA_FAULTS, SUBSTANCE_FAULTS, TRANSPORT_FAULTS
from tests.server.foreign import FOREIGN_FAULTS
from tests.server.hostile import HOSTILE_FAULTS
from tests.server.options import ServerOptions
from tests.server.script import Script

Rates = tuple[tuple[str, float], ...]


@dataclass(slots=True)
class _Attempts:
    seen: int = 0
    bad: int = 0


@dataclass(frozen=True, slots=True)
class Struck:
    """The content faults of a reply: one of substance (own: it is the role's), and extra ones."""

    substance: str | None = None
    is_own: bool = False
    extras: tuple[str, ...] = ()

    def names(self, role: str) -> tuple[str, ...]:
        """Return the faults as the log names them: those of the role as ROLE.FAULT."""
        if self.substance is None:
            return self.extras
        return (f"{role}.{self.substance}" if self.is_own else self.substance, *self.extras)


UNHARMED = Struck()


class Schedule:
    """Draws the faults of one server, and counts how often it has seen each request.

    A fault's rate is the share of draws in which it would strike if it were alone. Each has a draw of its
    own, so that another fault's rate changes nothing about it; where two strike, the rarer draw wins.
    """

    def __init__(self, options: ServerOptions, roles: Iterable[Script]) -> None:
        self._seed = options.seed
        self._most_bad = options.max_transport_faults
        self._attempts: dict[str, _Attempts] = {}
        names = (*TRANSPORT_FAULTS, *HOSTILE_FAULTS, *FOREIGN_FAULTS)
        self._transport = _positive((name, options.rate(name)) for name in names)
        self._own: dict[str, frozenset[str]] = {}
        self._substance: dict[str, Rates] = {}
        self._extras: dict[str, Rates] = {}
        for script in roles:
            role = script.role
            self._own[role] = frozenset(script.faults)
            self._substance[role] = _positive(
                (name, options.rate(name, role)) for name in (*script.faults, *SUBSTANCE_FAULTS)
            )
            self._extras[role] = _positive((name, options.rate(name, role)) for name in EXTRA_FAULTS)

    def next_attempt(self, digest: str) -> tuple[int, str | None]:
        """Count an attempt of a request; return its number, from 1, and the transport fault it meets."""
        attempts = self._attempts.setdefault(digest, _Attempts())
        attempts.seen += 1
        if attempts.bad >= self._most_bad:
            return attempts.seen, None
        fault = self._winner(self._transport, digest, attempts.seen)
        attempts.bad += fault is not None
        return attempts.seen, fault

    def content_faults(self, role: str, digest: str) -> Struck:
        """Return the content faults of the reply that this role gives to a request, at every attempt."""
        extras = tuple(
            name for name, rate in self._extras[role] if self._draw(f"{role}.{name}", digest, 0) < rate
        )
        substance = self._winner(self._substance[role], digest, 0, f"{role}.")
        return Struck(substance, substance in self._own[role], extras)

    def _winner(self, rates: Rates, digest: str, index: int, prefix: str = "") -> str | None:
        draws = ((self._draw(prefix + name, digest, index), name, rate) for name, rate in rates)
        return min(((draw, name) for draw, name, rate in draws if draw < rate), default=(0.0, None))[1]

    def _draw(self, name: str, digest: str, index: int) -> float:
        return derive_seed(self._seed, f"{name}/{digest}", index) / 2**64


def _positive(rates: Iterable[tuple[str, float]]) -> Rates:
    return tuple((name, rate) for name, rate in rates if rate > 0)
