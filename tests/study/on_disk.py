"""What is in the files of a study, read by another process: this one may have SQLite's locks on them."""

import json
import subprocess
import sys
from pathlib import Path

from tests.conftest import REPOSITORY


def is_on_disk(folder: Path, text: str) -> bool:
    """Whether the text is in a file of the folder."""
    asked = json.dumps({"folder": str(folder), "wanted": [text.encode().hex()]})
    program = REPOSITORY / "warehouse" / "study" / "search.py"
    command = [sys.executable, "-I", "-S", str(program)]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    return bool(json.loads(done.stdout)[0])
