"""What the operating system refused, in one line: the file, what is wrong with it, and the way out."""

import errno

_TOLD = {
    errno.ENOSPC: "the disk is full: free some space, then give the same command again",
    errno.EDQUOT: "your share of the disk is used up: free some space, then give the same command again",
    errno.EFBIG: "the file would be larger than allowed: lift the limit (`ulimit -f`), then try again",
    errno.EROFS: "the file system is read-only: mount it for writing, or name another --root",
    errno.EACCES: "permission is denied: check who may read and write there, or name another --root",
    errno.EPERM: "permission is denied: check who may read and write there, or name another --root",
    errno.EIO: "the disk failed to read or write: check it, then give the same command again",
    errno.ENOENT: "there is no such file or folder: somebody removed it, or its name is wrong",
    errno.EEXIST: "something else of that name is there: move it away, or name another --root",
    errno.ENOTDIR: "a part of the path is a file, expected a folder: move it away, or name another --root",
    errno.EISDIR: "it is a folder, expected a file: move it away, or name another --root",
    errno.EMFILE: "too many files are open: raise the limit (`ulimit -n`), then try again",
    errno.ENOMEM: "the memory is used up: end other programs, or work in smaller pieces, then try again",
}
_REFUSED_BY_NAME = (
    (PermissionError, _TOLD[errno.EACCES]),
    (FileNotFoundError, _TOLD[errno.ENOENT]),
    (TimeoutError, "no answer came in time: check network and service, then give the same command again"),
    (ConnectionError, "no connection: check network and service, then give the same command again"),
)


def describe_os_error(error: OSError) -> str:
    """Describe the error in one line; an error without a file names none."""
    name = error.filename if isinstance(error.filename, str) and error.filename else ""
    told = _TOLD.get(error.errno or 0) or next(
        (text for kind, text in _REFUSED_BY_NAME if isinstance(error, kind)), ""
    )
    reason = " ".join((error.strerror or str(error) or type(error).__name__).split())
    return f"{name}{': ' if name else ''}{told or reason}" + (f" ({reason})" if told else "")
