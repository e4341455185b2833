"""Import a module when it is first used, so that a command pays for what it needs alone.

Declare it twice, and type checkers follow the first declaration:

    if TYPE_CHECKING:
        from perennial.flows.kumo import seats
    else:
        seats = LateModule("perennial.flows.kumo.seats")

Then `lambda: seats.PLAYING` imports it when it is called.
"""

from importlib import import_module


class LateModule:
    """Stands for a module until one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> object:
        if attribute.startswith("__"):  # what copies, pickles or inspects it asks for these
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)
