"""Why the sandbox refused code or gave no output."""

from typing import Literal, get_args

Reason = Literal[
    "too_large",  # source, input or output is over a limit
    "syntax",  # the code is no Python
    "forbidden",  # the code uses what authored code may not use
    "no_function",  # the code does not define the function
    "raised",  # the code raised an exception
    "time",  # a call or the whole run took too long
    "memory",  # the code needed more memory than it may use
    "value",  # an input or output is no JSON value of the allowed types
    "mutated",  # the function changed its input
    "died",  # the worker ended without a reply
    "protocol",  # what the worker wrote is no reply to the request
    "impure",  # the same input gave different outputs
    "weak_sandbox",  # the machine has only the weakest protection, and the operator did not accept that
]
REASONS: tuple[Reason, ...] = get_args(Reason)


class Refused(Exception):
    """The sandbox refused: a named reason, and a line for the author of the code.

    Code may have written the line: what could steer a terminal or hide in a page is an escape in it.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        self.reason: Reason = reason
        self.detail = _escape(detail)
        super().__init__(f"{reason}: {self.detail}")


def _escape(text: str) -> str:
    """Return the text with line breaks, control characters and marks of direction as escapes."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
