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

import ast
import os
import re
import stat
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.kumo.things import Setting
from perennial.warehouse.store.file_system import open_regular

# The files of a copy of the KUMO authors' repository and their text; what cannot be read is named.

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
LFS_REASON = "a Git LFS pointer, its content was not fetched: run `git lfs pull` in the clone"
_SPECIAL = "a link, a pipe or a device, none of which is followed or opened; put a copy in its place"


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """One file: its `name` below the release's folder, with `/` between the parts, and its path."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was skipped: the file, the line (None: all of it) and why, on one line."""

    file: str
    line: int | None
    reason: str

    @property
    def place(self) -> str:
        """The file, and the line where it is known."""
        return self.file if self.line is None else f"{self.file}, line {self.line}"

    @property
    def warning(self) -> str:
        """The sentence that a user is shown."""
        return f"skipped {self.place}: {self.reason}"


def list_files(root: Path, tops: Collection[str]) -> tuple[list[ReleaseFile], list[Skipped]]:
    """Return the files in the root and in these folders of it, and what is no file or cannot be listed.

    Hidden ones and Python's caches are no part of it. Links are not followed: nothing from outside of the
    root is read.
    """
    files: list[ReleaseFile] = []
    skipped: list[Skipped] = []

    def note_error(error: OSError) -> None:
        name = _printable_name(root, Path(error.filename))
        skipped.append(Skipped(name, None, f"cannot be listed: {error.strerror}; check its permissions"))

    for folder, folders, names in os.walk(root, onerror=note_error):
        kept = tops if Path(folder) == root else folders
        folders[:] = [name for name in folders if name in kept and not _is_hidden(name)]
        for path in (Path(folder, name) for name in (*folders, *names) if not _is_hidden(name)):
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                files.append(ReleaseFile(_printable_name(root, path), path))
            elif not stat.S_ISDIR(mode):
                skipped.append(Skipped(_printable_name(root, path), None, _SPECIAL))
    return files, skipped


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__"


def _printable_name(root: Path, path: Path) -> str:
    """The path below the root, whose names may be any bytes, as one line of text."""
    text = path.relative_to(root).as_posix().encode("utf-8", "backslashreplace").decode("utf-8")
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def read_text(file: ReleaseFile, max_bytes: int) -> str | Skipped:
    """Return the file's text exactly as stored, or why it was skipped (not UTF-8, too large, unreadable)."""
    try:
        with open_regular(file.path) as stored:
            content = stored.read(max_bytes + 1)
    except OSError as error:
        return Skipped(file.name, None, f"cannot be read: {error.strerror or error}")
    if content.startswith(_LFS_POINTER):
        return Skipped(file.name, None, LFS_REASON)
    if len(content) > max_bytes:
        return Skipped(file.name, None, f"larger than {max_bytes:,} bytes, the most that such a file has")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return Skipped(file.name, line, f"not UTF-8 text (byte 0x{content[error.start]:02x})")


def read_lines(file: ReleaseFile, max_bytes: int) -> Iterator[tuple[int, str] | Skipped]:
    """Yield (number from 1, text) of each line that is not blank, or why one was skipped, a line at a time.

    A line that is not UTF-8 is skipped alone; of a file with a line of over `max_bytes`, the rest; a file
    that cannot be read, is a Git LFS pointer or has no line, as a whole.
    """
    number = 0
    is_empty = True
    try:
        with open_regular(file.path) as stored:
            while line := stored.readline(max_bytes + 1):
                number += 1
                if number == 1 and line.startswith(_LFS_POINTER):
                    yield Skipped(file.name, None, LFS_REASON)
                    return
                if len(line) > max_bytes:
                    yield Skipped(
                        file.name, number, f"a line of over {max_bytes:,} bytes: the rest is not read"
                    )
                    return
                if line.strip():
                    is_empty = False
                    yield _decode(file.name, number, line)
    except OSError as error:
        yield Skipped(file.name, None, f"cannot be read: {error.strerror or error}")
        return
    if is_empty:
        yield Skipped(file.name, None, "empty, expected a JSON object per line")


def _decode(name: str, number: int, line: bytes) -> tuple[int, str] | Skipped:
    try:
        return number, line.decode("utf-8")
    except UnicodeDecodeError as error:
        return Skipped(name, number, f"not UTF-8 text (byte 0x{line[error.start]:02x})")


# Which Python module holds which domain's configuration: it is in `env/*.py`, read as syntax trees.
#
# A domain is a class under `@registry.register_environment("<Domain>Env")`. Its configuration is the module
# that the class itself imports from (`from .data.X import ...` in its body), or else its file does
# (`from env.data.X import ...`). Nothing is executed or imported.

_MAX_BYTES = 1_000_000  # the largest has 4,000


def config_modules(
    environments: Iterable[ReleaseFile], modules: Iterable[ReleaseFile]
) -> tuple[dict[str, ReleaseFile], list[Skipped]]:
    """Return each registered domain's module, and what was skipped: domains without one module too."""
    by_name = {file.path.stem: file for file in modules}
    by_domain: dict[str, ReleaseFile] = {}
    skipped: list[Skipped] = []
    for file in environments:
        names = _find_registered(file)
        if isinstance(names, Skipped):
            skipped.append(names)
            continue
        for domain, line, sources in names:
            module = by_name.get(sources[0]) if len(sources) == 1 else None
            if domain in by_domain:
                skipped.append(Skipped(file.name, line, f"{domain} is registered in another file too"))
            elif module is None:
                skipped.append(Skipped(file.name, line, _describe_sources(domain, sources)))
            else:
                by_domain[domain] = module
    return by_domain, skipped


def _describe_sources(domain: str, sources: list[str]) -> str:
    if not sources:
        return f"{domain} imports no configuration of its own"
    names = ", ".join(f"env/data/{name}.py" for name in sources)
    return f"{domain} has its configuration in {names}, expected one module that is there"


def _find_registered(file: ReleaseFile) -> list[tuple[str, int, list[str]]] | Skipped:
    """(domain, line, data modules) of each class that the file registers."""
    text = read_text(file, _MAX_BYTES)
    if isinstance(text, Skipped):
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in strings that nobody here reads
            tree = ast.parse(text)
        whole_file = sorted(set(_data_imports(tree.body)))
        return [
            (domain, node.lineno, sorted(set(_data_imports(ast.walk(node)))) or whole_file)
            for node in tree.body
            if isinstance(node, ast.ClassDef)
            for domain in registered_names(node, "register_environment")
            if domain.isidentifier() and domain.endswith("Env")
        ]
    except SyntaxError as error:
        return Skipped(file.name, error.lineno, f"not Python: {error.msg}")
    except (RecursionError, MemoryError, ValueError):
        return Skipped(file.name, None, "nested too deeply, or no text, to be read as Python")


def registered_names(node: ast.ClassDef, decorator: str) -> Iterator[str]:
    """Yield the names under which a class is registered by decorators of this name."""
    for call in node.decorator_list:
        match call:
            case ast.Call(func=ast.Attribute(attr=attr), args=[ast.Constant(value=str(name))]) if (
                attr == decorator
            ):
                yield name


def _data_imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """X of `from env.data.X import ...` and `from .data.X import ...` among the nodes."""
    for node in nodes:
        match node:
            case ast.ImportFrom(module=str(module), level=level) if level < 2:
                package = "data." if level else "env.data."
                if module.startswith(package):
                    yield module.removeprefix(package)


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


# A domain of the release in one setting: what its runs are kept by.
RunCell = tuple[str, Setting]


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


def _choose(kind: str, names: Iterable[str], choices: tuple[str, ...]) -> frozenset[str]:
    chosen = tuple(names)
    missing = next((name for name in chosen if name not in choices), None)
    if missing is not None:
        have = ", ".join(choices) or "none"
        raise InvalidOption(f"the release has no {kind} {missing!r}; it has: {have}")
    return frozenset(chosen or choices)


def find_release(path: Path) -> Release:
    """Return what the folder holds; nothing but names, and the files that name configurations, is read.

    Raises UnreadableInput where the folder is neither a clone nor the partial form, or cannot be listed.
    """
    files, skipped = list_files(path, _TOPS)
    by_kind: dict[str, list[SettingFile]] = defaultdict(list)
    others: dict[str, list[ReleaseFile]] = defaultdict(list)
    configs: dict[str, ReleaseFile] = {}
    unknown: dict[str, Skipped] = {}
    for file in sorted(files, key=lambda file: file.name):
        match = _find_place(file.name.split("/"))
        if isinstance(match, Skipped):
            unknown[match.file] = match
        elif match is not None and "truths" in match[1]:
            by_kind[match[0]].append(_setting_file(file, match[1]))
        elif match is not None and match[0] == "configs":
            configs[match[1]["domain"]] = file
        elif match is not None:
            others[match[0]].append(file)
    modules, unread = config_modules(others["environments"], others["modules"])
    configs |= modules
    if not configs and not by_kind["instances"]:
        raise UnreadableInput(_describe_foreign_folder(path, skipped))
    trajectories, repeated = _choose_one_each(by_kind["trajectories"])
    oracle, repeated_oracle = _choose_one_each(by_kind["oracle"])
    skipped += [*unknown.values(), *unread, *repeated, *repeated_oracle]
    return Release(
        configs=dict(sorted(configs.items())),
        instances=tuple(sorted(by_kind["instances"], key=_order)),
        books=tuple(sorted(by_kind["books"], key=_order)),
        trajectories=trajectories,
        oracle=oracle,
        run_table=next(iter(others["run_table"]), None),
        skipped=tuple(sorted(skipped, key=lambda skipped: skipped.file)),
        revised=tuple(sorted(by_kind["revised"], key=_order)),
    )


def _describe_foreign_folder(path: Path, skipped: Sequence[Skipped]) -> str:
    name = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
    if not path.is_dir():
        what = "a file" if path.is_file() else "no such folder"
        return f"{name}: {what}, expected the folder of the KUMO authors' repository; check the path"
    first = next((f" ({entry.warning})" for entry in skipped), "")
    return (
        f"{name}: not the KUMO authors' repository: expected env/*Env/ and results/ (a clone), or "
        f"instances/*/ and domains/*.json; name the folder that holds these{first}"
    )


def _find_place(parts: Sequence[str]) -> tuple[str, dict[str, str]] | Skipped | None:
    """What the file with these parts of a name is, and what they say; None where nothing is expected.

    Skipped is the first part that does not fit into the place that fits the longest.
    """
    skipped = None
    depth = 0
    for kind, patterns in _PLACES:
        named: dict[str, str] = {}
        for number, (part, pattern) in enumerate(zip(parts, patterns, strict=False)):
            if (number + 1 == len(parts)) != (number + 1 == len(patterns)):
                break
            match = re.fullmatch(pattern, part)
            if match is None:
                if number > depth and pattern in _REASONS:
                    depth, skipped = number, Skipped("/".join(parts[: number + 1]), None, _REASONS[pattern])
                break
            named |= match.groupdict()
        else:
            return kind, named
    return skipped


def _setting_file(file: ReleaseFile, named: dict[str, str]) -> SettingFile:
    setting = Setting(int(named["truths"]), int(named["actions"]), int(named["valid"]))
    player = f"sft/{named['tuned']}" if "tuned" in named else named.get("model", "oracle")
    seed, runs = int(named.get("seed", 0)), int(named.get("runs", 0))
    return SettingFile(named["domain"], setting, file, seed, player if runs else "", runs)


def _order(file: SettingFile) -> tuple[str, str, int, int, int, int, int, str]:
    numbers = file.setting.n_truths, file.setting.n_actions, file.setting.n_valid
    return file.player, file.domain, *numbers, file.seed, -file.runs, file.file.name


def _choose_one_each(files: Iterable[SettingFile]) -> tuple[tuple[SettingFile, ...], list[Skipped]]:
    """One file for each player, domain and setting, that of most runs; the others are skipped."""
    kept: dict[tuple[str, str, Setting], SettingFile] = {}
    skipped: list[Skipped] = []
    for file in sorted(files, key=_order):
        first = kept.setdefault((file.player, file.domain, file.setting), file)
        if first is not file:
            reason = f"the same player, domain and setting as {first.file.name}"
            skipped.append(Skipped(file.file.name, None, reason))
    return tuple(kept.values()), skipped
