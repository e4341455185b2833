"""The machine's own file system as fsspec offers it, without fsspec for what every command asks first.

fsspec takes longer to import than a small query runs.
"""

import os
from typing import Any


class LocalFiles:
    """Lists and looks for files by itself; all else is fsspec's, imported then."""

    protocol = ("file", "local")

    def exists(self, path: str) -> bool:
        """Whether a file or folder of that name is there."""
        return os.path.exists(path)

    def ls(self, path: str, **_: object) -> list[str]:
        """Return the paths of what is in a folder, or the path of a file; raise FileNotFoundError."""
        try:
            return [f"{path}/{name}" for name in os.listdir(path)]
        except NotADirectoryError:
            os.stat(path)  # which raises where a part of the path before its name is a file
            return [path]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from fsspec.implementations.local import LocalFileSystem

        return getattr(LocalFileSystem(), name)


def local_path(root: str) -> str | None:
    """Return the absolute path of a root that names a folder and nothing else; None where fsspec must say."""
    if ":" in root or root.startswith("~") or os.sep != "/":
        return None
    inside = "" if root == "." else root.removeprefix("./")
    return os.path.join(os.getcwd(), inside).rstrip("/") or "/"
