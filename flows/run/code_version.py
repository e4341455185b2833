"""The version of perennial that plans, manifests and workers of other machines name."""

from importlib.metadata import PackageNotFoundError, version


def code_version() -> str:
    """Return the installed version of perennial."""
    try:
        return version("perennial-bench")
    except PackageNotFoundError:
        return "unknown"
