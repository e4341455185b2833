"""How a gate refuses what it found unsound."""

from collections.abc import Sequence

from perennial.schemas.errors import AuditFailed

_SHOWN = 3


def refuse_faults(subject: str, faults: Sequence[str], questions: int, noun: str) -> None:
    """Raise AuditFailed, naming the first faults, where the gate found any in these questions."""
    if faults:
        more = f" and {len(faults) - _SHOWN:,} more" if len(faults) > _SHOWN else ""
        raise AuditFailed(
            f"{subject}: the gate found {len(faults):,} faults in {questions:,} {noun}, nothing was "
            f"published: {'; '.join(faults[:_SHOWN])}{more}"
        )
