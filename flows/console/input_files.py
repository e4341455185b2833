"""Read what users hand in: text files and seed configurations, with an error that says what to do."""

from pathlib import Path

from schemas.errors import UnreadableInput
from schemas.kumo.things import SeedConfig
from tasks.kumo.configuration import parse_config
from warehouse.kumo.bundled_domains import bundled_text

MAX_BYTES = 10_000_000
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_text_file(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """Return the file's text, decoded as UTF-8.

    Raises UnreadableInput where it is missing, a folder, not readable, larger than `max_bytes` or not UTF-8.
    """
    content = _content(path, max_bytes)
    if len(content) > max_bytes:
        raise UnreadableInput(
            f"{shown_path(path)}: larger than {max_bytes:,} bytes, the most that is read; give a smaller file"
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        guess = "it looks like UTF-16" if content.startswith(_UTF16_MARKS) else "it is not UTF-8 text"
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableInput(
            f"{shown_path(path)}: {guess} (byte 0x{content[error.start]:02x}, line {line}); save it as UTF-8"
        ) from None


def read_config_file(path: Path) -> SeedConfig:
    """Return the seed configuration that the file holds; raise UnreadableInput where it holds none."""
    return parse_config(read_text_file(path), shown_path(path))


def load_bundled(name: str) -> SeedConfig:
    """Return the seed configuration of a bundled domain; raise InvalidOption for an unknown name."""
    return parse_config(bundled_text(name), f"bundled domain {name}")


def config_files(path: Path) -> list[Path]:
    """Return the path itself, or the sorted *.json files of a folder; raise UnreadableInput for none."""
    try:
        if not path.is_dir():
            return [path]
        found = sorted(entry for entry in path.iterdir() if entry.suffix == ".json" and entry.is_file())
    except OSError as error:
        raise UnreadableInput(f"{shown_path(path)}: {_reason(error)}") from None
    if not found:
        raise UnreadableInput(
            f"{shown_path(path)}: no *.json file in this folder; name a file or another one"
        )
    return found


def shown_path(path: Path) -> str:
    """Return the path as one line of text that any terminal and encoder takes."""
    text = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
    return text if text.isprintable() else repr(text)


def _content(path: Path, max_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(max_bytes + 1)
    except FileNotFoundError:
        raise UnreadableInput(f"{shown_path(path)}: no such file; check the path") from None
    except IsADirectoryError:
        raise UnreadableInput(f"{shown_path(path)}: a folder, expected a file in it") from None
    except (OSError, ValueError) as error:
        raise UnreadableInput(f"{shown_path(path)}: {_reason(error)}") from None


def _reason(error: OSError | ValueError) -> str:
    reason = error.strerror if isinstance(error, OSError) else None
    return f"cannot be read: {reason or error}; check the path and its permissions"
