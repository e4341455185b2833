"""Published files of each format that perennial has written: a tiny edition, two evaluations, their analyses.

Run `python -m tests.flows.published_format` after FORMAT was raised; the files of former formats stay.
"""

import os
import tarfile
import tempfile
from pathlib import Path

from perennial.warehouse.catalog.confinement import FORMAT
from tests.flows.made_units import make_edition, make_evaluation

DATA = Path(__file__).parent / "data"
SETTINGS = {"domains": ["chemical_analysis"], "settings": ["4x4"], "instances": 2, "runs": 1, "seed": 11}


def archive(number: int) -> Path:
    """Return the file that keeps the root of this format."""
    return DATA / f"format_{number}.tar.xz"


def unpack(number: int, root: Path) -> None:
    """Write the root of this format."""
    with tarfile.open(archive(number)) as kept:
        kept.extractall(root, filter="data")


def write() -> None:
    """Keep a root of this version's format."""
    DATA.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        root = Path("root")
        make_edition(root, "kept", players=["algorithm-3"], **SETTINGS)
        make_evaluation(root, "kept", players=["random"], runs=1)
        with tarfile.open(archive(FORMAT), "w:xz") as kept:
            for file in sorted(path for path in root.rglob("*") if path.is_file()):
                kept.add(file, file.relative_to(root), filter=_without_owner)
    print(f"{archive(FORMAT)}: {archive(FORMAT).stat().st_size:,} bytes")


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    return member.replace(deep=False, uid=0, gid=0, uname="", gname="", mtime=0)


if __name__ == "__main__":
    write()
