"""Read a file of settings, perennial.toml or models.toml, with an error that says what is wrong with it."""

import os
import tomllib
from pathlib import Path

from perennial.schemas.errors import InvalidOption
from perennial.schemas.rows import JsonObject


def read_toml(path: Path) -> JsonObject | None:
    """Return the keys of the file, a byte order mark aside; None where there is no such file."""
    try:
        if path.is_file():
            return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidOption(
            f"{path}: expected text in UTF-8, got the byte {error.object[error.start]:#04x} at position "
            f"{error.start:,}: save it as UTF-8"
        ) from None
    except ValueError as error:
        raise InvalidOption(f"{path}: {error}") from None
    except RecursionError:
        raise InvalidOption(f"{path}: nested too deeply; expected keys with plain values") from None
    except OSError as error:
        raise InvalidOption(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
    if os.path.lexists(path):
        raise InvalidOption(
            f"{path}: not a regular file; remove it, or write the settings to a file of this name"
        )
    return None
