"""What is computed from: the leaderboard of the authors' site, and tasks of the paper's tables 26 to 30."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from perennial.flows.console.input_files import read_bytes_file, show_path
from perennial.schemas.statistics import PublishedScore
from perennial.warehouse.beyondbench.published import SITE, published_scores, row_of
from perennial.warehouse.beyondbench.release import read_leaderboard

SUITES = ("easy", "medium", "hard")
_FILE = "leaderboard.json"
_COLUMNS = {"acc": "accuracy", "inst": "instruction_following", "tokens": "tokens"}
_OVERALL = {"accuracy": "accuracy", "instruction": "instruction_following", "tokens": "tokens"}
_QUANTIZATIONS = ("FP8", "AWQ", "GPTQ-4-Bit", "GPTQ-8-Bit")

Scores = Mapping[tuple[str, str], float]  # by figure and suite, `all` for the mean of the suites


@dataclass(frozen=True, slots=True)
class SiteModel:
    """A model of the leaderboard: its scores, and what the site says of it (`0.5B, GPTQ-4-Bit`)."""

    name: str
    settings: str
    scores: Scores

    @property
    def size(self) -> str:
        """Its parameters in the site's words, such as 0.5B; empty where they are not said."""
        first = self.settings.partition(", ")[0]
        return first if first[:1].isdigit() else ""

    @property
    def quantization(self) -> str:
        """How it is quantized; empty where it is not."""
        last = self.settings.rpartition(", ")[2]
        return last if last in _QUANTIZATIONS else ""


def read_site(path: Path | None) -> dict[str, SiteModel]:
    """Return the models of the file, of leaderboard.json in a folder, or without PATH the bundled ones.

    Raises UnreadableInput for a file that is missing or is no leaderboard.
    """
    if path is None:
        return _load_bundled()
    file = path / _FILE if path.is_dir() else path
    found = {}
    for entry in read_leaderboard(read_bytes_file(file), show_path(file)):
        scores = {(figure, "all"): entry.scores[column] for column, figure in _OVERALL.items()}
        for suite in SUITES:
            for column, figure in _COLUMNS.items():
                scores[figure, suite] = entry.scores[f"{suite}_{column}"]
        found[entry.model] = SiteModel(entry.model, entry.settings or "", scores)
    return found


def _load_bundled() -> dict[str, SiteModel]:
    scores: dict[str, dict[tuple[str, str], float]] = {}
    settings = {}
    for row in published_scores():
        if row.source == SITE:
            scores.setdefault(row.player, {})[row.figure, row.setting] = row.value
            settings[row.player] = row.settings
    return {name: SiteModel(name, settings[name], found) for name, found in scores.items()}


def printed_tasks() -> dict[tuple[str, str], dict[tuple[str, str], dict[str, PublishedScore]]]:
    """Return what tables 26 to 30 print: by row of a model, by figure and suite, by task."""
    found: dict[tuple[str, str], dict[tuple[str, str], dict[str, PublishedScore]]] = {}
    for score in published_scores():
        if score.domain != "all" and score.place.startswith("table"):
            of_model = found.setdefault(row_of(score), {})
            of_model.setdefault((score.figure, score.setting), {})[score.domain] = score
    return found
