"""The files of a data root, on any fsspec file system: whole files in, whole files out."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class Store:
    """A data root. All names are relative to it, with `/` between their parts."""

    root: str

    @property
    def _target(self) -> tuple[Any, str]:
        from fsspec.core import url_to_fs

        filesystem, path = url_to_fs(self.root)
        return filesystem, path

    def location(self, name: str = "") -> str:
        """Return the name's place as a path or URL that DuckDB and people can open."""
        return f"{self.root.rstrip('/')}/{name}" if name else self.root

    def exists(self, name: str) -> bool:
        """Whether a file or folder of that name is there."""
        filesystem, path = self._target
        return bool(filesystem.exists(f"{path}/{name}"))

    def names(self, folder: str) -> list[str]:
        """Return the sorted names of files and folders directly in `folder`; none where it is absent."""
        filesystem, path = self._target
        try:
            found = filesystem.ls(f"{path}/{folder}", detail=False, refresh=True)
        except FileNotFoundError:
            return []
        return sorted(str(entry).rstrip("/").rsplit("/", 1)[-1] for entry in found)

    def read_bytes(self, name: str) -> bytes:
        """Return the file's content; raise FileNotFoundError where there is none."""
        filesystem, path = self._target
        return bytes(filesystem.cat_file(f"{path}/{name}"))

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write the file so that it is there whole or not at all, whatever ends the process."""
        filesystem, path = self._target
        target = f"{path}/{name}"
        folder = target.rsplit("/", 1)[0]
        filesystem.makedirs(folder, exist_ok=True)
        if not _is_local(filesystem):
            filesystem.pipe_file(target, content)
            return
        draft = f"{folder}/.{uuid4().hex}.draft"
        filesystem.pipe_file(draft, content)
        os.replace(draft, target)

    def write_file(self, name: str, source: Path) -> None:
        """Copy a local file into the root, so that it is there whole or not at all; memory stays flat."""
        filesystem, path = self._target
        target = f"{path}/{name}"
        folder = target.rsplit("/", 1)[0]
        filesystem.makedirs(folder, exist_ok=True)
        if not _is_local(filesystem):
            filesystem.put_file(str(source), target)
            return
        draft = f"{folder}/.{uuid4().hex}.draft"
        shutil.copyfile(source, draft)
        os.replace(draft, target)

    def remove_folder(self, folder: str) -> None:
        """Remove the folder and all that is in it; an absent one is no error."""
        filesystem, path = self._target
        if filesystem.exists(f"{path}/{folder}"):
            filesystem.rm(f"{path}/{folder}", recursive=True)

    def read_table(self, name: str, columns: list[str] | None = None) -> "pyarrow.Table":
        """Return the Parquet file's content, or these columns of it."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        # On this thread alone: one of Arrow's that still holds a Python object aborts an exiting process.
        source = pq.ParquetFile(pa.BufferReader(self.read_bytes(name)), pre_buffer=False)
        return source.read(columns=columns, use_threads=False)

    def write_table(self, name: str, table: "pyarrow.Table") -> None:
        """Write the table as one zstd Parquet file, whole or not at all; equal tables give equal bytes."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        self.write_bytes(name, sink.getvalue().to_pybytes())


def _is_local(filesystem: Any) -> bool:
    protocol = filesystem.protocol
    return "file" in ((protocol,) if isinstance(protocol, str) else protocol)
