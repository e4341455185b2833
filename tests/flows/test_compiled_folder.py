"""Compiled code has a folder where neither the package nor the home can be written."""

import os
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
