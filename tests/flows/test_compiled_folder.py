"""Compiled code has a folder where neither the package nor the home can be written."""

import os
import pickle
import runpy
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from perennial.tasks import compiled

_KERNEL = """
import os, stat, compiled

@compiled.njit(cache=True)
def twice(n):
    return 2 * n

folder = os.environ.get("NUMBA_CACHE_DIR", "")
mode = folder and oct(stat.S_IMODE(os.stat(folder).st_mode))
print(twice(21), folder, mode, bool(os.listdir(folder or ".")))
"""


@pytest.mark.slow
@pytest.mark.parametrize("is_writable", [False, True])
def test_kernels_compile_in_a_private_folder_where_no_other_can_be_written(
    tmp_path: Path, is_writable: bool
) -> None:
    shutil.copy(str(compiled.__file__), tmp_path / "compiled.py")
    (tmp_path / "kernel.py").write_text(_KERNEL)
    if not is_writable:
        (tmp_path / "__pycache__").write_text("a file where the folder should be")
    environment = {
        **{name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"},
        **dict.fromkeys(("HOME", "XDG_CACHE_HOME"), "/dev/null/home"),
    }
    done = subprocess.run(
        [sys.executable, "kernel.py"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    if is_writable:
        assert done.stdout.split() == ["42", "True"]
        return
    value, folder, mode, is_used = done.stdout.split()
    assert (value, mode, is_used) == ("42", oct(stat.S_IRWXU), "True")
    assert not Path(folder).exists()


_DAMAGES = {
    "cut off": lambda kept: kept[: len(kept) // 2],
    "empty": lambda _: b"",
    "garbage": lambda _: b"\xff\x00not a cache\n" * 40,
    "a bit flipped": lambda kept: kept[:400] + bytes([kept[400] ^ 1]) + kept[401:],
    "of another version": lambda kept: pickle.dumps("0.1.0") + kept,
    "another object": lambda _: pickle.dumps({"a": 1}),
    "a folder": None,
}


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", _DAMAGES)
def test_code_that_is_damaged_or_of_others_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str, suffix: str
) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path / "kept"))
    source = tmp_path / "kernel.py"
    source.write_text("def twice(n):\n    return 2 * n\n")

    def run() -> tuple[int, int]:
        """Call it as a process that has loaded nothing; return the value and how often code was loaded."""
        function = compiled.njit(cache=True)(runpy.run_path(str(source))["twice"])
        return function(21), sum(function.stats.cache_hits.values())

    assert (run(), run()) == ((42, 0), (42, 1))
    (file,) = (tmp_path / "kept").glob(f"*/*.{suffix}")
    kept = file.read_bytes()
    file.unlink()
    change = _DAMAGES[damage]
    if change is None:
        file.mkdir()
    else:
        file.write_bytes(change(kept))
    # Of the index, a flipped bit may be one that says nothing.
    assert run() in ((42, 0), *([(42, 1)] if (damage, suffix) == ("a bit flipped", "nbi") else []))
    assert run() == ((42, 0) if change is None else (42, 1))
