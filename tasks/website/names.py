"""Where the pages of a website lie: names of files that any host and file system takes."""

import hashlib
import re

_DIGITS = 8
_LONGEST = 60


def player_file(player: str) -> str:
    """The name of the player's page: letters and digits of its name, then a hash."""
    readable = re.sub(r"[^a-z0-9]+", "-", player.casefold()).strip("-")[:_LONGEST].strip("-")
    digits = hashlib.sha256(player.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"players/{readable}-{digits}.html" if readable else f"players/{digits}.html"


def edition_file(edition: str) -> str:
    """The file name of the edition's page."""
    return f"editions/{edition}.html"


def benchmark_file(benchmark: str) -> str:
    """The file name of the benchmark's page."""
    return f"benchmarks/{benchmark}.html"


def data_folder(edition: str) -> str:
    """The folder of the edition's downloads."""
    return f"data/{edition}"
