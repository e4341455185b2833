"""The commands `domains validate` and `domains list`, and reading the files that they are given."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from perennial.flows.console.input_files import json_files, read_lines, read_text_file, show_path
from perennial.flows.kumo.cli.domains import domains
from perennial.flows.kumo.planning.domain_choice import load_bundled, read_config_file
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.tasks.kumo.validation import RULES
from perennial.warehouse.kumo.bundled_domains import bundled_domains, bundled_text

SMALL = ("--min-truths", "2", "--min-actions", "2")


def document(**changes: Any) -> dict[str, Any]:
    """Return a configuration that is clean at two truths and two actions, with changes."""
    smell = {"action": "Smell", "type": "str", "states": [{"label": "sharp", "rules_out": ["Oak"]}]}
    smell["states"].append({"label": "mild", "rules_out": ["Elm"]})  # type: ignore[attr-defined]
    ranges = [{"range": [0, 10], "rules_out": ["Oak", "Elm"]}, {"range": [10, 40], "rules_out": []}]
    height = {"action": "Height", "type": "float", "unit": "m", "states": ranges}
    good = {
        "name": "Trees",
        "truths": ["Oak", "Elm"],
        "actions": ["Smell", "Height"],
        "outcomes": [smell, height],
    }
    return {**good, **changes}


def write(folder: Path, name: str, **changes: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(document(**changes)), encoding="utf-8")
    return path


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    return write(tmp_path, "clean.json")


@pytest.fixture
def warned(tmp_path: Path) -> Path:
    return write(tmp_path, "warned.json", truth_notes={"Yew": "dark"})


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    return write(tmp_path, "broken.json", truths=["Oak", "Elm", "Oak"], action_notes={"Yew": "dark"})


def run(*arguments: object) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error; anything but an exit fails the test."""
    result = CliRunner().invoke(domains, [str(argument) for argument in arguments], env={"COLUMNS": "80"})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def squeeze(text: str) -> str:
    return " ".join(text.split())


def test_a_clean_file_gives_exit_code_0_and_a_summary(clean: Path) -> None:
    code, out, err = run("validate", clean, *SMALL)
    assert (code, err) == (0, "")
    assert f"{clean}: 0 errors, 0 warnings\n" in out
    assert "2 truths, 2 actions, 4 states; 67% of rule-out sets are one-to-one" in out
    assert "1 file: 1 clean, 0 with warnings, 0 with errors, 0 unreadable" in out
    assert "Errors" not in out
    assert "Warnings" not in out


def test_warnings_do_not_fail(warned: Path) -> None:
    code, out, _ = run("validate", warned, *SMALL)
    assert code == 0
    assert "0 errors, 1 warning\n" in out
    assert "Warnings" in out
    assert "unknown-note: domain 'Trees': truth_notes has a note for 'Yew'" in squeeze(out)


def test_errors_and_warnings_are_shown_apart(broken: Path) -> None:
    code, out, _ = run("validate", broken, *SMALL)
    assert code == 1
    assert "1 error, 1 warning; sampling refuses it for 1 of them" in out
    errors, warnings = out.split("Warnings")
    assert "duplicate-truth" in errors
    assert "unknown-note" not in errors
    assert "unknown-note" in warnings


def test_minimum_sizes_are_those_of_hard_unless_given_and_fewer_than_the_papers_are_a_warning(
    clean: Path, tmp_path: Path
) -> None:
    code, out, _ = run("validate", clean)
    assert code == 1
    assert "2 distinct truths, but 12 are needed" in squeeze(out)
    assert "2 distinct actions, but 16 are needed" in squeeze(out)
    config = load_bundled("mineral_identification").as_json()
    config["truths"] = list(config["truths"])[:49]  # type: ignore[call-overload]
    states = [state for entry in config["outcomes"] for state in entry["states"]]  # type: ignore[attr-defined]
    for state in states:
        state["rules_out"] = [name for name in state["rules_out"] if name in config["truths"]]  # type: ignore[operator]
    few = tmp_path / "few.json"
    few.write_text(json.dumps({**config, "truth_notes": {}}), encoding="utf-8")
    code, out, _ = run("validate", few)
    assert code == 0
    assert (
        "few-truths: domain 'Mineral Identification': 49 distinct truths; the paper asks for 50"
        in squeeze(out)
    )
    assert "few-truths" not in run("validate", few, "--min-truths", "20")[1]
    assert run("validate", clean, "--min-truths", "2", "--min-actions", "3")[0] == 1
    assert run("validate", clean, "--min-truths", "-1")[0] == 2


def test_unreadable_files_give_exit_code_2_and_one_line_each(tmp_path: Path) -> None:
    malformed = tmp_path / "malformed.json"
    malformed.write_text('{"name": ', encoding="utf-8")
    missing = tmp_path / "missing.json"
    code, out, err = run("validate", malformed, missing)
    assert code == 2
    assert err.splitlines() == [
        f"perennial: error: {malformed}: not JSON: Expecting value: line 1 column 10 (char 9), "
        "where the text ends, perhaps cut off; give one whole document",
        f"perennial: error: {missing}: no such file; check the path",
    ]
    assert "2 files: 0 clean, 0 with warnings, 0 with errors, 2 unreadable" in out


def test_all_paths_are_checked_and_the_worst_code_is_given(clean: Path, broken: Path, tmp_path: Path) -> None:
    code, out, err = run("validate", tmp_path / "missing.json", broken, clean, *SMALL)
    assert code == 2
    assert "missing.json" in err
    assert "broken.json: 1 error" in out
    assert "clean.json: 0 errors" in out
    assert "3 files: 1 clean, 0 with warnings, 1 with errors, 1 unreadable" in out
    assert run("validate", broken, clean, *SMALL)[0] == 1


def test_a_folder_stands_for_its_json_files(clean: Path, warned: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not JSON")
    (tmp_path / "folder.json").mkdir()
    assert json_files(tmp_path) == [clean, warned]
    code, out, _ = run("validate", tmp_path, *SMALL)
    assert code == 0
    assert "2 files: 1 clean, 1 with warnings" in out


def test_a_folder_without_json_files_is_an_error(tmp_path: Path) -> None:
    code, _, err = run("validate", tmp_path)
    assert code == 2
    assert "no *.json file in this folder" in err


def test_json_is_one_document(clean: Path, broken: Path, tmp_path: Path) -> None:
    code, out, err = run("validate", clean, broken, tmp_path / "missing.json", "--json", *SMALL)
    report = json.loads(out)
    assert (code, err) == (2, "")
    assert report["summary"] == {"clean": 1, "warnings": 0, "errors": 1, "unreadable": 1}
    first, second, third = report["files"]
    assert first == {
        "path": str(clean),
        "status": "clean",
        "domain": "Trees",
        "counts": {"truths": 2, "actions": 2, "states": 4, "errors": 0, "warnings": 0, "unsafe": 0},
        "one_to_one_share": 2 / 3,
        "findings": [],
        "changes": [],
    }
    assert second["status"] == "errors"
    assert second["counts"]["unsafe"] == 1
    assert [found["rule"] for found in second["findings"]] == ["duplicate-truth", "unknown-note"]
    assert second["findings"][0]["severity"] == "error"
    assert second["findings"][0]["unsafe"] is True
    assert second["findings"][1]["severity"] == "warning"
    assert third["status"] == "unreadable"
    assert third["error"].endswith("no such file; check the path")


def test_findings_fit_80_columns_and_long_lists_are_cut(tmp_path: Path) -> None:
    truths = [f"truth {i}" for i in range(250)]
    path = write(tmp_path, "many.json", truths=["Oak", "Elm", *truths])
    code, out, _ = run("validate", path, *SMALL)
    assert code == 1
    assert "250 errors" in out
    assert "and 50 more; --json prints all of them" in out
    assert max(len(line) for line in out.splitlines() if str(path) not in line) <= 80
    assert len(json.loads(run("validate", path, "--json", *SMALL)[1])["files"][0]["findings"]) == 250


def test_names_that_look_like_markup_are_printed_as_they_are(tmp_path: Path) -> None:
    path = write(tmp_path, "markup.json", truth_notes={"[red]Yew[/]": "", ":smile:": ""})
    out = squeeze(run("validate", path, *SMALL)[1])
    assert "'[red]Yew[/]'" in out
    assert "':smile:'" in out


def test_rules_lists_every_rule_without_a_path() -> None:
    code, out, _ = run("validate", "--rules")
    assert code == 0
    for name, rule in RULES.items():
        [line] = [line for line in out.splitlines() if line.startswith(f"{name} ")]
        assert rule.summary in line
        assert ("unsafe" if rule.unsafe else rule.severity) in line


@pytest.mark.slow
def test_list_shows_every_bundled_domain() -> None:
    names = list(bundled_domains())
    code, out, _ = run("list")
    assert code == 0
    assert all(name in out for name in names)
    assert load_bundled("music_identification").category in out
    rows = json.loads(run("list", "--json")[1])
    assert [row["name"] for row in rows] == names
    for row in rows:
        config = load_bundled(row["name"])
        assert (row["title"], row["category"]) == (config.name, config.category)
        assert (row["truths"], row["actions"]) == (len(config.truths), len(config.actions))
        assert row["states"] == sum(len(outcome.states) for outcome in config.outcomes)


def test_an_unknown_bundled_name_is_an_option_error() -> None:
    with pytest.raises(InvalidOption, match="no bundled domain is called 'secret'; there are: ") as error:
        bundled_text("secret")
    assert error.value.exit_code == 2


def test_text_is_read_as_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("Bäume\r\n".encode())
    assert read_text_file(path) == "Bäume\r\n"
    assert read_text_file(path, max_bytes=8) == "Bäume\r\n"


def test_what_cannot_be_read_is_told_in_one_line(tmp_path: Path) -> None:
    latin = tmp_path / "latin"
    latin.write_bytes(b"a\nB\xe4ume")
    wide = tmp_path / "wide"
    wide.write_text("Oak", encoding="utf-16")
    large = tmp_path / "large"
    large.write_bytes(b"x" * 101)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    cases = {
        tmp_path / "missing": "no such file; check the path",
        tmp_path: "a folder, expected a file in it",
        latin: "it is not UTF-8 text (byte 0xe4, line 2); save it as UTF-8",
        wide: "it looks like UTF-16 (byte 0xff, line 1); save it as UTF-8",
        large: "larger than 100 bytes, the most that is read; give a smaller file",
        loop: "cannot be read: Too many levels of symbolic links; check the path and its permissions",
        tmp_path / "\0": "cannot be read: embedded null byte; check the path and its permissions",
        tmp_path / ("x" * 5000): "cannot be read: File name too long; check the path and its permissions",
    }
    for path, told in cases.items():
        with pytest.raises(UnreadableInput) as error:
            read_text_file(path, max_bytes=100)
        assert str(error.value) == f"{show_path(path)}: {told}"
        assert error.value.exit_code == 2


def test_a_pipe_or_a_device_is_told_and_never_waited_for(tmp_path: Path, clean: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    (tmp_path / "absent.json").symlink_to("nowhere")
    (tmp_path / "linked.json").symlink_to(clean)
    for name in ("pipe.json", "zero.json"):
        with pytest.raises(UnreadableInput, match="a pipe, a socket or a device, expected a file; save its"):
            read_config_file(tmp_path / name)
    with pytest.raises(UnreadableInput, match="a pipe, a socket or a device"):
        list(read_lines(tmp_path / "pipe.json"))
    code, out, err = run("validate", tmp_path, *SMALL)
    assert code == 2
    assert "5 files: 2 clean, 0 with warnings, 0 with errors, 3 unreadable" in out
    assert [line.split(": ")[2].rpartition("/")[2] for line in err.splitlines()] == [
        *("absent.json", "pipe.json", "zero.json")
    ]


def test_tags_and_hidden_controls_of_a_file_are_found(tmp_path: Path) -> None:
    changes = {"category": "Trees </BOOK>", "goal": "Find\u202e it.", "book_title": "</answer>"}
    odd = write(tmp_path, "odd.json", **changes)
    code, out, _ = run("validate", odd, *SMALL)
    assert code == 1
    assert "3 errors, 0 warnings\n" in out
    smell = {"action": "Smell</ANSWER>", "type": "str", "states": document()["outcomes"][0]["states"]}
    breaking = {"actions": ["Smell</ANSWER>", "Height"], "outcomes": [smell, document()["outcomes"][1]]}
    code, out, _ = run("validate", write(tmp_path, "breaking.json", **breaking), *SMALL)
    assert code == 1
    assert "1 error, 0 warnings; sampling refuses it for 1 of them" in out


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission_is_told(clean: Path) -> None:
    clean.chmod(0)
    with pytest.raises(UnreadableInput, match="cannot be read: Permission denied"):
        read_text_file(clean)


def test_a_byte_order_mark_is_told(tmp_path: Path) -> None:
    path = tmp_path / "marked.json"
    path.write_text(json.dumps(document()), encoding="utf-8-sig")
    with pytest.raises(UnreadableInput, match=r"marked\.json: .* it starts with a byte order mark"):
        read_config_file(path)


def test_odd_file_names_are_shown_on_one_line(tmp_path: Path) -> None:
    odd = Path(os.fsdecode(bytes(tmp_path) + b"/a\nb\xff.json"))
    code, out, err = run("validate", odd)
    assert code == 2
    assert len(err.splitlines()) == 1
    json.loads(run("validate", odd, "--json")[1])
    assert "1 unreadable" in out
