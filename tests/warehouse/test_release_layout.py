"""A copy of the authors' repository is recognised, and each of its files is found by place and name."""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.warehouse.kumo.release.layout import Release, find_release
from tests.warehouse.release_tree import CLONE, EASY, environment, write_files

EASY_RUNS = f"{EASY}/eval_times=5.jsonl"


SETTING_FOLDER = r"truth_num=\d+\+action_num=\d+\+valid_truth_num=\d+"


def reasons(release: Release) -> dict[str, str]:
    return {skipped.file: skipped.reason for skipped in release.skipped}


def test_a_clone_is_found_in_one_order(tmp_path: Path) -> None:
    hidden = {"env/TreeEnv/.DS_Store": "", "env/__pycache__/tree_env.pyc": "", "results/.cache/x": ""}
    release = find_release(write_files(tmp_path, {**CLONE, **hidden}))
    assert release.domains == ("InEnv", "OutEnv", "StarEnv", "TreeEnv")
    assert [(domain, file.name) for domain, file in release.configs.items()] == [
        ("InEnv", "env/data/in_data.py"),
        ("OutEnv", "env/data/out_data.py"),
        ("StarEnv", "env/data/star_data.py"),
        ("TreeEnv", "env/data/oak_data.py"),
    ]
    assert [(file.domain, file.setting.name) for file in release.instances] == [
        ("InEnv", "easy"),
        ("TreeEnv", "easy"),
        ("TreeEnv", "hard"),
    ]
    assert [(book.domain, book.seed, book.file.path.read_text()) for book in release.books] == [
        ("TreeEnv", 9, "Nine."),
        ("TreeEnv", 10, "Ten."),
    ]
    assert [(run.player, run.domain, run.setting.name, run.runs) for run in release.trajectories] == [
        ("m-1", "TreeEnv", "easy", 5),
        ("m-1", "TreeEnv", "hard", 5),
        ("m-2", "TreeEnv", "easy", 5),
        ("sft/m-1-500", "InEnv", "easy", 5),
    ]
    assert [(run.player, run.domain, run.runs) for run in release.oracle] == [("oracle", "TreeEnv", 10)]
    assert reasons(release) == {"env/masked_env.py": "MaskedEnv imports no configuration of its own"}


def test_the_partial_release_is_found(release: Path) -> None:
    found = find_release(release)
    assert (len(found.domains), len(found.configs), len(found.instances)) == (67, 67, 70)
    # How many results lie beside a clone differs from copy to copy: they are counted by another way.
    results = [path for path in (release / "results").rglob("*.jsonl") if path.parts[-4].endswith("Agent")]
    played = [path for path in results if re.fullmatch(SETTING_FOLDER, path.parts[-2])]
    assert (len(found.books), len(found.trajectories), len(found.oracle)) == (200, len(played), 71)
    assert {"deepseek-v3", "llama-3.1-8b-instruct", "o1-mini"} <= set(found.players)
    others = {str(path.relative_to(release)) for path in set(results) - set(played)}
    assert {file.file.name for file in found.revised} == others
    assert {file.player for file in found.revised} == {"gpt-3.5-turbo-0125"}
    assert found.skipped == ()


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"readme.txt": ""},
        {"env/readme.txt": ""},
        {"env/other/a.jsonl": ""},
        {"results/m/VanillaAgent/TreeEnv/x": ""},
        {"domains/trees.json": "{}"},
    ],
)
def test_any_other_folder_is_refused_with_the_remedy(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(UnreadableInput, match=r"not the KUMO authors' repository.*name the folder"):
        find_release(write_files(tmp_path, files))


@pytest.mark.parametrize(("name", "reason"), [("kumo.zip", "a file"), ("absent", "no such folder")])
def test_a_path_that_is_no_folder_is_refused(tmp_path: Path, name: str, reason: str) -> None:
    write_files(tmp_path, {"kumo.zip": ""})
    with pytest.raises(UnreadableInput, match=f"{name}: {reason}, expected the folder"):
        find_release(tmp_path / name)


def test_either_part_makes_the_partial_form(tmp_path: Path) -> None:
    only_domains = find_release(write_files(tmp_path / "a", {"domains/TreeEnv.json": "{}"}))
    only_instances = find_release(write_files(tmp_path / "b", {f"instances/TreeEnv/{EASY}.jsonl": ""}))
    assert (only_domains.domains, only_instances.domains) == (("TreeEnv",), ("TreeEnv",))
    assert (only_domains.instances, only_instances.configs) == ((), {})


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("env/TreeEnv/notes.txt", "not a name of instances"),
        ("env/TreeEnv/truth_num=4+action_num=6.jsonl", "not a name of instances"),
        ("env/TreeEnv/truth_num=٤+action_num=6+valid_truth_num=1.jsonl", "not a name of instances"),
        (f"env/TreeEnv/knowledge_book/{EASY}/seed=007.txt", "not a name of a knowledge book"),
        ("env/TreeEnv/other/seed=1.txt", "a folder that is not known here"),
        (f"env/TreeEnv/knowledge_book/{EASY}/seed=x.txt", "not a name of a knowledge book"),
        (f"env/TreeEnv/knowledge_book/{EASY}/seed=1.txt.bak", "not a name of a knowledge book"),
        ("env/TreeEnv/knowledge_book/easy/seed=1.txt", "not a folder of a setting"),
        (f"results/m-1/OtherAgent/TreeEnv/{EASY_RUNS}", "an agent that is not known here"),
        ("results/m-1/VanillaAgent/TreeEnv/easy/eval_times=5.jsonl", "not a folder of a setting"),
        (f"results/m-1/VanillaAgent/TreeEnv/{EASY}/log.txt", "not a name of trajectories"),
        (f"results/m-1/VanillaAgent/trees/{EASY_RUNS}", "not a folder of a domain"),
        (f"env/odd domainEnv/{EASY}.jsonl", "not a folder of a domain"),
    ],
)
def test_what_no_rule_knows_is_skipped_by_name(tmp_path: Path, name: str, reason: str) -> None:
    plain = find_release(write_files(tmp_path, CLONE))
    found = find_release(write_files(tmp_path, {name: "x"}))
    (extra,) = reasons(found).keys() - reasons(plain).keys()
    assert name.startswith(extra)
    assert reason in reasons(found)[extra]
    assert replace(found, skipped=()) == replace(plain, skipped=())


def test_of_two_files_for_one_place_that_of_more_runs_counts(tmp_path: Path) -> None:
    write_files(tmp_path, {**CLONE, f"results/m-2/SFTAgent/TreeEnv/{EASY}/eval_times=10.jsonl": "{}\n"})
    found = find_release(tmp_path)
    assert [run.runs for run in found.trajectories if run.player == "m-2"] == [10]
    assert reasons(found)[f"results/m-2/VanillaAgent/TreeEnv/{EASY_RUNS}"] == (
        f"the same player, domain and setting as results/m-2/SFTAgent/TreeEnv/{EASY}/eval_times=10.jsonl"
    )


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("import (", 1, "not Python"),
        ("a" + ".b" * 90_000, None, "nested too deeply"),
        (
            environment("NewEnv", "from env.data.absent_data import *"),
            7,
            "env/data/absent_data.py, expected one",
        ),
        (
            environment("NewEnv", "from env.data.oak_data import *\nfrom env.data.in_data import Truths"),
            8,
            "in_data.py, env/data/oak_data.py, expected one module",
        ),
        (environment("NewEnv", "from env.data.oak_data.inner import *"), 7, "expected one module"),
        (
            environment("NewEnv", "from other.data.oak_data import *"),
            7,
            "imports no configuration of its own",
        ),
    ],
)
def test_an_environment_without_one_module_is_told(
    tmp_path: Path, text: str, line: int | None, reason: str
) -> None:
    found = find_release(write_files(tmp_path, {**CLONE, "env/new_env.py": text}))
    (skipped,) = [skipped for skipped in found.skipped if skipped.file == "env/new_env.py"]
    assert reason in skipped.reason
    assert skipped.line == line
    assert "NewEnv" not in found.configs


def test_a_domain_registered_twice_keeps_its_first_module(tmp_path: Path) -> None:
    again = environment("TreeEnv", "from env.data.in_data import *")
    found = find_release(write_files(tmp_path, {**CLONE, "env/tree_env_2.py": again}))
    assert found.configs["TreeEnv"].name == "env/data/oak_data.py"
    assert reasons(found)["env/tree_env_2.py"] == "TreeEnv is registered in another file too"


@pytest.mark.parametrize("reverse", [True, False])
def test_the_order_of_the_disk_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reverse: bool
) -> None:
    again = environment("TreeEnv", "from env.data.in_data import *")
    root = write_files(tmp_path, {**CLONE, "env/tree_env_2.py": again})
    expected = find_release(root)
    walk = os.walk

    def walk_in_order(*args: Any, **options: Any) -> Iterator[tuple[str, list[str], list[str]]]:
        for folder, folders, names in walk(*args, **options):
            folders.sort(reverse=reverse)
            yield folder, folders, sorted(names, reverse=reverse)

    monkeypatch.setattr(os, "walk", walk_in_order)
    assert find_release(root) == expected


def test_a_name_of_any_bytes_becomes_one_line_of_text(tmp_path: Path) -> None:
    write_files(tmp_path, CLONE)
    os.mkfifo(os.fsencode(tmp_path) + b"/env/\xff\nEnv")
    found = find_release(tmp_path)
    (odd,) = [skipped for skipped in found.skipped if "masked" not in skipped.file]
    assert odd.file.isprintable()
    assert odd.file.encode()


def test_only_the_domains_and_players_that_were_asked_for(tmp_path: Path) -> None:
    release = find_release(write_files(tmp_path, CLONE))
    some = release.only(["TreeEnv"], ["m-1"])
    assert (some.domains, some.players) == (("TreeEnv",), ("m-1",))
    assert (len(some.trajectories), len(some.oracle), len(some.books)) == (2, 1, 2)
    assert release.only() == release
    assert release.only(players=["sft/m-1-500"]).domains == release.domains
    with pytest.raises(InvalidOption, match="no domain 'Tree'; it has: InEnv, OutEnv"):
        release.only(["Tree"])
    assert release.only(players=["m-3"], in_table=["m-3"]).trajectories == ()
    with pytest.raises(InvalidOption, match="no model 'm-3'; it has: m-1, m-2, sft/m-1-500"):
        release.only(players=["m-3"])
