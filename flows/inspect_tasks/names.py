"""Under which names Inspect knows what perennial adds to it: `perennial/kumo`."""

from collections.abc import Callable
from typing import TypeVar

PACKAGE = "perennial"
Named = TypeVar("Named", bound=Callable[..., object])


def in_our_name(function: Named) -> Named:
    """Return the function as one of no installed package, whose name Inspect would put before its own."""
    function.__module__ = PACKAGE
    return function
