"""Find the parts of a copy of the KUMO authors' repository by their places and names.

A clone holds
    env/<Domain>Env/<setting>.jsonl                                          instances
    env/<Domain>Env/knowledge_book/<setting>/seed=N.txt                      books
    env/data/*.py, env/*.py                                                  configurations, and whose each is
    results/<model>/VanillaAgent/<Domain>Env/<setting>/eval_times=N.jsonl    runs of models
    results/sft_results/<name>/SFTAgent/<Domain>Env/...                      runs of fine-tuned models
    results/search_results/<Domain>Env/...                                   runs of the oracle
The partial form holds instances/, knowledge_books/, search_results/ and domains/<Domain>Env.json beside
results/. <setting> is truth_num=T+action_num=A+valid_truth_num=V. Either may hold trajectories.parquet, the
table of runs.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from schemas.errors import UnreadableInput
from schemas.kumo.things import Setting
from warehouse.kumo.release.environments import config_modules, is_domain
from warehouse.kumo.release.folders import Folder
from warehouse.kumo.release.things import (
    ORACLE,
    SFT_PREFIX,
    BookFile,
    ConfigFile,
    InstanceFile,
    Release,
    Skipped,
    TrajectoryFile,
)

_SETTING = re.compile(r"truth_num=(\d{1,4})\+action_num=(\d{1,4})\+valid_truth_num=(\d{1,4})", re.ASCII)
_BOOK = re.compile(r"seed=(0|-?[1-9]\d{0,17})\.txt", re.ASCII)
_RUNS = re.compile(r"eval_times=(\d{1,6})\.jsonl", re.ASCII)
_AGENTS = ("SFTAgent", "VanillaAgent")
_SFT_FOLDER = "sft_results"
_ORACLE_FOLDER = "search_results"
_BOOK_FOLDER = "knowledge_book"
_DOMAIN_SUFFIX = "Env"
_RUN_TABLE = "trajectories.parquet"


def find_release(path: Path) -> Release:
    """Return what the folder holds; nothing but names, and the files that name configurations, is read.

    Links are followed within the folder alone. Raises UnreadableInput where the folder is neither a clone nor
    the partial form, or cannot be listed.
    """
    root = Folder.open(path)
    form: Literal["clone", "partial"] = "clone" if _is_clone(root) else "partial"
    if form == "partial" and not _is_partial(root):
        skipped = next((f" ({entry.warning})" for entry in root.skipped), "")
        raise UnreadableInput(
            f"{root.shown}: not the KUMO authors' repository: expected env/*{_DOMAIN_SUFFIX}/ and results/ "
            f"(a clone), or instances/*/ and domains/*.json; name the folder that holds these{skipped}"
        )
    return _Walk(root, form).release()


def parse_setting(name: str) -> Setting | None:
    """Return the setting that a name such as `truth_num=4+action_num=6+valid_truth_num=1` says, or None."""
    match = _SETTING.fullmatch(name)
    return Setting(int(match[1]), int(match[2]), int(match[3])) if match else None


def _is_clone(root: Folder) -> bool:
    env = root.folder("env")
    return env is not None and any(name == "data" or is_domain(name) for name in env.folder_names())


def _is_partial(root: Folder) -> bool:
    instances, domains = root.folder("instances"), root.folder("domains")
    has_instances = instances is not None and any(is_domain(name) for name in instances.folder_names())
    return has_instances or (
        domains is not None and any(name.endswith(f"{_DOMAIN_SUFFIX}.json") for name in domains.file_names())
    )


class _Walk:
    """One walk through the folders; what no rule knows is collected in `skipped`."""

    def __init__(self, root: Folder, form: Literal["clone", "partial"]) -> None:
        self.root = root
        self.form = form
        self.skipped: list[Skipped] = []

    def release(self) -> Release:
        is_clone = self.form == "clone"
        instances = list(self._instances(self.root.folder("env" if is_clone else "instances")))
        books = list(self._clone_books() if is_clone else self._partial_books())
        configs = list(self._modules() if is_clone else self._json_files())
        players, oracle = self._results()
        return Release(
            root=self.root.path,
            form=self.form,
            configs=tuple(sorted(configs, key=lambda file: file.domain)),
            instances=tuple(sorted(instances, key=lambda file: (file.domain, _order(file.setting)))),
            books=tuple(sorted(books, key=lambda file: (file.domain, _order(file.setting), file.seed))),
            trajectories=self._once_each(players),
            oracle=self._once_each(oracle),
            run_table=next((file for file in self.root.files() if file.name == _RUN_TABLE), None),
            skipped=tuple(sorted([*self.skipped, *self.root.skipped], key=lambda skipped: skipped.file)),
        )

    def _instances(self, folder: Folder | None) -> Iterator[InstanceFile]:
        for domain in self._domain_folders(folder):
            for file in domain.files():
                setting = parse_setting(file.path.stem) if file.path.suffix == ".jsonl" else None
                if setting is None:
                    self._skip(
                        file.name, "not a name of instances, truth_num=T+action_num=A+valid_truth_num=V.jsonl"
                    )
                else:
                    yield InstanceFile(domain.last, setting, file)

    def _clone_books(self) -> Iterator[BookFile]:
        for domain in self._domain_folders(self.root.folder("env"), quietly=True):
            for child in domain.folders():
                if child.last == _BOOK_FOLDER:
                    yield from self._books(domain.last, child)
                else:
                    self._skip(child.name, f"a folder that is not known here, expected {_BOOK_FOLDER}")

    def _partial_books(self) -> Iterator[BookFile]:
        for domain in self._domain_folders(self.root.folder("knowledge_books")):
            yield from self._books(domain.last, domain)

    def _books(self, domain: str, folder: Folder) -> Iterator[BookFile]:
        for setting, child in self._setting_folders(folder):
            for file in child.files():
                match = _BOOK.fullmatch(file.path.name)
                if match is None:
                    self._skip(file.name, "not a name of a knowledge book, seed=N.txt")
                else:
                    yield BookFile(domain, setting, int(match[1]), file)

    def _modules(self) -> Iterator[ConfigFile]:
        env = self.root.folder("env")
        assert env is not None  # what makes a clone
        found, skipped = config_modules(env)
        self.skipped.extend(skipped)
        yield from (ConfigFile(domain, file, "module") for domain, file in found.items())

    def _json_files(self) -> Iterator[ConfigFile]:
        folder = self.root.folder("domains")
        for file in folder.files() if folder is not None else ():
            if file.path.suffix == ".json" and is_domain(file.path.stem):
                yield ConfigFile(file.path.stem, file, "json")
            else:
                self._skip(file.name, f"not a name of a configuration, <Domain>{_DOMAIN_SUFFIX}.json")

    def _results(self) -> tuple[list[TrajectoryFile], list[TrajectoryFile]]:
        """Return the players' files and the oracle's."""
        players: list[TrajectoryFile] = []
        oracle = list(self._runs(ORACLE, "", self.root.folder(_ORACLE_FOLDER)))
        results = self.root.folder("results")
        for folder in results.folders() if results is not None else ():
            if folder.last == _ORACLE_FOLDER:
                oracle.extend(self._runs(ORACLE, "", folder))
            elif folder.last == _SFT_FOLDER:
                for tuned in folder.folders():
                    players.extend(self._agents(f"{SFT_PREFIX}{tuned.last}", tuned))
            else:
                players.extend(self._agents(folder.last, folder))
        return players, oracle

    def _agents(self, player: str, folder: Folder) -> Iterator[TrajectoryFile]:
        for child in folder.folders():
            if child.last in _AGENTS:
                yield from self._runs(player, child.last, child)
            else:
                self._skip(child.name, f"an agent that is not known here, expected {' or '.join(_AGENTS)}")

    def _runs(self, player: str, agent: str, folder: Folder | None) -> Iterator[TrajectoryFile]:
        for domain in self._domain_folders(folder):
            for setting, child in self._setting_folders(domain):
                for file in child.files():
                    match = _RUNS.fullmatch(file.path.name)
                    if match is None:
                        self._skip(file.name, "not a name of trajectories, eval_times=N.jsonl")
                    else:
                        yield TrajectoryFile(player, domain.last, setting, agent, int(match[1]), file)

    def _domain_folders(self, folder: Folder | None, quietly: bool = False) -> Iterator[Folder]:
        """Yield the folders of domains; in a clone's `env` there are others too."""
        for child in folder.folders() if folder is not None else ():
            if is_domain(child.last):
                yield child
            elif not quietly and child.name != "env/data":
                self._skip(child.name, f"not a folder of a domain, <Domain>{_DOMAIN_SUFFIX}")

    def _setting_folders(self, folder: Folder) -> Iterator[tuple[Setting, Folder]]:
        for child in folder.folders():
            setting = parse_setting(child.last)
            if setting is None:
                self._skip(
                    child.name, "not a folder of a setting, truth_num=T+action_num=A+valid_truth_num=V"
                )
            else:
                yield setting, child

    def _once_each(self, files: Iterable[TrajectoryFile]) -> tuple[TrajectoryFile, ...]:
        """Return one file for each player, domain and setting, that of most runs; the others are skipped."""
        kept: dict[tuple[str, str, Setting], TrajectoryFile] = {}
        for file in sorted(files, key=_trajectory_order):
            first = kept.setdefault((file.player, file.domain, file.setting), file)
            if first is not file:
                self._skip(file.file.name, f"the same player, domain and setting as {first.file.name}")
        return tuple(kept.values())

    def _skip(self, name: str, reason: str) -> None:
        self.skipped.append(Skipped(name, None, reason))


def _order(setting: Setting) -> tuple[int, int, int]:
    return setting.n_truths, setting.n_actions, setting.n_valid


def _trajectory_order(file: TrajectoryFile) -> tuple[str, str, tuple[int, int, int], int, str]:
    return file.player, file.domain, _order(file.setting), -file.runs, file.file.name
