"""A lock of the operating system on `.lock` in a local data root: freed when its holder dies."""

import errno
import os
from pathlib import Path
from weakref import WeakSet

LOCK_NAME = ".lock"
_TRIES = 10
_TAKEN = (errno.EWOULDBLOCK, errno.EACCES)
_NOT_OFFERED = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)


class OsLock:
    """An exclusive flock, held from `taken` until `free`; a forked child of the holder has no share in it."""

    def __init__(self, descriptor: int, is_kept: bool) -> None:
        self._descriptor: int | None = descriptor
        self.is_kept = is_kept
        _open_locks.add(self)

    @classmethod
    def taken(cls, folder: Path) -> "OsLock | None":
        """Return the lock on the folder, which is made where it is absent; None where somebody holds it.

        On a file system without such locks `is_kept` is False, and the lock keeps nobody away. Raises
        OSError where the folder cannot be written to.
        """
        import fcntl

        folder.mkdir(parents=True, exist_ok=True)
        path = folder / LOCK_NAME
        for _ in range(_TRIES):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(descriptor)
                if error.errno in _TAKEN:
                    return None
                if error.errno not in _NOT_OFFERED:
                    raise
                return cls(os.open(path, os.O_RDWR | os.O_CLOEXEC), is_kept=False)
            if _is_still_at(path, descriptor):
                return cls(descriptor, is_kept=True)
            # The file was removed by force between opening and locking it.
            os.close(descriptor)
        return None

    def free(self) -> None:
        """Give the lock up; doing so again does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def remove_by_force(folder: Path) -> None:
    """Let others take the lock although somebody holds it: they will lock another file of that name."""
    (folder / LOCK_NAME).unlink(missing_ok=True)


def _leave_to_parent() -> None:
    """A child that outlives a killed parent must not keep what the parent held."""
    for lock in list(_open_locks):
        lock.free()


_open_locks: "WeakSet[OsLock]" = WeakSet()
os.register_at_fork(after_in_child=_leave_to_parent)


def _is_still_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
