"""Fresh reasoning benchmarks for language models."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perennial.flows.api import DataRoot, FunctionPlayer, PublishedEdition, PublishedEvaluation, sample
    from perennial.flows.api import open_root as open
    from perennial.schemas.errors import PerennialError

__all__ = ["DataRoot", "FunctionPlayer", "PerennialError", "PublishedEdition", "PublishedEvaluation"]
__all__ += ["open", "sample"]


def __getattr__(name: str) -> Any:
    """Import what is asked for: a command needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module 'perennial' has no attribute {name!r}")
    if name == "PerennialError":
        from perennial.schemas import errors

        return errors.PerennialError
    from perennial.flows import api

    return getattr(api, "open_root" if name == "open" else name)
