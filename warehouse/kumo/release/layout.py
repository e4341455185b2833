"""Find the parts of a copy of the KUMO authors' repository by their places and names.

A clone holds
    env/<Domain>Env/<setting>.jsonl                                          instances
    env/<Domain>Env/knowledge_book/<setting>/seed=N.txt                      books
    env/data/*.py, env/*.py                                                  configurations, and whose each is
    results/<model>/VanillaAgent/<Domain>Env/<setting>/eval_times=N.jsonl    runs of models
    results/sft_results/<name>/SFTAgent/<Domain>Env/...                      runs of fine-tuned models
    results/<model>/VanillaAgent/<Domain>Env/<setting>_revised/...           the runs on revised books, again
    results/search_results/<Domain>Env/...                                   runs of the oracle
The partial form holds instances/, knowledge_books/, search_results/ and domains/<Domain>Env.json beside
results/. <setting> is truth_num=T+action_num=A+valid_truth_num=V. Either may hold trajectories.parquet, the
table of runs.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.kumo.things import Setting
from perennial.warehouse.kumo.release.environments import config_modules
from perennial.warehouse.kumo.release.files import ReleaseFile, Skipped, list_files

_DOMAIN = r"(?P<domain>[^\W\d]\w*Env)"
_SETTING = (
    r"truth_num=(?P<truths>[0-9]{1,4})\+action_num=(?P<actions>[0-9]{1,4})"
    r"\+valid_truth_num=(?P<valid>[0-9]{1,4})"
)
_INSTANCES = rf"{_SETTING}\.jsonl"
_BOOK = r"seed=(?P<seed>0|-?[1-9][0-9]{0,17})\.txt"
_AGENT = r"SFTAgent|VanillaAgent"
_RUNS = r"eval_times=(?P<runs>[0-9]{1,6})\.jsonl"
_CONFIG = rf"{_DOMAIN}\.json"
_RUN_TABLE = r"trajectories\.parquet"
_PLACES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("instances", ("env|instances", _DOMAIN, _INSTANCES)),
    ("books", ("env", _DOMAIN, "knowledge_book", _SETTING, _BOOK)),
    ("books", ("knowledge_books", _DOMAIN, _SETTING, _BOOK)),
    ("configs", ("domains", _CONFIG)),
    ("environments", ("env", r".+\.py")),
    ("modules", ("env", "data", r".+\.py")),
    ("oracle", ("search_results", _DOMAIN, _SETTING, _RUNS)),
    ("oracle", ("results", "search_results", _DOMAIN, _SETTING, _RUNS)),
    ("trajectories", ("results", "sft_results", r"(?P<tuned>.+)", _AGENT, _DOMAIN, _SETTING, _RUNS)),
    (
        "trajectories",
        ("results", r"(?P<model>(?!(?:sft|search)_results$).+)", _AGENT, _DOMAIN, _SETTING, _RUNS),
    ),
    ("revised", ("results", r"(?P<model>.+)", _AGENT, _DOMAIN, rf"{_SETTING}_revised", _RUNS)),
    ("run_table", (_RUN_TABLE,)),
)
_TOPS = ("env", "instances", "knowledge_books", "domains", "results", "search_results")
# What is said of a name in the place of one of these.
_SETTING_FORM = "truth_num=T+action_num=A+valid_truth_num=V"
_REASONS = {
    _DOMAIN: "not a folder of a domain, <Domain>Env",
    _SETTING: f"not a folder of a setting, {_SETTING_FORM}",
    _INSTANCES: f"not a name of instances, {_SETTING_FORM}.jsonl",
    _BOOK: "not a name of a knowledge book, seed=N.txt",
    _AGENT: "an agent that is not known here, expected SFTAgent or VanillaAgent",
    _RUNS: "not a name of trajectories, eval_times=N.jsonl",
    _CONFIG: "not a name of a configuration, <Domain>Env.json",
    "knowledge_book": "a folder that is not known here, expected knowledge_book",
}


@dataclass(frozen=True, slots=True)
class SettingFile:
    """A file of one domain and setting.

    It holds instances, the book of the instance with this `seed`, or the runs of a `player` (a model's name,
    `sft/NAME` for a fine-tuned one, or `oracle`), as many for an instance as its name promises with `runs`.
    """

    domain: str
    setting: Setting
    file: ReleaseFile
    seed: int = 0
    player: str = ""
    runs: int = 0


@dataclass(frozen=True, slots=True)
class Release:
    """A copy of the authors' repository; the order of everything is the same on every disk.

    `configs` are the domains' configurations, JSON or a Python module of literals; `run_table` has the runs
    of most players without their moves; `skipped` is what nothing is read from; `revised` repeats the runs on
    books that were revised.
    """

    configs: dict[str, ReleaseFile]
    instances: tuple[SettingFile, ...]
    books: tuple[SettingFile, ...]
    trajectories: tuple[SettingFile, ...]
    oracle: tuple[SettingFile, ...]
    run_table: ReleaseFile | None
    skipped: tuple[Skipped, ...]
    revised: tuple[SettingFile, ...] = ()

    @property
    def domains(self) -> tuple[str, ...]:
        """All domains, such as `MedicalEnv`: those with a configuration, instances, books or runs."""
        parts = (*self.instances, *self.books, *self.trajectories, *self.oracle)
        return tuple(sorted({*self.configs, *(part.domain for part in parts)}))

    @property
    def players(self) -> tuple[str, ...]:
        """All players with trajectories, fine-tuned ones included, the oracle not."""
        return tuple(sorted({file.player for file in self.trajectories}))

    def only(
        self, domains: Iterable[str] = (), players: Iterable[str] = (), in_table: Iterable[str] = ()
    ) -> "Release":
        """Return the release with these domains and players; none named means all, the oracle always stays.

        `in_table` are the players of the run table. Raises InvalidOption for a name that the release does not
        have.
        """
        wanted = _choose("domain", domains, self.domains)
        playing = _choose("model", players, tuple(sorted({*self.players, *in_table})))

        def choose(files: Iterable[SettingFile]) -> tuple[SettingFile, ...]:
            return tuple(file for file in files if file.domain in wanted)

        return replace(
            self,
            configs={domain: file for domain, file in self.configs.items() if domain in wanted},
            instances=choose(self.instances),
            books=choose(self.books),
            trajectories=tuple(file for file in choose(self.trajectories) if file.player in playing),
            oracle=choose(self.oracle),
            revised=choose(self.revised),
        )


def _choose(kind: str, names: Iterable[str], known: tuple[str, ...]) -> frozenset[str]:
    chosen = tuple(names)
    missing = next((name for name in chosen if name not in known), None)
    if missing is not None:
        have = ", ".join(known) or "none"
        raise InvalidOption(f"the release has no {kind} {missing!r}; it has: {have}")
    return frozenset(chosen or known)


def find_release(path: Path) -> Release:
    """Return what the folder holds; nothing but names, and the files that name configurations, is read.

    Raises UnreadableInput where the folder is neither a clone nor the partial form, or cannot be listed.
    """
    files, skipped = list_files(path, _TOPS)
    found: dict[str, list[SettingFile]] = defaultdict(list)
    others: dict[str, list[ReleaseFile]] = defaultdict(list)
    configs: dict[str, ReleaseFile] = {}
    unknown: dict[str, Skipped] = {}
    for file in sorted(files, key=lambda file: file.name):
        place = _find_place(file.name.split("/"))
        if isinstance(place, Skipped):
            unknown[place.file] = place
        elif place is not None and "truths" in place[1]:
            found[place[0]].append(_setting_file(file, place[1]))
        elif place is not None and place[0] == "configs":
            configs[place[1]["domain"]] = file
        elif place is not None:
            others[place[0]].append(file)
    modules, unread = config_modules(others["environments"], others["modules"])
    configs |= modules
    if not configs and not found["instances"]:
        raise UnreadableInput(_describe_foreign_folder(path, skipped))
    trajectories, repeated = _choose_one_each(found["trajectories"])
    oracle, repeated_oracle = _choose_one_each(found["oracle"])
    skipped += [*unknown.values(), *unread, *repeated, *repeated_oracle]
    return Release(
        configs=dict(sorted(configs.items())),
        instances=tuple(sorted(found["instances"], key=_order)),
        books=tuple(sorted(found["books"], key=_order)),
        trajectories=trajectories,
        oracle=oracle,
        run_table=next(iter(others["run_table"]), None),
        skipped=tuple(sorted(skipped, key=lambda skipped: skipped.file)),
        revised=tuple(sorted(found["revised"], key=_order)),
    )


def _describe_foreign_folder(path: Path, skipped: Sequence[Skipped]) -> str:
    shown = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
    if not path.is_dir():
        what = "a file" if path.is_file() else "no such folder"
        return f"{shown}: {what}, expected the folder of the KUMO authors' repository; check the path"
    first = next((f" ({entry.warning})" for entry in skipped), "")
    return (
        f"{shown}: not the KUMO authors' repository: expected env/*Env/ and results/ (a clone), or "
        f"instances/*/ and domains/*.json; name the folder that holds these{first}"
    )


def _find_place(parts: Sequence[str]) -> tuple[str, dict[str, str]] | Skipped | None:
    """Return what the file with these parts of a name is, and what they say; None where nothing is expected.

    Skipped is the first part that does not fit into the place that fits the longest.
    """
    skipped = None
    depth = 0
    for kind, patterns in _PLACES:
        said: dict[str, str] = {}
        for number, (part, pattern) in enumerate(zip(parts, patterns, strict=False)):
            if (number + 1 == len(parts)) != (number + 1 == len(patterns)):
                break
            match = re.fullmatch(pattern, part)
            if match is None:
                if number > depth and pattern in _REASONS:
                    depth, skipped = number, Skipped("/".join(parts[: number + 1]), None, _REASONS[pattern])
                break
            said |= match.groupdict()
        else:
            return kind, said
    return skipped


def _setting_file(file: ReleaseFile, said: dict[str, str]) -> SettingFile:
    setting = Setting(int(said["truths"]), int(said["actions"]), int(said["valid"]))
    player = f"sft/{said['tuned']}" if "tuned" in said else said.get("model", "oracle")
    seed, runs = int(said.get("seed", 0)), int(said.get("runs", 0))
    return SettingFile(said["domain"], setting, file, seed, player if runs else "", runs)


def _order(file: SettingFile) -> tuple[str, str, int, int, int, int, int, str]:
    numbers = file.setting.n_truths, file.setting.n_actions, file.setting.n_valid
    return file.player, file.domain, *numbers, file.seed, -file.runs, file.file.name


def _choose_one_each(files: Iterable[SettingFile]) -> tuple[tuple[SettingFile, ...], list[Skipped]]:
    """Return one file for each player, domain and setting, that of most runs; the others are skipped."""
    kept: dict[tuple[str, str, Setting], SettingFile] = {}
    skipped: list[Skipped] = []
    for file in sorted(files, key=_order):
        first = kept.setdefault((file.player, file.domain, file.setting), file)
        if first is not file:
            reason = f"the same player, domain and setting as {first.file.name}"
            skipped.append(Skipped(file.file.name, None, reason))
    return tuple(kept.values()), skipped
