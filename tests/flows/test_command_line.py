"""The same rules for every command: its help, its options for programs, and what it says of wrong input."""

import errno
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from perennial.flows.cli.app import app, main
from perennial.flows.console.errors import describe_os_error
from perennial.schemas.errors import InvalidOption
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run, perennial

# `serve` runs until it is stopped, `unlock` asks before it acts, `init` writes files: none prints a result.
_ACTS = ("withdraw", "reinstate", "reveal", "retire")
WITHOUT_RESULT = ("serve", "unlock", "init", "web", *(f"editions {act}" for act in _ACTS))
# They read and write no data root.
WITHOUT_ROOT = (
    "perennial benchmarks",
    "perennial init",
    "perennial knowledge list",
    "perennial knowledge sample",
    "perennial knowledge show",
    "perennial knowledge validate",
    "perennial models check",
    "perennial tables",
    "perennial tasks list",
    "perennial tasks show",
)


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Commands of `perennial` in this process and an empty folder, on no data root but their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *arguments: perennial(monkeypatch, capsys, *arguments)


def walk(command: Any, *path: str) -> Iterator[tuple[str, Any]]:
    """Yield the command and all in it, each with its whole name."""
    yield " ".join(("perennial", *path)), command
    for name, part in getattr(command, "commands", {}).items():
        yield from walk(part, *path, name)


EVERY = dict(walk(get_command(app)))
LEAVES = {name: command for name, command in EVERY.items() if not hasattr(command, "commands")}


def parse(line: str) -> Any:
    """Return the context of a whole command line: it parses, and nothing is run."""
    _, *arguments = shlex.split(line)
    found = get_command(app)
    while hasattr(found, "commands"):
        found = found.commands[arguments.pop(0)]
    return found.make_context("perennial", arguments)


@pytest.mark.parametrize("name", EVERY)
def test_every_help_ends_with_an_example_that_parses(name: str) -> None:
    epilog = EVERY[name].epilog or ""
    assert epilog.startswith("Example: perennial "), epilog
    example = epilog.removeprefix("Example: ")
    assert hasattr(EVERY[name], "commands") or example.startswith(name)
    assert parse(example).params
    assert "Example:" not in EVERY[name].help


def test_the_help_of_a_refresh_is_short_and_another_shows_every_setting(give: Run) -> None:
    short, whole = (give("refresh", flag).out for flag in ("--help", "--help-all"))
    options = [re.findall(r"^│ (--[a-z-]+)", text, re.MULTILINE) for text in (short, whole)]
    assert set(options[0]) < set(options[1])
    assert len(options[0]) <= 14
    assert {"--players", "--size", "--help-all"} <= set(options[0])
    assert "--webhook" in options[1]
    assert "Models as players" in whole


def test_a_setting_of_another_benchmark_is_named_as_such(give: Run) -> None:
    told = "--domains: a setting of knowlogic, kumo, and not of the benchmark chosen: leave it out (see "
    shown = give("refresh", "--benchmark", "beyondbench", "--domains")
    assert told + "`perennial refresh --benchmark knowlogic --help-all`)" in shown.err
    assert "--domains" in give("refresh", "--benchmark", "knowlogic", "--help-all").out


def test_brackets_in_a_help_are_shown(give: Run) -> None:
    shown = give("refresh", "--benchmark", "beyondbench", "--help-all").out
    assert "-e '.[tokenizers]'" in " ".join(shown.replace("│", " ").split())


def test_the_example_is_shown_below_the_options(give: Run) -> None:
    for arguments in (["query"], ["refresh"], ["evaluate"], ["import", "scores"], ["domains"]):
        shown = give(*arguments, "--help")
        assert shown.code == 0
        assert shown.out.index("--help") < shown.out.index("Example: perennial")
        assert shown.out.count("Example: perennial") == 1


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_with_a_result_prints_json(name: str) -> None:
    options = {option for one in parameters(name) for option in one.opts}
    assert ("--json" in options) == (name.removeprefix("perennial ") not in WITHOUT_RESULT)


def parameters(name: str) -> list[Any]:
    """Return the options and arguments of a command, those that are settings included."""
    context = LEAVES[name].make_context(name, [], resilient_parsing=True)
    return list(context.command.params)


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_takes_a_root(name: str) -> None:
    assert ("--root" in {option for one in parameters(name) for option in one.opts}) == (
        name not in WITHOUT_ROOT
    )


@pytest.mark.slow
def test_json_is_short_for_the_format(give: Run, store: Store) -> None:
    at = ("--root", store.root)
    for command in (["editions", "list", *at], ["query", "FROM editions", *at], ["domains", "list", *at]):
        short, long = give(*command, "--json"), give(*command, "--format", "json")
        assert short == long
        assert isinstance(json.loads(short.out), list)
        both = give(*command, "--json", "--format", "csv")
        assert both.err == "perennial: error: --json and --format csv: expected one of them\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("refesh", "'refesh': there is no such command; did you mean refresh? (see `perennial --help`)"),
        (
            "import score",
            "'score': there is no such command; did you mean scores? (see `perennial import --help`)",
        ),
        (
            "refresh --instance 5",
            "--instance: there is no such option; did you mean --instances? (see `perennial refresh --help`)",
        ),
        ("calls --limit x", "--limit 'x': expected a whole number (see `perennial calls --help`)"),
        ("calls --limit 0", "--limit '0': expected at least 1 (see `perennial calls --help`)"),
        (
            "calls --role jury",
            "--role 'jury': expected proposer, configurer, writer, reviser, checker, designer, architect, "
            "judge, expander, analyst, player or tool",
        ),
        ("query", "SQL: missing; give one statement, or --emit-sql (see `perennial query --help`)"),
        ("query a b", "b: no such argument is expected (see `perennial query --help`)"),
        ("refresh --instances", "--instances: expected a value after it (see `perennial refresh --help`)"),
        ("refresh --instances 0", "--instances 0: expected at least 1 (see `perennial refresh --help-all`)"),
        *(
            (
                f"refresh --edition {name}",
                f"--edition '{name}': expected up to 100 letters, digits, dots, dashes and underscores, the "
                "first a letter (else other programs read it as a number or a day) (see `perennial refresh",
            )
            for name in ("2026-11-28", "1e5", "0x10")
        ),
        *(
            (f"refresh --edition {name}", f"--edition '{name}': expected another name: DuckDB may read this")
            for name in ("inf", "Infinity", "epoch")
        ),
        *((f"try {name!r}", f"MODEL {name!r}: expected one name, without commas") for name in ("", "m,n")),
        *(
            (f"{command} --root ' '", "the data root ' ': a blank name: expected a folder, or a URL")
            for command in ("editions list", "refresh --dry-run", "export e out")
        ),
        *(
            (f"{command} --root /etc/passwd", "the data root '/etc/passwd': a file has this name: expected")
            for command in ("query 'SELECT 1'", "doctor", "refresh --dry-run", "unlock")
        ),
        (
            "evaluate e --instances 0",
            "--instances '0': expected at least 1 (see `perennial evaluate --help`)",
        ),
        ("design e --power 1.5", "--power 1.5: expected 0.5 or more, and less than 1"),
        (
            "play --domain musik",
            "domain 'musik' is not bundled; did you mean music_identification? (see `per",
        ),
        (
            "report --out /proc/x",
            "--out /proc/x: No such file or directory (/proc); name a folder that you can",
        ),
        (
            "reproduce --keep /proc/x",
            "--keep /proc/x: No such file or directory (/proc); name a folder that you",
        ),
    ],
)
def test_wrong_input_is_named_with_what_was_expected_and_where_help_is(
    give: Run, line: str, said: str
) -> None:
    shown = give(*shlex.split(line))
    assert shown.code == 2
    assert shown.err.startswith(f"perennial: error: {said}")
    assert shown.err.count("\n") == 1


# Wrong input that is met late, beside a root with the editions e1 and e2, and what is said of it.
_BESIDE_A_ROOT = {
    "query 'SELECT 1; SELECT 2'": "the query holds 2 statements: expected one, that begins with SELECT",
    "query 'FROM nothing'": "there is no table or view 'nothing'; `perennial tables` lists all",
    "query ''": "the query holds no statement: expected one, that begins with SELECT",
    "query 'SELECT 1' --columns ''": "--columns '': the result has no such column; it has 1",
    "ask best_players edition": "parameter 'edition' of question best_players: expected edition=VALUE",
    "ask best_players edition=e3": "data has no published edition 'e3' (it may be withdrawn); published: e1",
    "report e1 --compare e3": "data has no published edition 'e3'",
    "reproduce e3": "data has no published edition 'e3' (it may be withdrawn); published: e1, e2",
    "export e1 /proc/x/y": "DESTINATION /proc/x/y: No such file or directory (/proc); name a folder that you",
    "export e1 /etc/passwd": "/etc/passwd: there is something of this name already; name a new folder",
    "editions withdraw e1 --why ''": "--why '': expected a reason that readers see",
    "evaluate e1@9": "'e1@9' names an evaluation; expected an edition; published: e1, e2",
}


def test_wrong_input_beside_a_root_is_one_line(run: Run) -> None:
    for line, said in _BESIDE_A_ROOT.items():
        shown = run(*shlex.split(line))
        assert (shown.code, shown.err.count("\n")) == (2, 1), shown.err
        assert said in shown.err


@pytest.mark.parametrize(
    "command",
    [
        *(
            "query 'SELECT 1'",
            "verify",
            "audit",
            "analyse",
            "report",
            "reproduce",
            "evaluate",
            "export latest out",
        ),
        *("site out", "calls", "unlock", "contamination e", "design e", "design --calls 9", "episode e1"),
        *(
            "editions list",
            "editions prune",
            "domains list",
            "study new s.toml",
            "play --edition e --instance i",
        ),
        "sample --benchmark knowlogic --count 1 --out q.jsonl",
    ],
)
def test_a_root_that_does_not_exist_is_named_in_one_wording(give: Run, tmp_path: Path, command: str) -> None:
    shown = give(*shlex.split(command), "--root", str(tmp_path / "none"))
    assert shown.err == (
        f"perennial: error: --root '{tmp_path}/none' does not exist: correct it, or make a data root there "
        "with `perennial refresh`\n"
    )
    assert shown.code == 2
    assert not (tmp_path / "none").exists()


def test_an_error_of_writing_names_the_target_and_blames_no_root_without_a_name() -> None:
    copied = OSError(errno.ENOSPC, "No space left", "root/a.parquet", None, "disk/a.parquet")
    assert describe_os_error(copied).startswith("disk/a.parquet: the disk is full")
    for number in (errno.EROFS, errno.EACCES, errno.EPERM):
        shown = describe_os_error(OSError(number, "of shared memory"))
        assert ("/dev/shm" in shown, "--root" in shown) == (True, False)
    missing = describe_os_error(FileNotFoundError(errno.ENOENT, "No such file or directory"))
    assert missing.startswith("several processes need /dev/shm: mount it, or give --workers 1")


def test_an_unwritable_file_is_named_before_the_work(
    give: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("perennial.flows.kumo.kernels.prepare_kernels", None)  # whoever begins the work fails
    sizes = ("--truths", "4", "--actions", "6", "--count", "2")
    shown = give(
        "domains", "sample", "--config", "medical_diagnosis", *sizes, "--out", str(tmp_path / "none" / "out")
    )
    assert (shown.code, shown.err.count("\n")) == (2, 1)
    assert "No such file or directory; name a file in a folder that you can write" in shown.err


def test_a_misspelt_variable_is_refused_where_settings_are_read(
    give: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERENNIAL_ROT", "elsewhere")
    told = "perennial: error: PERENNIAL_ROT: there is no such setting; did you mean PERENNIAL_ROOT?\n"
    for command in (["refresh", "--dry-run"], ["doctor"]):
        assert give(*command).err == told


def test_shells_complete_commands_and_options(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def complete(words: str) -> list[str]:
        monkeypatch.setenv("_PERENNIAL_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
        monkeypatch.setattr("sys.argv", ["perennial"])
        with pytest.raises(SystemExit):
            main()
        return capsys.readouterr().out.split()

    assert complete("perennial re") == ["refresh", "report", "reproduce", "reproduce-paper"]
    assert complete("perennial import s") == ["scores"]
    assert complete("perennial evaluate --max-c") == ["--max-calls", "--max-cost"]
    assert complete("perennial query --format ") == ["table", "csv", "json"]


# Options and arguments that are no path though their help speaks of files or folders.
NO_PATH = {"--root", "--keep", "--role", "--method", "--sampler", "name"}
PATHS = [
    (name, parameter.opts[0])
    for name, command in EVERY.items()
    for parameter in command.params
    if "Path" in str(parameter.type_descriptor.annotation)
    or (
        "str" in str(parameter.type_descriptor.annotation)
        and re.search(
            "file|folder|path|config|release",
            f"{parameter.opts} {parameter.metavar} {parameter.help}".lower(),
        )
        and parameter.opts[0] not in NO_PATH
    )
]
UNFIT = {"": "a blank name", " \t": "a blank name", "a\0b": "a NUL character", "x" * 300: "over 255 bytes"}


@pytest.mark.parametrize("path", UNFIT, ids=("empty", "blank", "nul", "long"))
def test_every_path_of_every_command_is_refused_where_no_file_can_have_it(path: str) -> None:
    assert len(PATHS) > 100
    for name, option in PATHS:
        places = [parameter.opts[0] for parameter in EVERY[name].params if parameter.opts[0][0] != "-"]
        arguments = [f"{option}={path}"] if option not in places else ["x"] * places.index(option) + [path]
        with pytest.raises(InvalidOption, match=UNFIT[path]) as refused:
            EVERY[name].make_context(name, arguments)
        told = str(refused.value)
        assert (told.startswith(option), ", expected " in told, ": name another one" in told) == (
            True,
        ) * 3, told
        assert "\n" not in told
        assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    "line",
    [
        *(
            "domains score ''",
            "init ''",
            "solve --config '' --instances x",
            "study new ''",
            "web --study ' '",
        ),
        *("models check ''", "query --limit 1e20 'SELECT 1'", f"query --limit {10**20} 'SELECT 1'"),
    ],
)
def test_a_blank_path_or_a_number_out_of_range_is_one_line(give: Run, tmp_path: Path, line: str) -> None:
    refused = give(*shlex.split(line))
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1), refused
    assert "expected" in refused.err or "a blank name is no model" in refused.err
    assert list(tmp_path.iterdir()) == []
