"""Errors of libraries that mean something to a user, in one line each; no library is imported for it.

Perennial's own errors come from where they are understood. These come from deep inside of Prefect, or of a
reader of Parquet files that met a damaged one.
"""

from perennial.schemas.errors import Damaged, PerennialError, causes

_OF_PREFECT = ("prefect", "httpx", "httpcore", "websockets")
_UNREADABLE = {
    "pyarrow": ("ArrowInvalid", "ArrowSerializationError", "ArrowIOError"),
    "_duckdb": ("InvalidInputException", "IOException", "SerializationException"),
}


def translate_error(error: BaseException) -> PerennialError | None:
    """Return the error to show instead of a library's; None where there is none."""
    library = type(error).__module__.partition(".")[0]
    if library in _OF_PREFECT:
        return PerennialError(
            f"Prefect failed ({_reason(error)}): is its server running, and is there free space on its disk? "
            "What is staged is kept, and the same command resumes (`perennial doctor` says more; the "
            "embedded server's log is .prefect/server.log in the data root)"
        )
    if type(error).__name__ in _UNREADABLE.get(library, ()):
        return Damaged(
            f"a stored file cannot be read ({_reason(error)}): `perennial doctor` names what is damaged and "
            "says what to do"
        )
    return None


def _reason(error: BaseException) -> str:
    lines = (_first_line(cause) for cause in causes(error))
    return next((line for line in lines if line), type(error).__name__)


def _first_line(error: BaseException) -> str:
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return line.partition(" - For more information")[0]
